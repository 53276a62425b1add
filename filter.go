package taints

import (
	"iter"
	"math/bits"
)

// FindUntolerated returns the index of the first taint that has an effect of the set and that none of the tolerations
// tolerates, and whether there is one; the index is -1 where there is none (FindMatchingUntoleratedTaint in Kubernetes,
// whose filters are [Hard], [Soft] and [Evicting] here). Without taints, or with an empty set, there is none; without
// tolerations it is the first taint of such an effect. It holds for invalid input too, see [Toleration.Tolerates]. Nothing is
// allocated or retained.
func FindUntolerated(taints []Taint, tolerations []Toleration, in EffectSet) (taint int, found bool) {
	i := nextUntolerated(taints, tolerations, in, 0)
	return i, i >= 0
}

// FindUntolerated is the function [FindUntolerated] for the compiled tolerations.
func (m *Matcher) FindUntolerated(taints []Taint, in EffectSet) (taint int, found bool) {
	i := m.nextUntolerated(taints, in, 0)
	return i, i >= 0
}

// Untolerated yields, in order, the index and the address of each taint that has an effect of the set and that none of the
// tolerations tolerates. The addresses point into the caller's slice. The lists are read while the loop runs, not copied;
// the sequence can be used more than once. Ranging over it allocates nothing.
func Untolerated(taints []Taint, tolerations []Toleration, in EffectSet) iter.Seq2[int, *Taint] {
	return func(yield func(int, *Taint) bool) {
		for i := nextUntolerated(taints, tolerations, in, 0); i >= 0 && yield(i, &taints[i]); {
			i = nextUntolerated(taints, tolerations, in, i+1)
		}
	}
}

// Untolerated is the function [Untolerated] for the compiled tolerations.
func (m *Matcher) Untolerated(taints []Taint, in EffectSet) iter.Seq2[int, *Taint] {
	return func(yield func(int, *Taint) bool) {
		for i := m.nextUntolerated(taints, in, 0); i >= 0 && yield(i, &taints[i]); {
			i = m.nextUntolerated(taints, in, i+1)
		}
	}
}

// nextUntolerated returns the index, not below from, of the first taint that has an effect of the set and that none of the
// tolerations tolerates, or -1.
func nextUntolerated(taints []Taint, tolerations []Toleration, in EffectSet, from int) int {
	for i := from; i < len(taints); i++ {
		if t := &taints[i]; in.Has(t.Effect) && next(tolerations, t, -1) < 0 {
			return i
		}
	}
	return -1
}

// A Verdict counts the taints of a node that a pod does not tolerate, by effect. It is comparable. Verdicts come from
// [Filter]; the zero Verdict is one without untolerated taints except that its First is 0.
type Verdict struct {
	NoSchedule       int // untolerated NoSchedule taints
	PreferNoSchedule int // untolerated PreferNoSchedule taints: the count that [NormalizeScores] takes
	NoExecute        int // untolerated NoExecute taints
	Other            int // untolerated taints of an unknown effect, which keep nobody away
	First            int // index of the first untolerated NoSchedule or NoExecute taint, -1 if there is none
}

// Schedulable reports whether the pod may be placed on the node: no untolerated NoSchedule or NoExecute taint. It is the
// answer of the kube-scheduler's TaintToleration plugin at Filter.
func (v Verdict) Schedulable() bool { return v.NoSchedule == 0 && v.NoExecute == 0 }

// Avoid reports whether the pod may be placed on the node but a better one should be preferred: it is schedulable, and an
// untolerated PreferNoSchedule taint is left.
func (v Verdict) Avoid() bool { return v.Schedulable() && v.PreferNoSchedule > 0 }

// Evicts reports whether a pod that runs on the node leaves at once: an untolerated NoExecute taint. Pods that tolerate
// such a taint for a time only are for [Evict].
func (v Verdict) Evicts() bool { return v.NoExecute > 0 }

// Filter looks at all taints of a node and counts those that none of the tolerations tolerates. Empty and nil lists are
// valid; so is invalid input, see [Toleration.Tolerates]. Nothing is allocated or retained.
func Filter(taints []Taint, tolerations []Toleration) Verdict {
	v := Verdict{First: -1}
	for i := nextUntolerated(taints, tolerations, AnyEffect, 0); i >= 0; i = nextUntolerated(taints, tolerations, AnyEffect, i+1) {
		v.count(i, taints[i].Effect)
	}
	return v
}

// Filter is the function [Filter] for the compiled tolerations.
func (m *Matcher) Filter(taints []Taint) Verdict {
	v := Verdict{First: -1}
	for i := m.nextUntolerated(taints, AnyEffect, 0); i >= 0; i = m.nextUntolerated(taints, AnyEffect, i+1) {
		v.count(i, taints[i].Effect)
	}
	return v
}

// count adds the untolerated taint at index i.
func (v *Verdict) count(i int, effect Effect) {
	switch effect {
	case NoSchedule:
		v.NoSchedule++
	case NoExecute:
		v.NoExecute++
	case PreferNoSchedule:
		v.PreferNoSchedule++
		return
	default:
		v.Other++
		return
	}
	if v.First < 0 {
		v.First = i
	}
}

// NormalizeScores turns counts of untolerated PreferNoSchedule taints into scores from 0 to max, the fewest taints scoring
// best, and appends one score for each count to dst: max - max*count/(the largest count), rounded as Kubernetes rounds, and
// max for all when no count is above zero (DefaultNormalizeScore with reverse in the kube-scheduler, whose max is 100; old
// policies used 10). A negative count, which Kubernetes leaves undefined, counts as zero. Large numbers do not overflow. It
// allocates only if dst is too small; dst and counts must not overlap.
func NormalizeScores(dst []int64, counts []int, max int64) []int64 {
	worst := 0
	for _, c := range counts {
		if c > worst {
			worst = c
		}
	}
	for _, c := range counts {
		score := max
		if c > 0 {
			score -= share(max, uint64(c), uint64(worst))
		}
		dst = append(dst, score)
	}
	return dst
}

// share returns max*part/whole, rounded towards zero, for 0 <= part <= whole and whole > 0.
func share(max int64, part, whole uint64) int64 {
	if max < 0 {
		hi, lo := bits.Mul64(-uint64(max), part)
		quotient, _ := bits.Div64(hi, lo, whole)
		return -int64(quotient)
	}
	hi, lo := bits.Mul64(uint64(max), part)
	quotient, _ := bits.Div64(hi, lo, whole)
	return int64(quotient)
}
