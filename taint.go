// SPDX-License-Identifier: Apache-2.0

package taints

import (
	"cmp"
	"strings"
	"time"
)

// A Taint keeps pods that do not tolerate it off a node, or evicts them. It has the
// fields and the JSON of k8s.io/api/core/v1.Taint, except that TimeAdded is written
// as a [time.Time]: the same for whole seconds in UTC, as Kubernetes writes them.
// Compare taints with [Taint.Equal] or [Taint.ID].
type Taint struct {
	// Key names the taint, as in "nvidia.com/gpu". It is required.
	Key string `json:"key"`
	// Value is what a toleration's value is compared with. It may be empty.
	Value string `json:"value,omitempty"`
	// Effect is what the taint does to pods that do not tolerate it. It is required.
	Effect Effect `json:"effect"`
	// TimeAdded is when the taint was added, or nil for unknown. Matching ignores it.
	TimeAdded *time.Time `json:"timeAdded,omitempty"`
}

// ID returns the taint's key and effect, which identify it on its node
// (MatchTaint in Kubernetes).
func (t Taint) ID() TaintID { return TaintID{t.Key, t.Effect} }

// Toleration returns a toleration of the taint, forever, with its key, value and
// effect and [OpEqual]. Without an effect, it tolerates every effect.
func (t Taint) Toleration() Toleration {
	return Toleration{Key: t.Key, Operator: OpEqual, Value: t.Value, Effect: t.Effect}
}

// Equal reports whether t and u have the same key, value and effect, and the
// same instant as TimeAdded or none in both.
func (t Taint) Equal(u Taint) bool {
	return t.Key == u.Key && t.Value == u.Value && t.Effect == u.Effect && compareTimes(t.TimeAdded, u.TimeAdded) == 0
}

// Compare returns -1, 0 or 1 as t sorts before, with or after u: by key, value
// and effect, byte by byte, and then by TimeAdded, with unset times first.
func (t Taint) Compare(u Taint) int {
	return cmp.Or(
		strings.Compare(t.Key, u.Key),
		strings.Compare(t.Value, u.Value),
		strings.Compare(string(t.Effect), string(u.Effect)),
		compareTimes(t.TimeAdded, u.TimeAdded),
	)
}

func compareTimes(a, b *time.Time) int { return compareOptional(a, b, time.Time.Compare) }

// compareOptional compares what the pointers point to. Nil comes first.
func compareOptional[T any](a, b *T, compare func(T, T) int) int {
	switch {
	case a == b:
		return 0
	case a == nil:
		return -1
	case b == nil:
		return 1
	}
	return compare(*a, *b)
}

// clone returns the taint with its own copy of TimeAdded.
func (t Taint) clone() Taint {
	if t.TimeAdded != nil {
		added := *t.TimeAdded
		t.TimeAdded = &added
	}
	return t
}

// String returns the taint without TimeAdded as kubectl prints it (Taint.ToString
// in Kubernetes): "key=value:Effect", "key:Effect", "key=value:" or "key".
// [ParseTaint] parses the text of a valid taint.
func (t Taint) String() string {
	var buf [64]byte
	return string(t.AppendTo(buf[:0]))
}

// AppendTo appends what [Taint.String] returns to b and returns the extended slice.
func (t Taint) AppendTo(b []byte) []byte {
	b = appendKeyValue(b, t.Key, t.Value)
	if t.Value != "" || t.Effect != "" {
		b = append(b, ':')
	}
	return append(b, t.Effect...)
}

// appendKeyValue appends a key and a value as kubectl prints them, for taints
// and for tolerations.
func appendKeyValue(b []byte, key, value string) []byte {
	b = append(b, key...)
	if value != "" {
		b = append(b, '=')
		b = append(b, value...)
	}
	return b
}

// A TaintID identifies a taint of a node. It is comparable and can be a map key. In
// JSON it is a string.
type TaintID struct {
	Key    string
	Effect Effect
}

// String returns "key:Effect", with the colon even if the effect is empty.
func (id TaintID) String() string { return id.Key + ":" + string(id.Effect) }

// MarshalText returns what String returns. The error is always nil.
func (id TaintID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText parses the text that MarshalText returns: the key ends at the first
// colon. The error for a text without a colon is a [*FieldError].
func (id *TaintID) UnmarshalText(text []byte) error {
	s := string(text)
	key, effect, found := strings.Cut(s, ":")
	if !found {
		return parseError(s, len(s), "effect", "", effectMissing)
	}
	*id = TaintID{key, Effect(effect)}
	return nil
}

// FindTaint returns the index of the first taint with the identity, and whether
// there is one (TaintExists in Kubernetes).
func FindTaint(taints []Taint, id TaintID) (i int, found bool) {
	for i := range taints {
		if t := &taints[i]; t.Key == id.Key && t.Effect == id.Effect {
			return i, true
		}
	}
	return -1, false
}

// An Effect is what a taint does to a pod that does not tolerate it. An unknown
// effect, such as the empty one, can be matched and printed. It does nothing to pods
// and is not valid.
type Effect string

const (
	// NoSchedule keeps new pods off the node. Running pods stay.
	NoSchedule Effect = "NoSchedule"
	// PreferNoSchedule asks the scheduler to use another node if it can.
	PreferNoSchedule Effect = "PreferNoSchedule"
	// NoExecute keeps new pods off the node and evicts those that run there.
	NoExecute Effect = "NoExecute"
)

// knownEffects holds the effects that Kubernetes knows. Append new effects: the index
// of an effect is its bit in an EffectSet, from 1.
var knownEffects = [...]Effect{NoSchedule, PreferNoSchedule, NoExecute}

// An EffectSet is a set of effects. All unknown effects are one element. Combine sets
// with | and &. Store a set as text, as in JSON: its number may change.
type EffectSet uint32

const (
	// HardEffects holds NoSchedule and NoExecute, by which the kube-scheduler filters
	// nodes.
	HardEffects EffectSet = 1<<1 | 1<<3
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

// String returns the names of the effects, as in "NoSchedule|other", "all" or "none".
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

// MarshalText returns what String returns. The error is always nil.
func (s EffectSet) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText parses such names. The error for another one is a [*FieldError].
func (s *EffectSet) UnmarshalText(text []byte) error {
	set, offset := EffectSet(0), 0
	for _, name := range strings.Split(string(text), "|") {
		switch {
		case name == "all":
			set = AllEffects
		case name == "other", knownEffect(Effect(name)):
			set |= effectBit(Effect(name))
		case name != "none":
			return parseError(string(text), offset, "effect", name, effectOfSet)
		}
		offset += len(name) + len("|")
	}
	*s = set
	return nil
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

// Keys of the taints that Kubernetes' node-lifecycle controller puts on nodes, with
// NoSchedule, and the first two with NoExecute as well.
const (
	NodeNotReady           = "node.kubernetes.io/not-ready"           // Ready is False, or the node is new
	NodeUnreachable        = "node.kubernetes.io/unreachable"         // Ready is Unknown
	NodeMemoryPressure     = "node.kubernetes.io/memory-pressure"     // it is low on memory
	NodeDiskPressure       = "node.kubernetes.io/disk-pressure"       // it is low on disk space
	NodePIDPressure        = "node.kubernetes.io/pid-pressure"        // it is low on process identifiers
	NodeNetworkUnavailable = "node.kubernetes.io/network-unavailable" // its network is not set up
	NodeUnschedulable      = "node.kubernetes.io/unschedulable"       // it is cordoned (spec.unschedulable)
)
