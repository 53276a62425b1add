// SPDX-License-Identifier: Apache-2.0

package purpose

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/managers"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
)

// A NodeState is what the meaning of a node's taints depends on.
type NodeState struct {
	Taints     []taints.Taint
	Stale      []taints.TaintID // of taints that Kubernetes removes
	Made       time.Time        // zero: not known
	Deleted    *time.Time       // nil: it is not
	Maker      string           // the Machine or NodeClaim that is deleted, and removes it; empty: the node is
	Finalizers []string
	Annotated  string // what AnnotationOf returns
	IsCordoned bool
	IsReady    bool           // by its conditions
	MayBeReady bool           // or nothing is known of these
	Wrong      []string       // what Wrong returns
	Wrote      managers.Write // the taints; zero: not known, or Kubernetes did
	Hold                      // of its cordon
}

// A Stay is equal for taints for which the same is to be done.
type Stay struct {
	State      State
	ID         taints.TaintID // zero: does not matter
	IsLate     bool           // the taint has been there for far longer than it normally is
	IsReady    bool           // the node is; if it is late, the node is healthy
	IsCordoned bool           // and it is late
	Hold                      // of a cordon that nothing else explains or that is late, or of the taint

	// What StayOf does not know; empty: nothing.
	Stale   string // why Kubernetes removes the taint
	Fault   string // the condition that the taint names
	Startup string // what lists the taint among those of a start
}

// StayOf also returns since when the node has the taint, or zero.
func (n *NodeState) StayOf(t taints.Taint, now time.Time) (s Stay, since time.Time) {
	k := Known(t)
	since = n.Since(t, now)
	switch {
	case k.State == Cordoned && t.Effect != taints.NoSchedule: // not the taint of a cordon
		return Stay{State: Cordoned, ID: t.ID()}, since
	case k.State == Cordoned:
		return Stay{State: Cordoned, Hold: n.CordonHold()}, since
	case k.IsLate(since, now):
		return Stay{State: k.State, ID: t.ID(), IsLate: true, IsReady: n.IsHealthy(), IsCordoned: n.IsCordoned, Hold: n.Hold}, since
	case k.IsGuess, k.IsRepeated && since.IsZero() && !n.Made.IsZero(), k.State == Maintained, k.State == Fenced:
		return Stay{State: k.State, ID: t.ID(), IsReady: n.IsReady, Hold: Hold{By: n.Wrote.By, Evidence: n.Evidence}}, since
	}
	return Stay{State: k.State}, since
}

// CordonHold returns what speaks against an uncordon: also taints of other states than a
// person's maintenance, which may end with the cordon, and what Owner or a condition says.
func (n *NodeState) CordonHold() Hold {
	h := n.Hold
	for _, t := range n.Taints {
		k := Known(t)
		isPersons := k.State == Maintained && k.IsManual() && !k.IsGuess
		isOther := slices.Contains([]State{None, Cordoned, Starting, Virtual}, k.State)
		if !isPersons && !isOther && !k.ownsNode() && !strings.HasPrefix(k.SetBy, "Kubernetes") && !slices.Contains(n.Stale, t.ID()) {
			h.Add("its taint " + t.String())
		}
	}
	return h
}

// IsHealthy reports whether nothing says that the node is not.
func (n *NodeState) IsHealthy() bool {
	isSick := func(t taints.Taint) bool { return StateOf(t) == Unhealthy && !slices.Contains(n.Stale, t.ID()) }
	return n.MayBeReady && len(n.Wrong) == 0 && !slices.ContainsFunc(n.Taints, isSick)
}

// Owner returns the taint of what removes the node, fences it or has it in maintenance, and
// also cordons it and ends all of that, or nil. What removes it comes first. A taint of effect
// PreferNoSchedule announces that, which has begun once the node is cordoned. The taint may
// stand for what is deleted, the node or its Machine or NodeClaim, or for an annotation of a
// cordoned node.
func (n *NodeState) Owner() (owner *taints.Taint) {
	if n.Deleted != nil {
		return &taints.Taint{Key: cmp.Or(n.Maker, DeletionTimestamp), TimeAdded: n.Deleted}
	}
	for i, t := range n.Taints {
		hasBegun := t.Effect != taints.PreferNoSchedule || n.IsCordoned && t.Key != candidate
		if hasBegun && Known(t).ownsNode() && (owner == nil || StateOf(t) == Leaving) {
			owner = &n.Taints[i]
		}
	}
	if owner == nil && n.IsCordoned && n.Annotated != "" {
		return &taints.Taint{Key: n.Annotated}
	}
	return owner
}

// AnnotationOf returns the key of the annotation that says who has a cordoned node in
// maintenance, or "".
func AnnotationOf(annotations map[string]string) string {
	const machineConfig, kured = "machineconfiguration.openshift.io/", "weave.works/kured-reboot-in-progress"
	state, desired := annotations[machineConfig+"state"], annotations[machineConfig+"desiredConfig"]
	switch _, restarts := annotations[kured]; {
	case state == "Degraded", state == "Unreconcilable":
		return MachineConfigFailed
	case state == "Working", state == "Rebooting":
		return machineConfig + "state"
	case desired != "" && desired != annotations[machineConfig+"currentConfig"]:
		return machineConfig + "desiredConfig"
	case restarts:
		return kured
	}
	return ""
}

// Acting returns the taint with which this one ends: that of what owns the node, or for some
// that of what starts it or fences it by hand, or the taint itself. If the owner may have
// given up, and the node is healthy, the node still has to start.
func (n *NodeState) Acting(t taints.Taint, now time.Time) taints.Taint {
	owner, state := n.Owner(), StateOf(t)
	if n.Deleted != nil {
		return *owner
	}
	if owner != nil && (state == Cordoned || state == Unhealthy || state == Starting) {
		if s, _ := n.StayOf(*owner, now); !(state == Starting && s.IsLate && s.IsReady) {
			return *owner
		}
	}
	acts := func(o taints.Taint) bool {
		if k := Known(o); k.IsGuess && (k.State == Fenced || k.State == Leaving) { // as a machine that is suspended
			return IsOfStart(t) || t.Key == taints.NodeUnreachable
		}
		if o.Key == OutOfService || !IsOfStart(t) || StateOf(o) != Starting {
			return o.Key == OutOfService && !n.MayBeReady
		}
		s, since := n.StayOf(o, now)
		return (s.IsLate || s.ID == taints.TaintID{}) && !Known(o).IsLate(since, added(t))
	}
	if i := slices.IndexFunc(n.Taints, acts); state == Unhealthy && i >= 0 {
		return n.Taints[i]
	}
	return t
}

// WayOut says what ends pods that stay Terminating on nodes that something owns, and that do
// not answer, or "". In the text are words to replace: NODES, and ARE.
func (n *NodeState) WayOut(now time.Time) string {
	owner := n.Owner()
	if owner == nil {
		return ""
	}
	k := Known(*owner)
	s, _ := n.StayOf(*owner, now)
	switch {
	case n.Maker != "":
		return "find out why " + n.Maker + ", already deleted, is not gone: it removes NODES"
	case n.Deleted != nil:
		text := "find out why NODES, already deleted, ARE not gone: finalizers keep what is deleted, here " + say.Joined(say.FirstOf(n.Finalizers, 3))
		return strings.TrimSuffix(text, ", here ")
	case s.IsLate:
		return "look at " + k.Look + ": NODES ARE " + string(k.State) + ", normally for less than " + duration.HumanDuration(k.Within)
	}
	return "wait for " + k.Remover() + ": NODES ARE " + string(k.State) + ". The pods go when their kubelet answers or their node is deleted"
}

// IsOfStart reports whether each node also has the taint while it starts.
func IsOfStart(t taints.Taint) bool {
	return t.Key == taints.NodeNotReady || t.Key == taints.NodeNetworkUnavailable
}

// Since returns since when the node has the taint, or zero. What owns a node cordons it
// when it begins. Taints of a start are as old as the node, unless they are set again.
func (n *NodeState) Since(t taints.Taint, now time.Time) time.Time {
	at, k, cordoned := added(t), Known(t), time.Time{}
	if i := slices.IndexFunc(n.Taints, func(o taints.Taint) bool { return StateOf(o) == Cordoned }); i >= 0 {
		cordoned = added(n.Taints[i])
	}
	isStarting := func(o taints.Taint) bool { return o.TimeAdded != nil && StateOf(o) == Starting && !Known(o).IsRepeated }
	switch {
	case k.ownsNode() && !cordoned.IsZero() && (at.IsZero() || t.Effect == taints.PreferNoSchedule):
		return cordoned
	case !at.IsZero(), k.State != Starting, k.IsGuess, k.IsRepeated && k.IsLate(n.Made, now):
		return at
	case !k.IsRepeated && slices.ContainsFunc(n.Taints, isStarting):
		return added(n.Taints[slices.IndexFunc(n.Taints, isStarting)])
	}
	return n.Made
}

// added returns when the taint was added, as its value or timeAdded says, or zero.
func added(t taints.Taint) time.Time {
	if at, isTime := timeIn(t); isTime || t.TimeAdded == nil {
		return at
	}
	return *t.TimeAdded
}
