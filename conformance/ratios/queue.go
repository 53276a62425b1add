// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"strconv"

	"github.com/seed-0529bac1/taints/conformance/internal/work"
)

// A phase is one part of the work of an eviction queue, or the memory that it uses.
type phase struct {
	Work       string
	Unit       string // ns or bytes
	Ours       float64
	Kubernetes float64
	Ratio      float64
	Floor      float64 // 0 for none
	Met        bool
}

// queuePods is how many pods are pending in a queue.
const queuePods = 1_000_000

// child runs the program and decodes its output.
func child(program string, v any, args ...string) error {
	command := exec.Command(program, args...)
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		return fmt.Errorf("%v: %w", command, err)
	}
	return json.Unmarshal(out, v)
}

// queuePhases measures both queues in turn, each in a process of its own.
func queuePhases(program string, rounds int) ([]phase, error) {
	var costs [2][]work.QueueCost // of Kubernetes and ours
	for range rounds {
		for side, ours := range []string{"-ours=false", "-ours"} {
			var c work.QueueCost
			if err := child(program, &c, "-queue", strconv.Itoa(queuePods), ours); err != nil {
				return nil, err
			}
			costs[side] = append(costs[side], c)
		}
	}
	of := func(name, unit string, floor float64, value func(work.QueueCost) float64) phase {
		p := phase{Work: name, Unit: unit, Floor: floor, Ours: math.Inf(1), Kubernetes: math.Inf(1)}
		for i := range rounds {
			p.Kubernetes = min(p.Kubernetes, value(costs[0][i]))
			p.Ours = min(p.Ours, value(costs[1][i]))
		}
		p.Ratio = p.Kubernetes / p.Ours
		p.Met = p.Ratio >= floor
		return p
	}
	return []phase{
		of("schedule all", "ns", 0, func(c work.QueueCost) float64 { return float64(c.Fill) }),
		of("move every second one", "ns", 0, func(c work.QueueCost) float64 { return float64(c.Update) }),
		of("cancel every fourth", "ns", 0, func(c work.QueueCost) float64 { return float64(c.Cancel) }),
		of("let the others come due, in order", "ns", 0, func(c work.QueueCost) float64 { return float64(c.Drain) }),
		of("all of it", "ns", 2, func(c work.QueueCost) float64 { return float64(c.All()) }),
		of("live heap with all scheduled", "bytes", 2.5, func(c work.QueueCost) float64 { return float64(c.Heap) }),
	}, nil
}

func (p phase) amount(x float64) string {
	if p.Unit == "bytes" {
		return size(int64(x))
	}
	return duration(x)
}
