// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/seed-0529bac1/taints/conformance/internal/table"
)

// A report is the result for all mutants.
type report struct {
	files   []count
	total   count
	least   float64 // the required kill rate, in percent
	mutants []*mutant
	stale   []string // entries of the list that no longer match a mutant
	wrong   []string // entries for mutants that tests notice
	unused  []string // tests that fail in the rewritten package and were not used
	took    time.Duration
	met     bool // the rate is reached, no survivor is unlisted, and the list is up to date
}

// A count is the number of mutants of a file with each status.
type count struct {
	file string
	of   map[status]int
	all  int
	// rate is the percentage of killed mutants among those that were tried and are
	// not equivalent. It is 100 if there are none.
	rate float64
}

// statuses are the columns of the report.
var statuses = []status{killed, survived, notCovered, accepted, equivalent, notTried}

func newCount(file string) count { return count{file: file, of: map[status]int{}, rate: 100} }

func (c *count) add(m *mutant) {
	c.all++
	c.of[m.status]++
	if tried := c.all - c.of[equivalent] - c.of[notTried]; tried > 0 {
		c.rate = 100 * float64(c.of[killed]) / float64(tried)
	}
}

// newReport counts the mutants, which are sorted by file.
func newReport(mutants []*mutant, stale []entry, unused []string, least float64, took time.Duration) *report {
	r := &report{total: newCount("all"), least: least, mutants: mutants, unused: unused, took: took}
	for _, m := range mutants {
		if len(r.files) == 0 || r.files[len(r.files)-1].file != m.file {
			r.files = append(r.files, newCount(m.file))
		}
		r.files[len(r.files)-1].add(m)
		r.total.add(m)
		if m.status == killed && m.listed != "" {
			r.wrong = append(r.wrong, m.identity)
		}
	}
	for _, e := range stale {
		r.stale = append(r.stale, e.identity)
	}
	bad := r.total.of[survived] + r.total.of[notCovered] + len(r.stale) + len(r.wrong)
	r.met = r.total.rate >= least && bad == 0
	return r
}

func (r *report) text() []byte {
	var b bytes.Buffer
	head := []string{"file", "mutants"}
	for _, s := range statuses {
		head = append(head, string(s))
	}
	lines := [][]string{append(head, "killed of those tried")}
	for _, c := range append(slices.Clone(r.files), r.total) {
		line := []string{c.file, strconv.Itoa(c.all)}
		for _, s := range statuses {
			line = append(line, strconv.Itoa(c.of[s]))
		}
		lines = append(lines, append(line, fmt.Sprintf("%.1f %%", c.rate)))
	}
	table.Write(&b, lines)
	fmt.Fprintf(&b, "\n%.0f s, at least %g %% required: %s\n", r.took.Seconds(), r.least, table.Verdict(r.met))
	list(&b, "Tests that fail in the rewritten package, which are not used:", r.unused)
	list(&b, "Entries of the list that no longer match a mutant:", r.stale)
	list(&b, "Entries of the list whose mutants tests notice:", r.wrong)
	list(&b, "Not tried:", r.with(notTried))
	list(&b, "Survivors:", r.with(survived, notCovered))
	return b.Bytes()
}

func list(b *bytes.Buffer, title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s\n", title)
	for _, line := range lines {
		fmt.Fprintf(b, "  %s\n", line)
	}
}

// with returns the positions of the mutants with the statuses, and the
// identities as the list of equivalents needs them.
func (r *report) with(statuses ...status) []string {
	var lines []string
	for _, m := range r.mutants {
		if slices.Contains(statuses, m.status) {
			lines = append(lines, fmt.Sprintf("%s:%d: %s\n    %s",
				m.file, m.line, cmp.Or(m.reason, string(m.status)), m.identity))
		}
	}
	return lines
}
