// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/seed-0529bac1/taints"
)

// formVersion is the version of the JSON and YAML format. It changes if a field
// is removed or changes its meaning.
const formVersion = "whynot/v1"

// A report has all answers.
type report struct {
	Version string `json:"version"`
	// Input describes where the objects come from.
	Input string `json:"input"`
	Now   string `json:"now"`
	Nodes int    `json:"nodes"`
	Pods  int    `json:"pods"`
	// Filter has the flags that select the pods. It is empty for all of the input.
	Filter string `json:"filter,omitempty"`
	// Ignored counts the objects of other kinds, by kind.
	Ignored map[string]int `json:"ignored"`
	// Pod is the requested pod. If it is not pending, PodNote describes its state
	// and PodFindings are about its tolerations.
	Pod         string    `json:"pod,omitempty"`
	PodNote     string    `json:"podNote,omitempty"`
	PodFindings []finding `json:"podFindings,omitempty"`
	// Causes are the reasons why pods are pending.
	Causes    []cause    `json:"causes"`
	Pending   []pending  `json:"pending"`
	Evictions []eviction `json:"evictions"`
	// Finished counts the finished pods on nodes with NoExecute taints. Lost counts
	// the pods on nodes that are not in the input.
	Finished     int        `json:"finishedPods"`
	Lost         int        `json:"podsOnUnknownNodes"`
	Groups       []groupRow `json:"groups"`
	NotEvaluated []string   `json:"notEvaluated"`

	matrix *matrix // nil unless requested
	noPods string  // why there are no pods; empty if there are
}

// A groupRow is a group of nodes with the same taints.
type groupRow struct {
	Nodes int `json:"nodes"`
	// Pods counts the pods that run there. Rejected counts the pending pods that
	// match a node of the group and do not tolerate its taints.
	Pods      int            `json:"pods"`
	Rejected  int            `json:"rejectedPods"`
	Taints    []taints.Taint `json:"taints"`
	NodeNames []string       `json:"nodeNames"`
	// ForPod is about the requested pod.
	ForPod *podRow `json:"forPod,omitzero"`

	// ID is the ID on the page.
	ID string `json:"-"`
}

// A podRow shows whether a group of nodes accepts one pod.
type podRow struct {
	Verdict     verdict        `json:"verdict"`
	Matching    int            `json:"matchingNodes"`
	Untolerated []taints.Taint `json:"untoleratedTaints"`
}

// A verdict is whether a group of nodes accepts pods.
type verdict string

// The verdicts.
const (
	accepts     verdict = "accepts"
	rejects     verdict = "rejects"      // an untolerated taint
	notMatching verdict = "not-matching" // node selector or required node affinity
)

// Words describes the verdict for the pod.
func (v verdict) Words() string {
	return map[verdict]string{accepts: "schedulable", rejects: "untolerated", notMatching: "no match"}[v]
}

var notEvaluated = []string{
	"resources", "pod affinity and anti-affinity", "topology spread constraints", "host ports", "volumes",
	"resource claims", "preferred node affinity", "priorities", "disruption budgets",
}

// Sign returns a symbol for the verdict.
func (v verdict) Sign() string {
	return map[verdict]string{accepts: "✓", rejects: "✕", notMatching: "–"}[v]
}

// A question is a request for a report.
type question struct {
	now     time.Time
	pod     podName // zero: all pods
	matrix  bool
	kubectl []string // beginning of commands
}

// newReport answers the question about a finished cluster.
func newReport(c *cluster, q question) *report {
	groups := groupNodes(c)
	r := &report{
		Version:      formVersion,
		Now:          q.now.Format(time.RFC3339),
		Nodes:        len(c.nodes),
		Pods:         len(c.pods),
		Ignored:      c.others,
		NotEvaluated: notEvaluated,
	}
	a := &analyst{
		cluster: c, chooser: &chooser{cluster: c, groups: groups}, known: newKnown(groups), now: q.now, kubectl: q.kubectl,
		placements: make(map[*profile]*placement), findings: make(map[*taints.Matcher][]finding),
	}
	waiting := r.survey(c)
	a.count(waiting)
	r.Groups = groupRows(c, groups)
	var pods []*pod
	if q.pod == (podName{}) {
		for i := range c.pods {
			pods = append(pods, &c.pods[i])
		}
		r.Pending = a.pending(waiting)
	} else {
		p := &c.pods[c.podAt[q.pod]]
		pods = []*pod{p}
		r.addPod(a, p)
	}
	r.Evictions = evictions(c, pods, q.now)
	r.Causes = causesOf(r.Pending)
	if q.matrix {
		columns := columnsOf(c, pods)
		if r.Pod != "" && len(columns) == 1 {
			columns[0].profile = pods[0].profile
		}
		r.matrix = newMatrix(a, r.Groups, columns)
	}
	return r
}

// addPod adds the answers that are about one pod only.
func (r *report) addPod(a *analyst, p *pod) {
	r.Pod, r.PodNote = p.String(), noteOn(a.cluster, p)
	if p.isPending() {
		r.Pending = a.pending([]*pod{p})
	} else {
		r.PodFindings = findings(p.tolerations)
	}
	matching := a.chooser.matching(p.profile)
	for i, g := range a.chooser.groups {
		row := &podRow{Matching: matching[g]}
		row.Verdict, row.Untolerated = p.verdictOn(g, matching[g])
		r.Groups[i].ForPod = row
	}
}

// survey counts the pods by their place, and returns the pending ones.
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

// noteOn describes the state of a pod that is not pending. It is empty if the
// pod's eviction shows the state.
func noteOn(c *cluster, p *pod) string {
	i, known := c.nodeAt[p.node]
	switch {
	case p.isPending():
		return ""
	case p.isFinished():
		return fmt.Sprintf("pod %s has finished: its phase is %s", p, p.phase)
	case p.node == "" && p.deleting:
		return fmt.Sprintf("pod %s is being deleted and has no node", p)
	case p.node == "":
		return fmt.Sprintf("pod %s has no node, but its phase is %s", p, p.phase)
	case !known:
		return fmt.Sprintf("pod %s is on node %s, which is not in the input", p, p.node)
	case hasNoExecute(c.nodes[i].taints):
		return ""
	case p.phase == corev1.PodPending:
		return fmt.Sprintf("pod %s is scheduled to node %s, which has no NoExecute taints, and has not started yet",
			p, p.node)
	}
	return fmt.Sprintf("pod %s runs on node %s, which has no NoExecute taints, so taints do not evict it", p, p.node)
}

func groupRows(c *cluster, groups []*nodeGroup) []groupRow {
	rows := []groupRow{}
	for _, g := range groups {
		row := groupRow{Nodes: len(g.nodes), Pods: g.pods, Rejected: g.rejected, Taints: g.taints, ID: fmt.Sprintf("group-%d", g.nodes[0]+1)}
		for _, i := range g.nodes {
			row.NodeNames = append(row.NodeNames, c.nodes[i].Name)
		}
		rows = append(rows, row)
	}
	return rows
}

// verdictOn returns whether the group, with the number of matching nodes,
// accepts the pods, and the hard taints that they do not tolerate.
func (p *profile) verdictOn(g *nodeGroup, matching int) (verdict, []taints.Taint) {
	untolerated := untoleratedOf(p.matcher, g)
	switch {
	case matching == 0:
		return notMatching, untolerated
	case len(untolerated) > 0:
		return rejects, untolerated
	}
	return accepts, nil
}

// firstGroups returns up to most groups, the most important ones.
func (r *report) firstGroups(most int) []groupRow {
	if len(r.Groups) <= most {
		return r.Groups
	}
	groups := slices.Clone(r.Groups)
	slices.SortStableFunc(groups, func(a, b groupRow) int { return b.importance() - a.importance() })
	return groups[:most]
}

// importance orders the groups if not all of them are shown.
func (g *groupRow) importance() int {
	if g.ForPod != nil {
		return g.ForPod.Matching
	}
	return g.Rejected
}

// writeJSON writes the report without building a copy in memory.
func (r *report) writeJSON(w io.Writer) error {
	err := json.MarshalWrite(w, r, jsontext.WithIndent("  "), json.Deterministic(true))
	if err == nil {
		_, err = io.WriteString(w, "\n")
	}
	return err
}

func (r *report) writeYAML(w io.Writer) error {
	b, err := json.Marshal(r, json.Deterministic(true))
	if err == nil {
		b, err = yaml.JSONToYAML(b)
	}
	if err == nil {
		_, err = w.Write(b)
	}
	return err
}
