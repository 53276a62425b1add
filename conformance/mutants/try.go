// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
)

// The tests of the first pass take quickTime together, and one that takes
// slowTime comes last.
const (
	quickTime = 50 * time.Millisecond
	slowTime  = 250 * time.Millisecond
)

// A trial runs tests against mutants.
type trial struct {
	tests   []test
	reaches map[int][]int // the tests, by their places in the list, that reach a mutant
	unused  []string      // those that fail without a mutant, because a package was rewritten
}

// newTrial runs each test by itself without a mutant, for its time and for the
// mutants that it reaches.
func newTrial(ctx context.Context, binaries []*binary, scratch string) (*trial, error) {
	var all []test
	for _, b := range binaries {
		names, err := b.list()
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			all = append(all, test{binary: b, name: name})
		}
	}
	t := &trial{reaches: map[int][]int{}}
	runs := make([]baseline, len(all))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.NumCPU())
	for i := range all {
		group.Go(func() (err error) {
			runs[i], err = all[i].baseline(ctx, filepath.Join(scratch, fmt.Sprint(i, ".reached")))
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for i, run := range runs {
		x := all[i]
		if !run.passed {
			t.unused = append(t.unused, x.name)
			continue
		}
		for _, k := range run.reached {
			t.reaches[k] = append(t.reaches[k], len(t.tests))
		}
		x.took = run.took
		t.tests = append(t.tests, x)
	}
	return t, nil
}

// A baseline is what a test does without a mutant.
type baseline struct {
	passed  bool
	took    time.Duration
	reached []int
}

// baseline runs the test without a mutant. One that fails when the reached mutants
// are noted down may pass without.
func (t test) baseline(ctx context.Context, reached string) (baseline, error) {
	t.took = time.Minute
	o := t.binary.run(ctx, []test{t}, 0, false, reached)
	if !o.passed && ctx.Err() == nil {
		o = t.binary.run(ctx, []test{t}, 0, false, "")
	}
	if ctx.Err() != nil {
		return baseline{}, ctx.Err()
	}
	numbers, err := readNumbers(reached)
	return baseline{o.passed, o.took, numbers}, err
}

// readNumbers reads the numbers of a file, one in a line. Without the file there
// are none.
func readNumbers(path string) ([]int, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var numbers []int
	for _, field := range strings.Fields(string(data)) {
		n := 0
		if _, err := fmt.Sscan(field, &n); err != nil {
			return nil, err
		}
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	return slices.Compact(numbers), err
}

// try says what becomes of a mutant: first the quickest tests that reach it run,
// with few random cases, then all but the slow ones, and then those. One that is
// listed as equivalent is tried only where all are.
func (t *trial) try(ctx context.Context, m *mutant, all bool) {
	if m.listed == equivalent && !all {
		m.status = equivalent
		return
	}
	if m.site.dropped != "" {
		m.status, m.reason = notTried, "does not compile: "+m.site.dropped
		return
	}
	var tests []test
	for _, i := range t.reaches[m.number] {
		tests = append(tests, t.tests[i])
	}
	if len(tests) == 0 {
		m.status = notCovered
		return
	}
	m.status = survived
	quick, slow := split(tests)
	for i, pass := range [][]test{tests[:quick], tests[:slow], tests[slow:]} {
		for len(pass) > 0 {
			var own []test
			own, pass = ofBinary(pass, pass[0].binary)
			if o := own[0].binary.run(ctx, own, m.number, i == 0, ""); !o.passed {
				m.status, m.by = killed, o.by
				return
			}
		}
	}
}

// split sorts the tests by the time that they take, and returns how many of the
// first take quickTime together, and how many are not slow.
func split(tests []test) (quick, slow int) {
	slices.SortStableFunc(tests, func(a, b test) int { return cmp.Compare(a.took, b.took) })
	var sum time.Duration
	for _, t := range tests {
		if sum += t.took; sum <= quickTime {
			quick++
		}
		if t.took < slowTime {
			slow++
		}
	}
	return quick, slow
}
