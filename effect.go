// SPDX-License-Identifier: Apache-2.0

package taints

import "strings"

// An Effect is what a taint does to a pod that does not tolerate it. One that
// Kubernetes does not know, such as the empty one, can be matched, printed and
// compared, but has no effect on pods and is not valid.
type Effect string

const (
	// NoSchedule keeps new pods off the node. Running pods stay.
	NoSchedule Effect = "NoSchedule"
	// PreferNoSchedule asks the scheduler to use another node if it can.
	PreferNoSchedule Effect = "PreferNoSchedule"
	// NoExecute keeps new pods off the node and evicts those that run there.
	NoExecute Effect = "NoExecute"
)

// knownEffects holds the effects that Kubernetes knows. A new one comes last, as
// the places are the bits of an EffectSet, from 1.
var knownEffects = [...]Effect{NoSchedule, PreferNoSchedule, NoExecute}

// An EffectSet is a set of effects. All effects that Kubernetes does not know count
// as one. Sets combine with | and &. Do not store their numbers: they may change.
type EffectSet uint32

const (
	// Hard holds NoSchedule and NoExecute, by which the kube-scheduler filters nodes.
	Hard EffectSet = 1<<1 | 1<<3
	// AllEffects holds every effect, known to Kubernetes or not.
	AllEffects EffectSet = 1<<32 - 1

	otherEffects EffectSet = 1
)

// Effects returns the set of the effects.
func Effects(effects ...Effect) EffectSet {
	var set EffectSet
	for _, e := range effects {
		set |= effectBit(e)
	}
	return set
}

// Has reports whether the effect is in the set.
func (s EffectSet) Has(effect Effect) bool { return s&effectBit(effect) != 0 }

// String returns the names of the effects joined by "|", with "other" for those
// that Kubernetes does not know, "all" for [AllEffects], and "none" for none.
func (s EffectSet) String() string {
	if s == AllEffects {
		return "all"
	}
	var names []string
	for _, e := range knownEffects {
		if s.Has(e) {
			names = append(names, string(e))
		}
	}
	if s&otherEffects != 0 {
		names = append(names, "other")
	}
	if names == nil {
		return "none"
	}
	return strings.Join(names, "|")
}

func effectBit(e Effect) EffectSet {
	for i := range knownEffects {
		if knownEffects[i] == e {
			return 2 << i
		}
	}
	return otherEffects
}

func knownEffect(e Effect) bool { return effectBit(e) != otherEffects }
