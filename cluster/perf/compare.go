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
	"sync"
)

// A result has the measurements of a workload, in all rounds.
type result struct {
	workload workload
	runs     [2][]measurement // by side
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
		measured, err := round(ctx, b, r.workload, sides)
		if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
			fmt.Fprintln(os.Stderr, "  again, because of", err)
			measured, err = round(ctx, b, r.workload, sides)
		}
		if err != nil {
			return err
		}
		for s, m := range measured {
			r.runs[s] = append(r.runs[s], m)
			fmt.Fprintf(os.Stderr, "  %-6s %6.1f pods/s, %.2f ms to choose a node, %.1f s of CPU\n",
				side(s), m.throughput(), m.Algorithm*1000, m.CPU)
		}
		slices.Reverse(sides)
	}
	return nil
}

// round runs the workload once with each side. Both run at once, so that other work on
// the machine slows both alike. If one is to be much faster, so that the other would
// have the machine for itself, they take turns instead.
func round(ctx context.Context, b *bench, w workload, sides []side) (measured [2]measurement, err error) {
	var errs [2]error
	var running sync.WaitGroup
	for _, s := range sides {
		running.Go(func() { measured[s], errs[s] = b.run(ctx, w, s) })
		if w.Floor > 1 {
			running.Wait()
		}
	}
	running.Wait()
	return measured, errors.Join(errs[:]...)
}

// median returns the side's median run. Of two runs, it returns the faster one.
func (r *result) median(s side) measurement { return middle(r.runs[s], r.speed) }

// speed returns the speed of a run; more is better.
func (r *result) speed(m measurement) float64 {
	if r.workload.Paced {
		return 1 / m.CPU
	}
	return m.throughput()
}

// ratio returns how many times as fast as the stock scheduler the plugin is. It is the
// median over the rounds, because other work on the machine slows down both sides of a
// round. It is 0 if the speed was not measured, such as CPU time on some systems.
func (r *result) ratio() float64 {
	var rounds []float64
	for i := range r.runs[plugin] {
		rounds = append(rounds, r.speed(r.runs[plugin][i])/r.speed(r.runs[stock][i]))
	}
	if ratio := middle(rounds, func(f float64) float64 { return f }); ratio > 0 {
		return ratio
	}
	return 0
}

func middle[E any](list []E, value func(E) float64) E {
	sorted := slices.SortedFunc(slices.Values(list), func(a, b E) int { return cmp.Compare(value(a), value(b)) })
	return sorted[len(sorted)/2]
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
		a, b := r.median(stock), r.median(plugin)
		ratio := fmt.Sprintf("%.2f×", r.ratio())
		if r.workload.Paced {
			ratio += " (CPU)"
		}
		fmt.Fprintf(&text, "| %s | %.0f | %.0f | %.0f | %s | %.2f ms | %.2f ms | %.1f | %.1f |\n",
			r.workload, b.Pods, a.throughput(), b.throughput(), ratio, a.Algorithm*1000, b.Algorithm*1000, a.CPU, b.CPU)
	}
	return text.String()
}
