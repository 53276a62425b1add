// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// catalog lists the workloads with their costs, and the parameters that differ from
// Kubernetes'.
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

// table returns a Markdown table with a row for each workload. Unless all is set,
// Kubernetes' own workloads get a sentence instead of rows.
func table(results []result, all bool) string {
	var text strings.Builder
	text.WriteString("| workload | nodes | pods | pods/s stock | plugin | ratio " +
		"| to choose a node: stock | plugin | CPU s stock | plugin |\n|---|" + strings.Repeat("--:|", 9) + "\n")
	var own []float64 // the ratios of workloads without a row
	for _, r := range results {
		if !all && r.workload.Folder != "" {
			own = append(own, r.ratio())
			continue
		}
		a, b := r.median(stock), r.median(plugin)
		ratio := fmt.Sprintf("%.2f×", r.ratio())
		if r.workload.Paced {
			ratio += " (CPU)"
		}
		fmt.Fprintf(&text, "| %s | %d | %d | %.0f | %.0f | %s | %.2f ms | %.2f ms | %.1f | %.1f |\n",
			r.workload.Case, r.nodes, b.Pods, a.Throughput(), b.Throughput(), ratio,
			a.Algorithm.Mean()*1000, b.Algorithm.Mean()*1000, a.CPU, b.CPU)
	}
	if len(own) > 0 {
		fmt.Fprintf(&text, "\nThe ratios of Kubernetes' own %d workloads are %.2f× to %.2f×.\n",
			len(own), slices.Min(own), slices.Max(own))
	}
	return text.String()
}
