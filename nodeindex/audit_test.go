// SPDX-License-Identifier: Apache-2.0

package nodeindex

import (
	"math"
	"reflect"
	"slices"
	"unsafe"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/shrink"
	"github.com/seed-0529bac1/taints/internal/valueset"
)

// sizes counts the parts of an Index.
type sizes struct{ groups, classes, anchors, keys int }

// audit checks that the parts of the index agree and that it holds nothing that
// is not needed. It returns the number of its parts.
func audit[N comparable](t fataler, x *Index[N]) sizes {
	a := auditor{t, &x.groups}
	checkRoom(&a, &x.positions)
	nodes, uses, classes := 0, make(map[string]int), make(map[*class]int)
	for at := range x.members.Len() {
		g := x.members.At(at)
		for i := range g.nodes.Len() {
			node := g.nodes.At(i)
			a.check(x.positions.Entries[node] == position{g.group, i}, "node %v is elsewhere", node)
		}
		a.check(g.nodes.Len() > 0, "a group has no nodes")
		a.check(g.group.at == at, "a group is at %d, not %d", g.group.at, at)
		a.group(g.group, g.taints)
		for i := range g.taints {
			uses[g.taints[i].Key]++
		}
		nodes += g.nodes.Len()
		classes[g.group.class] += g.nodes.Len()
	}
	a.check(nodes == len(x.positions.Entries), "%d nodes in groups, not %d", nodes, len(x.positions.Entries))
	for k, n := range classes {
		a.check(k.nodes == n, "a class has %d nodes, not %d", n, k.nodes)
		a.class(k)
	}
	a.anchors(uses)
	s := sizes{x.members.Len(), len(classes), len(x.groups.anchors.all.Entries), len(uses)}
	a.check(s.groups == len(x.groups.all.Entries), "%d groups, not %d", s.groups, len(x.groups.all.Entries))
	a.check(s.classes == len(x.groups.classes.Entries), "%d classes, not %d", s.classes, len(x.groups.classes.Entries))
	return s
}

type auditor struct {
	t      fataler
	groups *groupSet
}

func (a *auditor) check(ok bool, format string, args ...any) {
	if !ok {
		a.t.Fatalf("the index: "+format, args...)
	}
}

func checkRoom[K comparable, V any](a *auditor, m *shrink.Map[K, V]) {
	a.check(m.Room() <= max(shrink.Few, shrink.Sparse*(len(m.Entries)+1)),
		"a map of %d entries has room for %d", len(m.Entries), m.Room())
}

// checkList checks a list and the memory behind its end.
func checkList[T any](a *auditor, list []T) {
	a.check(cap(list) <= max(shrink.Few, shrink.Sparse*(len(list)+1)),
		"a list of %d has room for %d", len(list), cap(list))
	forgotten := list[len(list):cap(list)]
	for i := range forgotten {
		a.check(reflect.ValueOf(&forgotten[i]).Elem().IsZero(), "a forgotten slot keeps %v", forgotten[i])
	}
}

func (a *auditor) group(g *group, list []taints.Taint) {
	a.check(a.groups.all.Entries[g.text] == g, "a group is not found")
	a.check(string(appendText(nil, list)) == g.text, "a group has another text than its taints")
	a.check(g.class.groups[g.inClass] == g, "a group is not in its class")
	var repelling []taints.Taint
	for _, t := range list {
		a.check(unsafe.StringData(t.Key) == unsafe.StringData(a.groups.anchors.keys.Entries[t.Key].key),
			"a taint has a key of its own")
		a.check(!knownEffect(t.Effect) || !within(string(t.Effect), g.text), "an effect is not the constant")
		if a.groups.repels.Has(t.Effect) {
			repelling = append(repelling, t)
		}
	}
	a.check(slices.EqualFunc(repelling, g.class.taints, taints.Taint.Equal), "a group is in the class of other taints")
}

func knownEffect(e taints.Effect) bool {
	return slices.Contains([]taints.Effect{taints.NoSchedule, taints.PreferNoSchedule, taints.NoExecute}, e)
}

// within reports whether the part lies in the memory of the text.
func within(part, text string) bool {
	at := uintptr(unsafe.Pointer(unsafe.StringData(part))) - uintptr(unsafe.Pointer(unsafe.StringData(text)))
	return at < uintptr(len(text))
}

func (a *auditor) class(k *class) {
	checkList(a, k.groups)
	a.check(a.groups.classes.Entries[k.text] == k, "a class is not found")
	a.check(string(appendText(nil, k.taints)) == k.text, "a class has another text than its taints")
	a.check((k.anchor == nil) == (len(k.taints) == 0) && (k.anchor == nil) == (k == a.groups.bare),
		"a class without taints is not the bare one")
	if k.anchor == nil {
		return
	}
	a.check(k.anchor.classes[k.inAnchor] == k, "a class is not at its anchor")
	same := func(t taints.Taint) bool { return keyValue{t.Key, t.Value} == k.anchor.keyValue }
	a.check(slices.ContainsFunc(k.taints, same), "a class is at another's anchor")
}

// anchors checks the anchors, and how many taints use each key.
func (a *auditor) anchors(uses map[string]int) {
	s := &a.groups.anchors
	checkRoom(a, &a.groups.all)
	checkRoom(a, &a.groups.classes)
	checkRoom(a, &s.all)
	checkRoom(a, &s.keys)
	a.check(len(s.keys.Entries) == len(uses), "%d keys, not %d", len(s.keys.Entries), len(uses))
	a.check(a.groups.bare == a.groups.classes.Entries[""], "the class without taints is kept or not known")
	n := 0
	for key, k := range s.keys.Entries {
		a.check(k.taints == uses[key], "a key is used by %d taints, not %d", uses[key], k.taints)
		checkList(a, k.anchors)
		numbers := make(map[*anchor]bool)
		for i, anchor := range k.anchors {
			n++
			a.check(s.all.Entries[anchor.keyValue] == anchor && anchor.key == key && anchor.ofKey == k && anchor.inKey == i,
				"an anchor is elsewhere")
			a.check(len(anchor.classes) > 0, "an anchor holds nothing")
			checkList(a, anchor.classes)
			if _, ok := valueset.ParseInteger(anchor.value); ok {
				numbers[anchor] = true
			}
		}
		k.numbers.Between(math.MinInt64, math.MaxInt64, func(anchor *anchor, leaf bool) bool {
			a.check(!leaf || numbers[anchor], "a number without an anchor")
			delete(numbers, anchor)
			return true
		})
		a.check(len(numbers) == 0, "%d anchors are not among the numbers", len(numbers))
	}
	a.check(n == len(s.all.Entries), "%d anchors, not %d", n, len(s.all.Entries))
}
