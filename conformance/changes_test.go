// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/conformance/internal/linked"
	"github.com/seed-0529bac1/taints/kube"
	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"
)

// kubectlTaint returns the taints that "kubectl taint" computes for a node, and
// whether it accepts the changes. It restates only the few lines of kubectl's
// Validate that reject adding and removing the same taint.
func kubectlTaint(list, add, remove []corev1.Taint, overwrite bool) ([]corev1.Taint, bool) {
	for _, a := range add {
		for _, r := range remove {
			if a.Key == r.Key && (len(r.Effect) == 0 || a.Effect == r.Effect) {
				return nil, false
			}
		}
	}
	if !overwrite && linked.CheckIfTaintsAlreadyExists(list, add) != "" {
		return nil, false
	}
	_, after, err := linked.ReorganizeTaints(&corev1.Node{Spec: corev1.NodeSpec{Taints: list}}, overwrite, add, remove)
	return after, err == nil
}

// drawCommonTaint returns one of a few valid taints.
func drawCommonTaint(t *rapid.T) corev1.Taint {
	return corev1.Taint{
		Key:    rapid.SampledFrom([]string{"dedicated", "example.com/gpu"}).Draw(t, "key"),
		Value:  rapid.SampledFrom([]string{"", "ml", "5"}).Draw(t, "value"),
		Effect: corev1.TaintEffect(rapid.SampledFrom(hotEffects[:3]).Draw(t, "effect")),
	}
}

// drawChange returns an argument of "kubectl taint". One in eight may be invalid.
func drawChange(t *rapid.T) string {
	taint := drawCommonTaint(t)
	spec := taint.ToString()
	switch rapid.IntRange(0, 7).Draw(t, "form") {
	case 0:
		spec = drawSpec(t) + rapid.SampledFrom([]string{"", "-"}).Draw(t, "end")
	case 1, 2:
		spec += "-"
	case 3:
		spec = taint.Key + "-"
	}
	return spec
}

func drawChanges(t *rapid.T) []string {
	return rapid.SliceOfN(rapid.Custom(drawChange), 0, 4).Draw(t, "specs")
}

// changesOf returns the Changes that add and remove the same taints as kubectl.
// For a taint without an effect, kubectl removes all taints of the key.
func changesOf(add, remove []corev1.Taint) taints.Changes {
	c := taints.Changes{Add: kube.Taints(add)}
	for _, taint := range remove {
		if taint.Effect == "" {
			c.RemoveKeys = append(c.RemoveKeys, taint.Key)
		} else {
			c.Remove = append(c.Remove, kube.Taint(taint).ID())
		}
	}
	return c
}

func TestParseChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		specs := drawChanges(t)
		add, remove, err := linked.ParseTaints(specs)
		got, gotErr := taints.ParseChanges(specs...)
		same(t, "ParseChanges succeeds", gotErr == nil, err == nil)
		same(t, "ParseChanges", got, changesOf(add, remove))
	})
}

func TestApplyChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list, overwrite := unique(draws(t, "taints", 5, drawCommonTaint)), rapid.Bool().Draw(t, "overwrite")
		specs := drawChanges(t)
		add, remove, err := linked.ParseTaints(specs)
		if err != nil {
			return // covered by TestParseChanges
		}
		sameChange(t, list, add, remove, overwrite)
	})
}

// TestApplyAnyChanges draws changes that kubectl cannot parse, such as unknown
// effects. It adds no taint twice, which kubectl's parser rejects, and no taint
// without a key, which kubectl does not recognize as an existing one.
func TestApplyAnyChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		add := unique(slices.DeleteFunc(draws(t, "add", 3, drawTaint), func(taint corev1.Taint) bool {
			return taint.Key == ""
		}))
		sameChange(t, unique(drawTaints(t)), add, draws(t, "remove", 3, drawTaint), rapid.Bool().Draw(t, "overwrite"))
	})
}

// unique drops every taint with the key and effect of an earlier one.
func unique(list []corev1.Taint) []corev1.Taint {
	seen := map[taints.TaintID]bool{}
	return slices.DeleteFunc(list, func(taint corev1.Taint) bool {
		id := kube.Taint(taint).ID()
		again := seen[id]
		seen[id] = true
		return again
	})
}

// sameChange makes kubectl remove the taints of whole keys last, as the library
// does. See TestDifferenceOrderOfRemovals.
func sameChange(t *rapid.T, list, add, remove []corev1.Taint, overwrite bool) {
	c := changesOf(add, remove)
	slices.SortStableFunc(remove, func(a, b corev1.Taint) int {
		return min(len(b.Effect), 1) - min(len(a.Effect), 1)
	})
	want, ok := kubectlTaint(list, add, remove, overwrite)
	got, err := c.ApplyStrict(kube.Taints(list), overwrite)
	same(t, "ApplyStrict succeeds", err == nil, ok)
	if ok {
		same(t, "ApplyStrict", counts(got, taints.Taint.String), counts(kube.Taints(want), taints.Taint.String))
	}
}

// counts returns how often each taint is in the list, by its text or identity.
func counts[K comparable](list []taints.Taint, by func(taints.Taint) K) map[K]int {
	m := map[K]int{}
	for _, taint := range list {
		m[by(taint)]++
	}
	return m
}

func TestDifferenceOrderOfTaints(t *testing.T) {
	list := []corev1.Taint{{Key: "a", Value: "1", Effect: "NoSchedule"}, {Key: "b", Effect: "NoSchedule"}}
	for _, test := range []struct{ add, kubernetes, library string }{
		{"c:NoSchedule", "c:NoSchedule,a=1:NoSchedule,b:NoSchedule", "a=1:NoSchedule,b:NoSchedule,c:NoSchedule"},
		{"b=2:NoSchedule", "b=2:NoSchedule,a=1:NoSchedule", "a=1:NoSchedule,b=2:NoSchedule"},
		{"b:NoSchedule", "b:NoSchedule,a=1:NoSchedule", "a=1:NoSchedule,b:NoSchedule"},
	} {
		add := []taints.Taint{taints.Must(taints.ParseTaint(test.add))}
		theirs, _ := kubectlTaint(list, kube.CoreTaints(add), nil, true)
		same(t, "kubectl taint", taints.FormatTaints(kube.Taints(theirs)), test.kubernetes)
		ours, _ := taints.Changes{Add: add}.ApplyStrict(kube.Taints(list), true)
		same(t, "ApplyStrict", taints.FormatTaints(ours), test.library)
	}
}

// Kubernetes removes taints in the order of the arguments, so "a-" leaves
// nothing for a later "a:NoExecute-".
func TestDifferenceOrderOfRemovals(t *testing.T) {
	list := []corev1.Taint{{Key: "a", Effect: "NoSchedule"}, {Key: "a", Effect: "NoExecute"}}
	for _, test := range []struct {
		specs               string
		kubernetes, library bool
	}{
		{"a- a:NoExecute-", false, true},
		{"a:NoExecute- a-", true, true},
		{"a:NoExecute- a:NoSchedule- a-", false, false},
	} {
		add, remove, err := linked.ParseTaints(strings.Fields(test.specs))
		same(t, "ParseTaints", err, nil)
		_, accepted := kubectlTaint(list, add, remove, false)
		same(t, "kubectl taint accepts "+test.specs, accepted, test.kubernetes)
		c, err := taints.ParseChanges(strings.Fields(test.specs)...)
		same(t, "ParseChanges", err, nil)
		_, err = c.ApplyStrict(kube.Taints(list), false)
		same(t, "ApplyStrict accepts "+test.specs, err == nil, test.library)
	}
}

func TestDifferenceTimeOfRewrittenTaint(t *testing.T) {
	add := []taints.Taint{{Key: "a", Effect: "NoExecute"}}
	given := []taints.Taint{{Key: "a", Effect: "NoExecute", TimeAdded: &observed}}
	theirs, _ := kubectlTaint(kube.CoreTaints(given), kube.CoreTaints(add), nil, true)
	same(t, "kubectl taint", kube.Taints(theirs), add)
	ours, _ := taints.Changes{Add: add}.ApplyStrict(given, true)
	same(t, "ApplyStrict", ours, given)
}

func TestDifferenceProblemsTogether(t *testing.T) {
	_, _, err := linked.ParseTaints([]string{"a", "b"})
	same(t, "kubectl", err.Error(), "invalid taint spec: a")
	_, err = taints.ParseChanges("a", "b")
	same(t, "errors of ParseChanges", len(err.(taints.ErrorList)), 2)
}
