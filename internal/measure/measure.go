// SPDX-License-Identifier: Apache-2.0

// Package measure measures how much time on processors two ways to do one piece of
// work take. Each side runs in a process of its own, so that only its own data is
// alive; package main of conformance/ratios asks the processes in turn.
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
	// Beside is whose way Other is: Kubernetes', an adopter's or that of a plain
	// loop.
	Beside string
	// Floor is how many times faster the library is to be, at the least.
	Floor float64
	// Allocs is how many allocations the library may make for one piece, at the
	// most.
	Allocs float64
	// Ours and Other make the data of their side, and return what does the work
	// n times.
	Ours  Side `json:"-"`
	Other Side `json:"-"`
}

// A Side makes its data and returns what does a piece of work n times.
type Side func() func(n int)

// Side returns one side of the row.
func (r Row) Side(ours bool) Side {
	if ours {
		return r.Ours
	}
	return r.Other
}

// Each returns what does the work n times.
func Each(work func()) func(n int) {
	return func(n int) {
		for range n {
			work()
		}
	}
}

// MustNot panics if the work led to what it must not lead to.
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

// New finds out how many pieces of work take about as long as the slice. The first
// piece, which may make what the others use, does not count.
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

// Nanoseconds returns how long one piece of work takes on processors, garbage
// collection included.
func (m *Measurement) Nanoseconds() float64 {
	runtime.GC() // so that no measurement pays for the garbage of the one before
	start := CPU()
	m.work(m.n)
	return float64(CPU()-start) / float64(m.n)
}

// Allocs returns how many allocations one piece of work makes: the mean of as many
// as a slice of time holds, but of at most 1000.
func (m *Measurement) Allocs() float64 {
	n := min(m.n, 1000)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var before, after runtime.MemStats
	m.work(1)
	runtime.ReadMemStats(&before)
	m.work(n)
	runtime.ReadMemStats(&after)
	return float64((after.Mallocs - before.Mallocs) / uint64(n))
}

// Answer measures for each line that it reads and writes the nanoseconds, and at
// the end of the input the allocations.
func (m *Measurement) Answer(r io.Reader, w io.Writer) error {
	answers := json.NewEncoder(w)
	for lines := bufio.NewScanner(r); lines.Scan(); {
		if err := answers.Encode(m.Nanoseconds()); err != nil {
			return err
		}
	}
	return answers.Encode(m.Allocs())
}
