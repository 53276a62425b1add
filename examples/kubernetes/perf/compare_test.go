// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/measurement"
)

// A script has the seconds that runs take, by side, in order. A run with negative
// seconds fails, and so does a run after the last.
type script struct {
	seconds [2][]float64
	ran     []string
}

func (s *script) run(_ context.Context, w workload, on side) (measurement.Run, int, error) {
	s.ran = append(s.ran, on.String())
	if len(s.seconds[on]) == 0 {
		return measurement.Run{}, 0, errors.New(w.Case + " fails")
	}
	seconds := s.seconds[on][0]
	s.seconds[on] = s.seconds[on][1:]
	if seconds < 0 {
		return measurement.Run{}, 0, errors.New(w.Case + " fails once")
	}
	return measurement.Run{Pods: 101, Seconds: seconds, CPU: 2 * seconds}, 10, nil
}

func TestCompare(t *testing.T) {
	order := strings.Fields(strings.Repeat("stock plugin plugin stock ", 3))
	for _, test := range []struct {
		name          string
		workload      workload
		rounds        int
		stock, plugin []float64 // all of them are run
		ratio         float64
		below         bool
	}{
		{name: "one round", rounds: 1, stock: []float64{10}, plugin: []float64{10}, ratio: 1},
		{name: "in turn", rounds: 3, stock: []float64{12, 4, 10}, plugin: []float64{9.6, 8, 5}, ratio: 1.25},
		{name: "two more rounds", rounds: 1, stock: []float64{10, 10, 5}, plugin: []float64{11, 10, 5}, ratio: 1},
		{name: "a run fails once", rounds: 1, stock: []float64{10}, plugin: []float64{-1, 8}, ratio: 1.25},
		{name: "the faster of two", rounds: 2, stock: []float64{10, 11}, plugin: []float64{8, 11}, ratio: 1.25},
		{
			name: "too slow", rounds: 1, below: true, ratio: 0.8,
			stock: []float64{10, 10, 10, 10, 10}, plugin: []float64{13, 12.5, 12, 12.5, 12.5},
		},
		{
			name: "a floor of its own", workload: workload{Floor: 3}, rounds: 1, below: true, ratio: 2.5,
			stock: []float64{10, 10, 10, 10, 10}, plugin: []float64{4, 4, 4, 4, 4},
		},
		{
			name: "paced", workload: workload{Paced: true}, rounds: 2, ratio: 2,
			stock: []float64{10, 12}, plugin: []float64{5, 6},
		},
		{
			name: "not measured", workload: workload{Paced: true}, rounds: 1, below: true,
			stock: make([]float64, 5), plugin: make([]float64, 5),
		},
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
			if got := results[0].ratio(); got != test.ratio {
				t.Errorf("ratio %v, want %v", got, test.ratio)
			}
			if got := len(below(results)) > 0; got != test.below {
				t.Errorf("below its floor: %v, want %v", got, test.below)
			}
		})
	}
}

func TestCompareGoesOn(t *testing.T) {
	s := &script{seconds: [2][]float64{{10, 10}, {10}}}
	results, err := compare(t.Context(), s.run, []workload{{Case: "A"}, {Case: "B", Name: "Large"}}, 1)
	if len(results) != 1 || results[0].workload.Case != "A" {
		t.Errorf("results %v, want that of A", results)
	}
	if err == nil || !strings.Contains(err.Error(), "B/Large has failed") {
		t.Errorf("error %v, want that of B", err)
	}
}
