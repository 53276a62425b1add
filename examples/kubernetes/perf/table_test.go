// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/measurement"
)

func TestTable(t *testing.T) {
	run := func(seconds, cpu, algorithm float64) []measurement.Run {
		return []measurement.Run{{
			Pods: 3001, Seconds: seconds, CPU: cpu, Algorithm: measurement.Sum{Count: 100, Sum: algorithm},
		}}
	}
	results := []result{
		{workload{Folder: "misc", Case: "Basic"}, 500, [2][]measurement.Run{run(30, 50, 0.1), run(30, 50, 0.1)}},
		{workload{Folder: "misc", Case: "Churn"}, 500, [2][]measurement.Run{run(30, 50, 0.1), run(24, 50, 0.1)}},
		{workload{Case: "Pool"}, 5000, [2][]measurement.Run{run(30, 50, 0.8), run(7.5, 12.25, 0.125)}},
		{workload{Case: "Waiting", Paced: true}, 500, [2][]measurement.Run{run(10, 30, 0.2), run(10, 20, 0.1)}},
	}
	const head = `| workload | nodes | pods | pods/s stock | plugin | ratio | to choose a node: stock | plugin | CPU s stock | plugin |
|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|
`
	const own = `| Basic | 500 | 3001 | 100 | 100 | 1.00× | 1.00 ms | 1.00 ms | 50.0 | 50.0 |
| Churn | 500 | 3001 | 100 | 125 | 1.25× | 1.00 ms | 1.00 ms | 50.0 | 50.0 |
`
	const tainted = `| Pool | 5000 | 3001 | 100 | 400 | 4.00× | 8.00 ms | 1.25 ms | 50.0 | 12.2 |
| Waiting | 500 | 3001 | 300 | 300 | 1.50× (CPU) | 2.00 ms | 1.00 ms | 30.0 | 20.0 |
`
	if diff := cmp.Diff(head+own+tainted, table(results, true)); diff != "" {
		t.Error(diff)
	}
	const summary = "\nThe ratios of Kubernetes' own 2 workloads are 1.00× to 1.25×.\n"
	if diff := cmp.Diff(head+tainted+summary, table(results, false)); diff != "" {
		t.Error(diff)
	}
}
