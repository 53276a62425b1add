// SPDX-License-Identifier: Apache-2.0

package preview

import (
	"cmp"
	"slices"
	"strings"

	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/say"
)

// maxNames limits the names of nodes that allow a pod.
const maxNames = 100

// A Waiting is the pending pods of one owner with equal requirements.
type Waiting struct {
	Workload string   `json:"workload"`
	Template bool     `json:"template,omitempty"` // the workload would create them
	Pods     []string `json:"podNames"`
	// Before and After count the nodes that taints and node affinity allow. One of
	// them is zero. NodeNames are these nodes, up to maxNames.
	Before    int      `json:"nodesBefore"`
	After     int      `json:"nodesAfter"`
	NodeNames []string `json:"nodeNames"`
}

// pending finds the pending pods that get a first node or lose their last one.
func (e *evaluation) pending() {
	type group struct {
		owner   string
		profile *cluster.Profile
	}
	rows := make(map[*cluster.Profile]Waiting)
	at := make(map[group]int)
	for _, p := range e.before.Pods {
		if !p.IsPending() || len(p.Gates) > 0 {
			continue
		}
		row, ok := rows[p.Profile]
		if !ok {
			row = e.waiting(p.Profile)
			rows[p.Profile] = row
		}
		if (row.Before == 0) == (row.After == 0) {
			continue
		}
		key := group{p.OwnerName(), p.Profile}
		i, ok := at[key]
		if !ok {
			i = len(e.Pending)
			row.Workload, row.Template = key.owner, p.Template
			at[key], e.Pending = i, append(e.Pending, row)
		}
		e.Pending[i].Pods = append(e.Pending[i].Pods, p.String())
	}
	for _, w := range e.Pending {
		slices.Sort(w.Pods)
	}
	slices.SortStableFunc(e.Pending, func(a, b Waiting) int {
		return cmp.Or(len(b.Pods)-len(a.Pods), strings.Compare(a.Workload, b.Workload), strings.Compare(a.Pods[0], b.Pods[0]))
	})
}

// waiting returns the nodes that allow the pods of the profile.
func (e *evaluation) waiting(p *cluster.Profile) (w Waiting) {
	for _, s := range e.before.Choose(p) {
		for _, i := range s.Nodes {
			before, after := !p.IsRejected(s.Group), !p.IsRejected(e.after.Nodes[i].Group)
			if before {
				w.Before++
			}
			if after {
				w.After++
			}
			if before || after {
				w.NodeNames = append(w.NodeNames, e.before.Nodes[i].Name)
			}
		}
	}
	slices.Sort(w.NodeNames)
	w.NodeNames = w.NodeNames[:min(len(w.NodeNames), maxNames)]
	return w
}

// waitingOf counts the pods that get a first node, and those that lose their last.
func (e *evaluation) waitingOf() (first, last int) {
	for _, w := range e.Pending {
		if w.Before == 0 {
			first += len(w.Pods)
		} else {
			last += len(w.Pods)
		}
	}
	return first, last
}

// Text says where the pods could be placed.
func (w *Waiting) Text() string {
	who, when := say.Count(len(w.Pods), "pod")+" of "+w.Workload, "before the change"
	switch {
	case w.Template:
		who = "the pods of " + w.Workload
	case strings.HasPrefix(w.Workload, "Pod "):
		who = w.Workload
	}
	if w.After == 0 {
		when = "after the change"
	}
	return say.Sentence(who) + " could be placed on " + say.NamesOf(w.NodeNames, w.Before+w.After) + "; " + when + ", on no node."
}
