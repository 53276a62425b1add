// SPDX-License-Identifier: Apache-2.0

// Evictor replays events in a small cluster. It prints the taints that result
// and when pods are evicted. It shows how an eviction controller can use the
// library: node conditions become taints, taints become deadlines, and a queue
// holds the deadlines. Time is that of the replay.
package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/lifecycle"
)

// An event is a change of the cluster.
type event struct {
	after time.Duration // since the start
	node  string
	ready string // the status of the node's Ready condition, unless it is empty
	pod   string // a pod that is placed on the node, unless it is empty
	list  []taints.Toleration
}

var start = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

var (
	usual  = taints.AddDefaultTolerations(nil, taints.DefaultTolerationSeconds{}) // what admission gives to every pod
	daemon = taints.AddDaemonSetTolerations(nil, taints.DaemonSetPod{})
	hasty  = []taints.Toleration{
		taints.Must(taints.ParseToleration("node.kubernetes.io/unreachable:NoExecute op=Exists for 30s")),
		taints.Must(taints.ParseToleration("node.kubernetes.io/unreachable:NoSchedule op=Exists")),
	}
)

var events = []event{
	{node: "node-1", ready: "True"},
	{node: "node-1", pod: "web", list: usual},
	{node: "node-1", pod: "log-agent", list: daemon},
	{after: 1 * time.Minute, node: "node-1", ready: "Unknown"},
	{after: 3 * time.Minute, node: "node-1", pod: "batch", list: hasty},
	{after: 7 * time.Minute, node: "node-1", ready: "True"},
	{after: 8 * time.Minute, node: "node-1", pod: "web-again", list: usual},
	{after: 9 * time.Minute, node: "node-1", ready: "False"},
	{after: 11 * time.Minute, node: "node-1", ready: "True"},
}

func main() {
	newController(os.Stdout).replay(events)
}

// A pod runs on a node.
type pod struct {
	node    string
	arrival time.Time
	matcher *taints.Matcher
}

// A controller keeps the pending evictions of all pods.
type controller struct {
	out   io.Writer
	nodes map[string][]taints.Taint
	pods  map[string]pod
	queue lifecycle.Queue[string]
}

func newController(out io.Writer) *controller {
	return &controller{
		out: out, nodes: make(map[string][]taints.Taint), pods: make(map[string]pod),
		queue: lifecycle.Queue[string]{NewestWins: true},
	}
}

// replay applies the events and carries out the evictions that follow from them.
func (c *controller) replay(events []event) {
	for _, e := range events {
		c.apply(e)
	}
	for due, ok := c.queue.Next(); ok; due, ok = c.queue.Next() {
		c.evict(due)
	}
}

func (c *controller) apply(e event) {
	now := start.Add(e.after)
	c.evict(now)
	if e.ready != "" {
		c.setReady(e.node, e.ready, now)
	}
	if e.pod != "" {
		c.pods[e.pod] = pod{e.node, now, taints.Compile(e.list)}
		c.print(now, "%s is placed on %s", e.pod, e.node)
		c.update(e.pod, now)
	}
}

// setReady changes the node's taints to match its condition, and then updates
// the deadlines of its pods.
func (c *controller) setReady(node, status string, now time.Time) {
	state := lifecycle.NodeState{Conditions: []lifecycle.Condition{{Type: "Ready", Status: status}}}
	changes := lifecycle.DefaultConditionRules().Reconcile(c.nodes[node], state, now)
	list, changed := changes.Apply(c.nodes[node])
	if !changed {
		return
	}
	c.nodes[node] = list
	c.print(now, "taint %s %v", node, changes)
	var names []string
	for name, p := range c.pods {
		if p.node == node {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		c.update(name, now)
	}
}

// update sets or cancels the pod's pending eviction. Its seconds run from when
// the taint was added or, if that is later, from when the pod arrived. So, as in
// the queue the newest deadline wins, the controller finds the same deadlines
// again after a restart.
func (c *controller) update(name string, now time.Time) {
	p := c.pods[name]
	policy := taints.EvictionPolicy{FromTimeAdded: true, Arrival: p.arrival}
	e := policy.EvictionOf(p.matcher, c.nodes[p.node], now)
	if c.queue.Update(name, e) != lifecycle.QueueUnchanged {
		c.print(now, "%s %v", name, e)
	}
}

func (c *controller) evict(now time.Time) {
	for name, due := range c.queue.PopDue(now) {
		c.print(due, "%s is evicted from %s", name, c.pods[name].node)
		delete(c.pods, name)
	}
}

func (c *controller) print(at time.Time, format string, args ...any) {
	fmt.Fprintf(c.out, "%s %s\n", at.Format(time.TimeOnly), fmt.Sprintf(format, args...))
}
