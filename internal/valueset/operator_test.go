// SPDX-License-Identifier: Apache-2.0

package valueset_test

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/explain"
	"github.com/seed-0529bac1/taints/internal/reference"
	"github.com/seed-0529bac1/taints/internal/valueset"
	"github.com/seed-0529bac1/taints/nodeindex"
	"github.com/seed-0529bac1/taints/tolerationset"
)

// Each operator matches the values of the reference, in both forms.
func TestOperators(t *testing.T) {
	for _, name := range []string{"", "Equal", "Exists", "Lt", "Gt", "In", "exists", "lt"} {
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
	for _, name := range []string{"In", "exists", "lt", "Equal "} {
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
	if got := valueset.Choice(true) + "; " + valueset.Choice(false); got != "Exists, Equal, Lt or Gt; Exists or Equal" {
		t.Errorf("in words: %s", got)
	}
}

// Every operator has one of the kinds that all packages know.
func TestKinds(t *testing.T) {
	for name, kind := range valueset.Kinds() {
		switch kind {
		case valueset.One, valueset.Integers, valueset.All:
		default:
			t.Errorf("%s has the kind %d: Set's methods, search in nodeindex/groups.go, endsOf in tolerationset/same.go and "+
				"valueMismatch in explain/differences.go must know it, and internal/reference", name, kind)
		}
	}
}

// A new operator needs only a row in the table of operators. With two rows that
// Kubernetes lacks, Ge, greater or equal, and Near, the integers within 2 of the
// value, all forms of the library agree with a brute force.
func TestNewOperators(t *testing.T) {
	defer valueset.Add("Ge", func(n int64) (least, most int64) { return n, math.MaxInt64 })()
	defer valueset.Add("Near", func(n int64) (least, most int64) {
		return max(n, math.MinInt64+2) - 2, min(n, math.MaxInt64-2) + 2
	})()
	x := newOperators{T: t}
	for _, limit := range []string{
		"", "x", "05", "-0", "+5", "9223372036854775808", "-9223372036854775808", "-9223372036854775807",
		"-1", "0", "3", "4", "5", "7", "8", "9223372036854775806", "9223372036854775807",
	} {
		n, _ := integer(limit)                   // 0 if it is none
		for near := n - 3; near != n+4; near++ { // beyond an end those at the other
			x.add(strconv.FormatInt(near, 10))
		}
		x.add(limit)
		for _, op := range []taints.Operator{"Equal", "Exists", "Lt", "Gt", "Ge", "Near"} {
			x.tolerations = append(x.tolerations, taints.Toleration{Key: "k", Operator: op, Value: limit, Effect: taints.NoExecute})
		}
	}
	for i := range 15_000 { // so that a search pays
		x.index.Set(1000+i, []taints.Taint{{Key: "other", Value: strconv.Itoa(i), Effect: taints.NoExecute}})
	}
	for _, o := range []taints.Options{{}, {NoComparison: true}} {
		for i, t := range x.tolerations {
			x.checkMatching(o, t)
			x.checkText(o, t)
			for j, u := range x.tolerations {
				if (i+j)%5 == 0 && (!testing.Short() || i%5 == 0) { // all take ten seconds
					x.checkPair(o, t, u)
				}
			}
		}
	}
}

// why is the brute force: why a toleration does not match a value.
func why(o taints.Options, t taints.Toleration, value string) explain.Mismatch {
	limit, ok1 := integer(t.Value)
	n, ok2 := integer(value)
	near := math.Abs(float64(n)-float64(limit)) < 1000 && max(n-limit, limit-n) <= 2
	lt, gt, ge := t.Operator == "Lt", t.Operator == "Gt", t.Operator == "Ge"
	switch {
	case t.Operator == "Exists" || t.Operator == "Equal" && t.Value == value:
		return explain.MismatchNone
	case t.Operator == "Equal":
		return explain.MismatchValue
	case o.NoComparison:
		return explain.MismatchNoComparison
	case !ok1:
		return explain.MismatchThreshold
	case lt && limit == math.MinInt64 || gt && limit == math.MaxInt64:
		return explain.MismatchNothing
	case !ok2:
		return explain.MismatchNotInteger
	case lt && n < limit || gt && n > limit || ge && n >= limit || !lt && !gt && !ge && near:
		return explain.MismatchNone
	case n < limit || n == limit && gt:
		return explain.MismatchTooSmall
	}
	return explain.MismatchTooLarge
}

func integer(s string) (int64, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil && strconv.FormatInt(n, 10) == s
}

// newOperators has tolerations of every operator with the limits and with what is
// no integer, and taints with every value that they can tell apart.
type newOperators struct {
	*testing.T
	taints      []taints.Taint
	tolerations []taints.Toleration
	index       nodeindex.Index[int]
}

func (x *newOperators) add(value string) {
	taint := taints.Taint{Key: "k", Value: value, Effect: taints.NoExecute}
	if !slices.Contains(x.taints, taint) {
		x.index.Set(len(x.taints), []taints.Taint{taint})
		x.taints = append(x.taints, taint)
	}
}

func (x *newOperators) check(is bool, format string, args ...any) {
	if !is {
		x.Helper()
		x.Fatalf(format, args...)
	}
}

// times returns for how long the list tolerates each taint: 0 for not at all, 1
// for ever, and otherwise the seconds.
func (x *newOperators) times(o taints.Options, list ...taints.Toleration) (times [80]int64) {
	for i, taint := range x.taints {
		for _, t := range list {
			if times[i] == 0 && why(o, t, taint.Value) == explain.MismatchNone {
				times[i] = 1
				if t.TolerationSeconds != nil {
					times[i] = *t.TolerationSeconds
				}
			}
		}
	}
	return times
}

// checkMatching checks the compiled form, the index and the reasons.
func (x *newOperators) checkMatching(o taints.Options, t taints.Toleration) {
	m, want := o.Compile([]taints.Toleration{t}), []int(nil)
	for i, taint := range x.taints {
		mismatch := why(o, t, taint.Value)
		is := mismatch == explain.MismatchNone
		if is {
			want = append(want, i)
		}
		x.check(o != (taints.Options{}) || t.Tolerates(taint) == is, "%v tolerates %v: %v", t, taint, !is)
		x.check(m.Filter(x.taints[i:i+1]).AllTolerated() == is, "under %+v %v tolerates %v: %v", o, t, taint, !is)
		r := explain.Node(m, x.taints[i:i+1])[0]
		x.check(r.Tolerated == is && r.Mismatch() == mismatch, "under %+v %v: %v, want %v", o, r, r.Mismatch(), mismatch)
	}
	found := x.index.AppendFeasible(nil, m)
	slices.Sort(found)
	x.check(slices.Equal(found, want) && x.index.CountFeasible(m) == len(want),
		"under %+v the index finds %v for %v, want %v", o, found, t, want)
}

// checkText checks validation, the text form, and what is said of a misspelling.
func (x *newOperators) checkText(o taints.Options, t taints.Toleration) {
	_, valid := integer(t.Value)
	switch valid = valid && !o.NoComparison; t.Operator {
	case "Exists":
		valid = t.Value == ""
	case "Equal":
		valid = taints.Taint{Key: "k", Value: t.Value, Effect: t.Effect}.Validate() == nil
	}
	err := o.ValidateTolerations([]taints.Toleration{t})
	x.check((err == nil) == valid, "under %+v %v: %v", o, t, err)
	back, err := o.ParseToleration(t.String())
	x.check((err == nil) == valid && (!valid || back.Equal(t)), "under %+v %v is read as %v, %v", o, t, back, err)
	_, err = taints.ParseToleration("k=5 op=Gr")
	x.check(strings.Contains(err.Error(), "must be Exists, Equal, Lt, Gt, Ge or Near"), "%v", err)
	r := explain.Node(taints.Compile([]taints.Toleration{{Key: "k", Operator: "ge"}}), x.taints)[0]
	x.check(r.Differences[0].Meant == "Ge", "%v", r)
}

// checkPair checks what two tolerations are to each other, of which the second has
// another time.
func (x *newOperators) checkPair(o taints.Options, t, u taints.Toleration) {
	one, other, covers := x.times(o, t), x.times(o, u), true
	for i := range one {
		covers = covers && one[i] >= other[i]
	}
	x.check(tolerationset.Covers(t, u, o) == covers, "under %+v %v covers %v: %v", o, t, u, !covers)
	u.TolerationSeconds = new(int64)
	*u.TolerationSeconds = 60
	tu := []taints.Toleration{t, u}
	times, merged, minimal := x.times(o, tu...), tolerationset.Merge(tu[:1], tu[1:], o), tolerationset.Minimize(tu, o)
	x.check((len(merged) == 1) == covers && x.times(o, merged...) == times, "under %+v %v is merged to %v", o, tu, merged)
	x.check(x.times(o, minimal...) == times, "under %+v %v is minimized to %v", o, tu, minimal)
	near := taints.Toleration{Key: "k", Operator: "Near", Value: "5", Effect: taints.NoExecute}
	for _, list := range [][]taints.Toleration{{u, t}, {t}, {u}, {t, u, near}, {t, near}} {
		same := x.times(o, list...) == times
		x.check(tolerationset.Same(tu, list, o) == same, "under %+v %v is the same as %v: %v", o, tu, list, !same)
	}
}
