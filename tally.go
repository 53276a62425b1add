package taints

// A tally is what counts of a class.
type tally struct {
	taints []Taint
	nodes  int
}

// tallies appends to found the tallies of classes among which are all that are
// feasible, or else returns the groups of all nodes. It keeps no page that a group
// with other nodes would have to copy, where it finds classes.
func (x *Index[N]) tallies(m *Matcher, found []tally) (_ []tally, all vector[members[N]], in EffectSet) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	in = m.toLookAt(x.catalog.repels)
	if in == 0 {
		return append(found, tally{nodes: len(x.places.entries)}), all, in
	}
	var buf [8]*class
	classes, ok := x.catalog.search(m, buf[:0])
	if !ok {
		x.version.Add(1)
		return found, x.members, in
	}
	for _, k := range classes {
		found = append(found, tally{k.taints, k.nodes})
	}
	return found, all, in
}

// An indexSummary builds the Summary of an Index group by group.
type indexSummary struct {
	m        *Matcher
	repels   EffectSet
	groups   int
	nodes    int
	feasible int
	known    map[Taint]int // index in taints
	taints   []taintTally
}

// A taintTally is a distinct taint that repels.
type taintTally struct {
	taint       Taint
	untolerated bool
	nodes       int
	group       int // the last one that it was counted for, from 1
}

// add counts a group.
func (s *indexSummary) add(taints []Taint, nodes int) {
	s.groups++
	s.nodes += nodes
	feasible := true
	for i := range taints {
		if !s.repels.Has(taints[i].Effect) {
			continue
		}
		t := s.tally(&taints[i])
		feasible = feasible && !t.untolerated
		if t.group != s.groups { // a list may have a taint twice
			t.group = s.groups
			t.nodes += nodes
		}
	}
	if feasible {
		s.feasible += nodes
	}
}

func (s *indexSummary) tally(t *Taint) *taintTally {
	i, ok := s.known[*t]
	if !ok {
		i = len(s.taints)
		s.known[*t] = i
		s.taints = append(s.taints, taintTally{taint: *t, untolerated: s.m.next(t, -1) < 0})
	}
	return &s.taints[i]
}

func (s *indexSummary) summary() Summary {
	sum := Summary{Nodes: s.nodes, Feasible: s.feasible}
	tolerations, options := s.m.list()
	for i := range s.taints {
		if t := &s.taints[i]; t.untolerated {
			sum.Reasons = append(sum.Reasons, SummaryReason{Reason: options.reason(&t.taint, tolerations), Nodes: t.nodes})
		}
	}
	sum.sort()
	return sum
}
