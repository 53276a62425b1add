// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/seed-0529bac1/taints/conformance/internal/gotest"
)

// A result is what the tests of a package did. A test with subtests is not
// counted, unless it failed without one of them.
type result struct {
	pkg      string
	passed   []string
	failed   []string
	skipped  int
	finished bool                // the package's tests came to an end
	elapsed  time.Duration       // without building
	output   map[string][]string // by test
	reached  []string            // replaced functions that were called
}

// readResult reads what "go test -json" prints.
func readResult(pkg string, r io.Reader) (*result, error) {
	run, err := gotest.Read(r)
	if err != nil {
		return nil, err
	}
	x := &result{pkg: pkg, finished: run.Finished, elapsed: run.Elapsed, output: run.Output}
	x.count(run.Outcome)
	return x, nil
}

func (x *result) count(outcome map[string]string) {
	parents, failing := map[string]bool{}, map[string]bool{}
	for name, action := range outcome {
		for i := strings.LastIndex(name, "/"); i >= 0; i = strings.LastIndex(name[:i], "/") {
			parents[name[:i]] = true
			failing[name[:i]] = failing[name[:i]] || action == "fail"
		}
	}
	for name, action := range outcome {
		switch {
		case action == "fail" && !failing[name]:
			x.failed = append(x.failed, name)
		case parents[name]:
		case action == "pass":
			x.passed = append(x.passed, name)
		case action == "skip":
			x.skipped++
		}
	}
	slices.Sort(x.passed)
	slices.Sort(x.failed)
}

func (x *result) tests() int { return len(x.passed) + len(x.failed) + x.skipped }

// faults returns how many lines the test reported, as Errorf and Log do.
func (x *result) faults(test string) int {
	n := 0
	for _, line := range x.output[test] {
		if faultLine.MatchString(line) {
			n++
		}
	}
	return n
}

// faultLine is a line that a test reports: indented, with a place in a test.
var faultLine = regexp.MustCompile(`^ +\w+_test\.go:\d+: `)

func (x *result) showFailures(w io.Writer) {
	for _, name := range x.failed {
		fmt.Fprintf(w, "--- %s %s\n%s", x.pkg, name, strings.Join(x.output[name], ""))
	}
}

// A table collects the results.
type table struct {
	w     io.Writer
	lines []string
	notes []string
	bad   []string
}

// The head counts the functions that are replaced in the package, those of them
// that its tests call, and those that they call in packages below.
const head = "| package | replaced | reached | reached below | passed | failed as documented | failed otherwise | time |\n" +
	"|---|---|---|---|---|---|---|---|"

// names notes what is replaced where nothing is run.
func (t *table) names(pkg string, replaced []string) {
	t.lines = append(t.lines, fmt.Sprintf("%s: %s", pkg, strings.Join(replaced, " ")))
}

// add adds a line for the package, of which the functions are replaced.
func (t *table) add(r *result, replaced []string) {
	if len(t.lines) == 0 {
		t.lines = append(t.lines, head)
	}
	documented, others := 0, 0
	for _, name := range r.failed {
		d, ok := differences[r.pkg+" "+name]
		if faults := r.faults(name); !ok || faults != d.faults {
			others++
			t.bad = append(t.bad, fmt.Sprintf("%s %s fails with %d faults, of which %d are documented",
				r.pkg, name, faults, d.faults))
			continue
		}
		documented++
		t.notes = append(t.notes, fmt.Sprintf("- %s %s: %s", r.pkg, name, d.reason))
	}
	for key := range differences {
		if name, ok := strings.CutPrefix(key, r.pkg+" "); ok && !slices.Contains(r.failed, name) {
			t.bad = append(t.bad, fmt.Sprintf("%s passes or is not there, and is documented as a difference", key))
		}
	}
	if !r.finished {
		t.bad = append(t.bad, r.pkg+" did not come to an end")
	}
	reached := 0
	for _, name := range replaced {
		if slices.Contains(r.reached, r.pkg+"."+name) {
			reached++
		}
	}
	t.lines = append(t.lines, fmt.Sprintf("| %s | %d | %d | %d | %d | %d | %d | %.1f s |",
		r.pkg, len(replaced), reached, len(r.reached)-reached, len(r.passed), documented, others, r.elapsed.Seconds()))
	if len(r.reached) == 0 {
		t.bad = append(t.bad, r.pkg+": its tests call no function that was replaced")
	}
}

// finish prints the table and reports whether all is as documented.
func (t *table) finish() bool {
	fmt.Fprintln(t.w, strings.Join(t.lines, "\n"))
	slices.Sort(t.bad)
	for _, list := range [][]string{t.notes, t.bad} {
		if len(list) > 0 {
			fmt.Fprintf(t.w, "\n%s\n", strings.Join(list, "\n"))
		}
	}
	return len(t.bad) == 0
}
