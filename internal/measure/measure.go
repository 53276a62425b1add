// SPDX-License-Identifier: Apache-2.0

// Package measure measures the processor time of two ways to do the same work.
// Each side runs in its own process, so that only its own data is alive;
// package main of conformance/ratios queries the processes in turn.
package measure

import (
	"bufio"
	"encoding/json"
	"io"
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

// Side returns one side of the row.
func (r Row) Side(ours bool) Side {
	if ours {
		return r.Ours
	}
	return r.Other
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

// A Measurement measures a piece of work.
type Measurement struct {
	work func(n int)
	n    int // pieces of work in a slice of time
}

// New determines how many pieces of work take about as long as the slice. The
// first piece does not count, because it may create what the others use.
func New(work func(n int), slice time.Duration) *Measurement {
	work(1)
	for n := 1; ; n *= 2 {
		start := CPU()
		work(n)
		if taken := CPU() - start; taken >= slice/2 || n >= 1<<30 {
			return &Measurement{work, max(1, int(float64(n)*float64(slice)/float64(max(taken, 1))))}
		}
	}
}

// A Sample is the cost of one piece of work: the time that it takes on processors
// in nanoseconds, garbage collection included, and its allocations. Both are means
// over the pieces in a slice of time.
type Sample struct{ Nanoseconds, Allocs float64 }

// Sample measures once.
func (m *Measurement) Sample() Sample {
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

// Answer measures once for each line that it reads, and writes the sample.
func (m *Measurement) Answer(r io.Reader, w io.Writer) error {
	answers := json.NewEncoder(w)
	for lines := bufio.NewScanner(r); lines.Scan(); {
		if err := answers.Encode(m.Sample()); err != nil {
			return err
		}
	}
	return nil
}
