// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"iter"
	"slices"
	"testing"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/conformance/internal/gated"
	"github.com/seed-0529bac1/taints/explain"
	"github.com/seed-0529bac1/taints/kube"
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

var gateOff = taints.Options{NoComparison: true}

// modes are both states of the gate, or only "off" if Kubernetes has no gate.
var modes = func() []mode {
	off, on := mode{false, gateOff}, mode{true, taints.Options{}}
	if !gated.Comparison {
		return []mode{off}
	}
	return []mode{on, off}
}()

func TestToleratesTaint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { sameTolerates(t, drawToleration(t), drawTaint(t)) })
}

// sameTolerates fails the test unless all functions of the library that answer
// the question agree with Kubernetes.
func sameTolerates(t rapid.TB, toleration corev1.Toleration, taint corev1.Taint) {
	ours, mark := kube.Toleration(toleration), kube.Taint(taint)
	list := []taints.Toleration{ours}
	for _, mode := range modes {
		want := gated.Tolerates(&toleration, &taint, mode.comparison)
		m := mode.options.Compile(list)
		_, compiled := m.Match(mark)
		same(t, "Matcher.Match", compiled, want)
		reason := explain.Taint(m, mark)
		same(t, "explain.Node", reason.Tolerated, want)
		same(t, "Mismatch", reason.Mismatch() == explain.MismatchNone, want)
		if mode.comparison {
			_, match := taints.Match(mark, list)
			same(t, "Match", match, want)
			same(t, "Tolerates", kube.Toleration(toleration).Tolerates(kube.Taint(taint)), want)
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
		ours, mark := kube.Tolerations(tolerations), kube.Taint(taint)
		for _, mode := range modes {
			want := found{
				firstMatch(tolerations, &taint, mode.comparison),
				gated.TolerationsTolerate(tolerations, &taint, mode.comparison),
			}
			same(t, "Matcher.Match", foundAt(mode.options.Compile(ours).Match(mark)), want)
			if mode.comparison {
				same(t, "Match", foundAt(taints.Match(kube.Taint(taint), kube.Tolerations(tolerations))), want)
			}
		}
	})
}

// found is an index that a function found, and whether it found one.
type found struct {
	Index int
	OK    bool
}

func foundAt(index int, ok bool) found { return found{index, ok} }

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
	set  taints.EffectSet
	keep func(*corev1.Taint) bool
}{
	{taints.HardEffects, func(t *corev1.Taint) bool {
		return t.Effect == corev1.TaintEffectNoSchedule || t.Effect == corev1.TaintEffectNoExecute
	}},
	{taints.AllEffects, nil},
	{taints.Effects(taints.NoExecute), func(t *corev1.Taint) bool { return t.Effect == corev1.TaintEffectNoExecute }},
	{taints.Effects(taints.PreferNoSchedule), func(t *corev1.Taint) bool {
		return t.Effect == corev1.TaintEffectPreferNoSchedule
	}},
	{0, func(*corev1.Taint) bool { return false }},
}

func TestFindMatchingUntoleratedTaint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		marks, tolerations := drawTaints(t), drawTolerations(t)
		ourMarks, ours := kube.Taints(marks), kube.Tolerations(tolerations)
		for _, mode := range modes {
			m := mode.options.Compile(ours)
			for _, filter := range filters {
				want := found{-1, false}
				if taint, ok := gated.FindUntolerated(marks, tolerations, filter.keep, mode.comparison); ok {
					want = found{slices.Index(marks, taint), true}
				}
				same(t, "Matcher.FindUntolerated", foundAt(m.FindUntolerated(ourMarks, filter.set)), want)
				same(t, "Matcher.Untolerated", firstOf(m.Untolerated(ourMarks, filter.set)), want)
				if mode.comparison {
					same(t, "FindUntolerated", foundAt(taints.FindUntolerated(ourMarks, ours, filter.set)), want)
					same(t, "Untolerated", firstOf(taints.Untolerated(ourMarks, ours, filter.set)), want)
				}
			}
			want := verdictOf(marks, tolerations, mode.comparison)
			same(t, "Matcher.Filter", m.Filter(ourMarks), want)
			if mode.comparison {
				same(t, "Filter", taints.Filter(ourMarks, ours), want)
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

func firstOf(untolerated iter.Seq2[int, *taints.Taint]) found {
	for i := range untolerated {
		return found{i, true}
	}
	return found{-1, false}
}
