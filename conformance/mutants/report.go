// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/seed-0529bac1/taints/conformance/internal/table"
)

// A report is what became of all mutants.
type report struct {
	Files []count `json:"files"`
	Total count   `json:"total"`
	// Least is the kill rate that is asked for, in percent.
	Least float64 `json:"least"`
	// Met says whether the rate is reached, no survivor is unlisted, and no entry
	// of the list is out of date.
	Met     bool      `json:"met"`
	Mutants []*mutant `json:"mutants"`
	// Stale are entries that no longer match a mutant, Wrong those of mutants that
	// tests notice.
	Stale []string `json:"stale"`
	Wrong []string `json:"wrong"`
	// Unused are tests that do not pass in the rewritten package, and so were of
	// no use.
	Unused  []string `json:"unused"`
	Seconds float64  `json:"seconds"`
}

// A count says what became of the mutants of a file.
type count struct {
	File       string `json:"file"`
	Mutants    int    `json:"mutants"`
	Killed     int    `json:"killed"`
	TimedOut   int    `json:"timedOut"` // of those killed
	Survived   int    `json:"survived"`
	NotCovered int    `json:"notCovered"`
	Accepted   int    `json:"accepted"`
	Equivalent int    `json:"equivalent"`
	NotTried   int    `json:"notTried"`
	// Rate is how many percent of those are killed that were tried and are not
	// equivalent; 100 where there are none.
	Rate float64 `json:"rate"`
}

func (c *count) add(m *mutant) {
	c.Mutants++
	switch m.Status {
	case killed:
		c.Killed++
		if m.By == timedOut {
			c.TimedOut++
		}
	case survived:
		c.Survived++
	case notCovered:
		c.NotCovered++
	case accepted:
		c.Accepted++
	case equivalent:
		c.Equivalent++
	default:
		c.NotTried++
	}
	c.Rate = 100
	if tried := c.Mutants - c.Equivalent - c.NotTried; tried > 0 {
		c.Rate = 100 * float64(c.Killed) / float64(tried)
	}
}

// newReport counts the mutants, which are in order of files.
func newReport(mutants []*mutant, stale []entry, unused []string, least float64, took time.Duration) *report {
	r := &report{
		Files:   []count{},
		Total:   count{File: "all", Rate: 100},
		Least:   least,
		Mutants: mutants,
		Stale:   []string{},
		Wrong:   []string{},
		Unused:  append([]string{}, unused...),
		Seconds: took.Seconds(),
	}
	for _, m := range mutants {
		if len(r.Files) == 0 || r.Files[len(r.Files)-1].File != m.File {
			r.Files = append(r.Files, count{File: m.File})
		}
		r.Files[len(r.Files)-1].add(m)
		r.Total.add(m)
		if m.Status == killed && m.listed != "" {
			r.Wrong = append(r.Wrong, m.Identity)
		}
	}
	for _, e := range stale {
		r.Stale = append(r.Stale, e.identity)
	}
	r.Met = r.Total.Rate >= least && r.Total.Survived+r.Total.NotCovered+len(r.Stale)+len(r.Wrong) == 0
	return r
}

func (r *report) write(form string, w io.Writer) error {
	if form == "json" {
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		return e.Encode(r)
	}
	_, err := w.Write(r.text())
	return err
}

func (r *report) text() []byte {
	var b bytes.Buffer
	lines := [][]string{{
		"file", "mutants", "killed", "survived", "not covered",
		"accepted", "equivalent", "not tried", "killed of those tried",
	}}
	for _, c := range append(slices.Clone(r.Files), r.Total) {
		line := []string{c.File}
		for _, n := range []int{c.Mutants, c.Killed, c.Survived, c.NotCovered, c.Accepted, c.Equivalent, c.NotTried} {
			line = append(line, strconv.Itoa(n))
		}
		lines = append(lines, append(line, fmt.Sprintf("%.1f %%", c.Rate)))
	}
	table.Write(&b, lines)
	fmt.Fprintf(&b, "\n%.0f s, %d of the killed by timeout, at least %g %% asked for: %s\n",
		r.Seconds, r.Total.TimedOut, r.Least, table.Verdict(r.Met))
	list(&b, "Tests that do not pass in the rewritten package, which are not used:", r.Unused)
	list(&b, "Entries of the list that no longer match a mutant:", r.Stale)
	list(&b, "Entries of the list whose mutants tests notice:", r.Wrong)
	r.mutants(&b, "Not tried:", notTried)
	r.mutants(&b, "Survivors:", survived, notCovered)
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

// mutants lists the mutants of the statuses, each with its change and with the
// identity that the list of equivalents wants.
func (r *report) mutants(b *bytes.Buffer, title string, statuses ...status) {
	var lines []string
	for _, m := range r.Mutants {
		if slices.Contains(statuses, m.Status) {
			lines = append(lines,
				fmt.Sprintf("%s:%d: %s: %s", m.File, m.Line, cmp.Or(m.Reason, string(m.Status)), m.Diff),
				"    "+m.Identity)
		}
	}
	list(b, title, lines)
}
