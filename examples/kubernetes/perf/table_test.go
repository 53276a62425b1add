// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/measurement"
)

func attempts(counts ...int) measurement.Histogram {
	return measurement.Histogram{
		Sum:    measurement.Sum{Count: counts[len(counts)-1], Sum: 1},
		Bounds: []float64{0.001, 0.002, 0.004}, Counts: counts,
	}
}

// algorithm is a histogram of 100 that took so many seconds together.
func algorithm(sum float64) measurement.Histogram {
	return measurement.Histogram{Sum: measurement.Sum{Count: 100, Sum: sum}}
}

var twoResults = []result{
	{
		workload: workload{Case: "Pool", Name: "5000Nodes", Floor: 3.5, Params: params{"pods": 3}},
		nodes:    5000,
		runs: [2][]measurement.Run{
			{{Pods: 3001, Seconds: 30, CPU: 50, Attempts: attempts(0, 0, 100), Algorithm: algorithm(0.8)}},
			{{Pods: 3001, Seconds: 7.5, CPU: 12.25, Attempts: attempts(50, 100, 100), Algorithm: algorithm(0.125)}},
		},
	},
	{
		workload: workload{Case: "Waiting", Name: "500Nodes", Paced: true},
		nodes:    500,
		runs: [2][]measurement.Run{
			{{
				Pods: 201, Seconds: 10, CPU: 30, Attempts: attempts(10, 10, 10), Algorithm: algorithm(0.2),
				Events: map[string]measurement.Sum{
					"NodeAdd":             {Count: 2, Sum: 0.001},
					"NodeUpdateNodeTaint": {Count: 1500, Sum: 3},
					"AssignedPodAdd":      {Count: 9},
				},
				Woken: map[string]int{"NodeUpdateNodeTaint": 2000},
			}},
			{{
				Pods: 201, Seconds: 10, CPU: 20, Attempts: attempts(10, 10, 10), Algorithm: algorithm(0.1),
				Events: map[string]measurement.Sum{
					"NodeUpdateNodeTaint":    {Count: 1500, Sum: 1.5},
					"PodUpdatePodToleration": {Count: 1, Sum: 1},
				},
				Woken: map[string]int{"NodeUpdateNodeTaint": 2000},
			}},
		},
	},
}

func TestTable(t *testing.T) {
	want := `| workload | nodes | pods | pods/s stock | plugin | ratio | algorithm stock | plugin | p50 stock | plugin | p99 stock | plugin | seconds stock | plugin | CPU s stock | plugin |
|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|
| Pool | 5,000 | 3,001 | 100 | 400 | 4.00× | 8.00 ms | 1.25 ms | 3.0 ms | 1.0 ms | 4.0 ms | 2.0 ms | 30.0 | 7.5 | 50.0 | 12.2 |
| Waiting | 500 | 201 | 20 | 20 | 1.50× (CPU) | 2.00 ms | 1.00 ms | 0.5 ms | 0.5 ms | 1.0 ms | 1.0 ms | 10.0 | 10.0 | 30.0 | 20.0 |

| workload | event | handled stock | plugin | in the mean stock | plugin | pods woken stock | plugin |
|---|---|--:|--:|--:|--:|--:|--:|
| Waiting | NodeAdd | 2 | 0 | 500 µs | none | 0 | 0 |
| Waiting | NodeUpdateNodeTaint | 1500 | 1500 | 2000 µs | 1000 µs | 2000 | 2000 |
| Waiting | PodUpdatePodToleration | 0 | 1 | none | 1000000 µs | 0 | 0 |
`
	if diff := cmp.Diff(want, table(twoResults)+events(twoResults)); diff != "" {
		t.Error(diff)
	}
	if got := events(twoResults[:1]); got != "" {
		t.Errorf("events of a workload that is not about them: %s", got)
	}
}

func TestCatalog(t *testing.T) {
	chosen := []workload{
		{Case: "Pool", Name: "5000Nodes", Cost: 35},
		{Case: "Waiting", Name: "500Nodes", Cost: 100, Params: params{"pods": 3000, "nodes": 5}},
	}
	const want = `Pool/5000Nodes                                                          35 s a run
Waiting/500Nodes                                                       100 s a run, nodes 5, pods 3000
2 workloads, about 9 minutes
`
	if diff := cmp.Diff(want, catalog(chosen, 2)); diff != "" {
		t.Error(diff)
	}
}

func TestThousands(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 15007: "15,007", 1234567: "1,234,567"} {
		if got := thousands(n); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestFailure(t *testing.T) {
	for log, want := range map[string]string{
		"I1121 17:35:23.834872 1 a.go:1] chatter\nstack of it\n--- FAIL: Benchmark\n" +
			"    executor.go:1: no pod\nE1121 17:35:23.834872 1 a.go:1] more\nFAIL\n": "--- FAIL: Benchmark\n    executor.go:1: no pod\nFAIL",
		"benchmark: no such flag\n":                         "benchmark: no such flag",
		"--- FAIL" + strings.Repeat("\n", 40) + "the end\n": strings.Repeat("\n", 19) + "the end",
	} {
		if got := failure([]byte(log)); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
