package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-0529bac1/taints"
)

// A report is the answers.
type report struct {
	Now    string `json:"now"`
	Sample bool   `json:"sample"`
	Nodes  int    `json:"nodes"`
	Pods   int    `json:"pods"`
	// Ignored counts the objects of other kinds.
	Ignored map[string]int `json:"ignored"`
	// Pod is the one that was asked for, and PodNote what there is to say about it beside the answers.
	Pod     string `json:"pod,omitempty"`
	PodNote string `json:"podNote,omitempty"`
	// PodFindings are about its tolerations, where it is not pending.
	PodFindings []finding `json:"podFindings,omitempty"`
	Pending     []pending `json:"pending"`
	Leaving     []leaving `json:"leaving"`
	// Finished counts pods that have finished on nodes with NoExecute taints, and Lost those on nodes not in the input.
	Finished    int        `json:"finishedPods"`
	Lost        int        `json:"podsOnUnknownNodes"`
	Groups      []groupRow `json:"groups"`
	NotLookedAt []string   `json:"notLookedAt"`
}

// A groupRow is nodes that have the same taints.
type groupRow struct {
	Nodes int `json:"nodes"`
	// Pods counts those that run there, and KeepsAway the pending ones that select a node of the group but are rejected
	// for its taints.
	Pods      int            `json:"pods"`
	KeepsAway int            `json:"keepsAway"`
	Taints    []taints.Taint `json:"taints"`
	NodeNames []string       `json:"nodeNames"`
	// ForPod says what the group does to the pod that was asked for.
	ForPod *podRow `json:"forPod,omitempty"`
}

// A podRow is what a group of nodes does to one pod.
type podRow struct {
	// Verdict is lets in, keeps away, or not selected.
	Verdict   string         `json:"verdict"`
	Selected  int            `json:"selectedNodes"`
	Rejecting []taints.Taint `json:"rejectingTaints"`
}

var notLookedAt = []string{
	"node affinity", "pod affinity and anti-affinity", "topology spread constraints", "resources", "host ports", "volumes",
	"scheduling gates", "disruption budgets",
}

// newReport answers the questions about all pods, or about one.
func newReport(c *cluster, now time.Time, only podName) (*report, error) {
	groups := groupNodes(c)
	r := &report{
		Now: now.Format(time.RFC3339), Nodes: len(c.nodes), Pods: len(c.pods), Ignored: c.others, NotLookedAt: notLookedAt,
	}
	a := &analyst{c, &chooser{cluster: c, groups: groups}, make(map[*profile]*placement)}
	waiting := r.survey(c)
	a.count(waiting)
	if only == (podName{}) {
		r.Pending = a.pending(waiting)
		r.Leaving = leavings(c, placed(c), now)
		r.Groups = groupRows(c, groups)
		return r, nil
	}
	i, ok := c.podAt[only]
	if !ok {
		return nil, unknownPod(c, only)
	}
	p := &c.pods[i]
	r.Pod = p.String()
	r.Pending = []pending{}
	if p.isPending() {
		r.Pending = a.pending([]*pod{p})
	} else {
		r.PodFindings = findings(p.tolerations)
	}
	r.Leaving = leavings(c, []*pod{p}, now)
	r.PodNote = noteOn(c, p)
	r.Groups = groupRows(c, groups)
	a.addVerdicts(r.Groups, p)
	return r, nil
}

// survey counts the pods by where they are and returns those that wait for the scheduler.
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
		return fmt.Sprintf("%s runs on %s, which is not in the input.", p, p.node)
	case !hasNoExecute(c.nodes[i].taints):
		return fmt.Sprintf("%s runs on %s, which has no NoExecute taints: it stays.", p, p.node)
	}
	return ""
}

func groupRows(c *cluster, groups []*nodeGroup) []groupRow {
	rows := []groupRow{}
	for _, g := range groups {
		row := groupRow{Nodes: len(g.nodes), Pods: g.pods, KeepsAway: g.keeps}
		row.Taints = append([]taints.Taint{}, g.taints...)
		for _, i := range g.nodes {
			row.NodeNames = append(row.NodeNames, c.nodes[i].name)
		}
		rows = append(rows, row)
	}
	return rows
}

// addVerdicts adds to the rows, which are in order of the groups, what they do to the pod.
func (a *analyst) addVerdicts(rows []groupRow, p *pod) {
	selected := make(map[*nodeGroup]int)
	for _, s := range a.chooser.choose(p.selector) {
		selected[s.group] = len(s.nodes)
	}
	for i, g := range a.chooser.groups {
		row := &podRow{Verdict: "lets in", Selected: selected[g], Rejecting: []taints.Taint{}}
		for _, t := range p.matcher.Untolerated(g.taints, taints.Hard) {
			row.Rejecting = append(row.Rejecting, *t)
		}
		if row.Selected == 0 {
			row.Verdict = "not selected"
		} else if len(row.Rejecting) > 0 {
			row.Verdict = "keeps away"
		}
		rows[i].ForPod = row
	}
}

// unknownPod returns an error that names up to three pods of similar names.
func unknownPod(c *cluster, name podName) error {
	type similar struct {
		podName
		distance int
	}
	var list []similar
	for i := range c.pods {
		p := c.pods[i].podName
		if d := distance(name, p); d <= 3 {
			list = append(list, similar{p, d})
		}
	}
	if len(list) == 0 {
		return fmt.Errorf("no pod %s in the input", name)
	}
	slices.SortFunc(list, func(a, b similar) int {
		return cmp.Or(a.distance-b.distance, compareNames(a.podName, b.podName))
	})
	var words []string
	for _, s := range list[:min(len(list), 3)] {
		words = append(words, s.String())
	}
	return fmt.Errorf("no pod %s in the input; similar: %s", name, strings.Join(words, ", "))
}

// distance says how far the name of a pod is from what was asked for: nothing for the same in another namespace, little
// where one begins with the other or they differ in the last part only, else the number of letters to change.
func distance(want, have podName) int {
	d := 0
	if want.namespace != have.namespace {
		d = 1
	}
	switch {
	case want.name == have.name:
		return 0
	case strings.HasPrefix(have.name, want.name), strings.HasPrefix(want.name, have.name):
		return d + 1
	case strings.Contains(want.name, "-") && withoutLastPart(want.name) == withoutLastPart(have.name):
		return d + 2
	}
	return d + edits(want.name, have.name)
}

// withoutLastPart cuts what tells the pods of one owner apart.
func withoutLastPart(name string) string { return name[:strings.LastIndexByte(name, '-')+1] }

// edits returns how many letters to put in, take out or replace lead from a to b (Levenshtein), or a number above 3.
func edits(a, b string) int {
	if len(a)-len(b) > 3 || len(b)-len(a) > 3 {
		return 4
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
