// SPDX-License-Identifier: Apache-2.0

// The program holds every form of the library against a brute force about operators
// of which two are invented. It panics if one disagrees.
package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/explain"
	"github.com/seed-0529bac1/taints/nodeindex"
	"github.com/seed-0529bac1/taints/tolerationset"
)

// why is the brute force: why a toleration does not match a value.
func why(o taints.Options, t taints.Toleration, value string) explain.Mismatch {
	limit, ok1 := integer(t.Value)
	n, ok2 := integer(value)
	near := math.Abs(float64(n)-float64(limit)) < 1000 && max(n-limit, limit-n) <= 2
	lt, gt, ge := t.Operator == taints.OpLt, t.Operator == taints.OpGt, t.Operator == taints.OpGe
	switch {
	case t.Operator == taints.OpExists || t.Operator == taints.OpEqual && t.Value == value:
		return explain.MismatchNone
	case t.Operator == taints.OpEqual:
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

// The tolerations are every operator with the limits and what is no integer, and the
// taints have every value that they can tell apart.
var (
	limits = []string{
		"", "x", "05", "-0", "+5", "9223372036854775808", "-9223372036854775808", "-9223372036854775807",
		"-1", "0", "3", "4", "5", "7", "8", "9223372036854775806", "9223372036854775807",
	}
	universe    []taints.Taint
	tolerations []taints.Toleration
	index       nodeindex.Index[int]
)

func add(value string) {
	taint := taints.Taint{Key: "k", Value: value, Effect: taints.NoExecute}
	if !slices.Contains(universe, taint) {
		index.Set(len(universe), []taints.Taint{taint})
		universe = append(universe, taint)
	}
}

// An answer says of each taint for how long it is tolerated: 0 for not at all, 1 for
// ever, and otherwise the seconds.
type answer [80]int64

func answerOf(o taints.Options, list ...taints.Toleration) (a answer) {
	for i, taint := range universe {
		for _, t := range list {
			if a[i] == 0 && why(o, t, taint.Value) == explain.MismatchNone {
				a[i] = 1
				if t.TolerationSeconds != nil {
					a[i] = *t.TolerationSeconds
				}
			}
		}
	}
	return a
}

func check(is bool, format string, args ...any) {
	if !is {
		panic(fmt.Sprintf(format, args...))
	}
}

func main() {
	for _, limit := range limits {
		n, _ := integer(limit)                   // and of what is no integer 0
		for near := n - 3; near != n+4; near++ { // beyond an end those at the other
			add(strconv.FormatInt(near, 10))
		}
		add(limit)
		for _, op := range []taints.Operator{"Equal", "Exists", "Lt", "Gt", taints.OpGe, taints.OpNear} {
			tolerations = append(tolerations, taints.Toleration{Key: "k", Operator: op, Value: limit, Effect: taints.NoExecute})
		}
	}
	for i := range 500 { // so that a search pays
		index.Set(1000+i, []taints.Taint{{Key: "other", Value: strconv.Itoa(i), Effect: taints.NoExecute}})
	}
	for _, o := range []taints.Options{{}, {NoComparison: true}} {
		for _, t := range tolerations {
			checkMatching(o, t)
			checkText(o, t)
			for _, u := range tolerations {
				checkPair(o, t, u)
			}
		}
	}
}

// checkMatching checks the plain form, the compiled one, the index and the reasons.
func checkMatching(o taints.Options, t taints.Toleration) {
	list, want := []taints.Toleration{t}, []int(nil)
	m := o.Compile(list)
	check(slices.Equal(slices.Collect(m.Tolerations()), list), "%v is not compiled as it is", t)
	for i, taint := range universe {
		mismatch := why(o, t, taint.Value)
		is := mismatch == explain.MismatchNone
		if is {
			want = append(want, i)
		}
		_, plain := o.Match(taint, list)
		check(o.Tolerates(t, taint) == is && plain == is && m.Filter(universe[i:i+1]).AllTolerated() == is,
			"under %+v %v tolerates %v: %v, not in all forms", o, t, taint, is)
		r := explain.Node(m, universe[i:i+1])[0]
		check(r.Tolerated == is && r.Mismatch() == mismatch, "under %+v %v: %v, want %v", o, r, r.Mismatch(), mismatch)
	}
	found := index.AppendFeasible(nil, m)
	slices.Sort(found)
	check(slices.Equal(found, want) && index.CountFeasible(m) == len(want),
		"under %+v the index finds %v for %v, want %v", o, found, t, want)
}

// checkText checks validation, the text form, and what is said of a misspelling.
func checkText(o taints.Options, t taints.Toleration) {
	_, valid := integer(t.Value)
	switch valid = valid && !o.NoComparison; t.Operator {
	case taints.OpExists:
		valid = t.Value == ""
	case taints.OpEqual:
		valid = taints.Taint{Key: "k", Value: t.Value, Effect: t.Effect}.Validate() == nil
	}
	err := o.ValidateTolerations([]taints.Toleration{t})
	check((err == nil) == valid, "under %+v %v: %v", o, t, err)
	back, err := o.ParseToleration(t.String())
	check((err == nil) == valid && (!valid || back.Equal(t)), "under %+v %v is read as %v, %v", o, t, back, err)
	_, err = taints.ParseToleration("k=5 op=Gr")
	check(strings.Contains(err.Error(), "must be Exists, Equal, Lt, Gt, Ge or Near"), "%v", err)
	r := explain.Node(taints.Compile([]taints.Toleration{{Key: "k", Operator: "ge"}}), universe)[0]
	check(r.Differences[0].Meant == "Ge", "%v", r)
}

// checkPair checks what two tolerations are to each other, of which the second has
// another time.
func checkPair(o taints.Options, t, u taints.Toleration) {
	one, other, covers := answerOf(o, t), answerOf(o, u), true
	for i := range one {
		covers = covers && one[i] >= other[i]
	}
	err := tolerationset.ValidateAllowed([]taints.Toleration{u}, []taints.Toleration{t}, o)
	check(tolerationset.Covers(t, u, o) == covers && (err == nil) == covers, "under %+v %v covers %v: %v", o, t, u, !covers)
	u.TolerationSeconds = new(int64)
	*u.TolerationSeconds = 60
	tu := []taints.Toleration{t, u}
	a, merged, minimal := answerOf(o, tu...), tolerationset.Merge(tu[:1], tu[1:], o), tolerationset.Minimize(tu, o)
	check((len(merged) == 1) == covers && answerOf(o, merged...) == a, "under %+v %v is merged to %v", o, tu, merged)
	check(answerOf(o, minimal...) == a, "under %+v %v is minimized to %v", o, tu, minimal)
	near := taints.Toleration{Key: "k", Operator: taints.OpNear, Value: "5", Effect: taints.NoExecute}
	for _, list := range [][]taints.Toleration{{u, t}, {t}, {u}, {t, u, near}, {t, near}} {
		same := answerOf(o, list...) == a
		check(tolerationset.Same(tu, list, o) == same, "under %+v %v is the same as %v: %v", o, tu, list, !same)
	}
}
