// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"time"

	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/measurement"
)

// A result is what was measured of a workload, in all rounds.
type result struct {
	workload workload
	nodes    int
	runs     [2][]measurement.Run // by side
}

// choose returns the workloads whose names match.
func choose(match string) ([]workload, error) {
	pattern, err := regexp.Compile(match)
	if err != nil {
		return nil, err
	}
	var chosen []workload
	for _, w := range workloads {
		if pattern.MatchString(w.String()) {
			chosen = append(chosen, w)
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("no workload matches %q: see -list", match)
	}
	return chosen, nil
}

// again is how many more rounds a workload gets that is below its floor,
// because most often that is noise. It is even, so that one round is in the middle.
const again = 2

// A runner runs a workload once, as [bench.run] does.
type runner func(context.Context, workload, side) (run measurement.Run, nodes int, err error)

// compare runs the workloads, so many rounds each. A workload that fails is
// left out, and the error says so.
func compare(
	ctx context.Context, run runner, chosen []workload, rounds int,
) (results []result, err error) {
	for i, w := range chosen {
		if ctx.Err() != nil {
			return results, errors.Join(err, ctx.Err())
		}
		fmt.Fprintf(os.Stderr, "%d/%d %s\n", i+1, len(chosen), w)
		r, failed := compareOne(ctx, run, w, rounds)
		if failed != nil {
			fmt.Fprintln(os.Stderr, " ", failed)
			err = errors.Join(err, fmt.Errorf("%s has failed", w))
			continue
		}
		results = append(results, r)
	}
	return results, err
}

func compareOne(ctx context.Context, run runner, w workload, rounds int) (result, error) {
	r := result{workload: w}
	err := r.measure(ctx, run, rounds)
	if err == nil && r.ratio() < w.floor() {
		err = r.measure(ctx, run, again)
	}
	return r, err
}

// measure runs the workload so many times on both sides. They take turns in who is
// first.
func (r *result) measure(ctx context.Context, run runner, rounds int) error {
	for range rounds {
		sides := []side{stock, plugin}
		if len(r.runs[stock])%2 == 1 {
			slices.Reverse(sides)
		}
		for _, s := range sides {
			if err := r.measureSide(ctx, run, s); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *result) measureSide(ctx context.Context, run runner, s side) error {
	begin := time.Now()
	measured, nodes, err := run(ctx, r.workload, s)
	if err != nil {
		return err
	}
	r.nodes = nodes
	r.runs[s] = append(r.runs[s], measured)
	fmt.Fprintf(os.Stderr, "  %-6s %6.1f pods/s, %.2f ms to choose a node, %.1f s of CPU; %.0f s in all\n",
		s, measured.Throughput(), measured.Algorithm.Mean()*1000, measured.CPU, time.Since(begin).Seconds())
	return nil
}

// median returns the round that counts: that in the middle, and the faster of two.
func (r *result) median(s side) measurement.Run {
	runs := slices.SortedFunc(slices.Values(r.runs[s]), func(a, b measurement.Run) int {
		return cmp.Compare(r.speed(a), r.speed(b))
	})
	return runs[len(runs)/2]
}

// speed is what counts of a run, more being better.
func (r *result) speed(run measurement.Run) float64 {
	if r.workload.Paced {
		return 1 / run.CPU
	}
	return run.Throughput()
}

// ratio returns how many times as fast as the stock scheduler the one with the
// plugin is. It is 0 where what counts was not measured, as CPU time on some systems.
func (r *result) ratio() float64 {
	if ratio := r.speed(r.median(plugin)) / r.speed(r.median(stock)); ratio > 0 {
		return ratio
	}
	return 0
}

// below returns the workloads that are below their floors.
func below(results []result) []string {
	var names []string
	for _, r := range results {
		ratio, floor := r.ratio(), r.workload.floor()
		if ratio < floor {
			names = append(names, fmt.Sprintf("%s %.2f× (want %g×)", r.workload, ratio, floor))
		}
	}
	return names
}
