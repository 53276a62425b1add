// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
)

// A script has the seconds that runs take, by side, in order. A run with negative
// seconds fails, and so does a run after the last.
type script struct {
	seconds [2][]float64
	ran     []string
}

func (s *script) run(_ context.Context, w workload, on side) (measurement, int, error) {
	s.ran = append(s.ran, on.String())
	seconds := -1.0
	if len(s.seconds[on]) > 0 {
		seconds, s.seconds[on] = s.seconds[on][0], s.seconds[on][1:]
	}
	if seconds < 0 {
		return measurement{}, 0, errors.New(w.Case + " fails")
	}
	return measurement{Pods: 101, Seconds: seconds, CPU: 2 * seconds}, 10, nil
}

func TestCompare(t *testing.T) {
	order := strings.Fields(strings.Repeat("stock plugin plugin stock ", 3))
	ten, paced := slices.Repeat([]float64{10}, 5), workload{Paced: true}
	for _, test := range []struct {
		name          string
		workload      workload
		rounds        int
		stock, plugin []float64 // all of them are run
		ratio         float64
		below         bool
	}{
		{"one round", workload{}, 1, []float64{10}, []float64{10}, 1, false},
		{"in turn", workload{}, 3, []float64{12, 4, 10}, []float64{9.6, 8, 5}, 1.25, false},
		{"two more rounds", workload{}, 1, []float64{10, 10, 5}, []float64{11, 10, 5}, 1, false},
		{"a run fails once", workload{}, 1, []float64{10}, []float64{-1, 8}, 1.25, false},
		{"the faster of two", workload{}, 2, []float64{10, 11}, []float64{8, 11}, 1.25, false},
		{"too slow", workload{}, 1, ten, []float64{13, 12.5, 12, 12.5, 12.5}, 0.8, true},
		{"a floor of its own", workload{Floor: 3}, 1, ten, []float64{4, 4, 4, 4, 4}, 2.5, true},
		{"paced", paced, 2, []float64{10, 12}, []float64{5, 6}, 2, false},
		{"not measured", paced, 1, make([]float64, 5), make([]float64, 5), 0, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := &script{seconds: [2][]float64{test.stock, test.plugin}}
			results, err := compare(t.Context(), s.run, []workload{test.workload}, test.rounds)
			if err != nil || len(results) != 1 {
				t.Fatalf("%d results, %v", len(results), err)
			}
			if want := order[:len(test.stock)+len(test.plugin)]; !slices.Equal(s.ran, want) {
				t.Errorf("ran %s, want %s", s.ran, want)
			}
			if got := results[0].ratio(); got != test.ratio || len(below(results)) > 0 != test.below {
				t.Errorf("ratio %v, want %v; below its floor: %v", got, test.ratio, below(results))
			}
		})
	}
	s := &script{seconds: [2][]float64{{10, 10}, {10}}}
	results, err := compare(t.Context(), s.run, []workload{{Case: "A"}, {Case: "B", Name: "Large"}}, 1)
	if len(results) != 1 || results[0].workload.Case != "A" || err == nil || !strings.Contains(err.Error(), "B/Large has failed") {
		t.Errorf("B fails: results %v, %v", results, err)
	}
}
