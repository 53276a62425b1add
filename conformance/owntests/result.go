// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-0529bac1/taints/conformance/internal/table"
)

// A result is the outcome of the tests of a package. A test with subtests is not
// counted unless it failed and none of its subtests did.
type result struct {
	pkg      string
	passed   []string
	failed   []string
	output   map[string][]string // by test; that of the build and of the package is under ""
	finished bool                // the package's tests finished
	reached  []string            // replaced functions that were called
	lacks    string              // a module of the tests that the proxy does not have; empty: none
}

// readResult reads the output of "go test -json" of one package. A test that did not
// finish has failed.
func readResult(pkg string, r io.Reader) (*result, error) {
	x, outcome := &result{pkg: pkg, output: map[string][]string{}}, map[string]string{}
	for d := json.NewDecoder(r); ; {
		var e struct{ Action, Test, Output string }
		if err := d.Decode(&e); errors.Is(err, io.EOF) {
			x.count(outcome)
			return x, nil
		} else if err != nil {
			return nil, fmt.Errorf("reading the output of go test: %w", err)
		}
		switch e.Action {
		case "output", "build-output":
			x.output[e.Test] = append(x.output[e.Test], e.Output)
		case "run":
			outcome[e.Test] = "fail" // unless it finishes
		case "pass", "fail", "skip":
			if e.Test == "" {
				x.finished = true
			} else {
				outcome[e.Test] = e.Action
			}
		}
	}
}

// count sets what passed and what failed.
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
		}
	}
	slices.Sort(x.passed)
	slices.Sort(x.failed)
}

// errors returns the number of lines that the test reported, as Errorf and Log do.
func (x *result) errs(test string) int {
	n := 0
	for _, line := range x.output[test] {
		if errorLine.MatchString(line) {
			n++
		}
	}
	return n
}

// errorLine matches a line that a test reports: indented, with a position.
var errorLine = regexp.MustCompile(`^ +\w+_test\.go:\d+: `)

// A summary collects the results.
type summary struct {
	lines [][]string
	notes []string
	bad   []string
}

// head has the columns: the replaced functions of the package, those that its
// tests call, and the replaced functions that they call in other packages.
var head = []string{
	"package", "replaced", "reached", "reached below", "passed", "failed as documented", "failed otherwise",
}

// add adds a line for the package of the result, in which the functions are replaced.
func (s *summary) add(r *result, replaced []string) {
	if r.lacks != "" {
		s.notes = append(s.notes, fmt.Sprintf("- %s was not tested: the module proxy does not have %s", r.pkg, r.lacks))
		return
	}
	documented := 0
	for _, name := range r.failed {
		d, ok := differences[r.pkg+" "+name]
		if errs := r.errs(name); !ok || errs != d.errs {
			s.bad = append(s.bad, fmt.Sprintf("%s %s fails with %d errors, %d of them documented:\n%s",
				r.pkg, name, errs, d.errs, strings.Join(r.output[name], "")))
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
	if len(r.reached) == 0 {
		s.bad = append(s.bad, r.pkg+": its tests call no function that was replaced")
	}
	reached := 0
	for _, name := range replaced {
		if slices.Contains(r.reached, r.pkg+"."+name) {
			reached++
		}
	}
	line := []string{r.pkg}
	for _, n := range []int{
		len(replaced), reached, len(r.reached) - reached, len(r.passed), documented, len(r.failed) - documented,
	} {
		line = append(line, strconv.Itoa(n))
	}
	s.lines = append(s.lines, line)
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
