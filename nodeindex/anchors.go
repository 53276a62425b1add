// SPDX-License-Identifier: Apache-2.0

package nodeindex

import (
	"strings"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/numbertree"
	"github.com/seed-0529bac1/taints/internal/shrink"
	"github.com/seed-0529bac1/taints/internal/valueset"
)

// An anchor is the key and value under which classes are filed. Each of its
// classes has a taint with this key and value.
type anchor struct {
	keyValue
	order   uint64 // of creation
	classes []*class
	ofKey   *keyAnchors
	inKey   int // index in ofKey.anchors
}

type keyValue struct{ key, value string }

// KeyAnchors are the anchors with one key.
type keyAnchors struct {
	key     string // shared by all taints of groups that have it
	taints  int    // the number of such taints
	anchors []*anchor
	numbers numbertree.Tree[*anchor] // the anchors whose value is an integer
}

// Anchors find classes by the taints that a pod tolerates.
type anchors struct {
	all   shrink.Map[keyValue, *anchor]
	keys  shrink.Map[string, *keyAnchors]
	order uint64
}

// file files the class under an anchor: the taint of the class that is the
// anchor of the fewest classes.
func (s *anchors) file(k *class) {
	rarest, fewest := 0, -1
	for i := range k.taints {
		n := 0
		if a := s.all.Entries[keyValue{k.taints[i].Key, k.taints[i].Value}]; a != nil {
			n = len(a.classes)
		}
		if fewest < 0 || n < fewest {
			rarest, fewest = i, n
		}
	}
	a := s.anchor(&k.taints[rarest])
	k.anchor, k.inAnchor = a, len(a.classes)
	a.classes = append(a.classes, k)
}

// unfile removes the class from its anchor.
func (s *anchors) unfile(k *class) {
	a := k.anchor
	a.classes = shrink.At(a.classes, k.inAnchor, func(moved *class) { moved.inAnchor = k.inAnchor })
	if len(a.classes) == 0 {
		s.remove(a)
	}
}

// anchor returns the anchor with the taint's key and value, and adds it if it
// is new. An anchor may outlive the class that it was added for, so it shares
// no memory with the taint.
func (s *anchors) anchor(t *taints.Taint) *anchor {
	if a := s.all.Entries[keyValue{t.Key, t.Value}]; a != nil {
		return a
	}
	k := s.keys.Entries[t.Key]
	a := &anchor{
		keyValue: keyValue{k.key, strings.Clone(t.Value)},
		order:    s.order,
		ofKey:    k,
		inKey:    len(k.anchors),
	}
	s.order++
	s.all.Set(a.keyValue, a)
	k.anchors = append(k.anchors, a)
	if n, ok := valueset.ParseInteger(a.value); ok {
		k.numbers.Insert(n, a)
	}
	return a
}

func (s *anchors) remove(a *anchor) {
	s.all.Delete(a.keyValue)
	k := a.ofKey
	k.anchors = shrink.At(k.anchors, a.inKey, func(moved *anchor) { moved.inKey = a.inKey })
	if n, ok := valueset.ParseInteger(a.value); ok {
		k.numbers.Remove(n)
	}
}

// shareKey counts a taint of a group with the key, and returns the key that all
// such taints share. Reading the same memory again makes a loop over groups fast.
func (s *anchors) shareKey(key string) string {
	k := s.keys.Entries[key]
	if k == nil {
		k = &keyAnchors{key: strings.Clone(key)}
		s.keys.Set(k.key, k)
	}
	k.taints++
	return k.key
}

// dropKey reverts a call to shareKey.
func (s *anchors) dropKey(key string) {
	k := s.keys.Entries[key]
	if k.taints--; k.taints == 0 {
		s.keys.Delete(key)
	}
}
