package taints

import (
	"cmp"
	"strings"
	"time"
)

// An Effect says what a taint does to a pod that does not tolerate it. Kubernetes knows three effects; any other value,
// the empty one included, is carried, printed and compared like the rest, is refused by validation, and keeps no pod
// off a node, as in Kubernetes.
type Effect string

const (
	// NoSchedule keeps new pods off the node; pods that run there stay.
	NoSchedule Effect = "NoSchedule"
	// PreferNoSchedule asks the scheduler to use the node only when no better one is left.
	PreferNoSchedule Effect = "PreferNoSchedule"
	// NoExecute keeps new pods off the node and evicts those that run there, at once or when their
	// tolerationSeconds are over.
	NoExecute Effect = "NoExecute"
)

// An EffectSet is a set of effects: a bit for each of the three that Kubernetes knows and one for all others together.
// The zero value is the empty set. Sets are comparable and combine with | and &.
type EffectSet uint8

// The places of the effects' bits in an EffectSet.
const (
	indexNoSchedule = iota
	indexPreferNoSchedule
	indexNoExecute
	indexOther
	effectIndexes // how many there are
)

const (
	// Hard holds the effects that keep a new pod off a node: NoSchedule and NoExecute. It is the filter of the
	// kube-scheduler's TaintToleration plugin.
	Hard EffectSet = 1<<indexNoSchedule | 1<<indexNoExecute
	// Soft holds PreferNoSchedule, which only makes a node less attractive.
	Soft EffectSet = 1 << indexPreferNoSchedule
	// Evicting holds NoExecute, which removes a running pod.
	Evicting EffectSet = 1 << indexNoExecute
	// AnyEffect holds every effect, those that Kubernetes does not know included.
	AnyEffect EffectSet = 1<<effectIndexes - 1
)

// Effects returns the set that holds the given effects. Every effect that is none of the three known ones, the empty
// effect included, stands for all such effects, because they share one bit. Without arguments the set is empty.
func Effects(effects ...Effect) EffectSet {
	var set EffectSet
	for _, e := range effects {
		set |= effectBit(e)
	}
	return set
}

// Has reports whether the set holds the effect. All effects that are none of the three known ones, the empty effect
// included, are held together or not at all.
func (s EffectSet) Has(effect Effect) bool { return s&effectBit(effect) != 0 }

// String returns the names of the effects in the set joined by "|", with "other" for the unknown ones, and "none" for
// the empty set. Bits that stand for nothing are not shown.
func (s EffectSet) String() string {
	names := [effectIndexes]string{
		indexNoSchedule: string(NoSchedule), indexPreferNoSchedule: string(PreferNoSchedule), indexNoExecute: string(NoExecute),
		indexOther: "other",
	}
	b := make([]byte, 0, 48)
	for i, name := range names {
		if s&(1<<i) == 0 {
			continue
		}
		if len(b) > 0 {
			b = append(b, '|')
		}
		b = append(b, name...)
	}
	if len(b) == 0 {
		return "none"
	}
	return string(b)
}

func effectBit(e Effect) EffectSet { return 1 << effectIndex(e) }

// effectIndex returns the place of the effect's bit in an EffectSet, below effectIndexes.
func effectIndex(e Effect) uint {
	switch e {
	case NoSchedule:
		return indexNoSchedule
	case PreferNoSchedule:
		return indexPreferNoSchedule
	case NoExecute:
		return indexNoExecute
	}
	return indexOther
}

// A Taint marks a node: pods that do not tolerate it are kept away, or leave. Fields, their order and their JSON are
// those of k8s.io/api/core/v1.Taint, so a value decodes from and encodes to a Kubernetes object unchanged. The JSON of
// TimeAdded is that of [time.Time]: where it is a time in UTC of whole seconds, as Kubernetes writes them, it is the same,
// while Kubernetes would turn others into such.
//
// The zero Taint is invalid (key and effect are required) but harmless in every function of this package. Fields hold
// what they were given; nothing is normalised. A Taint is not comparable with == in a useful way, because of TimeAdded:
// see [Taint.Equal] and [Taint.ID].
type Taint struct {
	// Key names the taint, as in "dedicated" or "nvidia.com/gpu". Required.
	Key string `json:"key"`
	// Value is what a toleration's value is compared with. May be empty.
	Value string `json:"value,omitempty"`
	// Effect is what happens to pods that do not tolerate the taint. Required.
	Effect Effect `json:"effect"`
	// TimeAdded is when the taint was put on the node; nil where nobody wrote it down. Kubernetes sets it on NoExecute
	// taints and on those that follow a node's conditions. Matching never looks at it.
	TimeAdded *time.Time `json:"timeAdded,omitempty"`
}

// A TaintID is a taint's identity on its node: a node has at most one taint of a key and effect. It is comparable and
// serves as a map key.
type TaintID struct {
	Key    string
	Effect Effect
}

// String returns the identity as Kubernetes prints a taint without a value: "key:Effect", or "key" without an effect.
func (id TaintID) String() string { return Taint{Key: id.Key, Effect: id.Effect}.String() }

// ID returns the taint's identity on a node, its key and effect (MatchTaint in Kubernetes compares just these).
func (t Taint) ID() TaintID { return TaintID{t.Key, t.Effect} }

// Equal reports whether the two taints mean the same: equal key, value and effect, and times that are both unset or the
// same instant, whatever their time zones.
func (t Taint) Equal(u Taint) bool {
	if t.Key != u.Key || t.Value != u.Value || t.Effect != u.Effect {
		return false
	}
	if t.TimeAdded == nil || u.TimeAdded == nil {
		return t.TimeAdded == u.TimeAdded
	}
	return t.TimeAdded.Equal(*u.TimeAdded)
}

// Compare orders taints by key, then value, then effect, byte for byte: -1, 0 or 1, as [strings.Compare] has it. TimeAdded does
// not count, so taints that compare as 0 are one for every purpose but the time.
func (t Taint) Compare(u Taint) int {
	return cmp.Or(strings.Compare(t.Key, u.Key), strings.Compare(t.Value, u.Value), strings.Compare(string(t.Effect), string(u.Effect)))
}

// String returns the taint as kubectl prints it: "key=value:Effect", "key:Effect" without a value, "key=value:" without
// an effect, "key" without both (ToString in Kubernetes). TimeAdded is not shown. Any taint prints; a valid one is read
// back by [ParseTaint].
func (t Taint) String() string {
	var buf [64]byte
	return string(t.AppendTo(buf[:0]))
}

// AppendTo appends the text that [Taint.String] returns to b and returns the longer slice. It allocates only if b is too
// small.
func (t Taint) AppendTo(b []byte) []byte {
	b = appendKeyValue(b, t.Key, t.Value)
	if t.Value != "" || t.Effect != "" {
		b = append(b, ':')
	}
	return append(b, t.Effect...)
}

// appendKeyValue appends how kubectl prints a key and a value, in taints and in tolerations.
func appendKeyValue(b []byte, key, value string) []byte {
	b = append(b, key...)
	if value != "" {
		b = append(b, '=')
		b = append(b, value...)
	}
	return b
}

// ParseTaint reads a taint in kubectl's form, "key=value:Effect" or "key:Effect"; the effect is required, the value may
// be empty. It accepts exactly what "kubectl taint" accepts for a taint to add, so the taint it returns is valid and
// keeps parts of s. TimeAdded is nil.
//
// On failure the taint is zero and the error a [*ParseError] with the place of the first fault, which wraps a
// [*FieldError]. Success allocates nothing.
func ParseTaint(s string) (Taint, error) {
	head, effect, found := cut(s, ':')
	key, value, _ := cut(head, '=')
	if p := checkKey(key); p != noProblem {
		return Taint{}, parseFault("taint", s, 0, "key", key, p)
	}
	if p := checkValue(value); p != noProblem {
		return Taint{}, parseFault("taint", s, len(key)+1, "value", value, p)
	}
	if !found || effect == "" {
		return Taint{}, parseFault("taint", s, len(s), "effect", "", effectMissing)
	}
	if !knownEffect(Effect(effect)) {
		p := effectUnknown
		if strings.HasSuffix(effect, "-") {
			p = effectToRemove
		}
		return Taint{}, parseFault("taint", s, len(head)+1, "effect", effect, p)
	}
	return Taint{Key: key, Value: value, Effect: Effect(effect)}, nil
}

// MustParseTaint is like [ParseTaint] and panics where that returns an error. It is meant for tests and for values known
// at compile time.
func MustParseTaint(s string) Taint {
	t, err := ParseTaint(s)
	if err != nil {
		panic(err)
	}
	return t
}

// Keys of the taints that Kubernetes itself, its cloud providers and kubeadm put on nodes.
const (
	// NodeNotReady: the node's Ready condition is False. The node-lifecycle controller sets it with NoSchedule and
	// NoExecute; admission sets it with NoSchedule on a new node.
	NodeNotReady = "node.kubernetes.io/not-ready"
	// NodeUnreachable: the node's Ready condition is Unknown, because its kubelet stopped reporting. The node-lifecycle
	// controller sets it with NoSchedule and NoExecute.
	NodeUnreachable = "node.kubernetes.io/unreachable"
	// NodeMemoryPressure: the node runs out of memory. The node-lifecycle controller sets it with NoSchedule.
	NodeMemoryPressure = "node.kubernetes.io/memory-pressure"
	// NodeDiskPressure: the node runs out of disk. The node-lifecycle controller sets it with NoSchedule.
	NodeDiskPressure = "node.kubernetes.io/disk-pressure"
	// NodePIDPressure: the node runs out of process identifiers. The node-lifecycle controller sets it with NoSchedule.
	NodePIDPressure = "node.kubernetes.io/pid-pressure"
	// NodeNetworkUnavailable: the node's network is not set up. The node-lifecycle controller sets it with NoSchedule.
	NodeNetworkUnavailable = "node.kubernetes.io/network-unavailable"
	// NodeUnschedulable: the node is cordoned (spec.unschedulable). The node-lifecycle controller sets it with NoSchedule.
	NodeUnschedulable = "node.kubernetes.io/unschedulable"
	// NodeOutOfService: the node was shut down and will not come back by itself, so its volumes may be detached. A person
	// or a remediation controller sets it, with NoExecute or NoSchedule.
	NodeOutOfService = "node.kubernetes.io/out-of-service"
	// NodeOutOfDisk is a legacy key, replaced by [NodeDiskPressure]; nothing sets it any more.
	NodeOutOfDisk = "node.kubernetes.io/out-of-disk"

	// CloudProviderUninitialized: the cloud controller manager has not initialised the node yet. The kubelet sets it with
	// NoSchedule when it runs with an external cloud provider; the cloud controller manager removes it.
	CloudProviderUninitialized = "node.cloudprovider.kubernetes.io/uninitialized"
	// CloudProviderShutdown: the instance behind the node is shut down. The cloud node-lifecycle controller sets it with
	// NoSchedule.
	CloudProviderShutdown = "node.cloudprovider.kubernetes.io/shutdown"

	// NodeRoleControlPlane: the node runs the control plane. kubeadm sets it with NoSchedule.
	NodeRoleControlPlane = "node-role.kubernetes.io/control-plane"
	// NodeRoleMaster is a legacy key, replaced by [NodeRoleControlPlane]; kubeadm stopped setting it in 1.25.
	NodeRoleMaster = "node-role.kubernetes.io/master"

	// NodeAlphaNotReady is a legacy key, replaced by [NodeNotReady].
	NodeAlphaNotReady = "node.alpha.kubernetes.io/notReady"
	// NodeAlphaUnreachable is a legacy key, replaced by [NodeUnreachable].
	NodeAlphaUnreachable = "node.alpha.kubernetes.io/unreachable"
)
