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
		for s, rounds := range [...][]float64{test.Stock, test.Plugin} {
			for _, seconds := range rounds {
				r.runs[s] = append(r.runs[s], measurement{Pods: 101, Seconds: seconds, CPU: seconds * seconds})
			}
		}
		if got := r.ratio(); got != test.Ratio || len(below([]result{r})) > 0 != test.Below {
			t.Errorf("%s: ratio %v, want %v; below its floor: %v", test.Name, got, test.Ratio, below([]result{r}))
		}
	}
}
