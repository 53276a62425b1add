// SPDX-License-Identifier: Apache-2.0

package preview

import (
	"cmp"
	"slices"
	"strings"

	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
)

// maxNames limits the names of nodes that allow a pod.
const maxNames = 100

// A Waiting is the pending pods of one owner with equal requirements.
type Waiting struct {
	Workload string   `json:"workload"`
	Template bool     `json:"template,omitempty"` // the workload would create them
	Pods     []string `json:"podNames"`
	// IsLoss is whether taints and node affinity allow them on nodes before the change
	// and on none afterwards. Otherwise it is the other way around. NodeNames are the
	// names of these nodes, up to maxNames.
	IsLoss    bool     `json:"isLoss"`
	Nodes     int      `json:"nodes"`
	NodeNames []string `json:"nodeNames"`
}

// pending finds the pending pods that get a first node or lose their last one. The
// pods of a DaemonSet count together, though each names its node.
func (e *evaluation) pending() {
	type group struct {
		owner  string
		family *cluster.Profile
		isLoss bool
	}
	type member struct {
		group
		profile *cluster.Profile
	}
	places := make(map[*cluster.Profile]place)
	at, seen := make(map[group]int), make(map[member]bool)
	for _, p := range e.before.Pods {
		if !p.IsPending() || len(p.Gates) > 0 {
			continue
		}
		row, ok := places[p.Profile]
		if !ok {
			row = e.placeOf(p.Profile)
			places[p.Profile] = row
		}
		if (row.before == 0) == (row.after == 0) {
			continue
		}
		key := group{p.OwnerName(), p.Family, row.after == 0}
		i, ok := at[key]
		if !ok {
			i = len(e.Pending)
			at[key], e.Pending = i, append(e.Pending, Waiting{Workload: key.owner, Template: p.Template, IsLoss: key.isLoss})
		}
		w := &e.Pending[i]
		w.Pods = append(w.Pods, p.String())
		if m := (member{key, p.Profile}); !seen[m] {
			seen[m] = true
			w.NodeNames = append(w.NodeNames, row.names...)
		}
	}
	for i := range e.Pending {
		w := &e.Pending[i]
		slices.Sort(w.Pods)
		slices.Sort(w.NodeNames)
		w.NodeNames = slices.Compact(w.NodeNames)
		w.Nodes, w.NodeNames = len(w.NodeNames), w.NodeNames[:min(len(w.NodeNames), maxNames)]
	}
	slices.SortStableFunc(e.Pending, func(a, b Waiting) int {
		return cmp.Or(len(b.Pods)-len(a.Pods), strings.Compare(a.Workload, b.Workload), strings.Compare(a.Pods[0], b.Pods[0]))
	})
}

// A place counts the nodes that allow pods before and after the change.
type place struct {
	before, after int
	names         []string // of all of them, if there are none before or none after
}

func (e *evaluation) placeOf(p *cluster.Profile) (x place) {
	for _, s := range e.before.Choose(p) {
		for _, i := range s.Nodes {
			before, after := !p.IsRejected(s.Group), !p.IsRejected(e.after.Nodes[i].Group)
			if before {
				x.before++
			}
			if after {
				x.after++
			}
			if before || after {
				x.names = append(x.names, e.before.Nodes[i].Name)
			}
		}
	}
	if (x.before == 0) == (x.after == 0) {
		x.names = nil
	}
	return x
}

// waitingOf counts the pods that get a first node, and those that lose their last.
func (e *evaluation) waitingOf() (first, last int) {
	for _, w := range e.Pending {
		if w.IsLoss {
			last += len(w.Pods)
		} else {
			first += len(w.Pods)
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
	if w.IsLoss {
		when = "after the change"
	}
	return say.Sentence(who) + " could be placed on " + say.NamesOf(w.NodeNames, w.Nodes) + "; " + when + ", on no node."
}
