// SPDX-License-Identifier: Apache-2.0

package diagnosis

import (
	"cmp"
	"slices"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/purpose"
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

	Rest    []taints.Taint `json:"-"` // the untolerated taints of the nodes, other than NodeTaints
	unknown []taints.Taint // of Taints, those that may say a state
	at      []int          // the nodes
}

// A remedy lets the pods onto the nodes that have one set of untolerated taints: nodes
// change, mistakes are corrected, and the other taints are tolerated.
type remedy struct {
	alternative
	untolerated []taints.Taint
	nodes       []int
	isDeleted   bool                // the nodes have a deletionTimestamp
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

// advise sets what lets the pods onto nodes that reject them. Pods that are allowed on
// others are meant for those, and only their mistakes matter.
func (r *placement) advise(a *adviser) {
	var open []*remedy
	if r.Change, open = a.choose(); r.isOpen() {
		open = nil
		if c := r.Change; c != nil && (len(c.Entries) == 0 || len(c.NodeTaints) > 0) {
			r.Change = nil
		}
	}
	r.AlternativesTotal = len(open)
	for _, x := range open[:min(len(open), maxListed)] {
		x.Nodes, x.NodeNames, x.at = len(x.nodes), a.names(x.nodes), x.nodes
		r.Alternatives = append(r.Alternatives, x.alternative)
	}
	r.untolerated = r.taintsText(a.reasons)
	switch {
	case r.Change != nil:
		r.stays = a.stays(r.Change.opened, r.Change.NodeTaints)
	case r.AlternativesTotal == 1:
		r.stays = a.stays(open[0].nodes, open[0].NodeTaints)
	}
}

// choose returns a change if it is clear which nodes are meant, and otherwise the remedies
// among which the user chooses, if any. A change never opens nodes of another key or value
// than the pods tolerate.
func (a *adviser) choose() (*change, []*remedy) {
	var accepted, refused []*remedy
	for _, r := range a.remedies() {
		if a.plan(r); r.isAccepted() {
			accepted = append(accepted, r)
		} else {
			refused = append(refused, r)
		}
	}
	if len(accepted) == 0 {
		return nil, nil
	}
	slices.SortStableFunc(accepted, func(x, y *remedy) int { return cmp.Or(x.compare(y), len(y.nodes)-len(x.nodes)) })
	best := accepted[0]
	switch rivals := best.rivals(accepted); {
	case rivals != nil:
		return nil, rivals
	case best.isClear():
		for _, r := range accepted[1:] {
			if r.compare(best) == 0 && len(r.NodeTaints) == 0 && r.rivals(accepted) == nil {
				best.correctToo(r)
			}
		}
		return a.change(best), nil
	case best.isOutranked(refused):
		return nil, nil
	}
	return nil, slices.DeleteFunc(accepted, func(r *remedy) bool { return r.compare(best) != 0 })
}

// remedies returns one for each distinct set of untolerated hard taints, sorted. They have
// no plan yet.
func (a *adviser) remedies() []*remedy {
	key := func(s cluster.Share) string { return cluster.TextOf(untoleratedOf(a.Matcher, s.Group)) }
	var list []*remedy
	for _, shares := range say.Grouped(a.shares, key) {
		for _, isDeleted := range []bool{false, true} {
			nodes := slices.Concat(say.Each(shares, func(s cluster.Share) []int { return a.ofThese(s.Nodes, isDeleted) })...)
			if len(nodes) > 0 {
				untolerated := untoleratedOf(a.Matcher, shares[0].Group)
				list = append(list, &remedy{untolerated: untolerated, nodes: nodes, isDeleted: isDeleted, tolerations: slices.Clone(a.Tolerations)})
			}
		}
	}
	slices.SortStableFunc(list, func(x, y *remedy) int { return slices.CompareFunc(x.untolerated, y.untolerated, taints.Taint.Compare) })
	return list
}

// ofThese returns those of the nodes that have a deletionTimestamp, or the others.
func (a *analyst) ofThese(nodes []int, isDeleted bool) []int {
	return slices.DeleteFunc(slices.Clone(nodes), func(i int) bool { return isDeleted != (a.Nodes[i].DeletionTimestamp != nil) })
}

// untoleratedOf returns the untolerated hard taints, sorted and without times.
func untoleratedOf(m *taints.Matcher, g *cluster.Group) []taints.Taint {
	var list []taints.Taint
	for _, t := range m.Untolerated(g.Taints, taints.HardEffects) {
		list = append(list, purpose.WithoutTime(*t))
	}
	return list
}

// plan decides for each taint whether the node has to change or the pods tolerate it.
func (a *adviser) plan(r *remedy) {
	for _, t := range r.untolerated {
		if purpose.StateOf(t) != purpose.None {
			r.NodeTaints = append(r.NodeTaints, t)
			continue
		}
		r.Rest = append(r.Rest, t)
		if _, ok := taints.Match(t, r.tolerations); !ok { // a correction may be for several taints
			a.tolerate(r, t)
		}
	}
}

// isAccepted reports whether an API server accepts the plan, and all taints are tolerated.
func (r *remedy) isAccepted() bool {
	_, found := taints.FindUntolerated(r.Rest, r.tolerations, taints.HardEffects)
	return !found && taints.ValidateTolerations(r.tolerations) == nil
}

// tolerate decides whether the closest toleration is replaced, a corrected one is added
// beside it, or the taint is another one, which the user may not want to be tolerated.
func (a *adviser) tolerate(r *remedy, t taints.Taint) {
	why := a.reasons.of(t)
	switch {
	case !a.isMistake(why):
		r.Taints, r.Additions = append(r.Taints, t), append(r.Additions, a.tolerationOf(t))
		if purpose.Of(t, a.Evidence(a.Profile, t, r.nodes)).Kind != purpose.ForPool {
			r.unknown = append(r.unknown, t)
		}
		r.tolerations = append(r.tolerations, a.tolerationOf(t))
	case r.isReplaceable(why):
		for _, same := range a.sameMistakes(why) {
			if r.isReplaceable(same) {
				i := same.Toleration
				r.tolerations[i] = corrected(same)
				r.Corrections = append(r.Corrections, Entry{&a.Tolerations[i], r.tolerations[i], i})
			}
		}
	default:
		r.tolerations = append(r.tolerations, corrected(why))
		r.Corrections = append(r.Corrections, Entry{nil, corrected(why), why.Toleration})
	}
}

// sameMistakes returns the mistake, also in tolerations for other effects or times.
func (a *adviser) sameMistakes(mistake explain.Reason) (list []explain.Reason) {
	for i, t := range a.Tolerations {
		same, want := mistake, mistake.Closest
		same.Closest, same.Toleration = t, i
		want.Effect, want.TolerationSeconds = t.Effect, t.TolerationSeconds
		if t.Equal(want) && a.isMistake(same) {
			list = append(list, same)
		}
	}
	return list
}

// isReplaceable reports whether the correction can replace the mistake. It cannot if
// another has, or if the mistake is for another effect, which nodes may get later.
func (r *remedy) isReplaceable(mistake explain.Reason) bool {
	effect := mistake.Closest.Effect
	isOther := isEffect(effect) && effect != corrected(mistake).Effect
	return !isOther && !slices.ContainsFunc(r.Corrections, func(e Entry) bool { return e.at == mistake.Toleration && e.Replaces != nil })
}

// isClear reports whether corrections and other states of nodes suffice. Then the pods are
// meant for the nodes. Otherwise they may not be.
func (r *remedy) isClear() bool { return len(r.Taints) == 0 }

// compare orders remedies, the likeliest first.
func (r *remedy) compare(s *remedy) int {
	ranks := r.rank() - s.rank()
	switch {
	case r.isClear() != s.isClear():
		return order(s.isClear(), r.isClear())
	case r.isClear(): // the fewest corrections, and of these the most that replace
		return cmp.Or(ranks, len(r.Corrections)-len(s.Corrections), len(r.tolerations)-len(s.tolerations))
	}
	return cmp.Or(
		order(r.isDeleted, s.isDeleted), order(len(r.NodeTaints) > 0, len(s.NodeTaints) > 0), order(len(r.Corrections) == 0, len(s.Corrections) == 0), ranks,
	)
}

// The ranks of nodes, the likeliest to be meant first.
const (
	rankOrdinary = iota
	rankControlPlane
	rankToFix
	rankNever // they never take the pods
)

func (r *remedy) rank() int {
	controlPlane := []string{"node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master"}
	switch {
	case r.isDeleted, purpose.HaveFinal(r.NodeTaints):
		return rankNever
	case len(r.NodeTaints) > 0:
		return rankToFix
	case slices.ContainsFunc(r.untolerated, func(t taints.Taint) bool { return slices.Contains(controlPlane, t.Key) }):
		return rankControlPlane
	}
	return rankOrdinary
}

// isOutranked reports whether likelier nodes are among those that no valid toleration
// opens, and no correction shows that these are meant.
func (r *remedy) isOutranked(refused []*remedy) bool {
	return len(r.Corrections) == 0 && slices.ContainsFunc(refused, func(s *remedy) bool { return s.rank() < r.rank() })
}

// correctToo also replaces the mistakes of the other remedy, in other tolerations.
func (r *remedy) correctToo(s *remedy) {
	for _, e := range s.Corrections {
		if e.Replaces != nil && !slices.ContainsFunc(r.Corrections, func(f Entry) bool { return f.at == e.at }) {
			r.tolerations[e.at] = e.Toleration
			r.Corrections = append(r.Corrections, e)
		}
	}
}

// rivals returns the remedies that correct the same toleration as the best one, if some of
// them correct it to another key or value. It is then not clear which nodes are meant,
// whatever else must be done there. Otherwise it returns nil.
func (r *remedy) rivals(all []*remedy) []*remedy {
	for _, e := range r.Corrections {
		isFor := func(f Entry) bool { return f.at == e.at }
		isOther := func(f Entry) bool {
			return isFor(f) && (e.Toleration.Key != f.Toleration.Key || e.Toleration.Value != f.Toleration.Value)
		}
		if slices.ContainsFunc(all, func(s *remedy) bool { return slices.ContainsFunc(s.Corrections, isOther) }) {
			return slices.DeleteFunc(all, func(s *remedy) bool { return !slices.ContainsFunc(s.Corrections, isFor) })
		}
	}
	return nil
}

// change returns the change of the remedy. It also opens other nodes: all that accept the
// pods with the corrections, once the nodes that have to change have done so.
func (a *adviser) change(r *remedy) *change {
	x, m := &change{Entries: r.Corrections, Tolerations: r.tolerations}, taints.Compile(r.tolerations)
	for _, s := range a.shares {
		nodes, left := a.ofThese(s.Nodes, r.isDeleted), untoleratedOf(m, s.Group)
		if len(nodes) > 0 && !slices.ContainsFunc(left, r.leaves) {
			x.opened, x.NodeTaints = append(x.opened, nodes...), append(x.NodeTaints, left...)
		}
	}
	x.Opens, x.NodeTaints = len(x.opened), cluster.Distinct(x.NodeTaints)
	return x
}

// leaves reports whether the taint is still there once nodes have changed as the remedy
// says. If it has no nodes that never take pods, these do not change.
func (r *remedy) leaves(t taints.Taint) bool {
	state := purpose.StateOf(t)
	return len(r.NodeTaints) == 0 || state == purpose.None || state.IsFinal() && !purpose.HaveFinal(r.NodeTaints)
}

// Entries returns all tolerations to write for the alternative.
func (a *alternative) Entries() []Entry {
	return slices.Concat(a.Corrections, say.Each(a.Additions, func(t taints.Toleration) Entry { return Entry{nil, t, -1} }))
}

// Line describes the taints and the nodes.
func (a alternative) Line() string {
	state := ""
	if len(a.NodeTaints) > 0 {
		state = ", " + purpose.Text(a.NodeTaints) + ": " + say.TaintsText(a.NodeTaints)
	}
	return say.Joined(say.TaintTexts(a.Rest)) + " (" + say.NamesOf(a.NodeNames, a.Nodes) + state + ")"
}
