// SPDX-License-Identifier: Apache-2.0

// Package work has the table of the work whose speed has a floor. It does the work
// with the library and with plain loops. It does not import Kubernetes' code, because
// the garbage collector of a program that does scans what that code keeps in memory.
package work

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/test"
	"github.com/seed-0529bac1/taints/internal/test/measure"
	"github.com/seed-0529bac1/taints/internal/test/reference"
	"github.com/seed-0529bac1/taints/lifecycle"
	"github.com/seed-0529bac1/taints/tolerationset"
)

// The input is a GPU node, a failed node, and a pod with the usual eight
// tolerations. The pod tolerates both nodes, the failed one for 300 seconds. Equal
// texts are literals, which share their memory. That makes both sides faster.
var (
	NodeTaints = []taints.Taint{
		{Key: "dedicated", Value: "ml", Effect: taints.NoSchedule},
		{Key: "nvidia.com/gpu", Value: "present", Effect: taints.NoSchedule},
		{Key: "sla.example.com/failure-score", Value: "40", Effect: taints.NoSchedule},
	}
	FailedNode = []taints.Taint{
		{Key: taints.NodeNotReady, Effect: taints.NoExecute},
		{Key: taints.NodeUnreachable, Effect: taints.NoExecute},
	}
	PodTolerations = []taints.Toleration{
		{Key: taints.NodeNotReady, Operator: taints.OpExists, Effect: taints.NoExecute, TolerationSeconds: test.Seconds(300)},
		{Key: taints.NodeUnreachable, Operator: taints.OpExists, Effect: taints.NoExecute, TolerationSeconds: test.Seconds(300)},
		{Key: taints.NodeMemoryPressure, Operator: taints.OpExists, Effect: taints.NoSchedule},
		{Key: "sla.example.com/failure-score", Operator: taints.OpLt, Value: "60", Effect: taints.NoSchedule},
		{Key: "team", Operator: taints.OpEqual, Value: "vision", Effect: taints.NoSchedule},
		{Key: "dedicated", Operator: taints.OpEqual, Value: "ml", Effect: taints.NoSchedule},
		{Key: "example.com/fpga", Operator: taints.OpExists, Effect: taints.NoSchedule},
		{Key: "nvidia.com/gpu", Operator: taints.OpExists, Effect: taints.NoSchedule},
	}
	Specs = []string{"dedicated=ml:NoSchedule", "nvidia.com/gpu=present:NoSchedule", "cloud.example.com/spot:PreferNoSchedule"}
	Now   = time.Now()
)

// Kubernetes is the other code of a row whose other side is in another program.
const Kubernetes = "Kubernetes"

// Rows returns the table. The sides of Kubernetes have names; the program that does
// not contain Kubernetes' code has none of them.
func Rows(kubernetes map[string]measure.Side) []measure.Row {
	beside := func(side, name string, floor float64, allocs int64, ours measure.Side) measure.Row {
		return measure.Beside(Kubernetes, name, floor, allocs, ours, kubernetes[side])
	}
	feasible := func(ways int, ask question) measure.Side {
		return indexed(func() [][]taints.Taint { return Tainted(ways) }, ask, Tenants)
	}
	return slices.Concat([]measure.Row{
		beside("filter", "first untolerated hard taint, 3 taints × 8 tolerations, one-shot", 10, 0, find(NodeTaints, PodTolerations)),
		beside("filter", "the same, with On", 10, 0, findOn(NodeTaints, PodTolerations)),
		beside("filter", "the same, compiled", 20, 0, findCompiled(NodeTaints, PodTolerations)),
		beside("nothing", "a node without taints, one-shot", 1, 0, find(nil, PodTolerations)),
		beside("nothing", "a node without taints, with On", 1, 0, findOn(nil, PodTolerations)),
		beside("nothing", "a node without taints, compiled", 1, 0, findCompiled(nil, PodTolerations)),
		beside("filter", "compile 8 tolerations; Kubernetes: filter one node", 1, 3, measure.Each(func() {
			measure.Must(taints.Compile(PodTolerations) != nil)
		})),
		beside("evict", "eviction deadline, 2 NoExecute taints × 8 tolerations", 6, 0, measure.Each(func() {
			measure.Must(taints.EvictionOf(FailedNode, PodTolerations, Now).Outcome == taints.EvictsAt)
		})),
		beside("evict", "eviction deadline, compiled", 6, 0, measure.Each(func() {
			measure.Must(compiled.EvictionOf(FailedNode, Now).Outcome == taints.EvictsAt)
		})),
		beside("20 ways", "count the feasible of 100,000 nodes, 40 % tainted in 20 ways", 10_000, 4, feasible(20, count)),
		beside("20 ways", "append them, 40 % tainted in 20 ways", 200, 16, feasible(20, appended)),
		beside("20 ways", "range over them, 40 % tainted in 20 ways", 80, 16, feasible(20, ranged)),
		beside("10,000 ways", "count the feasible of 100,000 nodes, in 10,000 ways", 2000, 4, feasible(10_000, count)),
		beside("10,000 ways", "append them, in 10,000 ways", 200, 16, feasible(10_000, appended)),
		beside("10,000 ways", "range over them, in 10,000 ways", 80, 16, feasible(10_000, ranged)),
		beside("validate", "validate 8 tolerations", 25, 0, measure.Each(func() {
			measure.Must(taints.ValidateTolerations(PodTolerations) == nil)
		})),
		beside("parse", "parse 3 kubectl specs", 20, 0, measure.Each(func() {
			for _, spec := range Specs {
				_, err := taints.ParseTaint(spec)
				measure.Must(err == nil)
			}
		})),
		beside("merge", "merge 4 + 4 tolerations", 30, 1, measure.Each(func() {
			measure.Must(len(tolerationset.Merge(PodTolerations[:4], PodTolerations[4:], taints.Options{})) == 8)
		})),
		beside("print", "print a taint", 2.5, 1, measure.Each(func() { Text = NodeTaints[1].String() })),
		beside("append", "print a taint into a buffer", 15, 0, measure.Each(func() { buf = NodeTaints[1].AppendTo(buf[:0]) })),
		beside("evictions", "a million pending evictions, time", 2, -1, Evictions(ourQueue, false)),
		{
			Name: "a million pending evictions, memory", Beside: Kubernetes, Floor: 2.5, Allocs: -1, Bytes: true,
			Ours: Evictions(ourQueue, true), Theirs: kubernetes["heap"],
		},
	}, alikeRows(kubernetes), loopRows(), hostileRows())
}

func repeated[T any](n int, of func(i int) T) []T {
	list := make([]T, n)
	for i := range list {
		list[i] = of(i)
	}
	return list
}

var (
	compiled = taints.Compile(PodTolerations)
	buf      = make([]byte, 0, 128)
	Text     string // what a side prints, global so that the compiler does not optimize it away
)

// find is not inlined, because in a copy of its closure the compiler inlines no calls.
//
//go:noinline
func find(node []taints.Taint, pod []taints.Toleration) measure.Side {
	return measure.Times(func(n int) {
		for range n {
			_, found := taints.FindUntolerated(node, pod, taints.HardEffects)
			measure.Must(!found)
		}
	})
}

// findOn is not inlined, because in a copy of its closure the compiler allocates the
// Matcher.
//
//go:noinline
func findOn(node []taints.Taint, pod []taints.Toleration) measure.Side {
	return measure.Times(func(n int) {
		for range n {
			_, found := taints.Options{KeyWildcards: true}.On(pod).FindUntolerated(node, taints.HardEffects)
			measure.Must(!found)
		}
	})
}

func findCompiled(node []taints.Taint, pod []taints.Toleration) measure.Side {
	m := taints.Compile(pod)
	return measure.Times(func(n int) {
		for range n {
			_, found := m.FindUntolerated(node, taints.HardEffects)
			measure.Must(!found)
		}
	})
}

// matchEach asks about each taint of the node.
//
//go:noinline
func matchEach(node []taints.Taint, pod []taints.Toleration) measure.Side {
	return measure.Times(func(n int) {
		for range n {
			m := taints.Options{KeyWildcards: true}.On(pod)
			for i := range node {
				_, ok := m.Match(node[i])
				measure.Must(ok)
			}
		}
	})
}

// ToleratesTaint is the loop over ToleratesTaint of k8s.io/api that a project writes
// in place of the helper, whose copy of the list takes most of the time.
const ToleratesTaint = "a loop over ToleratesTaint"

// Alike returns taints, and tolerations of which the last ones tolerate them, in
// reverse. All keys have the same length and beginning. Equal texts do not share their
// memory, as in decoded objects.
func Alike(nodes, pods int) (node []taints.Taint, pod []taints.Toleration) {
	key := func(i int) string { return "example.com/pool-" + strconv.Itoa(10+i) }
	node = repeated(nodes, func(i int) taints.Taint {
		return taints.Taint{Key: key(i), Value: "true", Effect: taints.NoSchedule}
	})
	pod = repeated(pods, func(i int) taints.Toleration {
		return taints.Toleration{Key: key(pods - 1 - i), Value: "true", Effect: taints.NoSchedule}
	})
	return node, pod
}

// alikeRows are the rows beside ToleratesTaint.
func alikeRows(kubernetes map[string]measure.Side) (rows []measure.Row) {
	for _, size := range []struct {
		taints, tolerations       int
		oneShot, compiled, single float64 // floors
	}{{0, 8, 1, 1, 0}, {1, 2, 0.8, 1, 0.7}, {3, 9, 1, 3, 0.7}} {
		name := fmt.Sprintf("%d × %d", size.taints, size.tolerations)
		node, pod := Alike(size.taints, size.tolerations)
		add := func(way string, floor float64, ours measure.Side) {
			rows = append(rows, measure.Beside(ToleratesTaint, "keys alike, "+name+", "+way, floor, 0, ours, kubernetes[name]))
		}
		add("one-shot", size.oneShot, find(node, pod))
		add("with On", size.oneShot, findOn(node, pod))
		add("compiled", size.compiled, findCompiled(node, pod))
		if size.taints > 0 {
			add("On and Match for each taint", size.single, matchEach(node, pod))
		}
	}
	return rows
}

var (
	current    = NodeTaints
	wanted     = slices.Clone(NodeTaints)
	desired    = append(slices.Clone(NodeTaints[:2]), test.Taints("sla.example.com/failure-score=50:NoSchedule")...)
	identities = reference.IDs(NodeTaints)
	rules      = lifecycle.DefaultConditionRules()
	healthy    = lifecycle.NodeState{Conditions: []lifecycle.Condition{
		{Type: "NetworkUnavailable", Status: "False"},
		{Type: "MemoryPressure", Status: "False"},
		{Type: "DiskPressure", Status: "False"},
		{Type: "PIDPressure", Status: "False"},
		{Type: "Ready", Status: "True"},
	}}
)

// loopRows are functions of the library, and the loops that they replace in projects.
func loopRows() []measure.Row {
	const loop = "a plain loop"
	// The desired taints are there, and no other taint is owned.
	compareTwice := measure.Each(func() { measure.Must(hasAll(current, wanted) && hasAll(wanted, current)) })
	writeList := measure.Each(func() { measure.Must(len(reconciled(current, current, desired)) == 3) })
	return []measure.Row{
		measure.Beside(loop, "Apply of 3 taints that the node has", 0.33, 0, measure.Each(func() {
			_, changed := taints.Changes{Add: current}.Apply(current)
			measure.Must(!changed)
		}), measure.Each(func() { measure.Must(hasAll(current, wanted)) })),
		measure.Beside(loop, "Reconcile of a node in sync with 3 taints", 0.33, 0, measure.Each(func() {
			measure.Must(taints.Reconcile(current, current, current).IsZero())
		}), compareTwice),
		measure.Beside(loop, "ReconcileOwned of a node in sync with 3 taints", 0.33, 0, measure.Each(func() {
			measure.Must(taints.ReconcileOwned(current, identities, current).IsZero())
		}), compareTwice),
		measure.Beside(loop, "Reconcile of one of 3 values, and Apply", 0.5, 2, measure.Each(func() {
			after, _ := taints.Reconcile(current, current, desired).Apply(current)
			measure.Must(len(after) == 3)
		}), writeList),
		measure.Beside(loop, "ReconcileOwned of one of 3 values, and Apply", 0.5, 2, measure.Each(func() {
			after, _ := taints.ReconcileOwned(current, identities, desired).Apply(current)
			measure.Must(len(after) == 3)
		}), writeList),
		measure.Beside(loop, "taints by condition of a healthy node", 0.5, 0, measure.Each(func() {
			measure.Must(rules.Reconcile(current, healthy, Now).IsZero())
		}), measure.Each(func() { measure.Must(asConditions(current, healthy)) })),
	}
}

// hasAll reports whether the node has all taints of the list with the same values.
func hasAll(node, list []taints.Taint) bool {
	for i := range list {
		at, found := taints.FindTaint(node, list[i].ID())
		if !found || node[at].Value != list[i].Value {
			return false
		}
	}
	return true
}

// reconciled returns the taints after a reconciliation.
func reconciled(current, lastApplied, desired []taints.Taint) []taints.Taint {
	list := make([]taints.Taint, 0, len(current)+len(desired))
	for i := range current {
		t := &current[i]
		if at, found := taints.FindTaint(desired, t.ID()); found {
			list = append(list, desired[at])
			continue
		}
		if at, found := taints.FindTaint(lastApplied, t.ID()); !found || lastApplied[at].Value != t.Value {
			list = append(list, *t)
		}
	}
	for i := range desired {
		if _, found := taints.FindTaint(list, desired[i].ID()); !found {
			list = append(list, desired[i])
		}
	}
	return list
}

// keysOf are the taints' keys by condition and status, as in node-lifecycle
// controllers. owned are these, and that of a cordon.
var (
	keysOf = map[string]map[string]string{
		"Ready":              {"False": taints.NodeNotReady, "Unknown": taints.NodeUnreachable},
		"MemoryPressure":     {"True": taints.NodeMemoryPressure},
		"DiskPressure":       {"True": taints.NodeDiskPressure},
		"PIDPressure":        {"True": taints.NodePIDPressure},
		"NetworkUnavailable": {"True": taints.NodeNetworkUnavailable},
	}
	owned = map[string]bool{
		taints.NodeNotReady: true, taints.NodeUnreachable: true, taints.NodeMemoryPressure: true,
		taints.NodeDiskPressure: true, taints.NodePIDPressure: true, taints.NodeNetworkUnavailable: true,
		taints.NodeUnschedulable: true,
	}
)

// asConditions reports whether the NoSchedule taints of the node are those of its
// conditions, as doNoScheduleTaintingPass of Kubernetes and OpenYurt finds out.
func asConditions(current []taints.Taint, state lifecycle.NodeState) bool {
	var want, have []taints.Taint
	for _, c := range state.Conditions {
		if key, tainted := keysOf[c.Type][c.Status]; tainted {
			want = append(want, taints.Taint{Key: key, Effect: taints.NoSchedule})
		}
	}
	if state.Unschedulable {
		want = append(want, taints.Taint{Key: taints.NodeUnschedulable, Effect: taints.NoSchedule})
	}
	for _, t := range current {
		if t.Effect == taints.NoSchedule && owned[t.Key] {
			have = append(have, t)
		}
	}
	return hasAll(want, have) && hasAll(have, want)
}
