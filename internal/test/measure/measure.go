// SPDX-License-Identifier: Apache-2.0

// Package measure measures the processor time of two ways to do the same work.
// Each side runs in its own process, so that only its own data is alive;
// package main of conformance/ratios starts the programs that call [Main], and
// queries them in turn.
package measure

import (
	"bufio"
	"encoding/json"
	"flag"
	"os"
	"runtime"
	"time"
)

// A Row is one piece of work, done in two ways.
type Row struct {
	Name string
	// Beside names the way of Other: that of Kubernetes, an adopter or a plain
	// loop.
	Beside string
	// Floor is how many times faster the library must be, at least.
	Floor float64
	// Allocs is the largest number of allocations that the library may make for
	// one piece of work.
	Allocs float64
	// Ours and Other create the data of their side, and return a function that
	// does the work n times.
	Ours  Side `json:"-"`
	Other Side `json:"-"`
}

// A Side creates its data and returns a function that does the work n times.
type Side func() func(n int)

// A Phase is one part of the work of a queue that holds the evictions of many pods,
// or the memory that it uses.
type Phase struct {
	Work   string
	Cost   float64 // nanoseconds on processors, or bytes of live heap
	Memory bool
	Floor  float64 // how much less it must cost than in Kubernetes, or 0
}

// Each returns a function that does the work n times.
func Each(work func()) func(n int) {
	return func(n int) {
		for range n {
			work()
		}
	}
}

// MustNot panics if the result of the work is wrong.
func MustNot(wrong bool) {
	if wrong {
		panic("wrong")
	}
}

// A measurement measures a piece of work.
type measurement struct {
	work func(n int)
	n    int // pieces of work in a slice of time
}

// newMeasurement determines how many pieces of work take about as long as the slice.
// The first piece does not count, because it may create what the others use.
func newMeasurement(work func(n int), slice time.Duration) *measurement {
	work(1)
	for n := 1; ; n *= 2 {
		start := CPU()
		work(n)
		if taken := CPU() - start; taken >= slice/2 || n >= 1<<30 {
			return &measurement{work, max(1, int(float64(n)*float64(slice)/float64(max(taken, 1))))}
		}
	}
}

// A Sample is the cost of one piece of work: the time that it takes on processors
// in nanoseconds, garbage collection included, and its allocations. Both are means
// over the pieces in a slice of time.
type Sample struct{ Nanoseconds, Allocs float64 }

// sample measures once.
func (m *measurement) sample() Sample {
	runtime.GC() // so that no measurement includes the garbage of the previous one
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := CPU()
	m.work(m.n)
	taken := CPU() - start
	runtime.ReadMemStats(&after)
	return Sample{
		Nanoseconds: float64(taken) / float64(m.n),
		Allocs:      float64((after.Mallocs - before.Mallocs) / uint64(m.n)),
	}
}

// Main is a program's main function. Without flags it writes the rows as JSON. With
// -row it measures one side of a row once for each line that it reads, and writes
// the sample. With -queue it writes the phases of a queue.
func Main(rows []Row, queue func(pods int) []Phase) {
	row := flag.Int("row", -1, "measure one side of this `row`")
	ours := flag.Bool("ours", false, "with -row: the library's side")
	slice := flag.Duration("slice", 20*time.Millisecond, "how long one measurement takes")
	pods := flag.Int("queue", 0, "measure a queue of so many `pods`")
	flag.Parse()
	out := json.NewEncoder(os.Stdout)
	write := func(v any) {
		if err := out.Encode(v); err != nil {
			panic(err)
		}
	}
	switch {
	case *pods > 0:
		write(queue(*pods))
	case *row < 0:
		write(rows)
	default:
		side := rows[*row].Other
		if *ours {
			side = rows[*row].Ours
		}
		m := newMeasurement(side(), *slice)
		for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
			write(m.sample())
		}
	}
}
