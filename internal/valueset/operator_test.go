// SPDX-License-Identifier: Apache-2.0

package valueset_test

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/explain"
	"github.com/seed-0529bac1/taints/internal/test/reference"
	"github.com/seed-0529bac1/taints/internal/valueset"
	"github.com/seed-0529bac1/taints/nodeindex"
	"github.com/seed-0529bac1/taints/tolerationset"
)

// Each operator matches the values of the reference, in both forms.
func TestOperators(t *testing.T) {
	for _, name := range []string{"", "Equal", "Exists", "Lt", "Gt", "NoSuchOperator", "exists", "lt"} {
		for _, value := range universe {
			for _, comparison := range []bool{true, false} {
				set := valueset.Of(name, value, comparison)
				for _, other := range universe {
					want := reference.ValueMatches(taints.Options{NoComparison: !comparison},
						taints.Toleration{Operator: taints.Operator(name), Value: value}, taints.Taint{Value: other})
					if set.Contains(other) != want || valueset.Match(name, value, comparison, other) != want {
						t.Errorf("%s %q matches %q: %v, want %v", name, value, other, !want, want)
					}
				}
				if set.Kind == valueset.Integers && set.Least > set.Most {
					t.Errorf("%s %q is %+v, which is empty but not None", name, value, set)
				}
			}
		}
	}
}

func TestTable(t *testing.T) {
	for _, want := range []valueset.Operator{
		{Name: "", Form: valueset.Label},
		{Name: "Equal", Form: valueset.Label},
		{Name: "Exists", Form: valueset.Empty},
		{Name: "Lt", Form: valueset.Integer, Comparison: true},
		{Name: "Gt", Form: valueset.Integer, Comparison: true},
	} {
		if got := valueset.Find(want.Name); got == nil || got.Name != want.Name || got.Form != want.Form ||
			got.Comparison != want.Comparison {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	for _, name := range []string{"NoSuchOperator", "exists", "lt", "Equal "} {
		if got := valueset.Find(name); got != nil {
			t.Errorf("%q is %+v", name, got)
		}
	}
	if got := valueset.Names(true); !slices.Equal(got, []string{"Exists", "Equal", "Lt", "Gt"}) {
		t.Errorf("all: %v", got)
	}
	if got := valueset.Names(false); !slices.Equal(got, []string{"Exists", "Equal"}) {
		t.Errorf("without comparison: %v", got)
	}
}

// Every operator has one of the kinds that all packages know.
func TestKinds(t *testing.T) {
	for name, kind := range valueset.Kinds() {
		switch kind {
		case valueset.One, valueset.Integers, valueset.All:
		default:
			t.Errorf("%s has the kind %d: Set's methods, search in nodeindex/groups.go and "+
				"valueMismatch in explain/differences.go must know it, and internal/test/reference", name, kind)
		}
	}
}

// A new operator needs only a row in the table of operators. With two rows that
// Kubernetes lacks, Ge, greater or equal, and Near, the integers within 2 of the
// value, all packages agree with a brute force over taints with every value that
// the tolerations can tell apart.
func TestNewOperators(t *testing.T) {
	defer valueset.Add("Ge", func(n int64) (least, most int64) { return n, math.MaxInt64 })()
	defer valueset.Add("Near", func(n int64) (least, most int64) {
		return max(n, math.MinInt64+2) - 2, min(n, math.MaxInt64-2) + 2
	})()
	var x newOperators
	var tolerations []taints.Toleration
	for _, limit := range []string{
		"", "x", "05", "9223372036854775808", "-9223372036854775808", "-9223372036854775807",
		"-1", "0", "3", "4", "5", "7", "8", "9223372036854775806", "9223372036854775807",
	} {
		n, _ := integer(limit)                   // 0 if it is none
		for near := n - 3; near != n+4; near++ { // beyond an end those at the other
			x.add(strconv.FormatInt(near, 10))
		}
		x.add(limit)
		for _, op := range []taints.Operator{"Equal", "Exists", "Lt", "Gt", "Ge", "Near"} {
			tolerations = append(tolerations, taints.Toleration{Key: "k", Operator: op, Value: limit, Effect: taints.NoExecute})
		}
	}
	for i := range 15_000 { // so that a search pays
		x.index.Set(1000+i, []taints.Taint{{Key: "other", Value: strconv.Itoa(i), Effect: taints.NoExecute}})
	}
	for _, o := range []taints.Options{{}, {NoComparison: true}} {
		for i, toleration := range tolerations {
			x.check(t, o, toleration)
			for j, other := range tolerations {
				if (i+j)%5 == 0 { // all take seconds
					x.checkPair(t, o, toleration, other)
				}
			}
		}
	}
}

// matches is the brute force.
func matches(o taints.Options, t taints.Toleration, value string) bool {
	switch t.Operator {
	case "Exists":
		return true
	case "Equal":
		return t.Value == value
	}
	limit, ok1 := integer(t.Value)
	n, ok2 := integer(value)
	near := math.Abs(float64(n)-float64(limit)) < 1000 && max(n-limit, limit-n) <= 2
	is := map[taints.Operator]bool{"Lt": n < limit, "Gt": n > limit, "Ge": n >= limit, "Near": near}
	return ok1 && ok2 && !o.NoComparison && is[t.Operator]
}

func integer(s string) (int64, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil && strconv.FormatInt(n, 10) == s
}

// newOperators has the taints, each on a node of its own.
type newOperators struct {
	taints []taints.Taint
	index  nodeindex.Index[int]
}

func (x *newOperators) add(value string) {
	taint := taints.Taint{Key: "k", Value: value, Effect: taints.NoExecute}
	if !slices.ContainsFunc(x.taints, taint.Equal) {
		x.index.Set(len(x.taints), []taints.Taint{taint})
		x.taints = append(x.taints, taint)
	}
}

// matched returns the indexes of the taints that some of the list matches.
func (x *newOperators) matched(o taints.Options, list ...taints.Toleration) (all []int) {
	for i, taint := range x.taints {
		if slices.ContainsFunc(list, func(t taints.Toleration) bool { return matches(o, t, taint.Value) }) {
			all = append(all, i)
		}
	}
	return all
}

// check checks matching, the index, explanations, validation and texts.
func (x *newOperators) check(t *testing.T, o taints.Options, toleration taints.Toleration) {
	m, want := o.Compile([]taints.Toleration{toleration}), x.matched(o, toleration)
	var got []int
	for i := range m.Tolerated(x.taints, taints.AllEffects) {
		got = append(got, i)
	}
	found := x.index.AppendFeasible(nil, m)
	slices.Sort(found)
	if !slices.Equal(got, want) || !slices.Equal(found, want) || x.index.CountFeasible(m) != len(want) {
		t.Fatalf("under %+v %v matches %v, in the index %v, want %v", o, toleration, got, found, want)
	}
	limit, valid := integer(toleration.Value)
	for i, r := range explain.Node(m, x.taints) {
		is, why := slices.Contains(want, i), r.Mismatch()
		if r.Tolerated != is || (why == explain.MismatchNone) != is {
			t.Fatalf("under %+v %v: %v", o, r, why)
		}
		n, ok := integer(r.Taint.Value)
		if ok && valid && why != explain.MismatchValue && !is && len(want) > 0 {
			small := n < limit || n == limit && toleration.Operator == "Gt"
			if small != (why == explain.MismatchTooSmall) || small == (why == explain.MismatchTooLarge) {
				t.Fatalf("under %+v %v: %v", o, r, why)
			}
		}
	}
	switch valid = valid && !o.NoComparison; toleration.Operator {
	case "Exists":
		valid = toleration.Value == ""
	case "Equal":
		valid = taints.Taint{Key: "k", Value: toleration.Value, Effect: taints.NoExecute}.Validate() == nil
	}
	back, err := o.ParseToleration(toleration.String())
	if (err == nil) != valid || valid && !back.Equal(toleration) {
		t.Fatalf("under %+v %v is read as %v, %v", o, toleration, back, err)
	}
}

// checkPair checks what two tolerations are to each other.
func (x *newOperators) checkPair(t *testing.T, o taints.Options, a, b taints.Toleration) {
	both, one := x.matched(o, a, b), x.matched(o, a)
	if covers := slices.Equal(both, one); tolerationset.Covers(a, b, o) != covers {
		t.Fatalf("under %+v %v covers %v: %v", o, a, b, !covers)
	}
	if minimal := tolerationset.Minimize([]taints.Toleration{a, b}, o); !slices.Equal(x.matched(o, minimal...), both) {
		t.Fatalf("under %+v %v and %v are minimized to %v", o, a, b, minimal)
	}
}
