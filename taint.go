package taints

import (
	"cmp"
	"errors"
	"strings"
	"time"
)

// An Effect says what a taint does to a pod that does not tolerate it.
// Kubernetes knows three effects. Any other, the empty one included, is
// carried, printed and compared like these, is refused by validation, and
// keeps no pod off a node.
type Effect string

const (
	// NoSchedule keeps new pods off the node. Pods that run there stay.
	NoSchedule Effect = "NoSchedule"
	// PreferNoSchedule asks the scheduler to use another node if it can.
	PreferNoSchedule Effect = "PreferNoSchedule"
	// NoExecute keeps new pods off the node and evicts those that run there,
	// at once or when their tolerationSeconds are over.
	NoExecute Effect = "NoExecute"
)

// An EffectSet is a set of effects: a bit for each of the three that
// Kubernetes knows, and one for all others together. The zero value is the
// empty set. Sets combine with | and &. Their numbers are not part of the API:
// write them as text.
type EffectSet uint32

// The bits of the effects. Those of effects that Kubernetes may add come last.
const (
	indexOther = iota
	indexNoSchedule
	indexPreferNoSchedule
	indexNoExecute
)

const (
	// Hard holds the effects that keep a new pod off a node: NoSchedule and
	// NoExecute. It is what the kube-scheduler's TaintToleration plugin
	// filters by.
	Hard EffectSet = 1<<indexNoSchedule | 1<<indexNoExecute
	// Soft holds PreferNoSchedule.
	Soft EffectSet = 1 << indexPreferNoSchedule
	// Evicting holds NoExecute, which removes a running pod.
	Evicting EffectSet = 1 << indexNoExecute
	// AllEffects holds every effect, those that Kubernetes does not know
	// included.
	AllEffects EffectSet = 1<<32 - 1
)

// effectNames holds the names of the effects by bit.
var effectNames = [...]string{
	indexOther:            "other",
	indexNoSchedule:       string(NoSchedule),
	indexPreferNoSchedule: string(PreferNoSchedule),
	indexNoExecute:        string(NoExecute),
}

// Effects returns the set of the effects. An effect that Kubernetes does not
// know, the empty one included, stands for all such effects.
func Effects(effects ...Effect) EffectSet {
	var set EffectSet
	for _, e := range effects {
		set |= effectBit(e)
	}
	return set
}

// Has reports whether the set holds the effect. Effects that Kubernetes does
// not know are in a set together or not at all.
func (s EffectSet) Has(effect Effect) bool { return s&effectBit(effect) != 0 }

// String returns the names of the effects in the set joined by "|", with
// "other" for those that Kubernetes does not know; "all" for [AllEffects] and
// "none" for the empty set. Bits without a meaning are left out.
func (s EffectSet) String() string {
	if s == AllEffects {
		return "all"
	}
	b := make([]byte, 0, 48)
	for n := range effectNames {
		i := (n + 1) % len(effectNames) // the others last
		if s&(1<<i) == 0 {
			continue
		}
		if len(b) > 0 {
			b = append(b, '|')
		}
		b = append(b, effectNames[i]...)
	}
	if len(b) == 0 {
		return "none"
	}
	return string(b)
}

// MarshalText returns what String returns. The error is always nil.
func (s EffectSet) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what String returns. The names may come in any order and
// repeat. The error is a [*ParseError] with the place of the first name that is
// unknown; the set is then left as it was.
func (s *EffectSet) UnmarshalText(text []byte) error {
	input := string(text)
	switch input {
	case "all":
		*s = AllEffects
		return nil
	case "none":
		*s = 0
		return nil
	}
	var set EffectSet
	for rest, more := input, true; more; {
		var name string
		offset := len(input) - len(rest)
		name, rest, more = strings.Cut(rest, "|")
		bit, ok := namedEffect(name)
		if !ok {
			return parseFault("effect set", input, offset, "effect", name, effectNotNamed)
		}
		set |= bit
	}
	*s = set
	return nil
}

// namedEffect returns the bit of the effect, or of the others, by its name.
func namedEffect(name string) (EffectSet, bool) {
	for i, known := range effectNames {
		if name == known {
			return 1 << i, true
		}
	}
	return 0, false
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

// A Taint marks a node: pods that do not tolerate it are kept away, or leave.
// Fields, their order and their JSON are those of k8s.io/api/core/v1.Taint.
// Only TimeAdded has the JSON of [time.Time], which is the same for whole
// seconds in UTC, as Kubernetes writes them.
//
// The zero Taint is invalid, for a key and an effect are required, but every
// function takes it. Compare taints with [Taint.Equal] or [Taint.ID], not with
// ==, which compares TimeAdded by its address.
type Taint struct {
	// Key names the taint, as in "dedicated" or "nvidia.com/gpu". Required.
	Key string `json:"key"`
	// Value is what a toleration's value is compared with. May be empty.
	Value string `json:"value,omitempty"`
	// Effect is what happens to pods that do not tolerate the taint. Required.
	Effect Effect `json:"effect"`
	// TimeAdded is when the taint was put on the node; nil where it is not
	// known. Kubernetes sets it on NoExecute taints and on those that follow a
	// node's conditions. Matching does not use it.
	TimeAdded *time.Time `json:"timeAdded,omitempty"`
}

// A TaintID is a taint's identity on its node, which has at most one taint of a
// key and effect. It is comparable and serves as a map key. Where a TaintID
// asks for taints, an empty Effect stands for the key under every effect.
type TaintID struct {
	Key    string `json:"key"`
	Effect Effect `json:"effect,omitempty"`
}

// String returns "key:Effect", or "key" without an effect.
func (id TaintID) String() string { return Taint{Key: id.Key, Effect: id.Effect}.String() }

// names reports whether the identity is that of the taint, or that of its key
// under every effect.
func (id TaintID) names(t *Taint) bool {
	return id.Key == t.Key && (id.Effect == "" || id.Effect == t.Effect)
}

// ID returns the taint's key and effect, which are what Kubernetes' MatchTaint
// compares.
func (t Taint) ID() TaintID { return TaintID{t.Key, t.Effect} }

// Equal reports whether the taints have the same key, value and effect, and
// times that are both unset or the same instant.
func (t Taint) Equal(u Taint) bool {
	return t.sameButTime(&u) && compareTimes(t.TimeAdded, u.TimeAdded) == 0
}

func (t *Taint) sameButTime(u *Taint) bool {
	return t.Key == u.Key && t.Value == u.Value && t.Effect == u.Effect
}

// Compare returns -1, 0 or 1. It orders taints by key, value and effect, byte
// for byte, and then by time, with an unset one first. It returns 0 exactly for
// taints that are Equal.
func (t Taint) Compare(u Taint) int {
	return cmp.Or(
		strings.Compare(t.Key, u.Key),
		strings.Compare(t.Value, u.Value),
		strings.Compare(string(t.Effect), string(u.Effect)),
		compareTimes(t.TimeAdded, u.TimeAdded),
	)
}

func compareTimes(a, b *time.Time) int {
	switch {
	case a == b:
		return 0
	case a == nil:
		return -1
	case b == nil:
		return 1
	}
	return a.Compare(*b)
}

// clone returns the taint with a time of its own.
func (t Taint) clone() Taint {
	if t.TimeAdded != nil {
		added := *t.TimeAdded
		t.TimeAdded = &added
	}
	return t
}

// String returns the taint as kubectl prints it: "key=value:Effect",
// "key:Effect" without a value, "key=value:" without an effect, "key" without
// both (Taint.ToString in Kubernetes). [ParseTaint] reads the text of a valid
// taint back. It leaves out TimeAdded.
func (t Taint) String() string {
	var buf [64]byte
	return string(t.AppendTo(buf[:0]))
}

// AppendTo appends the text that String returns to b and returns the extended
// slice.
func (t Taint) AppendTo(b []byte) []byte {
	b = appendKeyValue(b, t.Key, t.Value)
	if t.Value != "" || t.Effect != "" {
		b = append(b, ':')
	}
	return append(b, t.Effect...)
}

// appendKeyValue appends how kubectl prints a key and a value, in taints and
// in tolerations.
func appendKeyValue(b []byte, key, value string) []byte {
	b = append(b, key...)
	if value != "" {
		b = append(b, '=')
		b = append(b, value...)
	}
	return b
}

// ParseTaint reads "key=value:Effect" or "key:Effect". It accepts what "kubectl
// taint" accepts for a taint to add, so the effect is required and the taint is
// valid. The taint keeps parts of s.
//
// The error is a [*ParseError] with the place of the first fault, which wraps a
// [*FieldError]; the taint is then zero.
func ParseTaint(s string) (Taint, error) {
	t, fault := parseTaint(s)
	if fault != nil {
		return Taint{}, fault
	}
	return t, nil
}

func parseTaint(s string) (Taint, *ParseError) {
	head, effect, _ := cut(s, ':')
	key, value, _ := cut(head, '=')
	if p := checkKey(key); p != noProblem {
		return Taint{}, parseFault("taint", s, 0, "key", key, p)
	}
	if p := checkValue(value); p != noProblem {
		return Taint{}, parseFault("taint", s, len(key)+1, "value", value, p)
	}
	if effect == "" {
		return Taint{}, parseFault("taint", s, len(s), "effect", "", effectMissing)
	}
	if p := checkParsedEffect(effect); p != noProblem {
		return Taint{}, parseFault("taint", s, len(head)+1, "effect", effect, p)
	}
	return Taint{Key: key, Value: value, Effect: Effect(effect)}, nil
}

func checkParsedEffect(effect string) problem {
	switch {
	case knownEffect(Effect(effect)):
		return noProblem
	case strings.HasSuffix(effect, "-"):
		return effectToRemove
	}
	return effectUnknown
}

// MustParseTaint is like [ParseTaint] but panics where that returns an error.
// It is for tests and for constants.
func MustParseTaint(s string) Taint {
	t, err := ParseTaint(s)
	if err != nil {
		panic(err)
	}
	return t
}

// ParseTaints reads taints separated by commas, as in
// "dedicated=ml:NoSchedule,spot:PreferNoSchedule": the form of the kubelet's
// --register-with-taints. It accepts what the kubelet accepts, except texts
// that ask for removal, which the kubelet drops. The empty text gives nil.
//
// The error unwraps to a [*ParseError] for each faulty taint, in order, with
// the place of its first fault in the list. Each wraps a [*FieldError] with
// "taints" as its List. A taint whose key and effect an earlier one has is
// [ErrDuplicate]. The list is then nil.
func ParseTaints(list string) ([]Taint, error) {
	if list == "" {
		return nil, nil
	}
	specs := strings.Split(list, ",")
	taints := make([]Taint, 0, len(specs))
	seen := newPlaces(len(specs))
	var errs []error
	offset := 0
	for i, spec := range specs {
		t, fault := parseTaint(spec)
		if fault == nil && seen.first(taints, t.ID()) >= 0 {
			fault = parseFault("taint", spec, 0, "", spec, taintRepeated)
		}
		if fault != nil {
			fault.Input, fault.Offset = list, offset+fault.Offset
			errs = append(errs, fault.inList("taints", i))
		} else {
			seen.add(t.ID(), len(taints))
			taints = append(taints, t)
		}
		offset += len(spec) + len(",")
	}
	if errs != nil {
		return nil, errors.Join(errs...)
	}
	return taints, nil
}

// inList returns the error as that of the entry at the index.
func (e *ParseError) inList(list string, index int) error {
	fault := e.Err.(*FieldError)
	fault.List, fault.index = list, someIndex(index)
	return e
}

// ParseTaintID reads the identity of a taint, "key:Effect", or "key" for the
// key under every effect. The error is a [*ParseError], as for [ParseTaint].
func ParseTaintID(s string) (TaintID, error) {
	key, effect, found := cut(s, ':')
	if p := checkKey(key); p != noProblem {
		return TaintID{}, parseFault("taint identity", s, 0, "key", key, p)
	}
	if found {
		if p := checkEffect(Effect(effect)); p != noProblem {
			return TaintID{}, parseFault("taint identity", s, len(key)+1, "effect", effect, p)
		}
	}
	return TaintID{key, Effect(effect)}, nil
}

// Keys of the taints that Kubernetes itself, its cloud providers and kubeadm
// put on nodes.
const (
	// NodeNotReady: the node's Ready condition is False. The node-lifecycle
	// controller sets it with NoSchedule and NoExecute; admission sets it with
	// NoSchedule on a new node.
	NodeNotReady = "node.kubernetes.io/not-ready"
	// NodeUnreachable: the node's Ready condition is Unknown, because its
	// kubelet stopped reporting. The node-lifecycle controller sets it with
	// NoSchedule and NoExecute.
	NodeUnreachable = "node.kubernetes.io/unreachable"
	// NodeMemoryPressure: the node runs out of memory. The node-lifecycle
	// controller sets it with NoSchedule.
	NodeMemoryPressure = "node.kubernetes.io/memory-pressure"
	// NodeDiskPressure: the node runs out of disk. The node-lifecycle
	// controller sets it with NoSchedule.
	NodeDiskPressure = "node.kubernetes.io/disk-pressure"
	// NodePIDPressure: the node runs out of process identifiers. The
	// node-lifecycle controller sets it with NoSchedule.
	NodePIDPressure = "node.kubernetes.io/pid-pressure"
	// NodeNetworkUnavailable: the node's network is not set up. The
	// node-lifecycle controller sets it with NoSchedule.
	NodeNetworkUnavailable = "node.kubernetes.io/network-unavailable"
	// NodeUnschedulable: the node is cordoned (spec.unschedulable). The
	// node-lifecycle controller sets it with NoSchedule.
	NodeUnschedulable = "node.kubernetes.io/unschedulable"
	// NodeOutOfService: the node was shut down and will not come back by
	// itself, so its volumes may be detached. A person or a remediation
	// controller sets it, with NoExecute or NoSchedule.
	NodeOutOfService = "node.kubernetes.io/out-of-service"
	// NodeOutOfDisk is a legacy key, replaced by [NodeDiskPressure]; nothing
	// sets it any more.
	NodeOutOfDisk = "node.kubernetes.io/out-of-disk"

	// CloudProviderUninitialized: the cloud controller manager has not
	// initialized the node yet. The kubelet sets it with NoSchedule when it
	// runs with an external cloud provider; the cloud controller manager
	// removes it.
	CloudProviderUninitialized = "node.cloudprovider.kubernetes.io/uninitialized"
	// CloudProviderShutdown: the instance behind the node is shut down. The
	// cloud node-lifecycle controller sets it with NoSchedule.
	CloudProviderShutdown = "node.cloudprovider.kubernetes.io/shutdown"

	// NodeRoleControlPlane: the node runs the control plane. kubeadm sets it
	// with NoSchedule.
	NodeRoleControlPlane = "node-role.kubernetes.io/control-plane"
	// NodeRoleMaster is a legacy key, replaced by [NodeRoleControlPlane];
	// kubeadm stopped setting it in 1.25.
	NodeRoleMaster = "node-role.kubernetes.io/master"

	// NodeAlphaNotReady is a legacy key, replaced by [NodeNotReady].
	NodeAlphaNotReady = "node.alpha.kubernetes.io/notReady"
	// NodeAlphaUnreachable is a legacy key, replaced by [NodeUnreachable].
	NodeAlphaUnreachable = "node.alpha.kubernetes.io/unreachable"
)
