// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"io"
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

// A queueRunner measures one of the queues.
type queueRunner func(ours bool) (work.QueueCost, error)

// queueInProcess returns a queueRunner that runs this program again.
func queueInProcess(program string, pods int) queueRunner {
	return func(ours bool) (work.QueueCost, error) {
		var c work.QueueCost
		err := child(program, &c, "-queue", strconv.Itoa(pods), "-ours="+strconv.FormatBool(ours))
		return c, err
	}
}

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

// runQueue measures one of the queues and prints the result for the parent process.
func runQueue(w io.Writer, pods int, ours bool) error {
	measure := work.QueueKubernetes
	if ours {
		measure = work.QueueOurs
	}
	return json.NewEncoder(w).Encode(measure(pods))
}

// queuePhases measures both queues in turn.
func queuePhases(rounds int, run queueRunner) ([]phase, error) {
	var ours, kubernetes []work.QueueCost
	for range rounds {
		a, err := run(true)
		if err != nil {
			return nil, err
		}
		b, err := run(false)
		if err != nil {
			return nil, err
		}
		ours, kubernetes = append(ours, a), append(kubernetes, b)
	}
	of := func(name, unit string, floor float64, value func(work.QueueCost) float64) phase {
		p := phase{
			Work:       name,
			Unit:       unit,
			Ours:       leastOf(ours, value),
			Kubernetes: leastOf(kubernetes, value),
			Floor:      floor,
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

func leastOf(costs []work.QueueCost, value func(work.QueueCost) float64) float64 {
	least := value(costs[0])
	for _, c := range costs {
		least = min(least, value(c))
	}
	return least
}

func (p phase) amount(x float64) string {
	if p.Unit == "bytes" {
		return size(int64(x))
	}
	return duration(x)
}
