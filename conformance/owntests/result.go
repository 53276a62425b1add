package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
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

// An event is a line of "go test -json".
type event struct {
	Action  string
	Test    string
	Elapsed float64
	Output  string
}

// readResult reads what "go test -json" prints.
func readResult(pkg string, r io.Reader) (*result, error) {
	x := &result{pkg: pkg, output: map[string][]string{}}
	outcome := map[string]string{}
	d := json.NewDecoder(r)
	for {
		var e event
		if err := d.Decode(&e); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("reading the test output of %s: %w", pkg, err)
		}
		switch {
		case e.Action == "output":
			x.output[e.Test] = append(x.output[e.Test], e.Output)
		case e.Test == "" && (e.Action == "pass" || e.Action == "fail"):
			x.finished, x.elapsed = true, time.Duration(e.Elapsed*float64(time.Second))
		case e.Test != "" && e.Action == "run":
			outcome[e.Test] = "fail" // unless it comes to an end
		case e.Test != "" && (e.Action == "pass" || e.Action == "fail" || e.Action == "skip"):
			outcome[e.Test] = e.Action
		}
	}
	x.count(outcome)
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

const head = "| package | functions replaced | reached | passed | failed as documented | failed otherwise | time |\n|---|---|---|---|---|---|---|"

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
		reason, ok := differences[r.pkg+" "+name]
		if !ok {
			others++
			t.bad = append(t.bad, fmt.Sprintf("%s %s fails, which is no documented difference", r.pkg, name))
			continue
		}
		documented++
		t.notes = append(t.notes, fmt.Sprintf("- %s %s: %s", r.pkg, name, reason))
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
	for _, other := range r.reached { // in packages below
		if !strings.HasPrefix(other, r.pkg+".") {
			reached++
		}
	}
	t.lines = append(t.lines, fmt.Sprintf("| %s | %d | %d | %d | %d | %d | %.1f s |",
		r.pkg, len(replaced), reached, len(r.passed), documented, others, r.elapsed.Seconds()))
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
