// SPDX-License-Identifier: Apache-2.0

// Versions runs the conformance tests against several versions of Kubernetes and
// prints one table: what is compared, by version, with the number of cases and
// of differences.
//
//	go run -C conformance ./versions
//	go run -C conformance ./versions -only 1.36,1.37 -cases 100000
//
// Each version has a module file beside this one; that of go.mod has none. A new
// one is made of a copy with other version numbers by
//
//	go mod tidy -modfile=versions/1.37.mod
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-0529bac1/taints/conformance/internal/gotest"
	"github.com/seed-0529bac1/taints/conformance/internal/table"
)

// A version is one of Kubernetes, with what is special about its build.
type version struct {
	minor   string
	modfile string // empty for go.mod
	tags    string
}

// 1.34 has no comparison operators, and each version has another type for rules
// about device taints. The benchmarks are those of 1.36.
var versions = []version{
	{"1.34", "versions/1.34.mod", "kubernetes1.34,otherkubernetes"},
	{"1.35", "versions/1.35.mod", "kubernetes1.35,otherkubernetes"},
	{"1.36", "", ""},
	{"1.37", "versions/1.37.mod", "kubernetes1.37,otherkubernetes"},
}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run returns 0 if nothing differs, 1 if something does or cannot be run, and 2
// for a wrong command line.
func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("versions", flag.ContinueOnError)
	flags.SetOutput(stderr)
	cases := flags.Int("cases", 3000, "how many `cases` a test runs through")
	only := flags.String("only", "", "the minor `versions` to run, as 1.36,1.37; empty for all")
	tests := flags.String("run", "", "run the tests only that match the `regexp`")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	chosen, err := choose(*only)
	if err != nil || flags.NArg() > 0 || *cases < 1 {
		fmt.Fprintln(stderr, "versions: no arguments, a number of cases above 0, and versions that are there:", err)
		return 2
	}
	var columns []*column
	for _, v := range chosen {
		c, err := v.test(*cases, *tests, stderr)
		if err != nil {
			fmt.Fprintf(stderr, "versions: Kubernetes %s: %v\n", v.minor, err)
			return 1
		}
		columns = append(columns, c)
	}
	if !write(stdout, columns) {
		return 1
	}
	return 0
}

// choose returns the versions that are listed.
func choose(only string) ([]version, error) {
	if only == "" {
		return versions, nil
	}
	var chosen []version
	for minor := range strings.SplitSeq(only, ",") {
		i := slices.IndexFunc(versions, func(v version) bool { return v.minor == strings.TrimSpace(minor) })
		if i < 0 {
			return nil, fmt.Errorf("no version %q", minor)
		}
		chosen = append(chosen, versions[i])
	}
	return chosen, nil
}

// flags returns the flags of the go command that choose the version.
func (v version) flags() []string {
	var flags []string
	if v.modfile != "" {
		flags = append(flags, "-modfile="+v.modfile)
	}
	if v.tags != "" {
		flags = append(flags, "-tags="+v.tags)
	}
	return flags
}

// test runs the tests of the package in the current folder.
func (v version) test(cases int, tests string, stderr io.Writer) (*column, error) {
	list := append([]string{"list", "-m", "-f", "{{.Version}}"}, v.flags()...)
	patch, err := gotest.Go("", append(list, "k8s.io/kubernetes")...)
	if err != nil {
		return nil, err
	}
	name := strings.TrimPrefix(strings.TrimSpace(string(patch)), "v")
	fmt.Fprintf(stderr, "versions: testing against Kubernetes %s\n", name)
	args := append([]string{"test", "-json", "-count=1", "-timeout=24h", "-run=" + tests}, v.flags()...)
	cmd := exec.Command("go", append(args, ".", "-rapid.checks="+strconv.Itoa(cases))...)
	cmd.Stderr = stderr
	r, err := gotest.Test(cmd)
	if err != nil {
		return nil, err
	}
	if len(r.Outcome) == 0 || !r.Finished {
		return nil, fmt.Errorf("the tests did not come to an end:\n%s", strings.Join(r.Output[""], ""))
	}
	c := newColumn(name, r)
	for _, test := range c.failed {
		fmt.Fprintf(stderr, "%s\n", strings.Join(r.Output[test], ""))
	}
	return c, nil
}

// A row is what one test compares.
type row struct{ kubernetes, library string }

// A column is what the tests found with one version.
type column struct {
	version string
	rows    []row // in the order of the tests
	cases   map[row]int
	differs map[row]bool
	pinned  int // documented differences that hold
	failed  []string
}

var (
	comparesLine = regexp.MustCompile(`: compares (.*) against (.*)\n`)
	casesLine    = regexp.MustCompile(`(?:\[rapid\] OK, passed|went through) (\d+) (?:tests|cases)`)
)

func newColumn(version string, r *gotest.Run) *column {
	c := &column{version: version, cases: map[row]int{}, differs: map[row]bool{}}
	for test, outcome := range r.Outcome {
		if outcome == "fail" {
			c.failed = append(c.failed, test)
		}
		if strings.HasPrefix(test, "TestDifference") && outcome == "pass" {
			c.pinned++
		}
		output := strings.Join(r.Output[test], "")
		compares := comparesLine.FindStringSubmatch(output)
		if compares == nil {
			continue
		}
		compared := row{compares[1], compares[2]}
		c.rows = append(c.rows, compared)
		c.differs[compared] = c.differs[compared] || outcome == "fail"
		for _, n := range casesLine.FindAllStringSubmatch(output, -1) {
			cases, _ := strconv.Atoi(n[1])
			c.cases[compared] += cases
		}
	}
	slices.SortFunc(c.rows, func(a, b row) int {
		return strings.Compare(a.kubernetes+a.library, b.kubernetes+b.library)
	})
	c.rows = slices.Compact(c.rows)
	slices.Sort(c.failed)
	return c
}

// write writes a table with a column for each version, and reports whether nothing
// differs.
func write(w io.Writer, columns []*column) bool {
	head, last := []string{"Kubernetes", "library"}, []string{"documented differences, both answers pinned", ""}
	var rows []row
	for _, c := range columns {
		head, last = append(head, c.version), append(last, fmt.Sprintf("%d hold", c.pinned))
		for _, r := range c.rows {
			if !slices.Contains(rows, r) {
				rows = append(rows, r)
			}
		}
	}
	lines := [][]string{head}
	for _, r := range rows {
		line := []string{r.kubernetes, r.library}
		for _, c := range columns {
			line = append(line, c.cell(r))
		}
		lines = append(lines, line)
	}
	var b bytes.Buffer
	b.WriteString("Cases, and differences that were found.\n\n")
	table.Write(&b, append(lines, last))
	same := true
	for _, c := range columns {
		for _, test := range c.failed {
			fmt.Fprintf(&b, "\n%s: %s fails\n", c.version, test)
			same = false
		}
	}
	w.Write(b.Bytes())
	return same
}

// cell returns the number of cases and of differences. A test stops at the first.
func (c *column) cell(r row) string {
	switch {
	case c.differs[r]:
		return "DIFFERS"
	case c.cases[r] == 0:
		return "–" // not in this version
	}
	return fmt.Sprintf("%d, 0", c.cases[r])
}
