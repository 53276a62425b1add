// SPDX-License-Identifier: Apache-2.0

//go:build unix

// Package measure measures the processor time of two ways to do the same work.
// Each side of a [Row] runs in a process of its own, so that only its own data is
// alive. Command ratios of module conformance starts these processes.
package measure

import (
	"encoding/json"
	"flag"
	"os"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"
)

// A Side is one way to do the work: a benchmark that reports the "cost" of one piece, in
// nanoseconds on processors or in bytes, such as a result of [Times] or [Each].
type Side func(b *testing.B)

// A Row is one piece of work, done in two ways.
type Row struct {
	Name   string
	Beside string  // the name of their code
	Floor  float64 // the least ratio of their cost to ours
	Allocs int64   // our most allocations for one piece of work, or -1 for any number
	Bytes  bool    // the cost is memory, not time
	Ours   Side    `json:"-"`
	Theirs Side    `json:"-"`
}

// Beside returns a row whose cost is time.
func Beside(beside, name string, floor float64, allocs int64, ours, theirs Side) Row {
	return Row{Name: name, Beside: beside, Floor: floor, Allocs: allocs, Ours: ours, Theirs: theirs}
}

// Each returns a side that does the work again and again.
func Each(work func()) Side {
	return Times(func(n int) {
		for range n { // b.Loop costs more than the shortest work
			work()
		}
	})
}

// Times returns a side that does the work n times in a loop of its own. For the shortest
// work, the calls of Each would cost much.
func Times(work func(n int)) Side {
	return func(b *testing.B) {
		work(1) // not measured, because it may create what the others use
		runtime.GC()
		b.ResetTimer()
		start := CPU()
		work(b.N)
		b.ReportMetric(float64(CPU()-start)/float64(b.N), "cost")
	}
}

// CPU returns the time that the process has spent on processors, including its
// garbage collector and the system's work for it.
func CPU() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		panic(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// Must panics unless the result of the work is right.
func Must(right bool) {
	if !right {
		panic("wrong")
	}
}

// Main is the main function of a program that measures one side of a row. With
// -row NAME it runs their side of the row once, with -ours too it runs ours, and it
// writes the [testing.BenchmarkResult] as JSON. Otherwise it writes the rows.
func Main(rows []Row) {
	name := flag.String("row", "", "run one side of the row with this `name`")
	ours := flag.Bool("ours", false, "with -row: run our side")
	testing.Init() // for -test.benchtime
	flag.Parse()
	var result any = rows
	if i := slices.IndexFunc(rows, func(r Row) bool { return r.Name == *name }); i >= 0 {
		side := rows[i].Theirs
		if *ours {
			side = rows[i].Ours
		}
		result = testing.Benchmark(side)
	}
	if err := json.NewEncoder(os.Stdout).Encode(result); err != nil {
		panic(err)
	}
}
