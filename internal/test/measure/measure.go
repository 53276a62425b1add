// SPDX-License-Identifier: Apache-2.0

// Package measure measures the processor time of two ways to do the same work.
// Each side of a [Row] runs in a process of its own, so that only its own data is
// alive. Command ratios of module conformance starts these processes.
package measure

import (
	"cmp"
	"encoding/json"
	"flag"
	"os"
	"runtime"
	"slices"
	"testing"
)

// A Side is one way to do the work, as a benchmark: a result of [Times] or [Each], or
// a function that calls [Loop] or [Report].
type Side func(b *testing.B)

// A Row is one piece of work, done in two ways.
type Row struct {
	Name   string
	Beside string  // the name of their code
	Floor  float64 // the least ratio of their cost to ours
	Allocs int64   // our most allocations for one piece of work, or -1 for any number
	Bytes  bool    // the cost is memory, not time

	Ours   Side `json:"-"`
	Theirs Side `json:"-"`
}

// A Cost is the result of one run of a side: nanoseconds on processors or bytes,
// and allocations, for one piece of work.
type Cost struct {
	Amount float64
	Allocs int64
}

// Each returns a side that only does the work. It has nothing to create.
func Each(work func()) Side {
	return func(b *testing.B) { Loop(b, work) }
}

// Loop does the work again and again, and reports its mean cost.
func Loop(b *testing.B, work func()) {
	Times(func(n int) {
		for range n { // b.Loop costs more than the shortest work
			work()
		}
	})(b)
}

// Times returns a side that does the work n times in a loop of its own, and reports the
// mean cost, with that of the garbage collector. For the shortest work, the calls of
// Loop would cost much.
func Times(work func(n int)) Side {
	return func(b *testing.B) {
		work(1) // not measured, because it may create what the others use
		runtime.GC()
		b.ResetTimer()
		start := CPU()
		work(b.N)
		Report(b, float64(CPU()-start)/float64(b.N))
	}
}

// Report reports the cost of one piece of work.
func Report(b *testing.B, cost float64) { b.ReportMetric(cost, "cost") }

// Run measures a side.
func Run(s Side) Cost {
	r := testing.Benchmark(s)
	return Cost{Amount: r.Extra["cost"], Allocs: r.AllocsPerOp()}
}

// Median returns the cost in the middle.
func Median(costs []Cost) Cost {
	slices.SortFunc(costs, func(a, b Cost) int { return cmp.Compare(a.Amount, b.Amount) })
	return costs[len(costs)/2]
}

// Must panics unless the result of the work is right.
func Must(right bool) {
	if !right {
		panic("wrong")
	}
}

// Main is the main function of a program that measures one side of a row. With
// -row NAME it runs their side of the row once, with -ours too it runs ours, and it
// writes the [Cost] as JSON. Without flags it writes the rows.
func Main(rows []Row) {
	name := flag.String("row", "", "run one side of the row with this `name`")
	ours := flag.Bool("ours", false, "with -row: run our side")
	testing.Init() // for -test.benchtime
	flag.Parse()
	var result any = rows
	if *name != "" {
		row := rows[slices.IndexFunc(rows, func(r Row) bool { return r.Name == *name })]
		side := row.Theirs
		if *ours {
			side = row.Ours
		}
		result = Run(side)
	}
	if err := json.NewEncoder(os.Stdout).Encode(result); err != nil {
		panic(err)
	}
}

// Test runs both sides of each row for a moment, and checks our allocations.
func Test(t *testing.T, rows []Row) {
	if err := flag.Set("test.benchtime", "5ms"); err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		ours, theirs := Run(row.Ours), Run(row.Theirs)
		if row.Floor <= 0 || ours.Amount <= 0 || theirs.Amount <= 0 || row.Allocs >= 0 && ours.Allocs > row.Allocs {
			t.Errorf("%s: floor %v, ours %v, theirs %v", row.Name, row.Floor, ours, theirs)
		}
	}
}
