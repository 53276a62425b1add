// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"testing"

	"github.com/seed-0529bac1/taints"
)

// The taint of the distances.
var distanceTaint = taints.MustParseTaint("dedicated=ml:NoSchedule")

// Tolerations that differ from the taint, by what they are farther from it: those
// of one row are equally far.
var distances = [][]taints.Toleration{
	{
		{Key: "dedicated", Value: "ML", Effect: "NoSchedule"},
		{Key: "dedicated", Value: "ml", Effect: "noschedule"},
		{Key: "dedicated", Operator: "Exists", Effect: "noschedule"},
	},
	{
		{Key: "dedicated", Value: "ML", Effect: "noschedule"},
		{Key: "dedicated", Value: "5", Operator: "Lt", Effect: "NoSchedule"},
		{Key: "dedicated", Value: "ml", Operator: "Equals", Effect: "NoSchedule"},
	},
	{
		{Key: "dedicated", Value: "db", Effect: "NoSchedule"},
		{Key: "dedicated", Value: "ml", Effect: "NoExecute"},
		{Key: "dedicated", Operator: "Exists", Effect: "NoExecute"},
		{Value: "ml", Effect: "NoExecute", Key: "dedicated", Operator: "Equal"},
		{Key: "dedicated", Value: "5", Operator: "Lt", Effect: "noschedule"},
	},
	{
		{Key: "DEDICATED", Value: "ml", Effect: "NoSchedule"},
		{Key: "Dedicated", Operator: "Exists"},
		{Value: "ML"},
		{Operator: "Exists", Effect: "noschedule"},
		{Key: "dedicated", Value: "db", Effect: "noschedule"},
		{Key: "dedicated", Value: "ML", Effect: "NoExecute"},
	},
	{
		{Value: "5", Operator: "Lt"},
		{Key: "dedicated", Value: "5", Operator: "Lt", Effect: "NoExecute"},
		{Key: "DEDICATED", Value: "ML"},
	},
	{
		{Key: "dedicate", Value: "ml", Effect: "NoSchedule"},
		{Key: "dedicated", Value: "db", Effect: "NoExecute"},
		{Value: "db"},
		{Operator: "Exists", Effect: "NoExecute"},
		{Key: "DEDICATED", Value: "5", Operator: "Lt"},
	},
	{
		{Key: "dedicat", Value: "ml", Effect: "NoSchedule"},
		{Key: "deidcated", Value: "db", Effect: "NoExecute"},
	},
}

func TestClosestIsTheOneThatDiffersLeast(t *testing.T) {
	closest := func(a, b taints.Toleration) int {
		i, ok := taints.Explain([]taints.Taint{distanceTaint}, []taints.Toleration{a, b})[0].Toleration()
		if !ok {
			t.Errorf("neither %v nor %v comes close", a, b)
		}
		return i
	}
	for near, row := range distances {
		for _, a := range row {
			if a.Tolerates(distanceTaint) {
				t.Fatalf("%v tolerates the taint", a)
			}
			for _, b := range row {
				if closest(a, b) != 0 {
					t.Errorf("%v comes closer than %v", b, a)
				}
			}
			for _, farther := range distances[near+1:] {
				for _, b := range farther {
					if closest(a, b) != 0 || closest(b, a) != 1 {
						t.Errorf("%v comes as close as %v", b, a)
					}
				}
			}
		}
	}
}

func TestClosestIsTheFirstMatch(t *testing.T) {
	seconds := int64(5)
	list := []taints.Taint{distanceTaint}
	for name, tols := range map[string][]taints.Toleration{
		"all keys before one that nearly matches": {
			{Operator: "Exists", TolerationSeconds: &seconds},
			{Key: "dedicated", Value: "ML"},
		},
		"two that match": {
			{Key: "dedicated", Value: "ml", TolerationSeconds: &seconds},
			{Key: "dedicated", Value: "ml", Effect: "NoSchedule"},
		},
		"none matches": {{Key: "dedicated", Value: "ML", TolerationSeconds: &seconds}},
	} {
		r := taints.Explain(list, tols)[0]
		if i, ok := r.Toleration(); i != 0 || !ok || r.Tolerated() != (name != "none matches") {
			t.Errorf("%s: toleration %d, %v, tolerated %v", name, i, ok, r.Tolerated())
		}
		if r.Closest.TolerationSeconds == &seconds || *r.Closest.TolerationSeconds != seconds {
			t.Errorf("%s: the seconds are those of the list, or others", name)
		}
	}
}

func TestHintsAreForTheFirstMismatch(t *testing.T) {
	elsewhere := taints.Toleration{Key: "team", Value: "ml"}
	for name, tc := range map[string]struct {
		taint   string
		closest taints.Toleration
		want    taints.Hint
	}{
		"the value under another key": {
			"dedicated=ml:NoSchedule",
			taints.Toleration{Key: "dedicated", Value: "db"},
			taints.HintOtherKey,
		},
		"but the effect differs": {
			"dedicated=ml:NoSchedule",
			taints.Toleration{Key: "dedicated", Value: "ml", Effect: "NoExecute"},
			taints.HintNone,
		},
		"but the operator is unknown": {
			"dedicated=ml:NoSchedule",
			taints.Toleration{Key: "dedicated", Operator: "Never"},
			taints.HintNone,
		},
		"but the values are not both numbers": {
			"dedicated=ml:NoSchedule",
			taints.Toleration{Key: "dedicated", Operator: "Lt", Value: "5"},
			taints.HintNone,
		},
		"a key in other letter case": {
			"dedicated=ml:NoSchedule",
			taints.Toleration{Key: "DEDICATED", Value: "db"},
			taints.HintLetterCase,
		},
	} {
		tols := []taints.Toleration{tc.closest, elsewhere}
		if got := taints.Explain([]taints.Taint{taints.MustParseTaint(tc.taint)}, tols)[0].Hint; got != tc.want {
			t.Errorf("%s: %v, want %v", name, got, tc.want)
		}
	}
	// Here it is the taint's effect that is not Kubernetes'.
	odd := taints.Taint{Key: "dedicated", Effect: "noschedule"}
	r := taints.Explain([]taints.Taint{odd}, []taints.Toleration{{Key: "dedicated", Effect: "NoSchedule"}})[0]
	if r.Hint != taints.HintLetterCase || r.Why() != "the effect differs only in letter case" {
		t.Errorf("%v: %s", r.Hint, r.Why())
	}
}

func TestReasonsStayOneLine(t *testing.T) {
	var zero taints.Reason
	if got := zero.Why(); got != "" {
		t.Errorf("the zero Reason says %q", got)
	}
	for key, want := range map[string]string{
		"a\nb":         `a\nb`,
		"a\xffb":       `a\xffb`,
		"a\ufffdb":     "a\ufffdb",
		"a\U0001f600b": "a\U0001f600b",
		"ä":            "ä",
		"\u2028":       `\u2028`,
	} {
		r := taints.Explain([]taints.Taint{{Key: key}}, nil)[0]
		if got := r.String(); got != want+" is not tolerated (nothing comes close)" {
			t.Errorf("%q is printed as %q", key, got)
		}
	}
}
