// SPDX-License-Identifier: Apache-2.0

package diagnosis

import (
	"cmp"
	"slices"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
	"github.com/seed-0529bac1/taints/explain"
)

// A change corrects mistakes in tolerations, and names taints of nodes' states.
type change struct {
	Opens       int                 `json:"opensNodes"` // nodes whose taints let the pods in after the change
	NodeTaints  []taints.Taint      `json:"nodeTaints"` // of the nodes' states, which must go
	Entries     []Entry             `json:"entries"`
	Tolerations []taints.Toleration `json:"tolerations"` // the list after the change

	opened []int // the nodes
}

// An Entry is a toleration to add, or one that replaces another.
type Entry struct {
	Replaces   *taints.Toleration `json:"replaces"`
	Toleration taints.Toleration  `json:"toleration"`

	at int // the index of the mistaken toleration, whether or not it is replaced
}

// An alternative is nodes of which the tolerations do not say whether they are meant.
type alternative struct {
	Taints      []taints.Taint      `json:"taints"`    // to tolerate beside those that the corrections tolerate
	Additions   []taints.Toleration `json:"additions"` // tolerations of exactly these taints
	Corrections []Entry             `json:"corrections"`
	NodeTaints  []taints.Taint      `json:"nodeTaints"` // of the states of these nodes
	Nodes       int                 `json:"nodes"`
	NodeNames   []string            `json:"nodeNames"`

	Rest []taints.Taint `json:"-"` // the untolerated taints of the nodes, other than NodeTaints
}

// A remedy lets pods onto the nodes that have a set of untolerated taints.
type remedy struct {
	alternative
	untolerated []taints.Taint
	nodes       []int
	tolerations []taints.Toleration // with the corrections and additions
}

// An adviser finds remedies.
type adviser struct {
	*analyst
	*cluster.Profile
	reasons   reasons
	rejecting map[taints.TaintID]int // how many values a key and effect has among them
	shares    []cluster.Share
}

// advise returns the change that corrects the mistakes in the tolerations, or names the
// nodes to fix, or else the alternatives: it is not clear which nodes are intended. A
// change never opens nodes of another key or value than the pods tolerate.
func (a *adviser) advise() (*change, []*remedy) {
	var all []*remedy
	invalid := 4 // the least rank of nodes with an invalid taint
	for _, r := range a.remedies() {
		if a.plan(r) {
			all = append(all, r)
		} else {
			invalid = min(invalid, r.rank())
		}
	}
	if len(all) == 0 {
		return nil, nil
	}
	slices.SortStableFunc(all, func(x, y *remedy) int { return cmp.Or(x.compare(y), len(y.nodes)-len(x.nodes)) })
	best := all[0]
	rivals := rivals(best, all)
	switch {
	case rivals != nil:
		return nil, rivals
	case len(best.Taints) == 0:
		return a.change(best), nil
	case best.rank() > invalid && len(best.Corrections) == 0:
		return nil, nil
	}
	return nil, slices.DeleteFunc(all, func(r *remedy) bool { return r.compare(best) != 0 })
}

// remedies returns one for each distinct set of untolerated hard taints, sorted.
func (a *adviser) remedies() []*remedy {
	key := func(s cluster.Share) string { return cluster.TextOf(untoleratedOf(a.Matcher, s.Group)) }
	list := say.Each(cluster.Grouped(a.shares, key), func(shares []cluster.Share) *remedy {
		nodes := slices.Concat(say.Each(shares, func(s cluster.Share) []int { return s.Nodes })...)
		return &remedy{untolerated: untoleratedOf(a.Matcher, shares[0].Group), nodes: nodes}
	})
	slices.SortFunc(list, func(x, y *remedy) int { return slices.CompareFunc(x.untolerated, y.untolerated, taints.Taint.Compare) })
	return list
}

// untoleratedOf returns the untolerated hard taints, sorted and without times.
func untoleratedOf(m *taints.Matcher, g *cluster.Group) []taints.Taint {
	var list []taints.Taint
	for _, t := range m.Untolerated(g.Taints, taints.HardEffects) {
		list = append(list, withoutTime(*t))
	}
	return list
}

// plan computes the remedy and reports whether an API server accepts it.
func (a *adviser) plan(r *remedy) bool {
	r.tolerations = slices.Clone(a.Tolerations)
	for _, t := range r.untolerated {
		if stateOf(t) != stateNone {
			r.NodeTaints = append(r.NodeTaints, t)
			continue
		}
		r.Rest = append(r.Rest, t)
		if _, found := taints.FindUntolerated([]taints.Taint{t}, r.tolerations, taints.HardEffects); found {
			a.tolerate(r, t)
		}
	}
	_, found := taints.FindUntolerated(r.Rest, r.tolerations, taints.HardEffects)
	return !found && taints.ValidateTolerations(r.tolerations) == nil
}

// tolerate adds to the remedy the correction of a mistake, or else a new toleration.
func (a *adviser) tolerate(r *remedy, t taints.Taint) {
	why := a.reasons.of(t)
	if !a.isMistake(why) {
		added := a.tolerationOf(t)
		r.Taints, r.Additions = append(r.Taints, t), append(r.Additions, added)
		r.tolerations = append(r.tolerations, added)
		return
	}
	e := Entry{nil, corrected(why), why.Toleration}
	if !r.replaces(why, e.Toleration) {
		r.tolerations = append(r.tolerations, e.Toleration)
		r.Corrections = append(r.Corrections, e)
		return
	}
	for i := range a.Tolerations {
		same, other := why, why.Closest // for another effect or time, or with an operator once
		same.Closest, same.Toleration = a.Tolerations[i], i
		other.Effect, other.TolerationSeconds = same.Closest.Effect, same.Closest.TolerationSeconds
		if !same.Closest.Equal(other) || !a.isMistake(same) {
			continue
		}
		if fixed := corrected(same); r.replaces(same, fixed) {
			r.tolerations[i] = fixed
			r.Corrections = append(r.Corrections, Entry{&a.Tolerations[i], fixed, i})
		}
	}
}

// replaces reports whether the correction can replace the mistake. It cannot if another
// one has, or if the mistake is for another effect, which nodes may get later.
func (r *remedy) replaces(mistake explain.Reason, fixed taints.Toleration) bool {
	if isEffect(mistake.Closest.Effect) && mistake.Closest.Effect != fixed.Effect {
		return false
	}
	return !slices.ContainsFunc(r.Corrections, func(e Entry) bool { return e.at == mistake.Toleration && e.Replaces != nil })
}

// change returns the change that corrects the mistakes. If the remedy has nodes to fix,
// it opens all nodes that accept the pods once all such nodes are fixed.
func (a *adviser) change(r *remedy) *change {
	x := &change{Entries: r.Corrections, Tolerations: r.tolerations}
	m := taints.Compile(r.tolerations)
	isFixed, isFinal := len(r.NodeTaints) > 0, haveFinal(r.NodeTaints)
	stays := func(t taints.Taint) bool {
		s := stateOf(t)
		return !isFixed || s == stateNone || s.isFinal() && !isFinal
	}
	for _, s := range a.shares {
		if left := untoleratedOf(m, s.Group); !slices.ContainsFunc(left, stays) {
			x.opened, x.NodeTaints = append(x.opened, s.Nodes...), append(x.NodeTaints, left...)
		}
	}
	x.Opens, x.NodeTaints = len(x.opened), cluster.Distinct(x.NodeTaints)
	return x
}

// compare orders remedies, the likeliest first. If corrections suffice, healthy nodes
// come first, then the fewest corrections, and of these the most that replace. Otherwise,
// nodes without a state come first, then remedies with corrections.
func (r *remedy) compare(s *remedy) int {
	if len(r.Taints)+len(s.Taints) == 0 {
		return cmp.Or(r.rank()-s.rank(), len(r.Corrections)-len(s.Corrections), len(r.tolerations)-len(s.tolerations))
	}
	return cmp.Or(
		order(len(r.Taints) > 0, len(s.Taints) > 0), order(len(r.NodeTaints) > 0, len(s.NodeTaints) > 0),
		order(len(r.Corrections) == 0, len(s.Corrections) == 0), r.rank()-s.rank(),
	)
}

// rank orders remedies by their nodes: ordinary ones, the control plane, nodes
// to fix, nodes that never take the pods.
func (r *remedy) rank() int {
	controlPlane := []string{"node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master"}
	switch {
	case haveFinal(r.NodeTaints):
		return 3
	case len(r.NodeTaints) > 0:
		return 2
	case slices.ContainsFunc(r.untolerated, func(t taints.Taint) bool { return slices.Contains(controlPlane, t.Key) }):
		return 1
	}
	return 0
}

// rivals returns the remedies that correct the same toleration as best, if some of
// them correct it to another key or value. It is then not clear which nodes are
// intended, whatever else must be done there. Otherwise it returns nil.
func rivals(best *remedy, all []*remedy) []*remedy {
	for _, e := range best.Corrections {
		isFor := func(f Entry) bool { return f.at == e.at }
		isOther := func(f Entry) bool {
			return isFor(f) && (e.Toleration.Key != f.Toleration.Key || e.Toleration.Value != f.Toleration.Value)
		}
		if slices.ContainsFunc(all, func(r *remedy) bool { return slices.ContainsFunc(r.Corrections, isOther) }) {
			return slices.DeleteFunc(all, func(r *remedy) bool { return !slices.ContainsFunc(r.Corrections, isFor) })
		}
	}
	return nil
}

// Entries returns all tolerations to write for the alternative.
func (a *alternative) Entries() []Entry {
	return slices.Concat(a.Corrections, say.Each(a.Additions, func(t taints.Toleration) Entry { return Entry{nil, t, -1} }))
}

// Line describes the taints and the nodes.
func (a alternative) Line() string {
	state := ""
	if len(a.NodeTaints) > 0 {
		state = ", " + statesText(a.NodeTaints) + ": " + say.TaintsText(a.NodeTaints)
	}
	return say.Joined(say.TaintTexts(a.Rest)) + " (" + say.NamesOf(a.NodeNames, a.Nodes) + state + ")"
}
