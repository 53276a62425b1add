// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strconv"

	"github.com/seed-0529bac1/taints/internal/test/measure"
)

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

// queues measures both queues in turn, and adds the least cost of each phase.
func (r *report) queues(ours, kubernetes string, rounds int) error {
	var least [2][]measure.Phase // ours and Kubernetes'
	for range rounds {
		for side, program := range []string{ours, kubernetes} {
			var phases []measure.Phase
			if err := child(program, &phases, "-queue", strconv.Itoa(queuePods)); err != nil {
				return err
			}
			for i, earlier := range least[side] {
				phases[i].Cost = min(phases[i].Cost, earlier.Cost)
			}
			least[side] = phases
		}
	}
	for i, ours := range least[0] {
		theirs := least[1][i]
		amount, floor, met := duration, "", ""
		if ours.Memory {
			amount = func(x float64) string { return size(int64(x)) }
		}
		ratio := theirs.Cost / ours.Cost
		if ours.Floor > 0 {
			floor, met = times(ours.Floor), r.verdict(rounded(ratio) >= ours.Floor)
		}
		r.add([]string{"a million pending evictions", "ours", "Kubernetes", "ratio", "floor", ""}, []string{
			ours.Work, amount(ours.Cost), amount(theirs.Cost), times(ratio), floor, met,
		})
	}
	return nil
}
