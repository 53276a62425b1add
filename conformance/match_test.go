// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"iter"
	"reflect"
	"slices"
	"testing"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/conformance/internal/convert"
	"github.com/seed-0529bac1/taints/conformance/internal/gated"
	"github.com/seed-0529bac1/taints/explain"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	"pgregory.net/rapid"
)

// quiet logs nothing.
var quiet klog.Logger

// A mode is a state of the feature gate TaintTolerationComparisonOperators.
type mode struct {
	comparison bool
	options    taints.Options
}

// modes are both states of the gate, or only "off" if Kubernetes has no gate.
var modes = func() []mode {
	off, on := mode{false, taints.Options{NoComparison: true}}, mode{true, taints.Options{}}
	if !gated.Comparison {
		return []mode{off}
	}
	return []mode{on, off}
}()

func TestToleratesTaint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		toleration, taint := drawToleration(t), drawTaint(t)
		sameTolerates(t, toleration, taint)
	})
}

// sameTolerates fails the test unless all functions of the library that answer
// the question agree with Kubernetes.
func sameTolerates(t rapid.TB, toleration corev1.Toleration, taint corev1.Taint) {
	ours, mark := convert.FromToleration(toleration), convert.FromTaint(taint)
	list := []taints.Toleration{ours}
	for _, mode := range modes {
		want := gated.Tolerates(&toleration, &taint, mode.comparison)
		m := mode.options.Compile(list)
		_, compiled := m.Match(mark)
		reason := explain.Node(m, []taints.Taint{mark})[0]
		if compiled != want || reason.Tolerated != want || (reason.Mismatch() == explain.MismatchNone) != want {
			t.Fatalf("%+v, %+v under %+v: Matcher %v, %v; Kubernetes %v", toleration, taint, mode, compiled, reason, want)
		}
		if !mode.comparison {
			continue
		}
		_, match := taints.Match(mark, list)
		if tolerates := ours.Tolerates(mark); match != want || tolerates != want {
			t.Fatalf("%+v, %+v: Match %v, Tolerates %v, Kubernetes %v", toleration, taint, match, tolerates, want)
		}
	}
}

// TestCompareNumericValues compares each value of the generators with each other
// value, including the limits of int64.
func TestCompareNumericValues(t *testing.T) {
	all := slices.Concat(hotValues, coldValues)
	for _, operator := range []corev1.TolerationOperator{opLt, opGt} {
		for _, limit := range all {
			for _, value := range all {
				sameTolerates(t, corev1.Toleration{Operator: operator, Value: limit}, corev1.Taint{Value: value})
			}
		}
	}
}

func TestTolerationsTolerateTaint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tolerations, taint := drawTolerations(t), drawTaint(t)
		ours, mark := convert.Each(tolerations, convert.FromToleration), convert.FromTaint(taint)
		for _, mode := range modes {
			want := gated.TolerationsTolerate(tolerations, &taint, mode.comparison)
			wantFirst := firstMatch(tolerations, &taint, mode.comparison)
			if first, got := mode.options.Compile(ours).Match(mark); got != want || first != wantFirst {
				t.Fatalf("%+v: Matcher.Match = %d, %v, Kubernetes %d, %v", mode, first, got, wantFirst, want)
			}
			if first, got := taints.Match(mark, ours); mode.comparison && (got != want || first != wantFirst) {
				t.Fatalf("Match = %d, %v, Kubernetes %d, %v", first, got, wantFirst, want)
			}
		}
	})
}

// firstMatch returns the index of the first toleration that tolerates the taint
// in Kubernetes, or -1 if none does.
func firstMatch(tolerations []corev1.Toleration, taint *corev1.Taint, comparison bool) int {
	for i := range tolerations {
		if gated.Tolerates(&tolerations[i], taint, comparison) {
			return i
		}
	}
	return -1
}

// filters are the inclusion filters of Kubernetes and the equivalent effect sets.
var filters = []struct {
	name string
	set  taints.EffectSet
	keep func(*corev1.Taint) bool
}{
	{"scheduler", taints.Hard, func(t *corev1.Taint) bool {
		return t.Effect == corev1.TaintEffectNoSchedule || t.Effect == corev1.TaintEffectNoExecute
	}},
	{"all", taints.AllEffects, nil},
	{"NoExecute", taints.Evicting, func(t *corev1.Taint) bool {
		return t.Effect == corev1.TaintEffectNoExecute
	}},
	{"PreferNoSchedule", taints.Effects(taints.PreferNoSchedule), func(t *corev1.Taint) bool {
		return t.Effect == corev1.TaintEffectPreferNoSchedule
	}},
	{"none", 0, func(*corev1.Taint) bool { return false }},
}

func TestFindMatchingUntoleratedTaint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		marks, tolerations := drawTaints(t), drawTolerations(t)
		ourMarks, ours := convert.Each(marks, convert.FromTaint), convert.Each(tolerations, convert.FromToleration)
		for _, mode := range modes {
			m := mode.options.Compile(ours)
			for _, filter := range filters {
				want, wantFound := gated.FindUntolerated(marks, tolerations, filter.keep, mode.comparison)
				find := func(name string) func(int, bool) { return sameFind(t, name, marks, want, wantFound) }
				find("Matcher.FindUntolerated")(m.FindUntolerated(ourMarks, filter.set))
				find("Matcher.Untolerated")(firstOf(m.Untolerated(ourMarks, filter.set)))
				if mode.comparison {
					find("FindUntolerated")(taints.FindUntolerated(ourMarks, ours, filter.set))
					find("Untolerated")(firstOf(taints.Untolerated(ourMarks, ours, filter.set)))
				}
			}
			want := verdictOf(marks, tolerations, mode.comparison)
			if got := m.Filter(ourMarks); got != want {
				t.Fatalf("Matcher.Filter = %+v, Kubernetes %+v", got, want)
			}
			if got := taints.Filter(ourMarks, ours); mode.comparison && got != want {
				t.Fatalf("Filter = %+v, Kubernetes %+v", got, want)
			}
		}
	})
}

// verdictOf counts the taints that are not tolerated in Kubernetes.
func verdictOf(marks []corev1.Taint, tolerations []corev1.Toleration, comparison bool) taints.Verdict {
	var v taints.Verdict
	for i := range marks {
		if gated.TolerationsTolerate(tolerations, &marks[i], comparison) {
			continue
		}
		switch marks[i].Effect {
		case corev1.TaintEffectNoSchedule:
			v.NoSchedule++
		case corev1.TaintEffectPreferNoSchedule:
			v.PreferNoSchedule++
		case corev1.TaintEffectNoExecute:
			v.NoExecute++
		default:
			v.Other++
		}
	}
	return v
}

func firstOf(untolerated iter.Seq2[int, *taints.Taint]) (int, bool) {
	for i := range untolerated {
		return i, true
	}
	return -1, false
}

// sameFind returns a function that fails the test unless the library found the
// same taint as Kubernetes.
func sameFind(t *rapid.T, name string, list []corev1.Taint, want corev1.Taint, wantFound bool) func(int, bool) {
	return func(got int, found bool) {
		if found != wantFound {
			t.Fatalf("%s = %d, %v, Kubernetes %v, %v", name, got, found, want, wantFound)
		}
		if !found && got != -1 || found && !reflect.DeepEqual(list[got], want) {
			t.Fatalf("%s = %d, Kubernetes %v", name, got, want)
		}
	}
}

func TestMatchTaint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawTaint(t), drawTaint(t)
		if got, want := convert.FromTaint(a).ID() == convert.FromTaint(b).ID(), a.MatchTaint(&b); got != want {
			t.Fatalf("equal IDs = %v, Kubernetes %v", got, want)
		}
	})
}
