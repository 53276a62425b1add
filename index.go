package taints

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// An Index answers for many nodes at once onto which of them a pod may be placed. Nodes are named by any comparable type: a
// string, a number, a pointer. The zero Index is empty and ready to use. It must not be copied once it is in use.
//
// Nodes with the same taints form one group; their order and their TimeAdded make no difference. What a query costs follows
// what the pod tolerates and what is reported, not how many nodes or groups there are: a pod that tolerates the taint of
// one tenant does not look at those of 10,000 others. A toleration without a key or with a wildcard ([Options]) is dearer, for
// it looks at each distinct taint once, unless it tolerates everything.
//
// All methods may be called from many goroutines at once. A query sees the nodes as they are at one moment: when the call
// is made, or, if it returns a sequence, when a loop over it begins, anew for each loop. Nothing is locked while the loop
// body runs, so it may call every method, Set and Delete included, and may take its time; the loop goes on with the nodes
// as they were when it began. Updates wait for queries that collect their groups, and queries for updates, which takes
// microseconds.
//
// The index keeps the node names and copies of keys, values and effects; it keeps no list that it is given. What is not
// used any more is given back: a group with its last node, a taint with its last group. A name that does not equal itself,
// such as a NaN, is no node: Set and Delete do nothing with it. A name of an interface type that holds a value that can not
// be compared panics, as in a map. Any taints are accepted, see [Toleration.Tolerates]; nil is a node without taints.
type Index[N comparable] struct {
	mu     sync.RWMutex
	places map[N]place[N]
	root   group[N]       // of the nodes without taints
	taints distinctTaints // of all nodes
	query  atomic.Uint64  // the number of queries that kept members beyond the lock, see page
}

// A place is where a node is: in a group, at an index of its members.
type place[N comparable] struct {
	group *group[N]
	at    int
}

// A group is the nodes with a set of taints, and a vertex of a tree: the taints on the way from the root are its own, with
// those of a hard effect before the others. So a pod may go to the nodes of a group if it tolerates the taints of the hard
// steps, and a query follows those steps only.
type group[N comparable] struct {
	parent      *group[N]
	last        *distinctTaint // the step that leads here from the parent
	hard, other branches[N]    // steps that lead further
	taints      []Taint        // of each node, in the order of Taint.Compare; never written to
	members     vector[N]
	nodes       int // members here and below other: the nodes with exactly these hard taints
}

// Set gives the node the taints, in place of those it had, if any. It takes time in proportion to the taints. It allocates
// when the taints, or this number of nodes with them, are new to the index, and in the first update of a page of nodes after
// a query.
func (x *Index[N]) Set(node N, taints []Taint) {
	if node != node {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	old, known := x.places[node]
	to := x.group(taints)
	if known && old.group == to {
		return
	}
	if x.places == nil {
		x.places = make(map[N]place[N])
	}
	x.places[node] = place[N]{to, to.members.len}
	to.members.push(node, x.query.Load())
	x.count(to, 1)
	if known {
		x.remove(old)
	}
}

// Delete takes the node out of the index, if it is there. It takes time in proportion to the node's taints.
func (x *Index[N]) Delete(node N) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if old, known := x.places[node]; known {
		delete(x.places, node)
		x.remove(old)
	}
}

// Len returns the number of nodes.
func (x *Index[N]) Len() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return len(x.places)
}

// Feasible yields the nodes onto which a pod with the compiled tolerations may be placed: those without an untolerated
// NoSchedule or NoExecute taint, for which [Verdict.Schedulable] is true. They come in no order that means anything; the
// same calls lead to the same order. It allocates in proportion to the groups that are feasible.
func (x *Index[N]) Feasible(m *Matcher) iter.Seq[N] {
	return func(yield func(N) bool) {
		for _, members := range x.feasible(m) {
			if !members.each(yield) {
				return
			}
		}
	}
}

// feasible returns the members of the groups that are feasible.
func (x *Index[N]) feasible(m *Matcher) []vector[N] {
	x.mu.RLock()
	defer x.mu.RUnlock()
	x.query.Add(1)
	var found []vector[N]
	x.visit(m, func(g *group[N]) {
		g.all(func(g *group[N]) { found = append(found, g.members) })
	})
	return found
}

// CountFeasible returns how many nodes [Index.Feasible] yields. It allocates in proportion to the taints that the pod
// tolerates.
func (x *Index[N]) CountFeasible(m *Matcher) int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.countFeasible(m)
}

func (x *Index[N]) countFeasible(m *Matcher) int {
	if m.toLookAt(Hard) == 0 {
		return len(x.places)
	}
	n := 0
	x.visit(m, func(g *group[N]) { n += g.nodes })
	return n
}

// Verdicts yields every node with what [Matcher.Filter] says of its taints, except that First is an index into the taints as
// [Taint.Compare] orders them, for the index does not keep the order in which they were given. Filter runs once for a
// group. The order of the nodes is as for [Index.Feasible]. It allocates in proportion to the groups.
func (x *Index[N]) Verdicts(m *Matcher) iter.Seq2[N, Verdict] {
	return func(yield func(N, Verdict) bool) {
		for _, g := range x.snapshot() {
			v := m.Filter(g.taints)
			if !g.members.each(func(node N) bool { return yield(node, v) }) {
				return
			}
		}
	}
}

// A nodeGroup is what a loop keeps of a group.
type nodeGroup[N any] struct {
	taints  []Taint
	members vector[N]
}

func (x *Index[N]) snapshot() []nodeGroup[N] {
	x.mu.RLock()
	defer x.mu.RUnlock()
	x.query.Add(1)
	var found []nodeGroup[N]
	x.root.everywhere(func(g *group[N]) { found = append(found, nodeGroup[N]{g.taints, g.members}) })
	return found
}

// Summarize says over all nodes why the pod cannot be placed on them, as
// [Matcher.Summarize] does.
func (x *Index[N]) Summarize(m *Matcher) Summary {
	tolerations, options := m.list()
	s := summarizer{options: options, tolerations: tolerations, in: Hard}
	for _, g := range x.snapshot() {
		s.add(g.taints, g.members.len)
	}
	return s.summary()
}

// group returns the group of nodes with the taints, which is made if there is none.
func (x *Index[N]) group(taints []Taint) *group[N] {
	var buf [8]*distinctTaint
	steps := buf[:0]
	for i := range taints {
		steps = append(steps, x.taints.get(&taints[i]))
	}
	slices.SortFunc(steps, (*distinctTaint).compare)
	g := &x.root
	for _, t := range steps {
		g = g.step(t)
	}
	return g
}

// count adds n nodes to the numbers that are kept for the group and its taints.
func (x *Index[N]) count(g *group[N], n int) {
	for g.last != nil && !g.last.hard {
		x.countTaint(g, n)
		g = g.parent
	}
	g.nodes += n
	for ; g.last != nil; g = g.parent {
		x.countTaint(g, n)
	}
}

// countTaint adds n nodes to the last taint of the group, unless the step before is the same taint, which an invalid list
// may have twice.
func (x *Index[N]) countTaint(g *group[N], n int) {
	if g.parent.last == g.last {
		return
	}
	if g.last.nodes += n; g.last.nodes == 0 {
		x.taints.forget(g.last)
	}
}

// remove takes the node at the place out of its group and the group, if it was the last node, out of the tree.
func (x *Index[N]) remove(p place[N]) {
	g, query := p.group, x.query.Load()
	if last := g.members.pop(query); p.at < g.members.len {
		g.members.set(p.at, last, query)
		x.places[last] = p
	}
	x.count(g, -1)
	for g.parent != nil && g.members.len == 0 && g.hard.len()+g.other.len() == 0 {
		g.parent.branches(g.last).remove(g.last)
		g = g.parent
	}
	if len(x.places) == 0 {
		x.places = nil
	}
}

// branches returns the branches that a step with the taint is among.
func (g *group[N]) branches(t *distinctTaint) *branches[N] {
	if t.hard {
		return &g.hard
	}
	return &g.other
}

// step returns the group that the taint leads to from g.
func (g *group[N]) step(t *distinctTaint) *group[N] {
	b := g.branches(t)
	next := b.get(t)
	if next == nil {
		at, _ := slices.BinarySearchFunc(g.taints, t.Taint, Taint.Compare)
		next = &group[N]{parent: g, last: t, taints: slices.Insert(slices.Clip(g.taints), at, t.Taint)}
		b.add(next)
	}
	return next
}

// all calls f with g and the groups that have other taints beside those of g, none of them hard, where they have members.
func (g *group[N]) all(f func(*group[N])) {
	if g.members.len > 0 {
		f(g)
	}
	for _, next := range g.other.list {
		next.all(f)
	}
}

// everywhere calls f with g and all groups below it that have members.
func (g *group[N]) everywhere(f func(*group[N])) {
	g.all(f)
	for _, next := range g.hard.list {
		next.everywhere(f)
	}
}

// visit calls f with each group that hard taints alone lead to and whose taints m tolerates.
func (x *Index[N]) visit(m *Matcher, f func(*group[N])) {
	s := search[N]{m: m, in: m.toLookAt(Hard), f: f}
	if s.in != 0 {
		s.tolerated = x.taints.tolerated(m)
	}
	s.visit(&x.root)
}

// A search goes down the tree by the steps that a matcher tolerates.
type search[N comparable] struct {
	m         *Matcher
	in        EffectSet        // hard effects of which m does not tolerate every taint
	tolerated []*distinctTaint // all hard taints that m tolerates, unless these are all there can be
	f         func(*group[N])
}

func (s *search[N]) visit(g *group[N]) {
	s.f(g)
	if s.in == 0 || len(g.hard.list) <= len(s.tolerated) {
		for _, next := range g.hard.list {
			if t := &next.last.Taint; !s.in.Has(t.Effect) || s.m.next(t, -1) >= 0 {
				s.visit(next)
			}
		}
		return
	}
	for _, t := range s.tolerated {
		if next := g.hard.get(t); next != nil {
			s.visit(next)
		}
	}
}

// Branches are the groups one step further, in a list and, if they are many, by taint.
type branches[N comparable] struct {
	list []*group[N]
	at   map[*distinctTaint]int // in list; nil up to manyBranches
}

// manyBranches is how long a list may be for a loop over it to be faster than a look into the map, see BenchmarkBranches.
const manyBranches = 32

func (b *branches[N]) len() int { return len(b.list) }

func (b *branches[N]) find(t *distinctTaint) int {
	if b.at != nil {
		if i, ok := b.at[t]; ok {
			return i
		}
		return -1
	}
	for i, g := range b.list {
		if g.last == t {
			return i
		}
	}
	return -1
}

func (b *branches[N]) get(t *distinctTaint) *group[N] {
	if i := b.find(t); i >= 0 {
		return b.list[i]
	}
	return nil
}

func (b *branches[N]) add(g *group[N]) {
	b.list = append(b.list, g)
	switch {
	case b.at != nil:
		b.at[g.last] = len(b.list) - 1
	case len(b.list) > manyBranches:
		b.at = make(map[*distinctTaint]int)
		for i, g := range b.list {
			b.at[g.last] = i
		}
	}
}

func (b *branches[N]) remove(t *distinctTaint) {
	i, last := b.find(t), len(b.list)-1
	b.list[i] = b.list[last]
	b.list[last] = nil
	b.list = b.list[:last]
	if b.at != nil {
		delete(b.at, t)
		if i < last {
			b.at[b.list[i].last] = i
		}
	}
	if last == 0 {
		*b = branches[N]{}
	}
}

// A distinctTaint is a taint that nodes of an index have.
type distinctTaint struct {
	Taint           // without TimeAdded
	hard            bool
	number          int64 // the value, where isNumber
	isNumber        bool
	order           uint64 // in which the index got to know it
	nodes           int    // how many have it
	atAll, atOthers int    // in distinctTaints.all and keyTaints.others
}

// compare orders the steps of the tree: hard taints first, and of these the newest first. Rare taints tend to be new, and the
// earlier a step that a pod does not tolerate, the less there is to visit.
func (t *distinctTaint) compare(u *distinctTaint) int {
	switch {
	case t == u:
		return 0
	case t.hard != u.hard && t.hard, t.hard == u.hard && t.order > u.order:
		return -1
	}
	return 1
}

// distinctTaints are the taints of an index, by their identity and by key.
type distinctTaints struct {
	all   []*distinctTaint
	exact map[Taint]*distinctTaint
	keys  map[string]*keyTaints
	order uint64
}

// keyTaints are the distinct taints of one key: those whose value is a number in order of it, and the others.
type keyTaints struct {
	numbers, others []*distinctTaint
}

// get returns the distinct taint of t, which is made if there is none.
func (d *distinctTaints) get(t *Taint) *distinctTaint {
	id := Taint{Key: t.Key, Value: t.Value, Effect: t.Effect}
	if known, ok := d.exact[id]; ok {
		return known
	}
	id = Taint{Key: strings.Clone(t.Key), Value: strings.Clone(t.Value), Effect: Effect(strings.Clone(string(t.Effect)))}
	added := &distinctTaint{Taint: id, hard: Hard.Has(id.Effect), order: d.order, atAll: len(d.all)}
	added.number, added.isNumber = parseInteger(id.Value)
	d.order++
	if d.exact == nil {
		d.exact, d.keys = make(map[Taint]*distinctTaint), make(map[string]*keyTaints)
	}
	d.all = append(d.all, added)
	d.exact[id] = added
	k := d.keys[id.Key]
	if k == nil {
		k = new(keyTaints)
		d.keys[id.Key] = k
	}
	k.add(added)
	return added
}

// forget takes out a taint that no node has any more.
func (d *distinctTaints) forget(t *distinctTaint) {
	d.all = removeSwap(d.all, t.atAll, func(moved *distinctTaint) { moved.atAll = t.atAll })
	delete(d.exact, t.Taint)
	k := d.keys[t.Key]
	k.remove(t)
	if len(k.numbers)+len(k.others) == 0 {
		delete(d.keys, t.Key)
	}
	if len(d.all) == 0 {
		*d = distinctTaints{order: d.order}
	}
}

// removeSwap takes element i out of the list by putting the last one, which is announced to moved, in its place.
func removeSwap(list []*distinctTaint, i int, moved func(*distinctTaint)) []*distinctTaint {
	last := len(list) - 1
	list[i] = list[last]
	moved(list[i])
	list[last] = nil
	return list[:last]
}

func (k *keyTaints) add(t *distinctTaint) {
	if t.isNumber {
		at, _ := slices.BinarySearchFunc(k.numbers, t, (*distinctTaint).compareNumber)
		k.numbers = slices.Insert(k.numbers, at, t)
		return
	}
	t.atOthers = len(k.others)
	k.others = append(k.others, t)
}

func (k *keyTaints) remove(t *distinctTaint) {
	if t.isNumber {
		at, _ := slices.BinarySearchFunc(k.numbers, t, (*distinctTaint).compareNumber)
		k.numbers = slices.Delete(k.numbers, at, at+1)
		return
	}
	k.others = removeSwap(k.others, t.atOthers, func(moved *distinctTaint) { moved.atOthers = t.atOthers })
}

// compareNumber orders taints of one key by number, and of one number, which differ in their effect, by age.
func (t *distinctTaint) compareNumber(u *distinctTaint) int {
	switch {
	case t == u:
		return 0
	case t.number < u.number, t.number == u.number && t.order < u.order:
		return -1
	}
	return 1
}

// tolerated returns the hard taints that m tolerates, each once: for the first toleration that tolerates it.
func (d *distinctTaints) tolerated(m *Matcher) []*distinctTaint {
	var found []*distinctTaint
	if m == nil {
		return nil
	}
	for i := range m.rules {
		add := func(t *distinctTaint) {
			if t.hard && m.next(&t.Taint, -1) == i {
				found = append(found, t)
			}
		}
		d.candidates(&m.rules[i], add)
	}
	return found
}

// candidates calls f with taints among which are all hard ones that the rule matches.
func (d *distinctTaints) candidates(r *rule, f func(*distinctTaint)) {
	switch {
	case r.effects()&Hard == 0 || r.op == opNever:
	case r.wildcard:
		each(d.all, f)
	case r.op == opEqual:
		for _, effect := range [...]Effect{NoSchedule, NoExecute} {
			if t, ok := d.exact[Taint{Key: r.Key, Value: r.Value, Effect: effect}]; ok {
				f(t)
			}
		}
	default:
		if k := d.keys[r.Key]; k != nil {
			k.candidates(r, f)
		}
	}
}

func (k *keyTaints) candidates(r *rule, f func(*distinctTaint)) {
	start, _ := slices.BinarySearchFunc(k.numbers, r.limit, func(t *distinctTaint, limit int64) int { return cmp.Compare(t.number, limit) })
	switch r.op {
	case opLess:
		each(k.numbers[:start], f)
	case opGreater:
		each(k.numbers[start:], f)
	default:
		each(k.numbers, f)
		each(k.others, f)
	}
}

func each(list []*distinctTaint, f func(*distinctTaint)) {
	for _, t := range list {
		f(t)
	}
}

// A vector is a list in a tree of pages. A copy of the vector stays as it is while the vector goes on to change, if query
// numbers keep the two apart: a page may be written to only if no query began since the page was made.
type vector[T any] struct {
	root   *page[T]
	len    int
	levels int // of pages above those with items
}

// A page has the items, or else the pages, whose indexes share the upper bits.
type page[T any] struct {
	query uint64 // how many queries had begun when the page was made
	items []T
	pages []*page[T]
}

// The number of items or pages in a page, as a power of two: small enough to copy and large enough to loop over, see
// BenchmarkIndex.
const pageBits, pageSize = 5, 1 << 5

// own returns p if it was made after the last query began, and otherwise a copy, which may be written to.
func (p *page[T]) own(query uint64) *page[T] {
	if p.query == query {
		return p
	}
	return &page[T]{query, slices.Clone(p.items), slices.Clone(p.pages)}
}

// push appends the item.
func (v *vector[T]) push(item T, query uint64) {
	switch {
	case v.root == nil:
		v.root = &page[T]{query: query}
	case v.len == pageSize<<(pageBits*v.levels):
		v.root = &page[T]{query: query, pages: []*page[T]{v.root}}
		v.levels++
	}
	v.root = v.root.push(v.len, v.levels, item, query)
	v.len++
}

func (p *page[T]) push(i, level int, item T, query uint64) *page[T] {
	p = p.own(query)
	if level == 0 {
		p.items = append(p.items, item)
		return p
	}
	at := i >> (pageBits * level) % pageSize
	if at == len(p.pages) {
		p.pages = append(p.pages, &page[T]{query: query})
	}
	p.pages[at] = p.pages[at].push(i, level-1, item, query)
	return p
}

// pop takes out the last item and returns it.
func (v *vector[T]) pop(query uint64) T {
	var item T
	v.root, item = v.root.pop(query)
	if v.len--; v.len == 0 {
		v.levels = 0
	}
	return item
}

// pop returns nil for a page that has nothing left.
func (p *page[T]) pop(query uint64) (*page[T], T) {
	p = p.own(query)
	if last := len(p.items) - 1; last >= 0 {
		item := p.items[last]
		clear(p.items[last:])
		p.items = p.items[:last]
		if last == 0 {
			return nil, item
		}
		return p, item
	}
	last := len(p.pages) - 1
	below, item := p.pages[last].pop(query)
	p.pages[last] = below
	if below == nil {
		p.pages = p.pages[:last]
	}
	if len(p.pages) == 0 {
		return nil, item
	}
	return p, item
}

// set makes the item that at index i.
func (v *vector[T]) set(i int, item T, query uint64) {
	v.root = v.root.set(i, v.levels, item, query)
}

func (p *page[T]) set(i, level int, item T, query uint64) *page[T] {
	p = p.own(query)
	if level == 0 {
		p.items[i%pageSize] = item
		return p
	}
	at := i >> (pageBits * level) % pageSize
	p.pages[at] = p.pages[at].set(i, level-1, item, query)
	return p
}

// each yields the items, and reports whether the loop went through.
func (v *vector[T]) each(yield func(T) bool) bool {
	return v.root == nil || v.root.each(yield)
}

func (p *page[T]) each(yield func(T) bool) bool {
	for _, item := range p.items {
		if !yield(item) {
			return false
		}
	}
	for _, below := range p.pages {
		if !below.each(yield) {
			return false
		}
	}
	return true
}
