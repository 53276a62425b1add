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
	feasible []string                  // what ask finds; a field takes no allocation
}

// A comparison compares one node of the snapshot with the index.
type comparison struct {
	node   *corev1.Node
	agrees bool // the node's taints equal those in the index
}

// handler returns the event handler that feeds the index.
func (x *index) handler() cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(node any) { x.set(node.(*corev1.Node)) },
		UpdateFunc: func(_, node any) { x.set(node.(*corev1.Node)) },
		DeleteFunc: func(node any) {
			name, _ := cache.DeletionHandlingMetaNamespaceKeyFunc(node)
			x.delete(name)
		},
	}
}

func (x *index) set(node *corev1.Node) {
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

func (x *index) delete(name string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.current, name)
	x.groups.Delete(name)
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

// ask returns the names of nodes that include every feasible one of the snapshot: a
// node without a NoSchedule or NoExecute taint that the pod does not tolerate. If it
// returns no name, no node of the snapshot is feasible.
//
// If many are feasible, it returns false, and Filter decides on every node. The
// scheduler looks at few of them before it has enough, and comparing all of them
// with the snapshot would take longer.
func (x *index) ask(m *taints.Matcher, snapshot []fwk.NodeInfo) (names sets.Set[string], ok bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.feasible = x.feasible[:0]
	for name := range x.groups.Feasible(m) {
		if x.feasible = append(x.feasible, name); len(x.feasible) > len(snapshot)/fewest {
			return nil, false
		}
	}
	differing := x.differing(snapshot)
	if len(x.feasible)+len(differing) > len(snapshot)/fewest {
		return nil, false
	}
	names = make(sets.Set[string], len(x.feasible)+len(differing))
	return names.Insert(differing...).Insert(x.feasible...), true
}

// summarize summarizes over all nodes why the pod cannot be placed on them.
func (x *index) summarize(m *taints.Matcher) explain.Summary {
	x.mu.Lock()
	defer x.mu.Unlock()
	return explain.SummarizeGroups(m, taints.HardEffects, x.groups.Groups(), maxReasons)
}
