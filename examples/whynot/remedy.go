// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"slices"

	"github.com/seed-0529bac1/taints"
)

// A change is what to do with tolerations where a mistake in them keeps pods
// off nodes, and with nodes that are out of order.
type change struct {
	// Opens counts the nodes whose taints let the pods in then.
	Opens int `json:"opensNodes"`
	// NodeTaints are taints that say that the nodes are out of order. They have
	// to go, whatever the pods tolerate.
	NodeTaints []taints.Taint `json:"nodeTaints"`
	Entries    []entry        `json:"entries"`
	// Tolerations is the list after the change.
	Tolerations []taints.Toleration `json:"tolerations"`
}

// An entry is a toleration to write, in the place of another one, or added
// where that is nil.
type entry struct {
	Replaces   *taints.Toleration `json:"replaces"`
	Toleration taints.Toleration  `json:"toleration"`

	at int // the place of the other one, -1 for none
}

// An alternative is nodes with taints of which nothing says whether they are
// meant for the pods.
type alternative struct {
	// Taints are what the pods would have to tolerate beside what the
	// corrections bring.
	Taints      []taints.Taint `json:"taints"`
	Corrections []entry        `json:"corrections"`
	// NodeTaints are taints that say that the nodes are out of order too.
	NodeTaints []taints.Taint `json:"nodeTaints"`
	Nodes      int            `json:"nodes"`
	NodeNames  []string       `json:"nodeNames"`
}

// A remedy is what lets pods onto the nodes that have a set of untolerated taints.
type remedy struct {
	untolerated []taints.Taint
	nodes       []int
	needs       []taints.Taint // of which no toleration is a slip
	mended      []taints.Taint // that say that nodes which it opens are out of order
	change
}

// An adviser finds remedies.
type adviser struct {
	known  []taints.Taint // of all nodes of the cluster
	values map[taints.TaintID]int
	*profile
	reasons   reasons
	shares    []share
	protected []taints.Taint // of the selected nodes, which the profile tolerates
}

// maxCounted limits for how many remedies the nodes that they open are counted.
const maxCounted = 100

// advise returns the change that corrects the mistakes in the profile's
// tolerations, where the library's hints say that there are such, or that says
// which nodes are to be mended; and the alternatives, where nothing says which
// nodes are meant. A change never goes to nodes whose key or value merely
// differs from what the pods tolerate.
func (a *adviser) advise() (*change, []*remedy) {
	a.protected = a.toleratedTaints()
	a.countValues()
	var settled, open, broken []*remedy
	for _, r := range a.remedies() {
		switch {
		case !a.plan(r):
		case len(r.needs) == 0:
			settled = append(settled, r)
		case len(r.NodeTaints) == 0:
			open = append(open, r)
		default:
			broken = append(broken, r)
		}
	}
	slices.SortStableFunc(settled, func(x, y *remedy) int {
		return cmp.Or(x.compareCost(y), len(y.nodes)-len(x.nodes))
	})
	settled = settled[:min(len(settled), maxCounted)]
	for _, r := range settled {
		a.count(r)
	}
	slices.SortStableFunc(settled, func(x, y *remedy) int { return cmp.Or(x.compareCost(y), y.Opens-x.Opens) })
	if isAmbiguous(settled) {
		isMended := len(settled[0].NodeTaints) > 0
		return nil, slices.DeleteFunc(settled, func(r *remedy) bool { return len(r.NodeTaints) > 0 != isMended })
	}
	if len(settled) > 0 {
		c := &settled[0].change
		c.NodeTaints = settled[0].mended
		return c, nil
	}
	if len(open) == 0 {
		open = broken
	}
	return nil, likeliest(open)
}

// remedies returns one for each distinct set of untolerated hard taints, in order.
func (a *adviser) remedies() []*remedy {
	var list []*remedy
	at := make(map[string]*remedy)
	for _, s := range a.shares {
		untolerated := untoleratedOf(a.matcher, s.group)
		key := textOf(untolerated)
		r, ok := at[key]
		if !ok {
			r = &remedy{untolerated: untolerated}
			at[key] = r
			list = append(list, r)
		}
		r.nodes = append(r.nodes, s.nodes...)
	}
	slices.SortFunc(list, func(x, y *remedy) int {
		return slices.CompareFunc(x.untolerated, y.untolerated, taints.Taint.Compare)
	})
	return list
}

// untoleratedOf returns the hard taints of the group that the tolerations do not
// match, in order and without times.
func untoleratedOf(m *taints.Matcher, g *nodeGroup) []taints.Taint {
	var list []taints.Taint
	for _, t := range m.Untolerated(g.taints, taints.Hard) {
		list = append(list, withoutTime(*t))
	}
	return list
}

func (a *adviser) toleratedTaints() []taints.Taint {
	var list []taints.Taint
	for _, s := range a.shares {
		for _, t := range s.group.taints {
			if _, ok := a.matcher.Match(t); ok {
				list = append(list, t)
			}
		}
	}
	slices.SortFunc(list, taints.Taint.Compare)
	return slices.Compact(list)
}

// countValues counts the values that the selected nodes have for each key and effect.
func (a *adviser) countValues() {
	a.values = make(map[taints.TaintID]int)
	for t := range a.reasons {
		a.values[t.ID()]++
	}
}

// plan works out the remedy and reports whether an API server accepts it.
func (a *adviser) plan(r *remedy) bool {
	r.NodeTaints, r.Entries = []taints.Taint{}, []entry{}
	r.Tolerations = append([]taints.Toleration{}, a.tolerations...)
	var rest []taints.Taint
	for _, t := range r.untolerated {
		if isNodeTrouble(t.Key) {
			r.NodeTaints = append(r.NodeTaints, t)
			continue
		}
		rest = append(rest, t)
		if _, found := taints.FindUntolerated([]taints.Taint{t}, r.Tolerations, taints.Hard); found {
			a.tolerate(r, t)
		}
	}
	_, found := taints.FindUntolerated(rest, r.Tolerations, taints.Hard)
	return !found && taints.ValidateTolerations(r.Tolerations) == nil
}

// tolerate adds what lets the taint through to the remedy: the correction of a
// slip, or else a need.
func (a *adviser) tolerate(r *remedy, t taints.Taint) {
	why := a.reasons[t]
	used := why.at >= 0 && isUsed(why.Closest, a.known)
	if why.at < 0 || !isSlip(why.Reason, used, a.values[t.ID()]) {
		r.needs = append(r.needs, t)
		r.Tolerations = append(r.Tolerations, tolerationOf(t))
		return
	}
	fixed := corrected(why.Reason)
	if !used && !r.changes(why.at) {
		list := slices.Clone(r.Tolerations)
		list[why.at] = fixed
		if _, breaks := taints.FindUntolerated(a.protected, list, taints.AllEffects); !breaks {
			r.Tolerations = list
			r.Entries = append(r.Entries, entry{&why.Closest, fixed, why.at})
			return
		}
	}
	r.Tolerations = append(r.Tolerations, fixed)
	r.Entries = append(r.Entries, entry{nil, fixed, -1})
}

// changes reports whether the toleration at the place is replaced.
func (r *remedy) changes(at int) bool {
	return slices.ContainsFunc(r.Entries, func(e entry) bool { return e.at == at })
}

// count counts the nodes that the remedy opens. Of nodes that are out of order
// these are all that take the pods once they are mended, whatever is wrong.
func (a *adviser) count(r *remedy) {
	m := taints.Compile(r.Tolerations)
	r.mended = []taints.Taint{}
	isMended, isRemoved := len(r.NodeTaints) > 0, haveLeaving(r.NodeTaints)
	for _, s := range a.shares {
		left := untoleratedOf(m, s.group)
		stays := func(t taints.Taint) bool { return !isMended || !isNodeTrouble(t.Key) || isLeaving(t.Key) && !isRemoved }
		if slices.ContainsFunc(left, stays) {
			continue
		}
		r.Opens += len(s.nodes)
		r.mended = append(r.mended, left...)
	}
	slices.SortFunc(r.mended, taints.Taint.Compare)
	r.mended = slices.Compact(r.mended)
}

// compareCost orders remedies: nodes that are in order first, then the fewest
// entries, then corrections before additions.
func (r *remedy) compareCost(s *remedy) int {
	return cmp.Or(r.rank()-s.rank(), len(r.Entries)-len(s.Entries), r.additions()-s.additions())
}

// rank orders remedies by whose nodes they are: anybody's, the control plane's,
// out of order, being removed.
func (r *remedy) rank() int {
	switch {
	case haveLeaving(r.NodeTaints):
		return 3
	case len(r.NodeTaints) > 0:
		return 2
	case slices.ContainsFunc(r.untolerated, isControlPlane):
		return 1
	}
	return 0
}

func (r *remedy) additions() int {
	n := 0
	for _, e := range r.Entries {
		if e.Replaces == nil {
			n++
		}
	}
	return n
}

// isAmbiguous reports whether two remedies for nodes that are in order, or else
// for others, make different tolerations of the same one, so that it is not
// clear which nodes are meant. Thresholds are no names: the remedy that opens
// most is taken.
func isAmbiguous(settled []*remedy) bool {
	for _, r := range settled {
		if len(r.NodeTaints) > 0 != (len(settled[0].NodeTaints) > 0) {
			return false // and so are those that follow
		}
		for _, e := range r.Entries {
			for _, f := range settled[0].Entries {
				if e.at >= 0 && e.at == f.at && e.differsInName(f) {
					return true
				}
			}
		}
	}
	return false
}

// differsInName reports whether the entries tolerate another key or value.
func (e *entry) differsInName(f entry) bool {
	x, y := e.Toleration, f.Toleration
	if x.Operator == taints.OpLt || x.Operator == taints.OpGt {
		x.Value, y.Value = "", ""
	}
	return x.Key != y.Key || x.Value != y.Value
}

// likeliest returns the remedies with corrections, if there are such; else all,
// but the control plane's only where there are no others. Those for most nodes
// come first.
func likeliest(open []*remedy) []*remedy {
	least := func(list []*remedy, cost func(*remedy) int) []*remedy {
		lowest := 0
		for i, r := range list {
			if c := cost(r); i == 0 || c < lowest {
				lowest = c
			}
		}
		return slices.DeleteFunc(list, func(r *remedy) bool { return cost(r) != lowest })
	}
	open = least(open, func(r *remedy) int {
		if len(r.Entries) > 0 {
			return 0
		}
		return 1
	})
	open = least(open, (*remedy).rank)
	slices.SortStableFunc(open, func(a, b *remedy) int { return len(b.nodes) - len(a.nodes) })
	return open
}
