// SPDX-License-Identifier: Apache-2.0

package plugin

import (
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

// fewest is the share of the cluster, one in so many, up to which a list of feasible
// nodes is worth its price. A name in it costs the scheduler a fraction of a
// microsecond, and a node that its filters turn down about two. But it stops looking
// when it has found enough feasible nodes, which is the sooner the more there are.
const fewest = 4

// An index knows the taints of the nodes from the events of the node informer, and
// answers for all of them at once.
//
// The scheduler decides by a snapshot of its own, which comes from the same events
// by another way: either of the two may be ahead. A pod that is kept off a node by
// old taints would wait without need, and for long, for the event that would wake it
// has been already. So [index.ask] compares the taints in the snapshot with those in
// the index, and leaves it to Filter, which has the snapshot, to decide on nodes
// where they differ. A node that did not change since it was last compared costs a
// comparison of pointers, a few nanoseconds.
type index struct {
	mu       sync.Mutex
	groups   nodeindex.Index[string]
	current  map[string][]corev1.Taint // what groups has, by node
	changes  int                       // how often current has changed
	compared []comparison              // of the nodes of the snapshot, in its order
	at       int                       // what changes was then
}

// A comparison is that of one node of the snapshot with the index.
type comparison struct {
	node   *corev1.Node
	agrees bool // its taints are those in the index
}

// handler returns what feeds the index.
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

// agrees reports whether the index has the node, with the same taints. Its caller
// holds the lock.
func (x *index) agrees(node *corev1.Node) bool {
	known, ok := x.current[node.Name]
	return ok && slices.EqualFunc(known, node.Spec.Taints, func(a, b corev1.Taint) bool {
		return a.Key == b.Key && a.Value == b.Value && a.Effect == b.Effect
	})
}

// differing returns the names of the nodes of the snapshot whose taints are not
// those in the index. Its caller holds the lock.
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

// An answer says which nodes of the snapshot have no NoSchedule or NoExecute taint
// that the pod does not tolerate.
type answer int

const (
	some answer = iota // Filter decides on every node
	few                // none but those named, and perhaps not all of these
	none               // none
)

// ask answers for the snapshot, exactly: none is said only where it holds for the
// snapshot, and a node that is feasible there is always among those named for few.
// Where most nodes are feasible the scheduler looks at few of them before it has
// enough, and to compare all with the snapshot would take longer than that.
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

// summarize says over all nodes why the pod cannot be placed on them. Groups has a
// lock of its own.
func (x *index) summarize(m *taints.Matcher) explain.Summary {
	return explain.Groups(m, taints.Hard, x.groups.Groups())
}
