// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/seed-0529bac1/taints/conformance/internal/work"
	"github.com/seed-0529bac1/taints/internal/measure"
)

var sample = report{
	Machine: "a <machine>", Go: "1.26.0",
	Rows: []rowRatio{
		{
			Work:   "filter & find",
			Beside: work.Kubernetes,
			Ours:   side{45, 50, 0},
			Other:  side{2128, 2500, 6},
			Ratio:  50,
			Least:  47.3,
			Floor:  10,
			Met:    true,
		},
		{
			Work:        "hostile",
			Beside:      work.PlainLoop,
			Ours:        side{500, 500, 2},
			Other:       side{250, 250, 0},
			Ratio:       0.5,
			Least:       0.5,
			Floor:       0.5,
			AllocsFloor: 16,
			Met:         true,
		},
		{
			Work:        "print",
			Beside:      work.Kubernetes,
			Ours:        side{1234, 1234, 1},
			Other:       side{2_468_000, 2_468_000, 4},
			Ratio:       2000,
			Least:       2000,
			Floor:       10000,
			AllocsFloor: 1,
		},
	},
	Queue: []phase{
		{Work: "all", Unit: "ns", Ours: 1.5e9, Kubernetes: 6e9, Ratio: 4, Floor: 3, Met: true},
		{Work: "cancel", Unit: "ns", Ours: 1e6, Kubernetes: 2e6, Ratio: 2, Met: true},
		{Work: "heap", Unit: "bytes", Ours: 2 << 20, Kubernetes: 5 << 20, Ratio: 2.5, Floor: 3},
	},
	Import: []cost{
		{Of: "ours", Packages: 1, Modules: 1, Lines: 2000, Bytes: 12 << 10, MostBytes: 200 << 10, Met: true},
		{Of: "kubernetes", Packages: 64, Modules: 19, Lines: 211104, Bytes: 7 << 20, Met: true},
	},
}

func TestTable(t *testing.T) {
	const want = `a <machine>, Go 1.26.0

| work          | ours   | Kubernetes | ratio (of the least) | allocations | floor     |        |
|---------------|--------|------------|----------------------|-------------|-----------|--------|
| filter & find | 50 ns  | 2.5 µs     | 50× (47×)            | 0 / 6       | 10×, 0    | met    |
| print         | 1.2 µs | 2.5 ms     | 2000× (2000×)        | 1 / 4       | 10000×, 1 | MISSED |

| work    | ours   | a plain loop | ratio (of the least) | allocations | floor    |     |
|---------|--------|--------------|----------------------|-------------|----------|-----|
| hostile | 500 ns | 250 ns       | 0.5× (0.5×)          | 2 / 0       | 0.5×, 16 | met |

| a million pending evictions | ours   | Kubernetes | ratio | floor |        |
|-----------------------------|--------|------------|-------|-------|--------|
| all                         | 1.5 s  | 6.0 s      | 4.0×  | 3.0×  | met    |
| cancel                      | 1.0 ms | 2.0 ms     | 2.0×  |       |        |
| heap                        | 2.0 MB | 5.0 MB     | 2.5×  | 3.0×  | MISSED |

| cost of the import | packages | modules | lines  | binary | floor            |     |
|--------------------|----------|---------|--------|--------|------------------|-----|
| ours               | 1        | 1       | 2000   | 12 KB  | 0 others, 200 KB | met |
| kubernetes         | 64       | 19      | 211104 | 7.0 MB |                  |     |
`
	var b bytes.Buffer
	if err := sample.table(&b); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{
		{"more"},
		{"-repeats", "0"},
		{"-slice", "0s"},
		{"-unknown"},
		{"-match", "("},
		{"-row", "1000"},
		{"-rounds", "0"},
	} {
		var stdout, stderr bytes.Buffer
		if code := run(args, &stdout, &stderr); code != 2 || stdout.Len() > 0 || stderr.Len() == 0 {
			t.Errorf("%q: code %d, %q", args, code, stderr.String())
		}
	}
}

// here is a starter without a process.
func here(rows []measure.Row) starter {
	return func(row int, ours bool) (measurer, error) {
		return measurement{measure.New(rows[row].Side(ours)(), time.Millisecond)}, nil
	}
}

func TestCompare(t *testing.T) {
	var kept []byte
	cheap := func() func(int) {
		return func(n int) {
			for range n {
				kept = nil
			}
		}
	}
	dear := func() func(int) {
		return func(n int) {
			for range n {
				kept = make([]byte, 100)
			}
		}
	}
	for _, tc := range []struct {
		row  measure.Row
		want bool
	}{
		{measure.Row{Name: "n", Floor: 1e-9, Ours: cheap, Other: dear}, true},
		{measure.Row{Name: "a floor out of reach", Floor: 1e9, Ours: cheap, Other: dear}, false},
		{measure.Row{Name: "an allocation too many", Floor: 1e-9, Ours: dear, Other: dear}, false},
		{measure.Row{Name: "an allocation allowed", Floor: 1e-9, Allocs: 1, Ours: dear, Other: dear}, true},
	} {
		x, err := compare([]measure.Row{tc.row}, 0, 2, 3, here([]measure.Row{tc.row}))
		if err != nil || x.Met != tc.want || x.Work != tc.row.Name ||
			x.Ours.Least <= 0 || x.Ours.Least > x.Ours.Median ||
			x.Ratio <= 0 || x.Least != x.Other.Least/x.Ours.Least {
			t.Errorf("%s: %+v, %v", tc.row.Name, x, err)
		}
	}
	_ = kept
}

// A script is a measurer that answers what is written in it.
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

// A slow moment of the machine, which both sides see, does not count.
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

// A row answers once for each line, and then how much it allocates.
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

// Each row does its work in both ways without failing.
func TestRows(t *testing.T) {
	for _, row := range work.Rows() {
		row.Ours()(2)
		row.Other()(2)
		if row.Name == "" || row.Beside == "" || row.Floor < 0.5 {
			t.Errorf("%+v", row)
		}
	}
}
