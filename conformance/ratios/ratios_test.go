// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/seed-0529bac1/taints/conformance/internal/work"
	"github.com/seed-0529bac1/taints/internal/measure"
)

// A script is a measurer that returns prepared answers.
type script struct {
	times  []float64
	count  float64
	broken error
}

func (s *script) nanoseconds() (float64, error) {
	if len(s.times) == 0 {
		return 0, s.broken
	}
	t := s.times[0]
	s.times = s.times[1:]
	return t, nil
}

func (s *script) allocs() (float64, error) { return s.count, s.broken }

// A slow moment of the machine that affects both sides does not count.
func TestCompareInPairs(t *testing.T) {
	ours, other := &script{times: []float64{10, 100, 20}, count: 1}, &script{times: []float64{70, 800, 180}, count: 2}
	start := func(row int, mine bool) (measurer, error) {
		if mine {
			return ours, nil
		}
		return other, nil
	}
	got, err := compare([]measure.Row{{Name: "n", Floor: 8, Allocs: 1}}, 0, 1, 3, start)
	want := rowRatio{
		Work: "n", Ours: side{10, 20, 1}, Other: side{70, 180, 2},
		Ratio: 8, Least: 7, Floor: 8, AllocsFloor: 1, Met: true,
	}
	if err != nil || got != want {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	for _, broken := range []*script{ours, other} {
		broken.broken = errors.New("failed")
		for _, repeats := range []int{0, 1} {
			if _, err := compare([]measure.Row{{}}, 0, 1, repeats, start); !errors.Is(err, broken.broken) {
				t.Errorf("got %v, want the failure", err)
			}
		}
		broken.broken = nil
	}
	failing := func(int, bool) (measurer, error) { return nil, errors.New("failed") }
	if _, err := compare([]measure.Row{{}}, 0, 1, 1, failing); err == nil {
		t.Error("a failure to start is not reported")
	}
}

// TestQueuePhases measures small queues and checks the totals and the heap.
func TestQueuePhases(t *testing.T) {
	phases, err := queuePhases(2, func(ours bool) (work.QueueCost, error) {
		var b bytes.Buffer
		var c work.QueueCost
		if err := runQueue(&b, 20_000, ours); err != nil {
			return c, err
		}
		return c, json.Unmarshal(b.Bytes(), &c)
	})
	if err != nil || len(phases) != 6 {
		t.Fatalf("%+v, %v", phases, err)
	}
	for _, p := range phases[4:] {
		if p.Ours <= 0 || p.Kubernetes <= 0 || p.Ratio <= 0 || p.Met != (p.Ratio >= p.Floor) {
			t.Errorf("%+v", p)
		}
	}
}

// TestRows does the work of each row both ways, and expects no failure.
func TestRows(t *testing.T) {
	for _, row := range work.Rows() {
		row.Ours()(2)
		row.Other()(2)
		if row.Name == "" || row.Beside == "" || row.Floor < 0.5 {
			t.Errorf("%+v", row)
		}
	}
}
