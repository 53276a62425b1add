// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/explain"
	"github.com/seed-0529bac1/taints/kube"
	"github.com/seed-0529bac1/taints/nodeindex"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/tools/cache"
	fwk "k8s.io/kube-scheduler/framework"
)

// fewest limits a list of feasible nodes to one in fewest nodes of the cluster: a
// longer list is not worth its cost. A name in the list costs the scheduler a fraction
// of a microsecond, and a node that its filters reject about two. But it stops looking
// when it has found enough feasible nodes, which is sooner if there are more of them.
const fewest = 4

// An index knows the taints of the nodes from the node informer's events, and
// answers queries about all nodes at once.
//
// The scheduler uses its own snapshot, which it builds from the same events
// separately: the snapshot or the index may be ahead. A pod that old taints keep
// off a node would wait needlessly, and for a long time, because the event that
// would wake it has already happened. So [index.ask] compares the taints in the
// snapshot with those in the index. Filter, which has the snapshot, decides on
// nodes where they differ. A node that has not changed since the last comparison
// costs a pointer comparison, a few nanoseconds.
type index struct {
	mu       sync.Mutex
	groups   nodeindex.Index[string]
	current  map[string][]corev1.Taint // the taints in groups, by node
	changes  int                       // how often current has changed
	compared []comparison              // for the nodes of the snapshot, in its order
	at       int                       // the value of changes at that time
}

// A comparison compares one node of the snapshot with the index.
type comparison struct {
	node   *corev1.Node
	agrees bool // the node's taints equal those in the index
}

// handler returns the event handler that feeds the index.
func (x *index) handler() cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    x.set,
		UpdateFunc: func(_, node any) { x.set(node) },
		DeleteFunc: x.delete,
	}
}

func (x *index) set(object any) {
	node, ok := object.(*corev1.Node)
	if !ok {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.current == nil {
		x.current = map[string][]corev1.Taint{}
	}
	known := x.agrees(node)
	x.current[node.Name] = node.Spec.Taints
	if known {
		return
	}
	x.groups.Set(node.Name, kube.Taints(node.Spec.Taints))
	x.changes++
}

func (x *index) delete(object any) {
	if gone, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = gone.Obj
	}
	node, ok := object.(*corev1.Node)
	if !ok {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.current, node.Name)
	x.groups.Delete(node.Name)
	x.changes++
}

// agrees reports whether the index has the node, with the same taints. The caller
// holds the lock.
func (x *index) agrees(node *corev1.Node) bool {
	known, ok := x.current[node.Name]
	return ok && slices.EqualFunc(known, node.Spec.Taints, func(a, b corev1.Taint) bool {
		return a.Key == b.Key && a.Value == b.Value && a.Effect == b.Effect
	})
}

// differing returns the names of the nodes of the snapshot whose taints differ from
// those in the index. The caller holds the lock.
func (x *index) differing(snapshot []fwk.NodeInfo) []string {
	if x.at != x.changes || len(x.compared) != len(snapshot) {
		x.compared, x.at = make([]comparison, len(snapshot)), x.changes
	}
	var names []string
	for i, info := range snapshot {
		node := info.Node()
		if x.compared[i].node != node {
			x.compared[i] = comparison{node, x.agrees(node)}
		}
		if !x.compared[i].agrees {
			names = append(names, node.Name)
		}
	}
	return names
}

// An answer reports which nodes of the snapshot have no NoSchedule or NoExecute
// taint that the pod does not tolerate.
type answer int

const (
	some answer = iota // Filter decides on every node
	few                // only the named nodes, and perhaps not all of them
	none               // none
)

// ask answers exactly for the snapshot: it returns none only if no node of the
// snapshot is feasible, and with few it names every feasible node of the snapshot.
// If most nodes are feasible, the scheduler looks at few of them before it has
// enough, and comparing all of them with the snapshot would take longer.
func (x *index) ask(m *taints.Matcher, snapshot []fwk.NodeInfo) (answer, sets.Set[string]) {
	x.mu.Lock()
	defer x.mu.Unlock()
	feasible := x.groups.CountFeasible(m)
	if feasible > len(snapshot)/fewest {
		return some, nil
	}
	differing := x.differing(snapshot)
	switch {
	case len(differing) == 0 && feasible == 0:
		return none, nil
	case feasible+len(differing) > len(snapshot)/fewest:
		return some, nil
	}
	names := make(sets.Set[string], feasible+len(differing))
	names.Insert(differing...)
	for name := range x.groups.Feasible(m) {
		names.Insert(name)
	}
	return few, names
}

// count counts the nodes that each taint keeps the pod off. It returns the most
// frequent taints, without explanations, and a text about the others.
func (x *index) count(m *taints.Matcher, most int) (s explain.Summary, more string) {
	type count struct{ nodes, list int } // and the last list that was counted
	counts := map[taints.Taint]count{}
	lists := 0
	x.mu.Lock()
	for list, nodes := range x.groups.Groups() {
		lists++
		s.Nodes += nodes
		feasible := true
		for _, t := range m.Untolerated(list, taints.Hard) {
			feasible = false
			taint := *t
			taint.TimeAdded = nil
			if c := counts[taint]; c.list != lists {
				counts[taint] = count{c.nodes + nodes, lists}
			}
		}
		if feasible {
			s.Feasible += nodes
		}
	}
	x.mu.Unlock()
	for taint, c := range counts {
		s.Reasons = append(s.Reasons, explain.SummaryReason{Reason: explain.Reason{Taint: taint}, Nodes: c.nodes})
	}
	slices.SortFunc(s.Reasons, func(a, b explain.SummaryReason) int {
		return cmp.Or(cmp.Compare(b.Nodes, a.Nodes), a.Reason.Taint.Compare(b.Reason.Taint))
	})
	if len(s.Reasons) <= most {
		return s, ""
	}
	// A node may have several of the other taints, so their number is a bound.
	others := 0
	for _, r := range s.Reasons[most:] {
		others += r.Nodes
	}
	more = fmt.Sprintf(", and %d other untolerated taint(s) on up to %d node(s)",
		len(s.Reasons)-most, min(others, s.Nodes-s.Feasible))
	s.Reasons = s.Reasons[:most]
	return s, more
}
