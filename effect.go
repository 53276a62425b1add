// SPDX-License-Identifier: Apache-2.0

package taints

import "strings"

// An Effect is what a taint does to a pod that does not tolerate it. Kubernetes
// knows three effects. Any other one, such as the empty one, can be matched,
// printed and compared as well, but has no effect on pods and is not valid.
type Effect string

const (
	// NoSchedule keeps new pods off the node. Running pods stay.
	NoSchedule Effect = "NoSchedule"
	// PreferNoSchedule asks the scheduler to use another node if it can.
	PreferNoSchedule Effect = "PreferNoSchedule"
	// NoExecute keeps new pods off the node and evicts running pods, at once or
	// after their tolerationSeconds.
	NoExecute Effect = "NoExecute"
)

// An EffectSet is a set of effects: a bit for each of the three that Kubernetes
// knows, and one for all others together. The zero value is the empty set. Sets
// combine with | and &. Their numeric values may change: store them as text.
type EffectSet uint32

// The bits of the effects. Those that Kubernetes may add come last.
const (
	indexOther = iota
	indexNoSchedule
	indexPreferNoSchedule
	indexNoExecute
)

const (
	// Hard holds the effects that keep new pods off a node: NoSchedule and
	// NoExecute. The kube-scheduler's TaintToleration plugin filters by them.
	Hard EffectSet = 1<<indexNoSchedule | 1<<indexNoExecute
	// AllEffects holds every effect, known to Kubernetes or not.
	AllEffects EffectSet = 1<<32 - 1
)

// effectNames holds the names of the effects by bit.
var effectNames = [...]string{
	indexOther:            "other",
	indexNoSchedule:       string(NoSchedule),
	indexPreferNoSchedule: string(PreferNoSchedule),
	indexNoExecute:        string(NoExecute),
}

// Effects returns the set of the given effects. An effect that Kubernetes does
// not know, such as the empty one, adds all such effects.
func Effects(effects ...Effect) EffectSet {
	var set EffectSet
	for _, e := range effects {
		set |= effectBit(e)
	}
	return set
}

// Has reports whether the effect is in the set. A set has all effects that
// Kubernetes does not know, or none of them.
func (s EffectSet) Has(effect Effect) bool { return s&effectBit(effect) != 0 }

// String returns the names of the effects in the set joined by "|", with "other"
// for those that Kubernetes does not know. It returns "all" for [AllEffects] and
// "none" for the empty set. Bits without a meaning are left out.
func (s EffectSet) String() string {
	if s == AllEffects {
		return "all"
	}
	var names []string
	for _, i := range [...]int{indexNoSchedule, indexPreferNoSchedule, indexNoExecute, indexOther} {
		if s&(1<<i) != 0 {
			names = append(names, effectNames[i])
		}
	}
	if names == nil {
		return "none"
	}
	return strings.Join(names, "|")
}

func effectBit(e Effect) EffectSet {
	switch e {
	case NoSchedule:
		return 1 << indexNoSchedule
	case PreferNoSchedule:
		return 1 << indexPreferNoSchedule
	case NoExecute:
		return 1 << indexNoExecute
	}
	return 1 << indexOther
}

func knownEffect(e Effect) bool { return effectBit(e) != 1<<indexOther }
