// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/lifecycle"
)

// A report writes the timeline, and remembers what the closing table and the
// chart need.
type report struct {
	w     io.Writer
	zones []*zone

	counts      counts // not written yet
	first, last time.Time

	down      map[*node]bool // not ready, when last seen
	failed    map[*node]bool // not ready at some time
	tainted   map[*node]bool // tainted with NoExecute at some time
	spared    map[*pod]bool  // tolerated that, however long it lasts
	canceled  []int          // evictions, by zone
	pending   []int
	evictions []eviction
}

// counts are of what happened to nodes and evictions within a minute at most.
// They make one line.
type counts struct {
	down, up, tainted, untainted        int
	scheduled, moved, canceled, evicted int
}

// An eviction is a pod that has left.
type eviction struct {
	pod *pod
	at  time.Time
}

// A zoneState is how disrupted a zone is, and how many of its nodes may therefore
// be tainted each second.
type zoneState struct {
	zone  *zone
	state lifecycle.ZoneState
	rate  float64
}

// compare orders zones by state and rate.
func (s zoneState) compare(t zoneState) int {
	return cmp.Or(cmp.Compare(s.state, t.state), cmp.Compare(s.rate, t.rate))
}

func (s zoneState) String() string {
	nodes := []string{"few nodes not ready", "many nodes not ready", "no node ready"}[s.state]
	switch s.rate {
	case 0:
		return nodes + ", none may be tainted"
	case unlimited:
		return nodes + ", all may be tainted"
	}
	return nodes + ", one may be tainted every " + short(period(s.rate))
}

func newReport(c *cluster, w io.Writer) *report {
	return &report{
		w:        w,
		zones:    c.zones,
		down:     make(map[*node]bool),
		failed:   make(map[*node]bool),
		tainted:  make(map[*node]bool),
		spared:   make(map[*pod]bool),
		canceled: make([]int, len(c.zones)),
		pending:  make([]int, len(c.zones)),
	}
}

// seen notes whether the node is ready.
func (r *report) seen(n *node, now time.Time) {
	switch down := !n.ready(); {
	case down == r.down[n]:
		return
	case down:
		r.failed[n] = true
		r.at(now).down++
	default:
		r.at(now).up++
	}
	r.down[n] = !n.ready()
}

// patched notes that the node's taints have changed.
func (r *report) patched(n *node, changes taints.Changes, now time.Time) {
	evicting := changes.Only(taints.Evicting)
	comes, goes := len(evicting.Add) > 0, len(evicting.Remove) > 0
	if comes && !goes {
		r.tainted[n] = true
		r.at(now).tainted++
	}
	if goes && !comes {
		r.at(now).untainted++
	}
}

// looked notes what the eviction controller found for the pod.
func (r *report) looked(p *pod, e taints.Eviction, change lifecycle.QueueChange, now time.Time) {
	zone := p.node.zone
	switch change {
	case lifecycle.Scheduled:
		r.pending[zone]++
		r.at(now).scheduled++
	case lifecycle.Moved:
		r.at(now).moved++
	case lifecycle.Canceled:
		r.pending[zone]--
		r.canceled[zone]++
		r.at(now).canceled++
	}
	if e.Outcome == taints.Stays && slices.ContainsFunc(p.node.taints, evicts) {
		r.spared[p] = true
	}
}

func evicts(t taints.Taint) bool { return taints.Evicting.Has(t.Effect) }

// evicted notes that the pod has left.
func (r *report) evicted(p *pod, now time.Time) {
	r.pending[p.node.zone]--
	r.evictions = append(r.evictions, eviction{p, now})
	r.at(now).evicted++
}

// at returns the counts to which the moment belongs.
func (r *report) at(now time.Time) *counts {
	if r.counts == (counts{}) {
		r.first = now
	} else if now.Sub(r.first) >= time.Minute {
		r.flush()
		r.first = now
	}
	r.last = now
	return &r.counts
}

// flush writes the counts.
func (r *report) flush() {
	if r.counts == (counts{}) {
		return
	}
	c := r.counts
	r.counts = counts{}
	nodes := list("nodes: ", term{c.down, "not ready"}, term{c.up, "ready again"},
		term{c.tainted, "tainted"}, term{c.untainted, "untainted"})
	pods := list("evictions: ", term{c.scheduled, "scheduled"}, term{c.moved, "moved"},
		term{c.canceled, "canceled"}, term{c.evicted, "done"})
	when := clock(r.first.Sub(start))
	if r.last.After(r.first) {
		when += "-" + clock(r.last.Sub(start))
	}
	r.line(when, strings.Trim(nodes+"; "+pods, "; "))
}

// A term is a count and its name.
type term struct {
	n    int
	what string
}

// list returns the title and the terms that are not 0, or "" if all are.
func list(title string, terms ...term) string {
	var texts []string
	for _, t := range terms {
		if t.n > 0 {
			texts = append(texts, fmt.Sprintf("%d %s", t.n, t.what))
		}
	}
	if texts == nil {
		return ""
	}
	return title + strings.Join(texts, ", ")
}

// say writes a line of its own.
func (r *report) say(now time.Time, format string, args ...any) {
	r.flush()
	r.line(clock(now.Sub(start)), fmt.Sprintf(format, args...))
}

func (r *report) line(when, what string) { fmt.Fprintf(r.w, "%-11s  %s\n", when, what) }

// zonesChanged writes the new states. Zones in the same state share a line.
func (r *report) zonesChanged(states []zoneState, now time.Time) {
	slices.SortStableFunc(states, zoneState.compare)
	for len(states) > 0 {
		first, n := states[0], 1
		for n < len(states) && first.compare(states[n]) == 0 {
			n++
		}
		r.say(now, "%s: %s", r.names(states[:n]), first)
		states = states[n:]
	}
}

// names names the zones.
func (r *report) names(states []zoneState) string {
	if len(states) == len(r.zones) {
		return "all zones"
	}
	var names []string
	for _, s := range states {
		names = append(names, s.zone.name)
	}
	if len(names) == 1 {
		return "zone " + names[0]
	}
	return "zones " + strings.Join(names, ", ")
}

// clock formats a time since the start in minutes and seconds.
func clock(d time.Duration) string {
	return fmt.Sprintf("%02d:%02d", int(d.Minutes()), int(d.Seconds())%60)
}

// A row is a line of the table.
type row struct {
	nodes, failed, tainted, evicted, canceled, spared, pending int
}

func (r *row) add(x row) {
	r.nodes += x.nodes
	r.failed += x.failed
	r.tainted += x.tainted
	r.evicted += x.evicted
	r.canceled += x.canceled
	r.spared += x.spared
	r.pending += x.pending
}

// rows returns a row for each zone.
func (r *report) rows() []row {
	rows := make([]row, len(r.zones))
	for i, z := range r.zones {
		rows[i] = row{nodes: len(z.nodes), canceled: r.canceled[i], pending: r.pending[i]}
	}
	for n := range r.failed {
		rows[n.zone].failed++
	}
	for n := range r.tainted {
		rows[n.zone].tainted++
	}
	for p := range r.spared {
		rows[p.node.zone].spared++
	}
	for _, e := range r.evictions {
		rows[e.pod.node.zone].evicted++
	}
	return rows
}

// writeTable writes the rows and their sum.
func (r *report) writeTable() {
	w := tabwriter.NewWriter(r.w, 0, 0, 2, ' ', tabwriter.AlignRight)
	write := func(name string, x row) {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t\n",
			name, x.nodes, x.failed, x.tainted, x.evicted, x.canceled, x.pending, x.spared)
	}
	fmt.Fprintln(w, "\n\t\tnodes\tnodes\tpods\tevictions\tevictions\tpods that\t")
	fmt.Fprintln(w, "zone\tnodes\tfailed\ttainted\tevicted\tcanceled\tpending\tstay forever\t")
	var sum row
	for i, x := range r.rows() {
		write(r.zones[i].name, x)
		sum.add(x)
	}
	write("all", sum)
	w.Flush()
}
