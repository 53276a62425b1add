// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/measurement"
)

// took is a run of 101 pods in so many seconds.
func took(seconds float64) measurement.Run {
	return measurement.Run{Pods: 101, Seconds: seconds, CPU: 2 * seconds}
}

// A script has the seconds that runs take, by side and in their order.
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
	return took(seconds), 10, nil
}

func TestCompare(t *testing.T) {
	for _, test := range []struct {
		name     string
		workload workload
		rounds   int
		seconds  [2][]float64
		ran      string
		ratio    float64
		below    bool
	}{
		{name: "one round", rounds: 1, seconds: [2][]float64{{10}, {10}}, ran: "stock plugin", ratio: 1},
		{
			name: "in turn", rounds: 3, seconds: [2][]float64{{12, 4, 10}, {9.6, 8, 5}},
			ran: "stock plugin plugin stock stock plugin", ratio: 1.25,
		},
		{
			name: "two more rounds", rounds: 1, seconds: [2][]float64{{10, 10, 5}, {11, 10, 5}},
			ran: "stock plugin plugin stock stock plugin", ratio: 1,
		},
		{
			name: "the faster of two", rounds: 2, seconds: [2][]float64{{10, 11}, {8, 11}},
			ran: "stock plugin plugin stock", ratio: 1.25,
		},
		{
			name: "too slow", rounds: 1, seconds: [2][]float64{{10, 10, 10, 10, 10}, {13, 12.5, 12, 12.5, 12.5}},
			ran: "stock plugin plugin stock stock plugin plugin stock stock plugin", ratio: 0.8, below: true,
		},
		{
			name: "a floor of its own", workload: workload{Floor: 3}, rounds: 1,
			seconds: [2][]float64{{10, 10, 10, 10, 10}, {4, 4, 4, 4, 4}},
			ran:     "stock plugin plugin stock stock plugin plugin stock stock plugin", ratio: 2.5, below: true,
		},
		{
			name: "paced", workload: workload{Paced: true}, rounds: 2,
			seconds: [2][]float64{{10, 12}, {5, 6}},
			ran:     "stock plugin plugin stock", ratio: 2,
		},
		{
			name: "not measured", workload: workload{Paced: true}, rounds: 1,
			seconds: [2][]float64{{0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}},
			ran:     "stock plugin plugin stock stock plugin plugin stock stock plugin", ratio: 0, below: true,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := &script{seconds: test.seconds}
			results, err := compare(t.Context(), s.run, []workload{test.workload}, test.rounds)
			if err != nil || len(results) != 1 {
				t.Fatalf("%d results, %v", len(results), err)
			}
			if got := strings.Join(s.ran, " "); got != test.ran {
				t.Errorf("ran %s, want %s", got, test.ran)
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

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s = &script{}
	_, err = compare(ctx, s.run, []workload{{}}, 1)
	if !errors.Is(err, context.Canceled) || len(s.ran) > 0 {
		t.Errorf("after an interrupt: %v, and ran %v", err, s.ran)
	}
}

func TestChoose(t *testing.T) {
	for _, test := range []struct {
		match        string
		rounds, want int // want is 0 for an error
	}{{"", 1, len(workloads)}, {"^Tainted80/5000|^Waiting", 1, 2}, {"", 0, 0}, {"(", 1, 0}, {"NoSuchWorkload", 1, 0}} {
		chosen, err := options{match: test.match, rounds: test.rounds}.choose()
		if len(chosen) != test.want || (err != nil) != (test.want == 0) {
			t.Errorf("%+v: %v, %v", test, chosen, err)
		}
	}
}
