// SPDX-License-Identifier: Apache-2.0

package main

import "testing"

func TestRatio(t *testing.T) {
	for _, test := range []struct {
		name          string
		workload      workload
		stock, plugin []float64 // the seconds of each round
		ratio         float64
		below         bool
	}{
		{"one round", workload{}, []float64{10}, []float64{10}, 1, false},
		{"the median", workload{}, []float64{12, 4, 10}, []float64{9.6, 8, 5}, 1.25, false},
		{"the faster of two", workload{}, []float64{10, 11}, []float64{8, 11}, 1.25, false},
		{"too slow", workload{}, []float64{10}, []float64{12.5}, 0.8, true},
		{"a floor of its own", workload{Floor: 3}, []float64{10}, []float64{4}, 2.5, true},
		{"paced", workload{Paced: true}, []float64{10, 12}, []float64{5, 6}, 2, false},
		{"not measured", workload{Paced: true}, []float64{0}, []float64{0}, 0, true},
	} {
		r := result{workload: test.workload}
		for s, rounds := range [...][]float64{test.stock, test.plugin} {
			for _, seconds := range rounds {
				r.runs[s] = append(r.runs[s], measurement{Pods: 101, Seconds: seconds, CPU: 2 * seconds})
			}
		}
		if got := r.ratio(); got != test.ratio || len(below([]result{r})) > 0 != test.below {
			t.Errorf("%s: ratio %v, want %v; below its floor: %v", test.name, got, test.ratio, below([]result{r}))
		}
	}
}
