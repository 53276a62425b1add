// SPDX-License-Identifier: Apache-2.0

// Package diagnosis says why pods are pending, when they are evicted, and what helps.
//
// A pending pod passes through these rooms. Each reads what the earlier ones returned:
//
//  1. what is asked: pending.go groups equal pods.
//  2. why not: package why finds the nodes that match, those that reject, and which
//     toleration is closest to each taint.
//  3. what a taint is for: package purpose tells states of nodes from pools.
//  4. what to do: package remedy corrects mistakes, names nodes that have to change, or
//     alternatives for the user. Package fix makes steps of that.
//  5. how to say it: cause.go names the cause, and joins the pods with the same cause and
//     steps. Package fiterror reads the scheduler's message.
//
// Package eviction is about pods that have a node, and package start about one that has not
// started there.
package diagnosis

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/lists"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/internal/timer"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/eviction"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/fix"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/remedy"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/start"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/why"
)

// A Report has all answers.
type Report struct {
	Version      string               `json:"version"` // changes if a field is removed or changes its meaning
	Input        string               `json:"input"`   // where the objects come from
	Now          string               `json:"now"`
	Nodes        int                  `json:"nodes"`
	Pods         int                  `json:"pods"`
	Filter       string               `json:"filter,omitempty"`  // the flags that select the pods; empty: all of the input
	Ignored      map[string]int       `json:"ignored"`           // objects of other kinds, by kind
	Pod          string               `json:"pod,omitempty"`     // the requested one, or the workload of these
	PodNote      string               `json:"podNote,omitempty"` // the state of those that are neither pending nor evicted
	Causes       []*Cause             `json:"causes"`            // the reasons why pods are pending
	Pending      []*Pending           `json:"pending"`
	DaemonSets   []*Pending           `json:"daemonSets"` // that make no pods on some nodes because of taints
	KeptOff      []*Cause             `json:"daemonSetCauses"`
	Evictions    []*eviction.Eviction `json:"evictions"`
	WaysOut      []fix.Step           `json:"waysOut"`                // of Terminating, on nodes that are not Ready
	EvictionRule string               `json:"evictionRule,omitempty"` // explains the times of evictions; empty: there are none
	Lost         int                  `json:"podsOnUnknownNodes"`     // pods on nodes that are not in the input
	Groups       []GroupRow           `json:"groups"`
	NotEvaluated []string             `json:"notEvaluated"`

	Matrix *Matrix `json:"-"` // nil unless requested
	Asked  int     `json:"-"` // the requested pods
}

// A GroupRow is a group of nodes with the same taints.
type GroupRow struct {
	Nodes    int `json:"nodes"`
	Pods     int `json:"pods"`         // that run there
	Rejected int `json:"rejectedPods"` // pending, match a node and do not tolerate the taints
	*cluster.Group
	NodeNames []string `json:"nodeNames"`
	ForPod    *cell    `json:"forPod,omitzero"` // about the requested pod; nil: none is
}

// A cell shows whether a group of nodes accepts pods.
type cell struct {
	Verdict     string         `json:"verdict"` // accepts, rejects or not-matching
	Matching    int            `json:"matchingNodes"`
	Untolerated []taints.Taint `json:"untoleratedTaints"` // hard ones
}

// A Question is a request for a report.
type Question struct {
	Now    time.Time
	Pods   []*cluster.Pod // none: all
	Start  *start.Facts   // about a pod that is asked for by name; nil: none is
	Matrix bool
	IsWide bool // the report has all details
	fix.Kubectl
}

// New answers the question about a finished cluster.
func New(c *cluster.Cluster, q Question) *Report {
	r := &Report{
		Version: "whynot/v1", Now: q.Now.Format(time.RFC3339), Nodes: len(c.Nodes), Pods: len(c.Pods),
		Ignored: c.Others, NotEvaluated: c.NotEvaluated(),
	}
	a := &analyst{
		Cluster: c, adviser: remedy.New(c), guide: fix.NewGuide(c, q.Kubectl, q.Now), isWide: q.IsWide || len(q.Pods) > 0,
		verdicts: make(map[*cluster.Profile]*verdict),
	}
	waiting, running := r.survey(c)
	rejected := make(map[*cluster.Group]int)
	for _, p := range waiting {
		for _, s := range a.verdict(p.Profile).Rejecting {
			rejected[s.Group]++
		}
	}
	r.Groups = lists.Each(c.Groups, func(g *cluster.Group) GroupRow {
		return GroupRow{len(g.Members), running[g], rejected[g], g, lists.Each(g.Members, func(i int) string { return c.Nodes[i].Name }), nil}
	})
	a.kept = a.daemonSets()
	pods := c.Pods
	r.DaemonSets = slices.DeleteFunc(slices.Clone(a.kept), func(x *Pending) bool { return x.First.LeftOut })
	if r.Asked = len(q.Pods); r.Asked > 0 {
		pods = q.Pods
		r.DaemonSets = slices.DeleteFunc(slices.Clone(a.kept), func(x *Pending) bool {
			p, o := x.First, pods[0] // whose owner may have one
			return p.Namespace != o.Namespace || p.Owner.Kind != o.Owner.Kind || p.Owner.Name != o.Owner.Name
		})
		waiting = slices.DeleteFunc(slices.Clone(pods), func(p *cluster.Pod) bool { return !p.IsPending() || p.Template && len(r.DaemonSets) > 0 })
		first := slices.Concat(waiting, pods)[0]
		profile := first.Profile
		if r.Pod = first.String(); r.Asked > 1 {
			r.Pod, profile = first.Namespace+"/"+c.Asked, requirements(first)
		}
		notes := slices.DeleteFunc(lists.Each(pods, func(p *cluster.Pod) string { return q.noteOn(c, p) }), func(s string) bool { return s == "" })
		r.PodNote = strings.Join(say.FirstOf(notes, 3), "; ")
		for i, x := range cellsOf(c, profile, r.Groups) {
			r.Groups[i].ForPod = x
		}
	}
	if q.Matrix {
		r.Matrix = newMatrix(c, r, pods)
	}
	r.Pending = a.pending(waiting)
	r.Causes, r.KeptOff = causesOf(r.Pending), causesOf(r.DaemonSets)
	if q.Start != nil {
		pods = slices.Concat(pods, q.Start.Holders(c, pods[0]))
	}
	r.Evictions = eviction.All(c, pods, q.Now)
	r.WaysOut = a.guide.WaysOut(r.Evictions)
	if slices.ContainsFunc(r.Evictions, func(x *eviction.Eviction) bool { return x.At != "" }) {
		r.EvictionRule = timer.Rule
	}
	return r
}

// WaitsForTaints reports whether a pod waits for a taint or a toleration to change, or an
// API server refuses its tolerations.
func (r *Report) WaitsForTaints() bool {
	kinds := []causeKind{causeMistake, causeTaints, causeInvalid, causeNodes, causeOlder}
	return slices.ContainsFunc(r.Causes, func(c *Cause) bool { return slices.Contains(kinds, c.Kind) }) ||
		slices.ContainsFunc(r.Evictions, func(x *eviction.Eviction) bool { return x.Waits }) ||
		slices.ContainsFunc(r.Pending, func(x *Pending) bool { return x.First.IsRefused })
}

// survey returns the pending pods, and counts the others by their place.
func (r *Report) survey(c *cluster.Cluster) (waiting []*cluster.Pod, running map[*cluster.Group]int) {
	running = make(map[*cluster.Group]int)
	for _, p := range c.Pods {
		at, known := c.NodeAt[p.Node]
		switch {
		case p.IsPending():
			waiting = append(waiting, p)
		case p.Node == "" || p.IsFinished():
		case known:
			running[c.Nodes[at].Group]++
		default:
			r.Lost++
		}
	}
	return waiting, running
}

// noteOn describes a pod that is not pending, unless its eviction does.
func (q *Question) noteOn(c *cluster.Cluster, p *cluster.Pod) string {
	i, isKnown := c.NodeAt[p.Node]
	isEvicted := isKnown && eviction.MayLeave(p, &c.Nodes[i])
	waits := q.Start.Texts(c, p, q.Now)
	who, where, text := "pod "+p.String(), " on node "+p.Node, strings.Join(waits, "; ")
	if !isKnown {
		where += ", which is not in the input,"
	} else if !isEvicted && !p.Deleting {
		where += ", which has no NoExecute taints,"
	}
	switch {
	case p.Deleting:
		return q.deletionOf(c, p, who+where, waits)
	case text != "" && p.Phase == corev1.PodPending:
		return who + " is" + where + " and has not started: " + text
	case text != "":
		return who + " has started" + where + " but " + text
	case p.IsFinished():
		return strings.TrimSuffix(fmt.Sprintf("%s has finished: its phase is %s, its status says %q", who, p.Phase, p.Message), `, its status says ""`)
	case isEvicted && c.Nodes[i].Says != "":
		return who + " is" + where + ", whose " + c.Nodes[i].Says
	case p.IsPending(), isEvicted:
		return ""
	case p.Node == "":
		return fmt.Sprintf("%s has no node, but its phase is %s", who, p.Phase)
	case !isKnown:
		return who + " is" + strings.TrimSuffix(where, ",")
	case p.Phase == corev1.PodRunning:
		return who + " has started" + where + " so taints do not evict it"
	case q.Start == nil && p.Phase == corev1.PodPending: // of a workload that is asked for
		return who + " is" + where + " and has not started: ask for it by its name to see why"
	}
	return who + " is" + where + " so taints do not evict it"
}

// deletionOf describes a pod that is being deleted, unless its eviction does.
func (q *Question) deletionOf(c *cluster.Cluster, p *cluster.Pod, who string, waits []string) string {
	i, isKnown := c.NodeAt[p.Node]
	ends, isOver := "ends", !p.Ends.After(q.Now)
	if isOver {
		ends = "ended"
	}
	at := say.Relative(p.Ends.Unix() - q.Now.Unix())
	text := fmt.Sprintf("%s is being deleted: its grace period %s at %s (%s)", who, ends, p.Ends.UTC().Format(time.RFC3339), at)
	switch isStuck := isOver && (len(waits) > 0 || len(p.Finalizers) == 0); {
	case p.Node == "":
		text = fmt.Sprintf("pod %s is being deleted and has no node", p)
	case isKnown && len(waits)+len(p.Finalizers) == 0 && eviction.MayLeave(p, &c.Nodes[i]):
		return ""
	case isKnown && cluster.HasKey(c.Nodes[i].Own, corev1.TaintNodeOutOfService) && !c.Nodes[i].MayBeReady:
		waits = append(waits, "Kubernetes deletes it by force within a minute, as its node is out of service and not Ready")
	case isKnown && isStuck && !c.Nodes[i].IsSilent():
		waits = append(waits, "look at the kubelet and the container runtime of the node")
	}
	if len(p.Finalizers) > 0 {
		waits = append([]string{"it waits for what removes " + p.Finalizer()}, waits...)
	}
	return strings.Join(append([]string{text}, waits...), "; ")
}

// cellsOf returns for each of the groups whether it accepts pods of the profile.
func cellsOf(c *cluster.Cluster, p *cluster.Profile, groups []GroupRow) []*cell {
	matching := make(map[*cluster.Group]int)
	for _, s := range c.Choose(p) {
		matching[s.Group] = len(s.Nodes)
	}
	return lists.Each(groups, func(g GroupRow) *cell {
		x := &cell{Verdict: "accepts", Matching: matching[g.Group], Untolerated: why.Untolerated(p.Matcher, g.Group)}
		switch {
		case x.Matching == 0:
			x.Verdict = "not-matching"
		case len(x.Untolerated) > 0:
			x.Verdict = "rejects"
		}
		return x
	})
}

// FirstGroups returns up to most groups, those that matter most to the pods.
func (r *Report) FirstGroups(most int) []GroupRow {
	if len(r.Groups) <= most {
		return r.Groups
	}
	importance := func(g GroupRow) int {
		if g.ForPod != nil {
			return g.ForPod.Matching
		}
		return g.Rejected
	}
	groups := slices.Clone(r.Groups)
	slices.SortStableFunc(groups, func(a, b GroupRow) int { return importance(b) - importance(a) })
	return groups[:most]
}

// A Matrix says which groups of nodes accept which groups of pods.
type Matrix struct {
	Nodes    []GroupRow // columns
	Rows     []*matrixRow
	Others   int // groups of nodes without a column
	MorePods int // that are left out
}

// A matrixRow is pods that the same groups of nodes accept. Waiting counts those that
// are pending or do not exist yet, and Running the others by their nodes.
type matrixRow struct {
	Pods, Waiting int
	Owners        sets.Set[string]
	Running       map[*cluster.Group]int
	Cells         []*cell        // for each column
	Others        map[string]int // the other groups of nodes, by verdict
	text          string         // equal for rows that look the same
}

const maxColumns, maxRows = 8, 60 // of a matrix that is still readable

// newMatrix returns the matrix of the pods that wait for a node or have one that is
// known. Those that wait come first, then the largest groups. The groups of nodes are
// those that reject the most pending pods, then the largest.
func newMatrix(c *cluster.Cluster, r *Report, pods []*cluster.Pod) *Matrix {
	all := slices.Concat(r.FirstGroups(maxColumns/2), r.Groups)
	same := lists.Grouped(all, func(g GroupRow) *cluster.Group { return g.Group })
	groups := lists.Each(same, func(same []GroupRow) GroupRow { return same[0] })
	m := &Matrix{Nodes: groups}
	if len(groups) > maxColumns+1 {
		m.Nodes, m.Others = groups[:maxColumns], len(groups)-maxColumns
	}
	pods = slices.DeleteFunc(slices.Clone(pods), func(p *cluster.Pod) bool {
		_, isKnown := c.NodeAt[p.Node]
		isBound := p.IsStatic() || p.Pinned && p.Owner.Kind != "DaemonSet"
		return !p.IsPending() && (!isKnown || isBound || p.IsFinished())
	})
	slices.SortStableFunc(pods, func(a, b *cluster.Pod) int { return lists.CompareBools(b.IsPending(), a.IsPending()) })
	kinds := lists.Grouped(pods, requirements)
	slices.SortStableFunc(kinds, func(a, b []*cluster.Pod) int {
		return cmp.Or(lists.CompareBools(b[0].IsPending(), a[0].IsPending()), len(b)-len(a))
	})
	for i, kind := range kinds {
		if i < maxRows {
			m.add(c, kind, cellsOf(c, requirements(kind[0]), groups))
		} else {
			m.MorePods += len(kind)
		}
	}
	slices.SortStableFunc(m.Rows, func(x, y *matrixRow) int { return cmp.Or(y.Waiting-x.Waiting, y.Pods-x.Pods) })
	return m
}

// requirements returns a profile for all pods of a workload: a DaemonSet's differ in nodes.
func requirements(p *cluster.Pod) *cluster.Profile {
	if p.NamesNodes() && p.Owner.Kind != "DaemonSet" {
		return p.Profile
	}
	return p.Family
}

// add adds the pods to the row that looks the same, or to a new one.
func (m *Matrix) add(c *cluster.Cluster, pods []*cluster.Pod, cells []*cell) {
	columns := len(m.Nodes)
	row := &matrixRow{Owners: sets.New[string](), Running: make(map[*cluster.Group]int), Cells: cells[:columns], Others: make(map[string]int)}
	for _, x := range cells[columns:] {
		row.Others[x.Verdict]++
	}
	row.text = fmt.Sprint(row.Others)
	for _, x := range row.Cells {
		if row.text += "\n"; x.Matching > 0 {
			row.text += fmt.Sprint(x.Matching, cluster.TextOf(x.Untolerated))
		}
	}
	if i := slices.IndexFunc(m.Rows, func(x *matrixRow) bool { return x.text == row.text }); i >= 0 {
		row = m.Rows[i]
	} else {
		m.Rows = append(m.Rows, row)
	}
	for _, p := range pods {
		row.Pods++
		row.Owners.Insert(p.OwnerName())
		if p.IsPending() {
			row.Waiting++
		} else {
			row.Running[c.Nodes[c.NodeAt[p.Node]].Group]++
		}
	}
}
