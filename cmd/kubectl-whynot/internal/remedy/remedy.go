// SPDX-License-Identifier: Apache-2.0

// Package remedy says what lets pods onto nodes that reject them: corrections of mistakes in
// tolerations, nodes that have to change, or alternatives among which the user chooses.
package remedy

import (
	"cmp"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/lists"
	"github.com/seed-0529bac1/taints/cmd/internal/purpose"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/why"
	"github.com/seed-0529bac1/taints/explain"
)

// An Advice is what lets pods in.
type Advice struct {
	Change            *Change       `json:"change"`            // nil: there are no mistakes, and no states of nodes
	Alternatives      []Alternative `json:"alternatives"`      // nodes that may be intended, up to why.MaxListed; beside a change of states alone, pools
	AlternativesTotal int           `json:"alternativesTotal"` // of all such nodes
	Unknown           []Alternative `json:"-"`                 // nodes, intended or not, with taints that are not known to be for a pool
	Pool              *Alternative  `json:"-"`                 // the only pool that keeps pods off which other nodes let in; nil: none, or several
	Reasons           why.Reasons   `json:"-"`                 // those of the place, with the tolerations that were meant
}

// A Change corrects mistakes in tolerations, and names taints of nodes' states.
type Change struct {
	Opens       int                 `json:"opensNodes"` // nodes whose taints let the pods in after the change
	NodeTaints  []taints.Taint      `json:"nodeTaints"` // of the nodes' states, which must go
	Entries     []Entry             `json:"entries"`
	Tolerations []taints.Toleration `json:"tolerations"` // the list after the change

	Opened []int `json:"-"` // the nodes
}

// An Entry is a toleration to add, or one that replaces another.
type Entry struct {
	Replaces   *taints.Toleration `json:"replaces"`
	Toleration taints.Toleration  `json:"toleration"`

	At int `json:"-"` // the index of the mistaken toleration, whether or not it is replaced
}

// An Alternative is nodes of which the tolerations do not say whether they are meant.
type Alternative struct {
	Taints      []taints.Taint      `json:"taints"`    // to tolerate beside those that the corrections tolerate
	Additions   []taints.Toleration `json:"additions"` // tolerations of exactly these taints
	Corrections []Entry             `json:"corrections"`
	NodeTaints  []taints.Taint      `json:"nodeTaints"` // of the states of these nodes
	Nodes       int                 `json:"nodes"`
	NodeNames   []string            `json:"nodeNames"`

	Rest    []taints.Taint `json:"-"` // the untolerated taints of the nodes, other than NodeTaints
	Unknown []taints.Taint `json:"-"` // of Taints, those that are not known to be for a pool
	At      []int          `json:"-"` // the nodes
	state   string         // of the nodes, by NodeTaints
}

// A remedy lets the pods onto the nodes that have one set of untolerated taints: nodes
// change, mistakes are corrected, and the other taints are tolerated.
type remedy struct {
	Alternative
	untolerated []taints.Taint
	isDeleted   bool                // the nodes have a deletionTimestamp
	isVirtual   bool                // they have no kubelet
	tolerations []taints.Toleration // with the corrections and additions
}

// An Adviser finds remedies in a cluster.
type Adviser struct {
	*cluster.Cluster
	taints []taints.Taint         // of all nodes
	values map[taints.TaintID]int // how many values a key and effect has there
}

// New returns the adviser for a finished cluster.
func New(c *cluster.Cluster) *Adviser {
	all := cluster.Distinct(slices.Concat(lists.Each(c.Groups, func(g *cluster.Group) []taints.Taint { return g.Taints })...))
	return &Adviser{c, all, valuesOf(all)}
}

// valuesOf counts the values of each key and effect among distinct taints.
func valuesOf(distinct []taints.Taint) map[taints.TaintID]int {
	values := make(map[taints.TaintID]int)
	for _, t := range distinct {
		values[t.ID()]++
	}
	return values
}

// A chooser finds the remedies of a profile.
type chooser struct {
	*Adviser
	*cluster.Profile
	reasons   why.Reasons
	rejecting map[taints.TaintID]int // how many values a key and effect has among them
	shares    []cluster.Share
	isOpen    bool          // other nodes accept the pods
	unknown   []Alternative // for Advice
}

// Advise says what lets pods of the profile onto nodes that reject them. Pods that are allowed
// on others are meant for those, and only their mistakes matter.
func (a *Adviser) Advise(p *cluster.Profile, place *why.Placement) (r Advice) {
	c := &chooser{a, p, maps.Clone(place.Reasons), valuesOf(place.Reasons.Taints()), place.Meant, place.Feasible > 0, nil}
	var open []*remedy
	if r.Change, open = c.choose(); place.IsOpen() {
		r.Pool, open = c.onlyPool(open), nil
		if x := r.Change; x != nil && (len(x.Entries) == 0 || len(x.NodeTaints) > 0) {
			r.Change = nil
		}
	}
	r.Unknown, r.Reasons, r.AlternativesTotal = c.unknown, c.reasons, len(open)
	for _, x := range open[:min(len(open), why.MaxListed)] {
		x.Nodes, x.NodeNames, x.state = len(x.At), why.Names(a.Cluster, x.At), a.StatesText(x.NodeTaints, x.At)
		r.Alternatives = append(r.Alternatives, x.Alternative)
	}
	return r
}

// onlyPool returns the only pool that pods without its resource may be meant for too, or nil.
func (a *chooser) onlyPool(open []*remedy) *Alternative {
	isWindows := a.Selector[corev1.LabelOSStable] == "windows"
	pools := slices.DeleteFunc(open, func(r *remedy) bool {
		n := &a.Nodes[r.At[0]]
		isOther := func(t taints.Taint) bool { return n.Offers(t.Key) && !a.Requests(t.Key) }
		return r.rank() != rankOrdinary || len(r.Unknown)+len(r.NodeTaints)+len(r.Corrections) > 0 ||
			n.IsForeign(isWindows) || slices.ContainsFunc(r.Taints, isOther) || a.Lacks(a.Profile, r.At) != ""
	})
	if len(pools) != 1 {
		return nil
	}
	pools[0].Nodes, pools[0].NodeNames = len(pools[0].At), why.Names(a.Cluster, pools[0].At)
	return &pools[0].Alternative
}

// ToEnd returns the nodes that are meant, if that is clear, and the taints of states there.
func (r *Advice) ToEnd() (nodes []int, list []taints.Taint) {
	switch {
	case r.Change != nil:
		return r.Change.Opened, r.Change.NodeTaints
	case r.AlternativesTotal == 1:
		return r.Alternatives[0].At, r.Alternatives[0].NodeTaints
	}
	return nil, nil
}

// Entries returns the tolerations to write, or none if it is not clear which, or whether a
// taint says a state.
func (r *Advice) Entries() []Entry {
	switch {
	case r.Change != nil:
		return r.Change.Entries
	case r.AlternativesTotal == 1 && len(r.Alternatives[0].Unknown) == 0:
		return r.Alternatives[0].Entries()
	}
	return nil
}

// choose returns a change if it is clear which nodes are meant, and otherwise the remedies
// among which the user chooses, if any. A change never opens nodes of another key or value
// than the pods tolerate. If it corrects nothing, the pods may be meant for pools instead.
func (a *chooser) choose() (*Change, []*remedy) {
	var accepted, refused []*remedy
	for _, r := range a.remedies() {
		if a.plan(r) {
			accepted = append(accepted, r)
		} else {
			refused = append(refused, r)
		}
		if len(r.Unknown) > 0 && !r.isDeleted {
			a.unknown = append(a.unknown, r.Alternative)
		}
	}
	if len(accepted) == 0 {
		return nil, nil
	}
	slices.SortStableFunc(accepted, func(x, y *remedy) int { return cmp.Or(x.compare(y), len(y.At)-len(x.At)) })
	best := accepted[0]
	switch rivals := best.rivals(accepted); {
	case rivals != nil:
		return nil, rivals
	case best.isClear():
		for _, r := range accepted[1:] {
			if r.isClear() && r.rank() == best.rank() && len(r.NodeTaints) == 0 && r.rivals(accepted) == nil {
				best.correctToo(r)
			}
		}
		isMeant := func(t taints.Taint) bool { return a.reasons.Of(t).HasClosest() } // then others are not
		return a.change(best), slices.DeleteFunc(accepted, func(r *remedy) bool {
			return len(best.Corrections)+len(r.Unknown) > 0 || r.isClear() || r.rank() != rankOrdinary || r.isVirtual || slices.ContainsFunc(r.Taints, isMeant)
		})
	case len(best.Corrections) == 0 && slices.ContainsFunc(refused, func(r *remedy) bool { return r.rank() < best.rank() }): // likelier nodes
		return nil, nil
	}
	return nil, joined(slices.DeleteFunc(accepted, func(r *remedy) bool { return r.compare(best) != 0 }))
}

// joined joins the remedies for nodes that differ in their states alone.
func joined(list []*remedy) []*remedy {
	same := lists.Grouped(list, func(r *remedy) string { return cluster.TextOf(r.Rest) })
	return lists.Each(same, func(list []*remedy) *remedy {
		first := list[0]
		first.At = slices.Concat(lists.Each(list, func(r *remedy) []int { return r.At })...)
		first.NodeTaints = cluster.Distinct(slices.Concat(lists.Each(list, func(r *remedy) []taints.Taint { return r.NodeTaints })...))
		return first
	})
}

// remedies returns one for each distinct set of untolerated hard taints, sorted. They have
// no plan yet.
func (a *chooser) remedies() []*remedy {
	key := func(s cluster.Share) string { return cluster.TextOf(why.Untolerated(a.Matcher, s.Group)) }
	var list []*remedy
	for _, shares := range lists.Grouped(a.shares, key) {
		for _, isDeleted := range []bool{false, true} {
			nodes := slices.Concat(lists.Each(shares, func(s cluster.Share) []int { return a.Deleted(s.Nodes, isDeleted) })...)
			if len(nodes) > 0 {
				untolerated := why.Untolerated(a.Matcher, shares[0].Group)
				list = append(list, &remedy{Alternative{At: nodes}, untolerated, isDeleted, a.Nodes[nodes[0]].IsVirtual(), slices.Clone(a.Tolerations)})
			}
		}
	}
	slices.SortStableFunc(list, func(x, y *remedy) int { return slices.CompareFunc(x.untolerated, y.untolerated, taints.Taint.Compare) })
	return list
}

// plan decides for each taint whether the node has to change or the pods tolerate it. It
// reports whether an API server accepts the plan, and all taints are tolerated.
func (a *chooser) plan(r *remedy) (isAccepted bool) {
	for _, t := range r.untolerated {
		if a.purposeOf(t, r.At).State != purpose.None {
			r.NodeTaints = append(r.NodeTaints, t)
			continue
		}
		r.Rest = append(r.Rest, t)
		if _, ok := taints.Match(t, r.tolerations); !ok { // a correction may be for several taints
			a.tolerate(r, t)
		}
	}
	_, found := taints.FindUntolerated(r.Rest, r.tolerations, taints.HardEffects)
	return !found && taints.ValidateTolerations(r.tolerations) == nil
}

func (a *chooser) purposeOf(t taints.Taint, nodes []int) purpose.Purpose {
	has := func(o taints.Taint) bool { return o.ID() == t.ID() && o.Value == t.Value }
	lacks := func(s cluster.Share) bool { return !slices.ContainsFunc(s.Group.Taints, has) }
	return purpose.Of(t, a.Evidence(a.Profile, t, nodes, !a.isOpen && !slices.ContainsFunc(a.shares, lacks)))
}

// tolerate decides whether the closest toleration is replaced, a corrected one is added
// beside it, or the taint is another one, which the user may not want to be tolerated.
func (a *chooser) tolerate(r *remedy, t taints.Taint) {
	reason := a.reasonFor(t)
	switch {
	case !a.isMistake(reason):
		r.Taints, r.Additions = append(r.Taints, t), append(r.Additions, a.tolerationOf(t))
		if !a.purposeOf(t, r.At).IsPool {
			r.Unknown = append(r.Unknown, t)
		}
		r.tolerations = append(r.tolerations, a.tolerationOf(t))
	case r.isReplaceable(reason):
		for _, same := range a.sameMistakes(reason) {
			if r.isReplaceable(same) {
				i := same.Toleration
				r.tolerations[i] = corrected(same)
				r.Corrections = append(r.Corrections, Entry{&a.Tolerations[i], r.tolerations[i], i})
			}
		}
	default:
		r.tolerations = append(r.tolerations, corrected(reason))
		r.Corrections = append(r.Corrections, Entry{nil, corrected(reason), reason.Toleration})
	}
}

// sameMistakes returns the mistake, also in tolerations for other effects or times.
func (a *chooser) sameMistakes(mistake explain.Reason) (list []explain.Reason) {
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
	return !isOther && !slices.ContainsFunc(r.Corrections, func(e Entry) bool { return e.At == mistake.Toleration && e.Replaces != nil })
}

// isClear reports whether corrections and other states of nodes suffice. Then the pods are
// meant for the nodes. Otherwise they may not be.
func (r *remedy) isClear() bool { return len(r.Taints) == 0 }

// compare orders remedies, the likeliest first. Nodes of the system and virtual ones are for
// other pods, whatever is wrong with the rest, unless a toleration is meant for them.
func (r *remedy) compare(s *remedy) int {
	isForOthers := func(r *remedy) bool { return (r.isOfSystem() || r.isVirtual) && len(r.Corrections) == 0 }
	others, clearer, ranks := lists.CompareBools(isForOthers(r), isForOthers(s)), lists.CompareBools(s.isClear(), r.isClear()), r.rank()-s.rank()
	if r.isClear() { // the fewest corrections, and of these the most that replace
		return cmp.Or(others, clearer, ranks, len(r.Corrections)-len(s.Corrections), len(r.tolerations)-len(s.tolerations))
	}
	return cmp.Or(
		others, clearer, lists.CompareBools(r.isDeleted, s.isDeleted), lists.CompareBools(len(r.NodeTaints) > 0, len(s.NodeTaints) > 0),
		lists.CompareBools(len(r.Corrections) == 0, len(s.Corrections) == 0), ranks,
		lists.CompareBools(len(r.Unknown) > 0, len(s.Unknown) > 0),
	)
}

// The ranks of nodes, the likeliest to be meant first.
const (
	rankOrdinary = iota
	rankSystem
	rankToFix
	rankNever // they never take the pods
)

func (r *remedy) isOfSystem() bool {
	keys := []string{"node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master", "node-role.kubernetes.io/etcd", "CriticalAddonsOnly"}
	return slices.ContainsFunc(r.untolerated, func(t taints.Taint) bool { return slices.Contains(keys, t.Key) })
}

func (r *remedy) rank() int {
	switch {
	case r.isDeleted, purpose.HaveFinal(r.NodeTaints):
		return rankNever
	case len(r.NodeTaints) > 0:
		return rankToFix
	case r.isOfSystem():
		return rankSystem
	}
	return rankOrdinary
}

// correctToo also corrects the mistakes of the other remedy, in other tolerations.
func (r *remedy) correctToo(s *remedy) {
	for _, e := range s.Corrections {
		if slices.ContainsFunc(r.Corrections, func(f Entry) bool { return f.At == e.At }) {
			continue
		}
		if e.Replaces != nil {
			r.tolerations[e.At] = e.Toleration
		} else {
			r.tolerations = append(r.tolerations, e.Toleration)
		}
		r.Corrections = append(r.Corrections, e)
	}
}

// rivals returns the remedies that correct the same toleration as the best one, if some of
// them correct it to another key or value. It is then not clear which nodes are meant,
// whatever else must be done there. Otherwise it returns nil.
func (r *remedy) rivals(all []*remedy) []*remedy {
	for _, e := range r.Corrections {
		isFor := func(f Entry) bool { return f.At == e.At }
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
func (a *chooser) change(r *remedy) *Change {
	x, m := &Change{Entries: r.Corrections, Tolerations: r.tolerations}, taints.Compile(r.tolerations)
	for _, s := range a.shares {
		nodes, left := a.Deleted(s.Nodes, r.isDeleted), why.Untolerated(m, s.Group)
		isLeft := func(t taints.Taint) bool { return r.leaves(a.purposeOf(t, nodes).State) }
		if len(nodes) > 0 && !slices.ContainsFunc(left, isLeft) {
			x.Opened, x.NodeTaints = append(x.Opened, nodes...), append(x.NodeTaints, left...)
		}
	}
	x.Opens, x.NodeTaints = len(x.Opened), cluster.Distinct(x.NodeTaints)
	return x
}

// leaves reports whether a taint of the state is still there once nodes have changed as the
// remedy says. If it has no nodes that never take pods, these do not change.
func (r *remedy) leaves(state purpose.State) bool {
	return len(r.NodeTaints) == 0 || state == purpose.None || state.IsFinal() && !purpose.HaveFinal(r.NodeTaints)
}

// Entries returns all tolerations to write for the alternative.
func (a *Alternative) Entries() []Entry {
	return slices.Concat(a.Corrections, lists.Each(a.Additions, func(t taints.Toleration) Entry { return Entry{Toleration: t} }))
}

// Line describes the taints and the nodes.
func (a Alternative) Line() string {
	state := ""
	if len(a.NodeTaints) > 0 {
		state = ", " + a.state + ": " + say.TaintsText(a.NodeTaints)
	}
	return say.Joined(lists.Each(a.Rest, say.Taint)) + " (" + say.NamesOf(a.NodeNames, a.Nodes) + state + ")"
}
