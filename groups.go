// SPDX-License-Identifier: Apache-2.0

package taints

// A groupSet holds the groups of nodes with the same taints, and finds those that
// a pod may tolerate. It does not hold the nodes.
type groupSet struct {
	repels  EffectSet
	all     table[string, *group] // by text, see appendText
	classes table[string, *class] // by the text of their taints
	free    *class                // the class without taints, or nil
	anchors anchors
}

// A group stands for the nodes with the same taints in the same order.
type group struct {
	text    string
	class   *class
	inClass int // index in class.groups
	at      int // index in Index.members
}

// A class holds the groups with the same taints that repel, in the same order: a
// pod may be placed on the nodes of all of them, or of none.
type class struct {
	text     string
	taints   []Taint // those that repel
	groups   []*group
	nodes    int     // the number of nodes of all groups
	anchor   *anchor // nil for the class without taints
	inAnchor int     // index in anchor.classes
}

// find returns the group with the text, or nil.
func (c *groupSet) find(text []byte) *group { return c.all.entries[string(text)] }

// add adds the group with the text of n taints and returns it with the taints.
func (c *groupSet) add(text []byte, n int) (*group, []Taint) {
	g := &group{text: string(text)}
	taints := readText(g.text, n)
	for i := range taints {
		taints[i].Key = c.anchors.use(taints[i].Key)
	}
	g.class = c.class(g.text, taints)
	g.inClass = len(g.class.groups)
	g.class.groups = append(g.class.groups, g)
	c.all.set(g.text, g)
	return g, taints
}

// class returns the class of the taints, whose text is given. It adds the class
// if it is new.
func (c *groupSet) class(text string, taints []Taint) *class {
	text, taints = c.repelling(text, taints)
	if known := c.classes.entries[text]; known != nil {
		return known
	}
	added := &class{text: text, taints: taints}
	c.classes.set(text, added)
	if len(taints) == 0 {
		c.free = added
	} else {
		c.anchors.hold(added)
	}
	return added
}

// repelling returns the taints that repel, and their text.
func (c *groupSet) repelling(text string, taints []Taint) (string, []Taint) {
	n := 0
	for i := range taints {
		if c.repels.Has(taints[i].Effect) {
			n++
		}
	}
	if n == len(taints) {
		return text, taints
	}
	var b []byte
	for i := range taints {
		if c.repels.Has(taints[i].Effect) {
			b = appendText(b, taints[i:i+1])
		}
	}
	text = string(b)
	return text, readText(text, n)
}

// remove removes the group, whose taints are given.
func (c *groupSet) remove(g *group, taints []Taint) {
	c.all.delete(g.text)
	k := g.class
	k.groups = withoutAt(k.groups, g.inClass, func(moved *group) { moved.inClass = g.inClass })
	if len(k.groups) == 0 {
		c.removeClass(k)
	}
	for i := range taints {
		c.anchors.unuse(taints[i].Key)
	}
}

func (c *groupSet) removeClass(k *class) {
	c.classes.delete(k.text)
	if k.anchor == nil {
		c.free = nil
		return
	}
	c.anchors.release(k)
}

// appendText appends the taints, without TimeAdded, as a text that differs from
// that of every other list of taints: before each field is its length.
func appendText(b []byte, taints []Taint) []byte {
	for i := range taints {
		t := &taints[i]
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

// readText returns the n taints of the text. Their fields share its memory.
func readText(text string, n int) []Taint {
	if n == 0 {
		return nil
	}
	taints := make([]Taint, n)
	for i := range taints {
		t := &taints[i]
		var effect string
		t.Key, text = readField(text)
		t.Value, text = readField(text)
		effect, text = readField(text)
		t.Effect = known(Effect(effect))
	}
	return taints
}

// known returns the effect as the constant, which compares faster, if it is a
// known one.
func known(e Effect) Effect {
	for _, name := range knownEffects {
		if string(e) == name {
			return Effect(name)
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
