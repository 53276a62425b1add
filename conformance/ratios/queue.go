package main

import (
	"slices"

	"github.com/seed-0529bac1/taints/conformance/internal/work"
)

// A phase is a part of what happens to a queue of evictions, or what it holds in memory.
type phase struct {
	Work       string  `json:"work"`
	Unit       string  `json:"unit"` // ns or bytes
	Ours       float64 `json:"ours"`
	Kubernetes float64 `json:"kubernetes"`
	Ratio      float64 `json:"ratio"`
	Floor      float64 `json:"floor,omitempty"` // 0 for none
	Met        bool    `json:"met"`
}

// queuePods is how many pods are pending in a queue, and queueRepeats how often each side is measured.
const queuePods, queueRepeats = 1_000_000, 3

// queuePhases measures both queues in turn.
func queuePhases(pods, repeats int) []phase {
	var ours, kubernetes []work.QueueCost
	for range repeats {
		ours, kubernetes = append(ours, work.QueueOurs(pods)), append(kubernetes, work.QueueKubernetes(pods))
	}
	of := func(name, unit string, floor float64, value func(work.QueueCost) float64) phase {
		p := phase{Work: name, Unit: unit, Ours: medianOf(ours, value), Kubernetes: medianOf(kubernetes, value), Floor: floor}
		p.Ratio = p.Kubernetes / p.Ours
		p.Met = p.Ratio >= floor
		return p
	}
	return []phase{
		of("schedule all", "ns", 0, func(c work.QueueCost) float64 { return float64(c.Fill) }),
		of("move every second one", "ns", 0, func(c work.QueueCost) float64 { return float64(c.Update) }),
		of("cancel every fourth", "ns", 0, func(c work.QueueCost) float64 { return float64(c.Cancel) }),
		of("let the others come due, in order", "ns", 0, func(c work.QueueCost) float64 { return float64(c.Drain) }),
		of("all of it", "ns", 3, func(c work.QueueCost) float64 { return float64(c.Fill + c.Update + c.Cancel + c.Drain) }),
		of("live heap with all scheduled", "bytes", 3, func(c work.QueueCost) float64 { return float64(c.Heap) }),
	}
}

func medianOf(costs []work.QueueCost, value func(work.QueueCost) float64) float64 {
	var values []float64
	for _, c := range costs {
		values = append(values, value(c))
	}
	slices.Sort(values)
	return median(values)
}

func (p phase) amount(x float64) string {
	if p.Unit == "bytes" {
		return size(int64(x))
	}
	return duration(x)
}
