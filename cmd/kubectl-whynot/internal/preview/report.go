// SPDX-License-Identifier: Apache-2.0

package preview

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/diagnosis"
)

// A Report says what a request would do.
type Report struct {
	// Version changes if a field is removed or changes its meaning.
	Version string `json:"version"`
	// Input describes where the objects come from.
	Input   string `json:"input"`
	Now     string `json:"now"`
	Nodes   int    `json:"nodes"`
	Pods    int    `json:"pods"`
	Summary string `json:"summary"`
	// Changes has the nodes that change, Unchanged those that are already as
	// requested, and Refused those that kubectl refuses to change.
	Changes   []Change  `json:"changes"`
	Unchanged []string  `json:"unchangedNodes"`
	Refused   []Refusal `json:"refused"`
	// Leaving are the pods that are evicted, or evicted earlier than without the
	// change. Spared are those that are no longer evicted. Tolerating are those that
	// tolerate the new NoExecute taints.
	Leaving    []Fate `json:"leaving"`
	Spared     []Fate `json:"noLongerEvicted"`
	Tolerating []Fate `json:"tolerating"`
	// Stay counts the pods on these nodes that stay. Of these, Static counts the
	// static pods whose mirror pod is deleted. Anyway counts the pods that leave with
	// or without the change, and Finished the ended pods that are deleted.
	Stay     int `json:"podsThatStay"`
	Static   int `json:"staticPodsWithNewMirror"`
	Anyway   int `json:"podsThatLeaveAnyway"`
	Finished int `json:"finishedPodsDeleted"`
	// Emptied are the workloads of which every pod leaves.
	Emptied []Workload `json:"workloadsWithoutPods"`
	// Pending are the pending pods that no node allows before or after the change.
	Pending []Waiting `json:"pending"`
	// Command does what was requested. Undo makes the nodes as they are now.
	Command      string   `json:"command,omitempty"`
	Undo         []string `json:"undo"`
	Notes        []string `json:"notes"`
	NotEvaluated []string `json:"notEvaluated"`
}

// A Fate is what happens to pods for the same taint and toleration.
type Fate struct {
	Pods int `json:"pods"`
	// When says at what time they leave, and InSeconds is the latest deadline. They
	// are empty for pods that stay.
	When      string           `json:"when,omitempty"`
	InSeconds *int64           `json:"inSeconds,omitempty"`
	Because   []diagnosis.Pair `json:"because"`
	Parts     []Part           `json:"workloads"`
}

// A Workload is the pods of one owner that run.
type Workload struct {
	Name string `json:"name"` // its kind and name, or "Pod" or "static pod" and a name
	Pods int    `json:"pods"`
}

// A Part is some of the pods of a workload.
type Part struct {
	Workload
	Names []string `json:"podNames"`
	// Homeless counts those of them that no other node would take and keep, by
	// taints and node affinity.
	Homeless int `json:"podsWithoutOtherNode"`
	// Then says what happens afterwards, unless there are other pods elsewhere.
	Then string `json:"then,omitempty"`
}

// An evaluation compares a cluster before and after the changes.
type evaluation struct {
	*Report
	before, after    *cluster.Cluster
	now              time.Time
	added, removed   []taints.Taint
	running, leaving map[string]int // pods by workload
	homes            map[*cluster.Profile]bool
}

// New evaluates the request on a finished cluster. The connection has kubectl's
// flags that choose it.
func New(c *cluster.Cluster, r *Request, now time.Time, connection []string) *Report {
	report := &Report{
		Version: "whynot-preview/v1", Now: now.Format(time.RFC3339), Nodes: len(c.Nodes), Pods: len(c.Pods),
		NotEvaluated: diagnosis.NotEvaluated(),
	}
	nodes := r.run(c, now, report)
	e := &evaluation{
		Report: report, before: c, after: c.With(nodes), now: now,
		running: make(map[string]int), leaving: make(map[string]int), homes: make(map[*cluster.Profile]bool),
	}
	e.changes(r, nodes)
	e.evictions(nodes)
	e.pending()
	e.commands(r, connection)
	e.notes(r)
	report.Summary = e.summary(r) + "."
	return report
}

// A moved pod has an eviction by the taints before or after the changes.
type moved struct {
	*cluster.Pod
	diagnosis.Eviction
}

// evictions finds out which pods leave and which stay.
func (e *evaluation) evictions(nodes map[int]cluster.NodeChange) {
	changed := diagnosis.NewChanged(e.after, e.now)
	var leaving, spared, tolerating []moved
	for _, p := range e.before.Pods {
		i, known := e.before.NodeAt[p.Node]
		if _, changes := nodes[i]; !known || !changes {
			e.count(p, false)
			continue
		}
		was, is := changed.Evictions(p, &e.before.Nodes[i], &e.after.Nodes[i])
		leaves, left := is.InSeconds != nil, was.InSeconds != nil
		e.count(p, leaves)
		switch {
		case p.IsFinished():
			if leaves && !left && !p.Deleting {
				e.Finished++
			}
		case p.Deleting, leaves && left && *was.InSeconds <= *is.InSeconds:
			e.Anyway++
		case leaves && isStatic(p):
			e.Stay++
			e.Static++
		case leaves:
			leaving = append(leaving, moved{p, is})
		case left:
			e.Stay++
			spared = append(spared, moved{p, was})
		default:
			e.Stay++
			is.Because = slices.DeleteFunc(is.Because, func(x diagnosis.Pair) bool { return !slices.Contains(e.added, timeless(x.Taint)) })
			if len(is.Because) > 0 {
				tolerating = append(tolerating, moved{p, is})
			}
		}
	}
	e.Leaving, e.Spared, e.Tolerating = e.fates(leaving), e.fates(spared), e.fates(tolerating)
	for name, n := range e.leaving {
		if n == e.running[name] {
			e.Emptied = append(e.Emptied, Workload{name, n})
		}
	}
	slices.SortFunc(e.Emptied, func(a, b Workload) int { return cmp.Or(b.Pods-a.Pods, strings.Compare(a.Name, b.Name)) })
}

// count counts a running pod for its workload.
func (e *evaluation) count(p *cluster.Pod, leaves bool) {
	if p.Node == "" || p.IsFinished() || p.Deleting || p.Owner == (cluster.Owner{}) || isStatic(p) {
		return
	}
	name := p.OwnerName()
	e.running[name]++
	if leaves {
		e.leaving[name]++
	}
}

// isStatic reports whether a kubelet made the pod from a file or a URL. Then the
// pod in the API server, its mirror, is only a copy.
func isStatic(p *cluster.Pod) bool { return p.Owner.Kind == "Node" }

// fates groups the pods by what decides, earliest first.
func (e *evaluation) fates(list []moved) (fates []Fate) {
	byKey := make(map[string][]moved)
	for i := range list {
		m := &list[i]
		m.Order = string(m.From) + "\n"
		for k := range m.Because {
			m.Because[k].Taint = timeless(m.Because[k].Taint)
			m.Order += m.Because[k].Text() + "\n"
		}
	}
	slices.SortFunc(list, func(a, b moved) int {
		if a.InSeconds != nil && *a.InSeconds != *b.InSeconds {
			return cmp.Compare(*a.InSeconds, *b.InSeconds)
		}
		return cmp.Or(strings.Compare(a.Order, b.Order), cluster.ComparePodNames(a.PodName, b.PodName))
	})
	var keys []string
	for _, m := range list {
		key := m.Outcome + "\n" + m.Order
		if byKey[key] == nil {
			keys = append(keys, key)
		}
		byKey[key] = append(byKey[key], m)
	}
	for _, key := range keys {
		fates = append(fates, e.fate(byKey[key]))
	}
	return fates
}

// timeless returns the taint without its time.
func timeless(t taints.Taint) taints.Taint {
	t.TimeAdded = nil
	return t
}

// fate groups the pods by workload.
func (e *evaluation) fate(list []moved) Fate {
	last := &list[len(list)-1]
	f := Fate{Pods: len(list), Because: last.Because, InSeconds: last.InSeconds}
	if f.InSeconds != nil {
		all := make([]*diagnosis.Eviction, len(list))
		for i := range list {
			all[i] = &list[i].Eviction
		}
		if f.When = "now"; *f.InSeconds > 0 {
			f.When = diagnosis.When(all...)
		}
	}
	at := make(map[string]int)
	for _, m := range list {
		name := m.OwnerName()
		if isStatic(m.Pod) {
			name = "static pod " + m.Pod.String()
		}
		i, ok := at[name]
		if !ok {
			i = len(f.Parts)
			at[name], f.Parts = i, append(f.Parts, Part{Workload: Workload{name, max(e.running[name], 1)}})
		}
		f.Parts[i].Names = append(f.Parts[i].Names, m.Pod.String())
		if f.InSeconds != nil {
			e.then(&f.Parts[i], m)
		}
	}
	slices.SortStableFunc(f.Parts, func(a, b Part) int { return cmp.Or(len(b.Names)-len(a.Names), strings.Compare(a.Name, b.Name)) })
	return f
}

// then says what happens after the eviction of a pod of the part.
func (e *evaluation) then(x *Part, m moved) {
	switch tolerated := m.Because[0].Toleration != nil; {
	case m.Owner == (cluster.Owner{}):
		x.Then = "it has no controller, and nothing makes it again"
	case m.Owner.Kind == "DaemonSet" && tolerated:
		x.Then = "the DaemonSet makes new ones at once, which leave again"
	case m.Owner.Kind == "DaemonSet":
		x.Then = "the DaemonSet makes new ones when the taint is gone"
	case !e.hasHome(m.Profile):
		x.Homeless++
	}
}

// hasHome reports whether a node would take and keep the pod. Its own node evicts
// it.
func (e *evaluation) hasHome(p *cluster.Profile) bool {
	has, ok := e.homes[p]
	if !ok {
		has = slices.ContainsFunc(e.after.Choose(p), func(s cluster.Share) bool {
			return !p.IsRejected(s.Group) && p.Matcher.EvictionOf(s.Group.Taints, e.now).Outcome == taints.Stays
		})
		e.homes[p] = has
	}
	return has
}

// Text counts the pods and says what happens afterwards.
func (x *Part) Text() string {
	n := len(x.Names)
	words := []string{say.Count(n, "pod")}
	switch {
	case strings.HasPrefix(x.Name, "Pod "), strings.HasPrefix(x.Name, "static pod "):
		words = nil
	case n < x.Pods:
		words[0] = fmt.Sprintf("%d of %d pods", n, x.Pods)
	}
	switch {
	case x.Then != "":
		words = append(words, x.Then)
	case x.Homeless == n:
		words = append(words, "taints and node affinity allow no other node")
	case x.Homeless > 0:
		words = append(words, fmt.Sprintf("for %d of them, taints and node affinity allow no other node", x.Homeless))
	}
	return strings.TrimSuffix(x.Name+": "+strings.Join(words, "; "), ": ")
}
