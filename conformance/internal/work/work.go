// SPDX-License-Identifier: Apache-2.0

// Package work has the table of the work whose speed has a floor. It does the work
// with the library and with plain loops. It does not import Kubernetes' code, because
// the garbage collector of a program that does scans what that code keeps in memory.
package work

import (
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/test/measure"
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
	fiveMinutes    = int64(300)
	PodTolerations = []taints.Toleration{
		{Key: taints.NodeNotReady, Operator: taints.OpExists, Effect: taints.NoExecute, TolerationSeconds: &fiveMinutes},
		{Key: taints.NodeUnreachable, Operator: taints.OpExists, Effect: taints.NoExecute, TolerationSeconds: &fiveMinutes},
		{Key: taints.NodeMemoryPressure, Operator: taints.OpExists, Effect: taints.NoSchedule},
		{Key: "sla.example.com/failure-score", Operator: taints.OpLt, Value: "60", Effect: taints.NoSchedule},
		{Key: "team", Operator: taints.OpEqual, Value: "vision", Effect: taints.NoSchedule},
		{Key: "dedicated", Operator: taints.OpEqual, Value: "ml", Effect: taints.NoSchedule},
		{Key: "example.com/fpga", Operator: taints.OpExists, Effect: taints.NoSchedule},
		{Key: "nvidia.com/gpu", Operator: taints.OpExists, Effect: taints.NoSchedule},
	}
	Specs = []string{
		"dedicated=ml:NoSchedule", "nvidia.com/gpu=present:NoSchedule", "cloud.example.com/spot:PreferNoSchedule",
	}
	Now = time.Now()
)

func parsed[T any](parse func(string) (T, error), texts ...string) []T {
	return repeated(len(texts), func(i int) T { return taints.Must(parse(texts[i])) })
}

func repeated[T any](n int, of func(i int) T) []T {
	list := make([]T, n)
	for i := range list {
		list[i] = of(i)
	}
	return list
}

// The library is compared with Kubernetes' code and with plain loops.
const (
	Kubernetes = "Kubernetes"
	loop       = "a plain loop"
)

// Rows returns the table. The sides of Kubernetes have names; the program that does
// not contain Kubernetes' code has none of them.
func Rows(kubernetes map[string]measure.Side) []measure.Row {
	heap := row("a million pending evictions, memory", Kubernetes, 2.5, -1, EvictionHeap(ourQueue), kubernetes["heap"])
	heap.Bytes = true
	filter, nothing, evicts := kubernetes["filter"], kubernetes["filter nothing"], kubernetes["evict"]
	few, many := kubernetes["feasible, 20 ways"], kubernetes["feasible, 10,000 ways"]
	return append([]measure.Row{
		row("first untolerated hard taint, 3 taints × 8 tolerations, one-shot", Kubernetes, 10, 0, find(NodeTaints), filter),
		row("the same, with On", Kubernetes, 10, 0, findOn(NodeTaints), filter),
		row("the same, compiled", Kubernetes, 20, 0, findCompiled(NodeTaints), filter),
		row("a node without taints, one-shot", Kubernetes, 1, 0, find(nil), nothing),
		row("a node without taints, with On", Kubernetes, 1, 0, findOn(nil), nothing),
		row("a node without taints, compiled", Kubernetes, 1, 0, findCompiled(nil), nothing),
		row("compile 8 tolerations; Kubernetes: filter one node", Kubernetes, 1, 3, compile, filter),
		row("eviction deadline, 2 NoExecute taints × 8 tolerations", Kubernetes, 6, 0, evict, evicts),
		row("eviction deadline, compiled", Kubernetes, 6, 0, evictCompiled, evicts),
		row("count the feasible of 100,000 nodes, 40 % tainted in 20 ways", Kubernetes, 10_000, 4, countIn(20), few),
		row("append them, 40 % tainted in 20 ways", Kubernetes, 200, 16, appendIn(20), few),
		row("range over them, 40 % tainted in 20 ways", Kubernetes, 80, 16, rangeIn(20), few),
		row("count the feasible of 100,000 nodes, in 10,000 ways", Kubernetes, 2000, 4, countIn(10_000), many),
		row("append them, in 10,000 ways", Kubernetes, 200, 16, appendIn(10_000), many),
		row("range over them, in 10,000 ways", Kubernetes, 80, 16, rangeIn(10_000), many),
		row("validate 8 tolerations", Kubernetes, 25, 0, validate, kubernetes["validate"]),
		row("parse 3 kubectl specs", Kubernetes, 20, 0, parse, kubernetes["parse"]),
		row("merge 4 + 4 tolerations", Kubernetes, 30, 1, merge, kubernetes["merge"]),
		row("print a taint", Kubernetes, 2.5, 1, printTaint, kubernetes["print"]),
		row("print a taint into a buffer", Kubernetes, 15, 0, appendTaint, kubernetes["append"]),
		row("a million pending evictions, time", Kubernetes, 2, -1, Evictions(ourQueue), kubernetes["evictions"]),
		heap,
		row("Apply of 3 taints that the node has", loop, 0.33, 0, applyNothing, compareOnce),
		row("Reconcile of a node in sync with 3 taints", loop, 0.33, 0, reconcileNothing, compareTwice),
		row("ReconcileOwned of a node in sync with 3 taints", loop, 0.33, 0, reconcileOwnedNothing, compareTwice),
		row("Reconcile of one of 3 values, and Apply", loop, 0.5, 2, reconcile, writeList),
		row("ReconcileOwned of one of 3 values, and Apply", loop, 0.5, 2, reconcileOwned, writeList),
		row("taints by condition of a healthy node", loop, 0.5, 0, conditions, conditionLoop),
	}, hostileRows()...)
}

func row(name, beside string, floor float64, allocs int64, ours, theirs measure.Side) measure.Row {
	return measure.Row{Name: name, Beside: beside, Floor: floor, Allocs: allocs, Ours: ours, Theirs: theirs}
}

var (
	compiled = taints.Compile(PodTolerations)
	buf      = make([]byte, 0, 128)

	compile = measure.Each(func() { measure.Must(taints.Compile(PodTolerations) != nil) })
	evict   = measure.Each(func() {
		measure.Must(taints.EvictionOf(FailedNode, PodTolerations, Now).Outcome == taints.EvictsAt)
	})
	evictCompiled = measure.Each(func() {
		measure.Must(compiled.EvictionOf(FailedNode, Now).Outcome == taints.EvictsAt)
	})
	validate = measure.Each(func() { measure.Must(taints.ValidateTolerations(PodTolerations) == nil) })
	parse    = measure.Each(func() {
		for _, spec := range Specs {
			_, err := taints.ParseTaint(spec)
			measure.Must(err == nil)
		}
	})
	merge = measure.Each(func() {
		merged := tolerationset.Merge(PodTolerations[:4], PodTolerations[4:], taints.Options{})
		measure.Must(len(merged) == 8)
	})
	printTaint  = measure.Each(func() { Keep(NodeTaints[1].String()) })
	appendTaint = measure.Each(func() { buf = NodeTaints[1].AppendTo(buf[:0]) })
)

func find(node []taints.Taint) measure.Side {
	return measure.Times(func(n int) {
		for range n {
			_, found := taints.FindUntolerated(node, PodTolerations, taints.HardEffects)
			measure.Must(!found)
		}
	})
}

// findOn is not inlined, because in a copy of its closure the compiler would allocate
// the Matcher.
//
//go:noinline
func findOn(node []taints.Taint) measure.Side {
	return measure.Times(func(n int) {
		for range n {
			_, found := taints.Options{KeyWildcards: true}.On(PodTolerations).FindUntolerated(node, taints.HardEffects)
			measure.Must(!found)
		}
	})
}

func findCompiled(node []taints.Taint) measure.Side {
	return measure.Times(func(n int) {
		for range n {
			_, found := compiled.FindUntolerated(node, taints.HardEffects)
			measure.Must(!found)
		}
	})
}

// Keep prevents the compiler from optimizing away the work that made s.
//
//go:noinline
func Keep(s string) { measure.Must(s != "") }
