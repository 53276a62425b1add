package taints

import (
	"cmp"
	"errors"
	"slices"
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

// Changes are what is to be done to a node's taints. The zero Changes do nothing. [ParseChanges] reads them, [Diff],
// [Reconcile] and [ReconcileConditions] compute them, and [Changes.Apply] does them.
type Changes struct {
	// Add holds the taints to put on the node, at most one of a key and effect.
	Add []Taint
	// Remove names the taints to take off; one with the Effect "" stands for its key under every effect.
	Remove []TaintID
}

// String returns the changes as arguments of "kubectl taint", with a space between each: what is added, as
// [Taint.String] prints it, and then what is removed, with a "-" at the end, as in "dedicated=ml:NoSchedule gpu:NoExecute-
// spot-". It is empty for the zero Changes. TimeAdded is not shown. Any changes print; where all taints and identities are
// valid, [ParseChanges] reads them back from the fields of the text.
func (c Changes) String() string {
	b := make([]byte, 0, 128)
	for _, t := range c.Add {
		b = append(t.AppendTo(b), ' ')
	}
	for _, id := range c.Remove {
		b = append(b, id.String()...)
		b = append(b, "- "...)
	}
	return strings.TrimSuffix(string(b), " ")
}

// ParseChanges reads the arguments that "kubectl taint" takes after the names of the nodes, and accepts exactly those:
//
//	key=value:Effect    adds the taint, like key:Effect and key=:Effect, see ParseTaint
//	key:Effect-         removes the taint of that key and effect, whatever its value
//	key=value:Effect-   does the same; the value must be valid, and is not looked at any more
//	key-                removes the taints of that key, whatever their effects
//
// The changes keep parts of specs, in their order. They hold no taint of the same key and effect twice in Add; removals
// may repeat and contradict, which [Changes.Apply] refuses. Without specs they are zero.
//
// On failure the changes are zero and the error unwraps to a [*ParseError] for each faulty spec, in order, with the
// place of its first fault; that wraps a [*FieldError] with "specs" as its List and the place of the spec as its Index. The
// error's text has a line for each. A taint that is added twice is [ErrDuplicate] at offset 0.
func ParseChanges(specs ...string) (Changes, error) {
	removals := 0
	for _, spec := range specs {
		if strings.HasSuffix(spec, "-") {
			removals++
		}
	}
	c := Changes{slices.Grow([]Taint(nil), len(specs)-removals), slices.Grow([]TaintID(nil), removals)}
	var errs []error
	for i, spec := range specs {
		if err := c.parse(spec); err != nil {
			errs = append(errs, ofSpec(err.(*ParseError), spec, i))
		}
	}
	if errs != nil {
		return Changes{}, errors.Join(errs...)
	}
	return c, nil
}

// parse adds what the spec asks for.
func (c *Changes) parse(spec string) error {
	name, removes := strings.CutSuffix(spec, "-")
	if removes && !strings.ContainsAny(name, "=:") {
		if p := checkKey(name); p != noProblem {
			return parseFault("change", spec, 0, "key", name, p)
		}
		c.Remove = append(c.Remove, TaintID{Key: name})
		return nil
	}
	t, err := ParseTaint(name)
	switch {
	case err != nil:
		return err
	case removes:
		c.Remove = append(c.Remove, t.ID())
	case find(c.Add, t.ID()) >= 0:
		return parseFault("change", spec, 0, "", spec, taintRepeated)
	default:
		c.Add = append(c.Add, t)
	}
	return nil
}

// ofSpec makes the error one of the spec at the index.
func ofSpec(err *ParseError, spec string, index int) error {
	err.Kind, err.Input = "change", spec
	fault := err.Err.(*FieldError)
	fault.List, fault.Index = "specs", index
	return err
}

// Apply returns the taints with the changes done, as "kubectl taint" does them, with its --overwrite or without: what is
// in Add is put on, and then what Remove names is taken off, whatever its value.
//
//   - A taint that is there under the same value stays as it is, with its place and its TimeAdded. One that is there under
//     another value is replaced, in its place, by the one of Add and its TimeAdded. Any other comes at the end, in the
//     order of Add. The rest keep their order. (kubectl puts what is added first, and forgets its TimeAdded.)
//   - Without overwrite a taint of Add must not be there, under whatever value: [ErrExists].
//   - What Remove names must be there, and not taken off by an earlier entry: [ErrNotFound].
//   - A taint of Add must not be named by Remove, [ErrConflict], nor be in Add twice, [ErrDuplicate].
//
// On failure the list is nil and the error a [*ValidationError] with every fault. Each has "add" or "remove" as its List,
// the place there as its Index, and the printed taint as its Value.
//
// A taint is there when one of its key and effect is. Of several such in a list, which no API server holds, the first
// counts and the others are dropped, as kubectl does. Nothing is validated: see [ValidateTaints]. The result is a new
// list that shares nothing with taints or c. The time grows with the product of their lengths.
func (c Changes) Apply(taints []Taint, overwrite bool) ([]Taint, error) {
	list := firsts(taints)
	f := faults{list: "add"}
	seen := newTaintIDs(len(c.Add))
	for i := range c.Add {
		t := &c.Add[i]
		at := find(list, t.ID())
		f.index = i
		if p := c.checkAdd(t, list, at, seen.before(c.Add, i), overwrite); p != noProblem {
			f.add("", t.String(), p)
		}
		if at < 0 {
			list = append(list, t.clone())
		} else if list[at].Value != t.Value {
			list[at] = t.clone()
		}
	}
	f.list = "remove"
	for i, id := range c.Remove {
		before := len(list)
		list = slices.DeleteFunc(list, id.names)
		f.index = i
		if len(list) == before {
			f.add("", id.String(), taintAbsent)
		}
	}
	if err := f.err(); err != nil {
		return nil, err
	}
	return list, nil
}

// checkAdd returns why the taint can not be added to the list, where it is at the place at, or nowhere.
func (c Changes) checkAdd(t *Taint, list []Taint, at int, repeated, overwrite bool) problem {
	switch {
	case slices.ContainsFunc(c.Remove, func(id TaintID) bool { return id.names(*t) }):
		return taintRemovedToo
	case repeated:
		return taintRepeated
	case at < 0 || overwrite:
		return noProblem
	case list[at].Value == t.Value:
		return taintPresent
	}
	return taintOfOtherValue
}

// names reports whether the identity is the taint's, or that of its key under every effect.
func (id TaintID) names(t Taint) bool {
	return id.Key == t.Key && (id.Effect == "" || id.Effect == t.Effect)
}

// find returns the place of the first taint of the identity, and -1 where there is none.
func find(taints []Taint, id TaintID) int {
	return slices.IndexFunc(taints, func(t Taint) bool { return t.ID() == id })
}

// firsts returns a copy of the list with the first taint of each identity.
func firsts(taints []Taint) []Taint {
	list := make([]Taint, 0, len(taints))
	seen := newTaintIDs(len(taints))
	for i := range taints {
		if !seen.before(taints, i) {
			list = append(list, taints[i].clone())
		}
	}
	return list
}

// clone returns the taint with a time of its own.
func (t Taint) clone() Taint {
	if t.TimeAdded != nil {
		added := *t.TimeAdded
		t.TimeAdded = &added
	}
	return t
}

// Diff returns the changes that lead from one list of taints to another: what to has and from has not, or has under
// another value, in the order of to, and what from has and to has not, in the order of from. So Diff(a, b).Apply(a,
// true) never fails and has the taints of b, although in another order. It is [Reconcile] for a list that nobody else
// changes, and like it in all else.
func Diff(from, to []Taint) Changes { return Reconcile(from, from, to) }

// Reconcile returns what to do to a node's current taints when somebody who has put the taints of old there now wants
// those of new, such as a machine set whose template changed:
//
//   - A taint of new is added, or rewritten, unless the node has it under the same value.
//   - A taint of old that is not in new, by key and effect, is removed if the node still has it under the value of old;
//     what somebody else has removed or given another value in the meantime is left alone.
//   - Every other taint is left alone.
//
// With overwrite [Changes.Apply] takes the changes without error, and they are empty once that is done. Taints are added in
// the order of new and removed in that of old.
//
// TimeAdded is not compared; one that is set in new is carried over. Of several taints of one key and effect in a list,
// the first counts. A taint without an effect, which no API server holds, is never removed, for a [TaintID] can not
// name it alone. The lists may be nil, and may be one list. The changes share nothing with them, and are nil where there
// is nothing to do. The time grows with the products of their lengths.
func Reconcile(current, old, new []Taint) Changes {
	var c Changes
	for _, t := range firsts(new) {
		if at := find(current, t.ID()); at < 0 || current[at].Value != t.Value {
			c.Add = append(c.Add, t)
		}
	}
	for _, t := range firsts(old) {
		id := t.ID()
		at := find(current, id)
		if id.Effect != "" && find(new, id) < 0 && at >= 0 && current[at].Value == t.Value {
			c.Remove = append(c.Remove, id)
		}
	}
	return c
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
