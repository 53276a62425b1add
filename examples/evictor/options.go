// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// options are what the command line asks for.
type options struct {
	scenario string
	events
	nodes, pods, zones int
	seed               uint64
	grace              time.Duration
	limits             bool
	fromTimeAdded      bool
	svg                string // a file; empty: none
}

// events are what happens to the cluster. Times count from the start; the time of
// a single event may be 0, for never.
type events struct {
	fail       int           // nodes, at failAt
	recover    time.Duration // of every second failed node, after its failure
	partitions partitions
	maintain   time.Duration
	restart    time.Duration
	length     time.Duration
}

// failAt is when nodes fail.
const failAt = time.Minute

// A scenario is a preset of the events.
type scenario struct {
	name, about string
	events
}

// scenarios returns the presets, the default one first.
func scenarios() []scenario {
	const m = time.Minute
	return []scenario{
		{"everything", "the next five, one after the other", events{
			fail: 6, recover: 3 * m, restart: 5 * m, maintain: 17 * m, length: 35 * m,
			partitions: partitions{{"b", 10 * m, 3 * m}, {allZones, 20 * m, 10 * m}},
		}},
		{"failures", "six nodes fail, half of them come back", events{fail: 6, recover: 3 * m, length: 10 * m}},
		{
			"restart", "the eviction controller restarts before evictions are due",
			events{fail: 6, restart: 5 * m, length: 15 * m},
		},
		{
			"partition", "a zone is cut off for three minutes",
			events{partitions: partitions{{"b", m, 3 * m}}, length: 10 * m},
		},
		{"maintenance", "a person taints three nodes, which few pods tolerate", events{maintain: m, length: 15 * m}},
		{
			"outage", "all zones are cut off, which stops evictions",
			events{partitions: partitions{{allZones, m, 10 * m}}, length: 15 * m},
		},
		{"storm", "two thirds of the nodes fail, which slows evictions down", events{fail: 120, length: 30 * m}},
	}
}

const usage = `Usage: evictor [flags]

Replays a cluster whose nodes fail, in simulated time: conditions, taints, zone limits, eviction deadlines and the queue.
A scenario sets what happens; flags beside it override that.

Scenarios:
`

func writeUsage(w io.Writer) {
	fmt.Fprint(w, usage)
	for _, s := range scenarios() {
		fmt.Fprintf(w, "  %-12s %s\n", s.name, s.about)
	}
	fmt.Fprint(w, "\nFlags:\n")
	flags := flagsOf(&options{events: scenarios()[0].events})
	flags.SetOutput(w)
	flags.PrintDefaults()
}

// flagsOf returns the flags that set the options. The events of o are defaults.
func flagsOf(o *options) *flag.FlagSet {
	flags := flag.NewFlagSet("evictor", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Usage = func() {}
	flags.StringVar(&o.scenario, "scenario", scenarios()[0].name, "the `name` of what happens, as listed above")
	flags.IntVar(&o.nodes, "nodes", 180, "the number of nodes")
	flags.IntVar(&o.pods, "pods", 1800, "the number of pods, beside one of a DaemonSet on each node")
	flags.IntVar(&o.zones, "zones", 3, "the number of zones, which are called a, b, c …")
	flags.Uint64Var(&o.seed, "seed", 1, "what the random choices start from")
	flags.DurationVar(&o.length, "for", o.length, "the time to simulate; what would come later does not happen")
	flags.IntVar(&o.fail, "fail", o.fail, "how many nodes fail, one minute after the start")
	flags.DurationVar(&o.recover, "recover", o.recover,
		"how long after its failure every second failed node comes back; 0: never")
	flags.Var(&o.partitions, "partition",
		"the zones to cut off, as `ZONE@START+DURATION`, separated by commas; ZONE all is a full outage; none: none")
	flags.DurationVar(&o.maintain, "maintain", o.maintain, "when a person taints three nodes for maintenance; 0: never")
	flags.DurationVar(&o.restart, "restart", o.restart, "when the eviction controller restarts; 0: never")
	flags.DurationVar(&o.grace, "grace", 50*time.Second, "how long after its last heartbeat a node becomes Unknown")
	flags.BoolVar(&o.limits, "limits", true, "taint no faster than the zones' disruption allows")
	flags.BoolVar(&o.fromTimeAdded, "from-time-added", true,
		"count deadlines from when the taints came; else, as Kubernetes does, from when the controller saw them")
	flags.StringVar(&o.svg, "svg", "", "a `file` for a chart of the pods that leave")
	return flags
}

// parse reads the command line twice: to find the scenario, and then with its
// events as the defaults.
func parse(args []string) (options, error) {
	var o options
	if err := flagsOf(&o).Parse(args); err != nil {
		return o, err
	}
	preset, err := findScenario(o.scenario)
	if err != nil {
		return o, err
	}
	o = options{events: preset}
	flags := flagsOf(&o)
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q; all is set by flags, see -h", flags.Arg(0))
	}
	return o, o.check()
}

func findScenario(name string) (events, error) {
	var names []string
	for _, s := range scenarios() {
		if s.name == name {
			return s.events, nil
		}
		names = append(names, s.name)
	}
	return events{}, fmt.Errorf("-scenario %q: want one of %s", name, strings.Join(names, ", "))
}

// check returns an error for the first value out of range.
func (o *options) check() error {
	for _, f := range []struct {
		flag             string
		value, low, high int
	}{
		{"zones", o.zones, 1, 26},
		{"nodes", o.nodes, o.zones, 10_000},
		{"pods", o.pods, 0, 1_000_000},
		{"fail", o.fail, 0, o.nodes},
	} {
		if f.value < f.low || f.value > f.high {
			return fmt.Errorf("-%s %d: want %d to %d", f.flag, f.value, f.low, f.high)
		}
	}
	const day = 24 * time.Hour
	for _, f := range []struct {
		flag             string
		value, low, high time.Duration
	}{
		{"for", o.length, time.Second, day},
		{"grace", o.grace, heartbeat + monitorPeriod, day},
		{"recover", o.recover, 0, day},
		{"maintain", o.maintain, 0, day},
		{"restart", o.restart, 0, day},
	} {
		if f.value < f.low || f.value > f.high {
			return fmt.Errorf("-%s %s: want %s to %s", f.flag, short(f.value), short(f.low), short(f.high))
		}
	}
	zones := strings.Split(zoneNames[:o.zones], "")
	for _, p := range o.partitions {
		if p.start > day || p.duration > day {
			return fmt.Errorf("-partition %s: want a start and a duration of up to %s", p, short(day))
		}
		if p.zone != allZones && !slices.Contains(zones, p.zone) {
			return fmt.Errorf("-partition %s: there are the zones %s, and %s", p, strings.Join(zones, ", "), allZones)
		}
	}
	return nil
}

// zoneNames has the name of each zone, one letter.
const zoneNames = "abcdefghijklmnopqrstuvwxyz"

// allZones is the zone of a partition that cuts off all.
const allZones = "all"

// A partition cuts the nodes of a zone off from the control plane.
type partition struct {
	zone            string
	start, duration time.Duration
}

func (p partition) String() string {
	return fmt.Sprintf("%s@%s+%s", p.zone, short(p.start), short(p.duration))
}

// partitions are the value of a flag.
type partitions []partition

// String returns the partitions as Set reads them.
func (p *partitions) String() string {
	texts := make([]string, len(*p))
	for i := range *p {
		texts[i] = (*p)[i].String()
	}
	return strings.Join(texts, ",")
}

// Set replaces the partitions.
func (p *partitions) Set(s string) error {
	*p = nil
	if s == "none" {
		return nil
	}
	for _, text := range strings.Split(s, ",") {
		zone, times, _ := strings.Cut(text, "@")
		start, duration, _ := strings.Cut(times, "+")
		from, err := time.ParseDuration(start)
		lasts, err2 := time.ParseDuration(duration)
		if zone == "" || errors.Join(err, err2) != nil || from < 0 || lasts <= 0 {
			return fmt.Errorf("%q: want ZONE@START+DURATION, as in b@10m+3m", text)
		}
		*p = append(*p, partition{zone, from, lasts})
	}
	return nil
}

// short returns a duration without zeros at its end: 10m for 10m0s.
func short(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
