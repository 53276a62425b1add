// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"time"

	"github.com/seed-0529bac1/taints"
)

// formVersion names the form of the JSON. A field that is added leaves it as it
// is; one that goes or changes does not.
const formVersion = "whynot/v1"

// A report is the answers.
type report struct {
	Version string `json:"version"`
	// Input is where the objects come from.
	Input string `json:"input"`
	Now   string `json:"now"`
	Nodes int    `json:"nodes"`
	Pods  int    `json:"pods"`
	// Filter is the flags that choose the pods, all that are counted; empty for
	// all pods of the input.
	Filter string `json:"filter,omitempty"`
	// Ignored counts the objects of other kinds.
	Ignored map[string]int `json:"ignored"`
	// Pod is the one that was asked for, and PodNote what there is to say about
	// it beside the answers.
	Pod     string `json:"pod,omitempty"`
	PodNote string `json:"podNote,omitempty"`
	// PodFindings are about its tolerations, where it is not pending.
	PodFindings []finding `json:"podFindings,omitempty"`
	// Causes are what keeps pods pending, folded over all of Pending.
	Causes    []cause    `json:"causes"`
	Pending   []pending  `json:"pending"`
	Evictions []eviction `json:"evictions"`
	// Finished counts pods that have finished on nodes with NoExecute taints,
	// and Lost those on nodes not in the input.
	Finished     int        `json:"finishedPods"`
	Lost         int        `json:"podsOnUnknownNodes"`
	Groups       []groupRow `json:"groups"`
	NotEvaluated []string   `json:"notEvaluated"`

	matrix *matrix // nil unless it was asked for
	noPods string  // why there are none, empty if there are
}

// A groupRow is nodes that have the same taints.
type groupRow struct {
	Nodes int `json:"nodes"`
	// Pods counts those that run there, and KeepsAway the pending ones that
	// select a node of the group but are rejected for its taints.
	Pods      int            `json:"pods"`
	KeepsAway int            `json:"keepsAway"`
	Taints    []taints.Taint `json:"taints"`
	NodeNames []string       `json:"nodeNames"`
	// ForPod says what the group does to the pod that was asked for.
	ForPod *podRow `json:"forPod,omitempty"`

	id string // on the page
}

// A podRow is what a group of nodes does to one pod.
type podRow struct {
	Verdict   verdict        `json:"verdict"`
	Selected  int            `json:"selectedNodes"`
	Rejecting []taints.Taint `json:"rejectingTaints"`
}

// A verdict is what a group of nodes does to pods.
type verdict string

// The verdicts.
const (
	letsIn      verdict = "lets-in"
	keepsAway   verdict = "keeps-away"
	notSelected verdict = "not-selected" // by node selector and required node affinity
)

// words is the verdict from the pod's side.
func (v verdict) words() string {
	switch v {
	case letsIn:
		return "let in"
	case keepsAway:
		return "kept away"
	}
	return "not selected"
}

var notEvaluated = []string{
	"resources", "pod affinity and anti-affinity", "topology spread constraints",
	"host ports", "volumes", "resource claims",
	"preferred node affinity", "priorities", "disruption budgets",
}

// A question is what a report is to answer.
type question struct {
	now    time.Time
	pod    podName // zero: all pods
	matrix bool    // as for the page
	lint   bool    // with findings about all pods
}

// newReport answers the questions about all pods, or about one.
func newReport(c *cluster, q question) (*report, error) {
	c.finish()
	groups := groupNodes(c)
	r := &report{
		Version:      formVersion,
		Now:          q.now.Format(time.RFC3339),
		Nodes:        len(c.nodes),
		Pods:         len(c.pods),
		Ignored:      c.others,
		NotEvaluated: notEvaluated,
		Pending:      []pending{},
	}
	a := &analyst{
		cluster: c, chooser: &chooser{cluster: c, groups: groups}, known: newKnown(groups),
		placements: make(map[*profile]*placement),
	}
	if q.lint || q.pod != (podName{}) {
		a.findings = make(map[*taints.Matcher][]finding)
	}
	waiting := r.survey(c)
	a.count(waiting)
	if q.pod == (podName{}) {
		r.Pending = a.pending(waiting)
		r.Evictions = evictions(c, placed(c), q.now)
		r.Groups = groupRows(c, groups)
		r.Causes = causesOf(r.Pending)
		if q.matrix {
			r.matrix = newMatrix(a)
		}
		return r, nil
	}
	i, ok := c.podAt[q.pod]
	if !ok {
		return nil, unknownPod(c, q.pod)
	}
	p := &c.pods[i]
	r.Pod = p.String()
	if p.isPending() {
		r.Pending = a.pending([]*pod{p})
	} else {
		r.PodFindings = findings(p.tolerations)
	}
	r.Causes = causesOf(r.Pending)
	r.Evictions = evictions(c, []*pod{p}, q.now)
	r.PodNote = noteOn(c, p)
	r.Groups = groupRows(c, groups)
	a.addVerdicts(r.Groups, p)
	return r, nil
}

// survey counts the pods by where they are and returns those that wait for the
// scheduler.
func (r *report) survey(c *cluster) []*pod {
	var waiting []*pod
	for i := range c.pods {
		p := &c.pods[i]
		at, known := c.nodeAt[p.node]
		switch {
		case p.isPending():
			waiting = append(waiting, p)
		case p.node == "":
		case p.isFinished():
			if known && hasNoExecute(c.nodes[at].taints) {
				r.Finished++
			}
		case known:
			c.nodes[at].group.pods++
		default:
			r.Lost++
		}
	}
	return waiting
}

// placed returns the pods that have a node.
func placed(c *cluster) []*pod {
	var list []*pod
	for i := range c.pods {
		if c.pods[i].node != "" {
			list = append(list, &c.pods[i])
		}
	}
	return list
}

// noteOn says why there is nothing to answer about a pod, empty if there is.
func noteOn(c *cluster, p *pod) string {
	i, known := c.nodeAt[p.node]
	switch {
	case p.isPending():
		return ""
	case p.isFinished():
		return fmt.Sprintf("%s has finished: its phase is %s.", p, p.phase)
	case p.node == "" && p.deleting:
		return fmt.Sprintf("%s is being deleted and has no node.", p)
	case p.node == "":
		return fmt.Sprintf("%s has no node, yet its phase is %s.", p, p.phase)
	case !known:
		return fmt.Sprintf("%s has the node %s, which is not in the input.", p, p.node)
	case p.phase == "Pending" && !hasNoExecute(c.nodes[i].taints):
		return fmt.Sprintf("%s is placed on %s, which has no NoExecute taints, and does not run yet.", p, p.node)
	case !hasNoExecute(c.nodes[i].taints):
		return fmt.Sprintf("%s runs on %s, which has no NoExecute taints: it stays.", p, p.node)
	}
	return ""
}

func groupRows(c *cluster, groups []*nodeGroup) []groupRow {
	rows := []groupRow{}
	for _, g := range groups {
		row := groupRow{Nodes: len(g.nodes), Pods: g.pods, KeepsAway: g.keeps, id: groupID(g)}
		row.Taints = append([]taints.Taint{}, g.taints...)
		for _, i := range g.nodes {
			row.NodeNames = append(row.NodeNames, c.nodes[i].name)
		}
		rows = append(rows, row)
	}
	return rows
}

// addVerdicts adds to the rows, which are in order of the groups, what they do
// to the pod.
func (a *analyst) addVerdicts(rows []groupRow, p *pod) {
	selected := a.chooser.selected(p.profile)
	for i, g := range a.chooser.groups {
		row := &podRow{Selected: selected[g]}
		row.Verdict, row.Rejecting = p.verdictOn(g, selected[g])
		rows[i].ForPod = row
	}
}

// verdictOn returns what the group, of which so many nodes are selected, does to
// the pods, and the taints that they do not tolerate.
func (p *profile) verdictOn(g *nodeGroup, selected int) (verdict, []taints.Taint) {
	rejecting := []taints.Taint{}
	for _, t := range p.matcher.Untolerated(g.taints, taints.Hard) {
		rejecting = append(rejecting, *t)
	}
	switch {
	case selected == 0:
		return notSelected, rejecting
	case len(rejecting) > 0:
		return keepsAway, rejecting
	}
	return letsIn, rejecting
}
