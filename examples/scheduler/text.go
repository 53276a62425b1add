// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
)

// text returns the report for people.
func (r *report) text() []byte {
	var b bytes.Buffer
	if r.Interrupted {
		fmt.Fprintln(&b, "Interrupted: this is what there is so far.")
	}
	fmt.Fprintf(&b, "Nodes: %d. Pods: %d of %d arrived, %d placed, %d pending. Seed: %d.\n",
		r.Nodes, r.Arrived, r.Pods, r.Placed, r.Arrived-r.Placed, r.Seed)
	r.writeKinds(&b)
	r.writePools(&b)
	r.writePending(&b)
	r.writeChanges(&b)
	r.writeTimes(&b)
	return b.Bytes()
}

// table writes the title and lines of cells, which are separated by tabs.
func table(w io.Writer, title string, lines func(w io.Writer)) {
	fmt.Fprintf(w, "\n%s\n", title)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	lines(t)
	t.Flush() // a write to a buffer cannot fail
}

func (r *report) writeKinds(w io.Writer) {
	table(w, "Pods by kind", func(w io.Writer) {
		fmt.Fprintln(w, "  kind\tnamespace\tarrived\tplaced\tpending\ttolerations")
		for _, k := range r.Kinds {
			list := strings.Join(k.Tolerations, ", ")
			if list == "" {
				list = "none of its own"
			}
			fmt.Fprintf(w, "  %s\t%s\t%d\t%d\t%d\t%s\n",
				k.Name, k.Namespace, k.Arrived, k.Placed, k.Arrived-k.Placed, list)
		}
	})
}

func (r *report) writePools(w io.Writer) {
	table(w, "Placed by pool", func(w io.Writer) {
		fmt.Fprintln(w, "  pool\tnodes\tpods\tCPU\tin use")
		for _, p := range r.Pools {
			fmt.Fprintf(w, "  %s\t%d\t%d\t%g\t%g\n", p.Name, p.Nodes, p.Pods, p.CPU, p.CPUInUse)
		}
	})
}

func (r *report) writePending(w io.Writer) {
	if len(r.Pending) == 0 {
		return
	}
	fmt.Fprintf(w, "\nWhy pods are pending\n")
	for _, p := range r.Pending {
		fmt.Fprintf(w, "  %s (%d): %s\n", p.Kind, p.Pods, p.Why)
	}
}

func (r *report) writeChanges(w io.Writer) {
	var parts []string
	for _, c := range r.Changes {
		parts = append(parts, fmt.Sprintf("%d %s", c.Nodes, c.Name))
	}
	fmt.Fprintf(w, "\nNodes meanwhile: %s\n", strings.Join(parts, ", "))
}

// writeTimes writes what the run took, and beside it what the run without an
// Index took, if there is one.
func (r *report) writeTimes(w io.Writer) {
	rows := r.WithIndex.measures()
	if r.WithLoop == nil {
		table(w, "What it took", func(w io.Writer) {
			for _, m := range rows {
				fmt.Fprintf(w, "  %s\t%s\n", m.name, m.text)
			}
		})
		return
	}
	others := r.WithLoop.measures()
	table(w, "What it took, and what a loop in place of the Index takes for the same placements", func(w io.Writer) {
		fmt.Fprintln(w, "  \tIndex\tloop\tratio")
		for i, m := range rows {
			fmt.Fprintf(w, "  %s\t%s\t%s\t%s\n", m.name, m.text, others[i].text, m.ratio(others[i]))
		}
	})
}

// A measure is a number and its text.
type measure struct {
	name   string
	number float64
	text   string
}

// measures returns the lines of the table.
func (e *effort) measures() []measure {
	t := &e.Times
	return []measure{
		number("tries", e.Tries),
		number("nodes looked at", e.LookedAt),
		duration("set up", t.SetUp),
		duration("run", t.Run),
		duration("  changes", t.Changes),
		duration("  filter", t.Filter),
		duration("  prioritize", t.Prioritize),
		duration("  select", t.Select),
		duration("explain", t.Explain),
		number("tries a second", e.perSecond()),
	}
}

func number(name string, n int) measure { return measure{name, float64(n), fmt.Sprint(n)} }

// duration rounds what it shows to three digits.
func duration(name string, d time.Duration) measure {
	unit := time.Nanosecond
	for d >= 1000*unit {
		unit *= 10
	}
	return measure{name, float64(d), d.Round(unit).String()}
}

// ratio returns the other measure as a multiple of m, and "-" if m is 0.
func (m measure) ratio(other measure) string {
	if m.number == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", other.number/m.number)
}

// perSecond returns how many pods were tried in a second of the run.
func (e *effort) perSecond() int {
	if e.Times.Run <= 0 {
		return 0
	}
	return int(float64(e.Tries) / e.Times.Run.Seconds())
}
