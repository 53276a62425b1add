package conformance

import (
	"reflect"
	"slices"
	"testing"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/conformance/internal/convert"
	corev1 "k8s.io/api/core/v1"
	helper "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/klog/v2"
	plugins "k8s.io/kubernetes/pkg/scheduler/framework/plugins/helper"
	"pgregory.net/rapid"
)

// quiet logs nothing.
var quiet klog.Logger

// modes are the two states of the feature gate TaintTolerationComparisonOperators.
var modes = []struct {
	comparison bool
	options    taints.Options
}{
	{true, taints.Options{}},
	{false, taints.Options{NoComparison: true}},
}

func TestToleratesTaint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		toleration, taint := drawToleration(t), drawTaint(t)
		ours, mark := convert.FromToleration(toleration), convert.FromTaint(taint)
		for _, mode := range modes {
			want := toleration.ToleratesTaint(quiet, &taint, mode.comparison)
			if _, got := mode.options.Compile([]taints.Toleration{ours}).Match(&mark); got != want {
				t.Fatalf("%+v: Match = %v, Kubernetes %v", mode, got, want)
			}
			if !mode.comparison {
				continue
			}
			if got := ours.Tolerates(mark); got != want {
				t.Fatalf("Tolerates = %v, Kubernetes %v", got, want)
			}
			if got := ours.Check(mark); (got == 0) != want {
				t.Fatalf("Check = %v, Kubernetes %v", got, want)
			}
		}
	})
}

// TestCompareNumericValues compares every value of the generators with every other, the ends of int64 among them.
func TestCompareNumericValues(t *testing.T) {
	all := slices.Concat(hotValues, coldValues)
	for _, operator := range []corev1.TolerationOperator{corev1.TolerationOpLt, corev1.TolerationOpGt} {
		for _, limit := range all {
			toleration := corev1.Toleration{Operator: operator, Value: limit}
			ours := convert.FromToleration(toleration)
			m := taints.Compile([]taints.Toleration{ours})
			for _, value := range all {
				taint := corev1.Taint{Value: value}
				mark := convert.FromTaint(taint)
				want := toleration.ToleratesTaint(quiet, &taint, true)
				if got := ours.Tolerates(mark); got != want {
					t.Errorf("%q %s %q: Tolerates = %v, Kubernetes %v", value, operator, limit, got, want)
				}
				if _, got := m.Match(&mark); got != want {
					t.Errorf("%q %s %q: Match = %v, Kubernetes %v", value, operator, limit, got, want)
				}
			}
		}
	}
}

func TestTolerationsTolerateTaint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tolerations, taint := drawTolerations(t), drawTaint(t)
		ours, mark := convert.Each(tolerations, convert.FromToleration), convert.FromTaint(taint)
		for _, mode := range modes {
			want := helper.TolerationsTolerateTaint(quiet, tolerations, &taint, mode.comparison)
			first, got := mode.options.Compile(ours).Match(&mark)
			if got != want {
				t.Fatalf("%+v: Match = %v, Kubernetes %v", mode, got, want)
			}
			if wantFirst := firstMatch(tolerations, &taint, mode.comparison); first != wantFirst {
				t.Fatalf("%+v: Match = %d, Kubernetes %d", mode, first, wantFirst)
			}
		}
	})
}

// firstMatch returns the index of the first toleration that tolerates the taint in Kubernetes, -1 if none does.
func firstMatch(tolerations []corev1.Toleration, taint *corev1.Taint, comparison bool) int {
	for i := range tolerations {
		if tolerations[i].ToleratesTaint(quiet, taint, comparison) {
			return i
		}
	}
	return -1
}

// filters are the inclusion filters of Kubernetes and the sets that stand for them.
var filters = []struct {
	name string
	set  taints.EffectSet
	keep func(*corev1.Taint) bool
}{
	{"scheduler", taints.Hard, plugins.DoNotScheduleTaintsFilterFunc()},
	{"all", taints.AnyEffect, nil},
	{"NoExecute", taints.Evicting, func(t *corev1.Taint) bool { return t.Effect == corev1.TaintEffectNoExecute }},
	{"PreferNoSchedule", taints.Soft, func(t *corev1.Taint) bool { return t.Effect == corev1.TaintEffectPreferNoSchedule }},
	{"none", 0, func(*corev1.Taint) bool { return false }},
}

func TestFindMatchingUntoleratedTaint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		marks, tolerations := drawTaints(t), drawTolerations(t)
		ourMarks, ours := convert.Each(marks, convert.FromTaint), convert.Each(tolerations, convert.FromToleration)
		for _, mode := range modes {
			m := mode.options.Compile(ours)
			for _, filter := range filters {
				want, wantFound := helper.FindMatchingUntoleratedTaint(quiet, marks, tolerations, filter.keep, mode.comparison)
				sameFind(t, "Matcher.FindUntolerated", marks, want, wantFound)(m.FindUntolerated(ourMarks, filter.set))
				sameFind(t, "Matcher.Untolerated", marks, want, wantFound)(firstOf(m, ourMarks, filter.set))
				if mode.comparison {
					sameFind(t, "FindUntolerated", marks, want, wantFound)(taints.FindUntolerated(ourMarks, ours, filter.set))
				}
			}
			want, wantFound := helper.FindMatchingUntoleratedTaint(quiet, marks, tolerations, plugins.DoNotScheduleTaintsFilterFunc(), mode.comparison)
			verdict := m.Filter(ourMarks)
			sameFind(t, "Matcher.Filter", marks, want, wantFound)(verdict.First, !verdict.Schedulable())
			if mode.comparison && taints.Filter(ourMarks, ours) != verdict {
				t.Fatalf("Filter = %+v, Matcher.Filter = %+v", taints.Filter(ourMarks, ours), verdict)
			}
		}
	})
}

func firstOf(m *taints.Matcher, list []taints.Taint, in taints.EffectSet) (int, bool) {
	for i := range m.Untolerated(list, in) {
		return i, true
	}
	return -1, false
}

// sameFind returns a function that fails the test unless what the library found is what Kubernetes found.
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
