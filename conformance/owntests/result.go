// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-0529bac1/taints/conformance/internal/gotest"
	"github.com/seed-0529bac1/taints/conformance/internal/table"
)

// A result is the outcome of the tests of a package. A test with subtests is not
// counted unless it failed and none of its subtests did.
type result struct {
	pkg      string
	passed   []string
	failed   []string
	skipped  int
	finished bool                // the package's tests finished
	elapsed  time.Duration       // without the build
	output   map[string][]string // by test
	reached  []string            // replaced functions that were called
}

func newResult(pkg string, run *gotest.Run) *result {
	x := &result{pkg: pkg, finished: run.Finished, elapsed: run.Elapsed, output: run.Output}
	x.count(run.Outcome)
	return x
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

// faults returns the number of lines that the test reported, as Errorf and Log do.
func (x *result) faults(test string) int {
	n := 0
	for _, line := range x.output[test] {
		if faultLine.MatchString(line) {
			n++
		}
	}
	return n
}

// faultLine matches a line that a test reports: indented, with a position.
var faultLine = regexp.MustCompile(`^ +\w+_test\.go:\d+: `)

func (x *result) showFailures(w io.Writer) {
	for _, name := range x.failed {
		fmt.Fprintf(w, "--- %s %s\n%s", x.pkg, name, strings.Join(x.output[name], ""))
	}
}

// A summary collects the results.
type summary struct {
	lines [][]string
	notes []string
	bad   []string
}

// head has the columns: the replaced functions of the package, those that its
// tests call, the replaced functions that they call in other packages, the lines
// of code that were removed, and those of the shim.
var head = []string{
	"package", "replaced", "reached", "reached below", "lines cut", "lines of the shim",
	"passed", "failed as documented", "failed otherwise", "time",
}

// add adds a line for the package of the result.
func (s *summary) add(r *result, c change) {
	documented, others := 0, 0
	for _, name := range r.failed {
		d, ok := differences[r.pkg+" "+name]
		if faults := r.faults(name); !ok || faults != d.faults {
			others++
			s.bad = append(s.bad, fmt.Sprintf("%s %s fails with %d faults, %d of them documented",
				r.pkg, name, faults, d.faults))
			continue
		}
		documented++
		s.notes = append(s.notes, fmt.Sprintf("- %s %s: %s", r.pkg, name, d.reason))
	}
	for key := range differences {
		if name, ok := strings.CutPrefix(key, r.pkg+" "); ok && !slices.Contains(r.failed, name) {
			s.bad = append(s.bad, fmt.Sprintf("%s passes or does not exist, and is documented as a difference", key))
		}
	}
	if !r.finished {
		s.bad = append(s.bad, r.pkg+" did not come to an end")
	}
	reached := 0
	for _, name := range c.replaced {
		if slices.Contains(r.reached, r.pkg+"."+name) {
			reached++
		}
	}
	line := []string{r.pkg}
	for _, n := range []int{
		len(c.replaced), reached, len(r.reached) - reached, c.cut, c.shim, len(r.passed), documented, others,
	} {
		line = append(line, strconv.Itoa(n))
	}
	s.lines = append(s.lines, append(line, fmt.Sprintf("%.1f s", r.elapsed.Seconds())))
	if len(r.reached) == 0 {
		s.bad = append(s.bad, r.pkg+": its tests call no function that was replaced")
	}
}

// addBuilt adds a line for each package of the scratch whose functions are
// replaced but whose tests are not run.
func (s *summary) addBuilt(x scratch, changes map[string]change, only *regexp.Regexp) {
	for _, pkg := range slices.Sorted(maps.Keys(changes)) {
		if c := changes[pkg]; !slices.Contains(x.tests, pkg) && only.MatchString(pkg) && !s.has(pkg) {
			s.lines = append(s.lines, []string{
				pkg, strconv.Itoa(len(c.replaced)), "", "", strconv.Itoa(c.cut), strconv.Itoa(c.shim), "not run", "", "", "",
			})
		}
	}
}

// has reports whether the table has a line for the package.
func (s *summary) has(pkg string) bool {
	return slices.ContainsFunc(s.lines, func(line []string) bool { return line[0] == pkg })
}

// write writes the table, and reports whether all results are as documented.
func (s *summary) write(w io.Writer) bool {
	var b bytes.Buffer
	table.Write(&b, append([][]string{head}, s.lines...))
	slices.Sort(s.bad)
	for _, list := range [][]string{s.notes, s.bad} {
		if len(list) > 0 {
			fmt.Fprintf(&b, "\n%s\n", strings.Join(list, "\n"))
		}
	}
	w.Write(b.Bytes())
	return len(s.bad) == 0
}
