// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/measurement"
)

// catalog lists the workloads with what they cost, and their parameters where
// those are other than Kubernetes'.
func catalog(chosen []workload, rounds int) string {
	var text strings.Builder
	total := 0
	for _, w := range chosen {
		fmt.Fprintf(&text, "%-70s %3d s a run", w, w.Cost)
		for _, name := range slices.Sorted(maps.Keys(w.Params)) {
			fmt.Fprintf(&text, ", %s %v", name, w.Params[name])
		}
		text.WriteByte('\n')
		total += 2 * rounds * w.Cost
	}
	fmt.Fprintf(&text, "%d workloads, about %d minutes\n", len(chosen), (total+59)/60)
	return text.String()
}

// table is a row for each workload.
func table(results []result) string {
	var text strings.Builder
	text.WriteString("| workload | nodes | pods | pods/s stock | plugin | ratio " +
		"| algorithm stock | plugin | p50 stock | plugin | p99 stock | plugin | seconds stock | plugin | CPU s stock | plugin |\n")
	text.WriteString("|---|" + strings.Repeat("--:|", 15) + "\n")
	for _, r := range results {
		a, b := r.median(stock), r.median(plugin)
		ratio := fmt.Sprintf("%.2f×", r.ratio())
		if r.workload.Paced {
			ratio += " (CPU)"
		}
		fmt.Fprintf(&text, "| %s | %s | %s | %.0f | %.0f | %s | %.2f ms | %.2f ms ",
			r.workload.Case, thousands(r.nodes), thousands(b.Pods), a.Throughput(), b.Throughput(), ratio,
			a.Algorithm.Mean()*1000, b.Algorithm.Mean()*1000)
		fmt.Fprintf(&text, "| %s | %s | %s | %s ",
			quantile(a, 0.5), quantile(b, 0.5), quantile(a, 0.99), quantile(b, 0.99))
		fmt.Fprintf(&text, "| %.1f | %.1f | %.1f | %.1f |\n", a.Seconds, b.Seconds, a.CPU, b.CPU)
	}
	return text.String()
}

func quantile(run measurement.Run, q float64) string {
	return fmt.Sprintf("%.1f ms", run.Attempts.Quantile(q)*1000)
}

// thousands writes a number as in 15,000.
func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}

// events has a row for each event that may wake pods which wait for a taint or a
// toleration, of the workloads that are about events. It is empty where there are
// none.
func events(results []result) string {
	var text strings.Builder
	for _, r := range results {
		if !r.workload.Paced {
			continue
		}
		a, b := r.median(stock), r.median(plugin)
		names := maps.Clone(a.Events)
		maps.Copy(names, b.Events)
		for _, name := range slices.Sorted(maps.Keys(names)) {
			if !concernsTaints(name) {
				continue
			}
			fmt.Fprintf(&text, "| %s | %s | %d | %d | %s | %s | %d | %d |\n",
				r.workload.Case, name, a.Events[name].Count, b.Events[name].Count,
				micros(a.Events[name]), micros(b.Events[name]), a.Woken[name], b.Woken[name])
		}
	}
	if text.Len() == 0 {
		return ""
	}
	return "\n| workload | event | handled stock | plugin | in the mean stock | plugin " +
		"| pods woken stock | plugin |\n|---|---|" + strings.Repeat("--:|", 6) + "\n" + text.String()
}

func concernsTaints(event string) bool {
	return strings.HasPrefix(event, "Node") || strings.HasSuffix(event, "Toleration")
}

func micros(s measurement.Sum) string {
	if s.Count == 0 {
		return "none"
	}
	return fmt.Sprintf("%.0f µs", s.Mean()*1e6)
}
