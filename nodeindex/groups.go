// SPDX-License-Identifier: Apache-2.0

package nodeindex

import (
	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/shrink"
)

// A groupSet holds the groups of nodes with the same taints, and finds those that
// a pod may tolerate. It does not hold the nodes.
type groupSet struct {
	repels  taints.EffectSet
	all     shrink.Map[string, *group] // by text, see appendText
	classes shrink.Map[string, *class] // by the text of their taints
	bare    *class                     // the class without taints, or nil
	anchors anchors
}

// A group represents the nodes with the same taints in the same order.
type group struct {
	text    string
	class   *class
	inClass int // index in class.groups
	at      int // index in Index.members
}

// A class holds the groups with the same repelling taints in the same order: a
// pod may be placed on the nodes of all these groups, or of none.
type class struct {
	text     string
	taints   []taints.Taint // the repelling taints
	groups   []*group
	nodes    int     // the number of nodes of all groups
	anchor   *anchor // nil for the class without taints
	inAnchor int     // index in anchor.classes
}

// find returns the group with the text, or nil.
func (c *groupSet) find(text []byte) *group { return c.all.Entries[string(text)] }

// add adds the group with the text of n taints and returns it with the taints.
func (c *groupSet) add(text []byte, n int) (*group, []taints.Taint) {
	g := &group{text: string(text)}
	list := readText(g.text, n)
	for i := range list {
		list[i].Key = c.anchors.shareKey(list[i].Key)
	}
	g.class = c.class(g.text, list)
	g.inClass = len(g.class.groups)
	g.class.groups = append(g.class.groups, g)
	c.all.Set(g.text, g)
	return g, list
}

// class returns the class of the taints with the given text. It adds the class
// if it is new.
func (c *groupSet) class(text string, list []taints.Taint) *class {
	text, list = c.repelling(text, list)
	if k := c.classes.Entries[text]; k != nil {
		return k
	}
	added := &class{text: text, taints: list}
	c.classes.Set(text, added)
	if len(list) == 0 {
		c.bare = added
	} else {
		c.anchors.file(added)
	}
	return added
}

// repelling returns the repelling taints and their text.
func (c *groupSet) repelling(text string, list []taints.Taint) (string, []taints.Taint) {
	n := 0
	for i := range list {
		if c.repels.Has(list[i].Effect) {
			n++
		}
	}
	if n == len(list) {
		return text, list
	}
	var b []byte
	for i := range list {
		if c.repels.Has(list[i].Effect) {
			b = appendText(b, list[i:i+1])
		}
	}
	text = string(b)
	return text, readText(text, n)
}

// remove removes the group, whose taints are given.
func (c *groupSet) remove(g *group, list []taints.Taint) {
	c.all.Delete(g.text)
	k := g.class
	k.groups = shrink.At(k.groups, g.inClass, func(moved *group) { moved.inClass = g.inClass })
	if len(k.groups) == 0 {
		c.removeClass(k)
	}
	for i := range list {
		c.anchors.dropKey(list[i].Key)
	}
}

func (c *groupSet) removeClass(k *class) {
	c.classes.Delete(k.text)
	if k.anchor == nil {
		c.bare = nil
		return
	}
	c.anchors.unfile(k)
}

// appendText appends a text for the taints, without TimeAdded. Different lists
// have different texts, because each field follows its length.
func appendText(b []byte, list []taints.Taint) []byte {
	for i := range list {
		t := &list[i]
		b = appendField(b, t.Key)
		b = appendField(b, t.Value)
		b = appendField(b, string(t.Effect))
	}
	return b
}

func appendField(b []byte, field string) []byte {
	n := len(field)
	for ; n >= 0x80; n >>= 7 {
		b = append(b, byte(n)|0x80)
	}
	return append(append(b, byte(n)), field...)
}

// readText returns the n taints of the text. Their fields share memory with it.
func readText(text string, n int) []taints.Taint {
	if n == 0 {
		return nil
	}
	list := make([]taints.Taint, n)
	for i := range list {
		t := &list[i]
		var effect string
		t.Key, text = readField(text)
		t.Value, text = readField(text)
		effect, text = readField(text)
		t.Effect = constant(taints.Effect(effect))
	}
	return list
}

// constant returns the constant that equals the effect, because it compares
// faster, or the effect itself if there is none.
func constant(e taints.Effect) taints.Effect {
	for _, c := range [...]taints.Effect{taints.NoSchedule, taints.PreferNoSchedule, taints.NoExecute} {
		if e == c {
			return c
		}
	}
	return e
}

func readField(text string) (field, rest string) {
	n, shift := 0, 0
	for text[0] >= 0x80 {
		n |= int(text[0]&0x7f) << shift
		shift += 7
		text = text[1:]
	}
	n |= int(text[0]) << shift
	return text[1 : 1+n], text[1+n:]
}
