// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"

	"github.com/seed-0529bac1/taints/cluster/internal/rows"
)

func TestRatio(t *testing.T) {
	type test struct {
		Name          string
		Workload      workload
		Stock, Plugin []float64 // the seconds of each round
		Ratio         float64
		Below         bool
	}
	for _, test := range rows.Read[test](t, "ratios.yaml") {
		r := result{workload: test.Workload}
		run := func(seconds float64) measurement {
			return measurement{Pods: 101, Seconds: seconds, CPU: seconds * seconds}
		}
		for i := range test.Stock {
			r.rounds = append(r.rounds, round{run(test.Stock[i]), run(test.Plugin[i])})
		}
		if got := r.ratio(); got != test.Ratio || len(below([]result{r})) > 0 != test.Below {
			t.Errorf("%s: ratio %v, want %v; below its floor: %v", test.Name, got, test.Ratio, below([]result{r}))
		}
	}
}
