// SPDX-License-Identifier: Apache-2.0

// Package work defines the work that both the library and Kubernetes' code
// do, on the same input, and does it with the library. It does not import
// Kubernetes' code, because the garbage collector of a program that does scans
// what that code keeps in memory.
package work

import (
	"slices"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/test/measure"
	"github.com/seed-0529bac1/taints/internal/test/reference"
	"github.com/seed-0529bac1/taints/tolerationset"
)

// The input is a GPU node and a pod with the usual eight tolerations. The pod
// tolerates the node.
var (
	NodeTaints = []taints.Taint{
		{Key: "dedicated", Value: "ml", Effect: taints.NoSchedule},
		{Key: "nvidia.com/gpu", Value: "present", Effect: taints.NoSchedule},
		{Key: "sla.example.com/failure-score", Value: "40", Effect: taints.NoSchedule},
	}
	PodTolerations = []taints.Toleration{
		{
			Key: taints.NodeNotReady, Operator: taints.OpExists, Effect: taints.NoExecute,
			TolerationSeconds: seconds(300),
		},
		{
			Key: taints.NodeUnreachable, Operator: taints.OpExists, Effect: taints.NoExecute,
			TolerationSeconds: seconds(300),
		},
		{Key: taints.NodeMemoryPressure, Operator: taints.OpExists, Effect: taints.NoSchedule},
		{Key: "sla.example.com/failure-score", Operator: taints.OpLt, Value: "60", Effect: taints.NoSchedule},
		{Key: "team", Operator: taints.OpEqual, Value: "vision", Effect: taints.NoSchedule},
		{Key: "dedicated", Operator: taints.OpEqual, Value: "ml", Effect: taints.NoSchedule},
		{Key: "example.com/fpga", Operator: taints.OpExists, Effect: taints.NoSchedule},
		{Key: "nvidia.com/gpu", Operator: taints.OpExists, Effect: taints.NoSchedule},
	}
	FailedNode = []taints.Taint{
		{Key: taints.NodeNotReady, Effect: taints.NoExecute},
		{Key: taints.NodeUnreachable, Effect: taints.NoExecute},
	}
	Specs = []string{
		"dedicated=ml:NoSchedule",
		"nvidia.com/gpu=present:NoSchedule",
		"cloud.example.com/spot:PreferNoSchedule",
	}
	Now = time.Now()
)

func seconds(s int64) *int64 { return &s }

// Kubernetes and plainLoop name the code that the library is compared with.
const (
	Kubernetes = "Kubernetes"
	plainLoop  = "a plain loop"
)

// Others do the work with Kubernetes' code. They are nil in the program that does
// it with the library.
type Others struct {
	Filter, FilterNothing, Validate, Parse, Evict, Merge, Print, AppendTo measure.Side
	// Feasible finds the feasible nodes.
	Feasible func(c *Cluster) func(n int)
}

// Rows returns the work whose speed has a floor. Rows beside Kubernetes have the
// given other sides.
func Rows(others Others) []measure.Row {
	return slices.Concat(rows(others), loopRows(), indexRows(20, "40 % tainted in 20 ways", 10_000, others),
		indexRows(10_000, "in 10,000 ways", 2_000, others), hostileRows())
}

// rows are the work on single nodes and pods.
func rows(others Others) []measure.Row {
	return []measure.Row{
		{
			Name: "first untolerated hard taint, 3 taints × 8 tolerations, one-shot", Beside: Kubernetes, Floor: 10,
			Ours: func() func(int) {
				list, tols := NodeTaints, PodTolerations
				return measure.Each(func() {
					_, found := taints.FindUntolerated(list, tols, taints.HardEffects)
					measure.MustNot(found)
				})
			},
			Other: others.Filter,
		},
		{
			Name: "the same, with On", Beside: Kubernetes, Floor: 10,
			Ours: func() func(int) {
				list, tols := NodeTaints, PodTolerations
				return measure.Each(func() {
					_, found := wildcards.On(tols).FindUntolerated(list, taints.HardEffects)
					measure.MustNot(found)
				})
			},
			Other: others.Filter,
		},
		{
			Name: "the same, compiled", Beside: Kubernetes, Floor: 20,
			Ours: func() func(int) {
				list, m := NodeTaints, taints.Compile(PodTolerations)
				return measure.Each(func() {
					_, found := m.FindUntolerated(list, taints.HardEffects)
					measure.MustNot(found)
				})
			},
			Other: others.Filter,
		},
		{
			Name: "compile 8 tolerations; Kubernetes: filter one node", Beside: Kubernetes, Floor: 1, Allocs: 3,
			Ours: func() func(int) {
				tols := PodTolerations
				return measure.Each(func() { measure.MustNot(taints.Compile(tols) == nil) })
			},
			Other: others.Filter,
		},
		{
			Name: "validate 8 tolerations", Beside: Kubernetes, Floor: 30,
			Ours: func() func(int) {
				tols := PodTolerations
				return measure.Each(func() { measure.MustNot(taints.ValidateTolerations(tols) != nil) })
			},
			Other: others.Validate,
		},
		{
			Name: "parse 3 kubectl specs", Beside: Kubernetes, Floor: 20,
			Ours: func() func(int) {
				return measure.Each(func() {
					for _, spec := range Specs {
						_, err := taints.ParseTaint(spec)
						measure.MustNot(err != nil)
					}
				})
			},
			Other: others.Parse,
		},
		{
			Name: "eviction deadline, 2 NoExecute taints × 8 tolerations", Beside: Kubernetes, Floor: 6,
			Ours: evictOnce, Other: others.Evict,
		},
		{
			Name: "eviction deadline, compiled", Beside: Kubernetes, Floor: 6,
			Ours: evictByMatcher, Other: others.Evict,
		},
		{
			Name: "merge 4 + 4 tolerations", Beside: Kubernetes, Floor: 30, Allocs: 1,
			Ours: func() func(int) {
				tols := PodTolerations
				return measure.Each(func() { measure.MustNot(len(tolerationset.Merge(tols[:4], tols[4:], zero)) != 8) })
			},
			Other: others.Merge,
		},
		{
			Name: "print a taint", Beside: Kubernetes, Floor: 2.5, Allocs: 1,
			Ours: func() func(int) {
				t := NodeTaints[1]
				return measure.Each(func() { Keep(t.String()) })
			},
			Other: others.Print,
		},
		{
			Name: "print a taint into a buffer", Beside: Kubernetes, Floor: 15,
			Ours: func() func(int) {
				t, buf := NodeTaints[1], make([]byte, 0, 128)
				return measure.Each(func() { buf = t.AppendTo(buf[:0]) })
			},
			Other: others.AppendTo,
		},
		{
			Name: "a node without taints, one-shot", Beside: Kubernetes, Floor: 1,
			Ours: func() func(int) {
				tols := PodTolerations
				return func(n int) {
					for range n {
						_, found := taints.FindUntolerated(noTaints, tols, taints.HardEffects)
						measure.MustNot(found)
					}
				}
			},
			Other: others.FilterNothing,
		},
		{
			Name: "a node without taints, with On", Beside: Kubernetes, Floor: 1,
			Ours: func() func(int) {
				tols := PodTolerations
				return func(n int) {
					for range n {
						_, found := gateOff.On(tols).FindUntolerated(noTaints, taints.HardEffects)
						measure.MustNot(found)
					}
				}
			},
			Other: others.FilterNothing,
		},
		{
			Name: "a node without taints, compiled", Beside: Kubernetes, Floor: 1,
			Ours: func() func(int) {
				m := taints.Compile(PodTolerations)
				return func(n int) {
					for range n {
						_, found := m.FindUntolerated(noTaints, taints.HardEffects)
						measure.MustNot(found)
					}
				}
			},
			Other: others.FilterNothing,
		},
		{
			Name: "eviction deadline, compiled; the other: one-shot", Beside: "the one-shot form", Floor: 1,
			Ours: evictByMatcher, Other: evictOnce,
		},
		coversNot("by key", "b op=Exists"), coversNot("by value", "a=5 op=Gt"),
	}
}

var (
	noTaints  = []taints.Taint{}
	zero      taints.Options
	gateOff   = taints.Options{NoComparison: true}
	wildcards = taints.Options{KeyWildcards: true}
)

// coversNot compares calls of Covers that return false and true.
func coversNot(why, other string) measure.Row {
	t, yes := taints.Must(taints.ParseToleration("a=7 op=Gt")), taints.Must(taints.ParseToleration("a=9 op=Gt"))
	no := taints.Must(taints.ParseToleration(other))
	return measure.Row{
		Name: "Covers says no " + why, Beside: "Covers says yes", Floor: 0.9,
		Ours:  func() func(int) { return measure.Each(func() { measure.MustNot(tolerationset.Covers(t, no, zero)) }) },
		Other: func() func(int) { return measure.Each(func() { measure.MustNot(!tolerationset.Covers(t, yes, zero)) }) },
	}
}

func evictOnce() func(int) {
	list, tols := FailedNode, PodTolerations
	return measure.Each(func() { measure.MustNot(taints.EvictionOf(list, tols, Now).Outcome != taints.EvictsAt) })
}

func evictByMatcher() func(int) {
	list, m := FailedNode, taints.Compile(PodTolerations)
	return measure.Each(func() { measure.MustNot(m.EvictionOf(list, Now).Outcome != taints.EvictsAt) })
}

var identities = reference.IDs(NodeTaints)

// Keep prevents the compiler from optimizing away the work that made s.
//
//go:noinline
func Keep(s string) { measure.MustNot(s == "") }
