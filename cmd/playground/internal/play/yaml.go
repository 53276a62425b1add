// SPDX-License-Identifier: Apache-2.0

package play

import (
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"

	"github.com/seed-0529bac1/taints"
)

// A kind describes a YAML or JSON value.
type kind string

const (
	null    kind = "null"
	boolean kind = "a boolean"
	number  kind = "a number"
	str     kind = "a string"
	array   kind = "a list"
	object  kind = "an object"
)

// A value is one value in a text, read by the YAML library. It has its place, which
// errors need, and the meaning of YAML 1.1; sigs.k8s.io/yaml gives no places. Values
// that are aliases of the same anchor share their items and members.
type value struct {
	span    // up to the end of the line, or of a scalar that ends before
	kind    kind
	text    string // of a scalar; a boolean is "true" or "false"
	items   []*value
	members []member
}

// A member is one member of an object. Each name appears once.
type member struct {
	span  // of the name
	name  string
	value *value
}

// get returns the object's member with the name, or nil if there is none.
func (v *value) get(name string) *value {
	for i := range v.members {
		if v.members[i].name == name {
			return v.members[i].value
		}
	}
	return nil
}

// Limits for nesting and for merges. A browser has a small stack and little time
// between two keystrokes.
const (
	maxDepth  = 100
	maxMerged = 10_000
)

// parseDocument parses the YAML of the text from start. JSON is YAML. The text
// has one document and may have empty ones. The repeats are the places of names
// that their object already has. If a part cannot be read, parseDocument returns
// the first problem, for the whole text.
func parseDocument(text string, start int) (root *value, repeats []span, wrong *problem) {
	p := &parser{text: text, places: newPlaces(text, start), values: map[*yaml.Node]*value{}}
	loader := taints.Must(yaml.NewLoader(strings.NewReader(text[start:]), yaml.WithPlugin(loaderlimits.New(loaderlimits.DepthValue(maxDepth)))))
	root = &value{span: span{start, start}, kind: null}
	for p.wrong == nil {
		var node yaml.Node
		if err := loader.Load(&node); errors.Is(err, io.EOF) {
			return root, p.repeats, nil
		} else if err != nil {
			p.syntax(err)
			break
		}
		v := p.value(node.Content[0])
		if root.kind != null && v.kind != null {
			p.fail(v.span, "this is a second document; paste one document")
		}
		if v.kind != null {
			root = v
		}
	}
	return nil, nil, p.wrong
}

// A parser converts the nodes of the YAML library to values. It visits each node
// once, no matter how many aliases the node has.
type parser struct {
	text    string
	places  places
	values  map[*yaml.Node]*value // nil: being read
	repeats []span
	merges  int      // number of objects and members that merge keys name
	wrong   *problem // the first one
}

// A problem is what is wrong with a part of the text.
type problem struct {
	span
	message string
}

func (p *parser) fail(s span, message string) {
	if p.wrong == nil {
		p.wrong = &problem{s, message}
	}
}

func (p *parser) value(n *yaml.Node) *value {
	at := p.line(p.places.offset(n.Line, n.Column))
	v := &value{span: at, kind: null}
	if n.Kind == yaml.AliasNode {
		if known := p.values[n.Alias]; known != nil {
			*v = *known
			v.span = at
		} else {
			p.fail(at, "the anchor &"+n.Value+" contains its own alias; write the value out")
		}
		return v
	}
	p.values[n] = nil
	switch n.Kind {
	case yaml.MappingNode:
		v.kind = object
		p.members(v, n)
	case yaml.SequenceNode:
		v.kind = array
		for _, c := range n.Content {
			v.items = append(v.items, p.value(c))
		}
	default:
		v.kind, v.text = scalar(n)
		v.span = p.scalarAt(n, at)
	}
	p.values[n] = v
	return v
}

// line returns the rest of the line from start, without white space at its end.
func (p *parser) line(start int) span {
	line, _, _ := strings.Cut(p.text[start:], "\n")
	return span{start, start + len(strings.TrimRight(line, whiteSpace))}
}

// scalarAt returns the span of the scalar, which is the rest of the line if the
// scalar is written in another form.
func (p *parser) scalarAt(n *yaml.Node, line span) span {
	written := n.Value
	switch {
	case n.Style&yaml.DoubleQuotedStyle != 0:
		written = `"` + n.Value + `"`
	case n.Style&yaml.SingleQuotedStyle != 0:
		written = "'" + n.Value + "'"
	}
	if i := strings.Index(p.text[line.start:line.end], written); i >= 0 {
		return span{line.start, line.start + i + len(written)}
	}
	return line
}

func (p *parser) members(v *value, n *yaml.Node) {
	index := make(map[string]int, len(n.Content)/2) // of each name
	add := func(m member, replaces bool) {
		at, ok := index[m.name]
		switch {
		case !ok:
			index[m.name] = len(v.members)
			v.members = append(v.members, m)
		case replaces:
			p.repeats = append(p.repeats, m.span)
			v.members[at] = m
		}
	}
	var merges []*value
	for pair := range slices.Chunk(n.Content, 2) {
		name := p.value(pair[0])
		if name.kind == array || name.kind == object {
			p.fail(name.span, "a name must be a string, not "+string(name.kind))
		}
		if m := p.value(pair[1]); pair[0].Tag == "!!merge" {
			merges = append(merges, m)
		} else {
			add(member{name.span, name.text, m}, true)
		}
	}
	for _, m := range merges {
		for _, o := range p.merged(m) {
			for _, other := range o.members {
				add(other, false)
			}
		}
	}
}

// merged returns the objects of a merge key.
func (p *parser) merged(m *value) []*value {
	from := []*value{m}
	if m.kind == array {
		from = m.items
	}
	for _, o := range from {
		if p.merges += 1 + len(o.members); p.merges > maxMerged {
			p.fail(m.span, "merge keys copy more than "+strconv.Itoa(maxMerged)+" fields; write the fields out")
			return nil
		}
		if o.kind != object {
			p.fail(m.span, "the merge key << takes an object or a list of objects, not "+string(o.kind))
			return nil
		}
	}
	return from
}

// scalar returns the kind and the text of the scalar. Kubernetes reads YAML 1.1,
// in which yes, no, on and off are booleans.
func scalar(n *yaml.Node) (kind, string) {
	plain := n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle|yaml.TaggedStyle) == 0
	switch n.Tag {
	case "!!null":
		return null, ""
	case "!!int", "!!float":
		return number, n.Value
	case "!!bool":
		return boolean, strconv.FormatBool(booleans[n.Value])
	}
	if is, ok := booleans[n.Value]; ok && plain {
		return boolean, strconv.FormatBool(is)
	}
	return str, n.Value
}

// booleans are the booleans of YAML 1.1.
var booleans = map[string]bool{
	"y": true, "Y": true, "yes": true, "Yes": true, "YES": true, "on": true, "On": true, "ON": true,
	"n": false, "N": false, "no": false, "No": false, "NO": false, "off": false, "Off": false, "OFF": false,
	"true": true, "True": true, "TRUE": true, "false": false, "False": false, "FALSE": false,
}

// syntax adds the library's error for a text that is not valid YAML.
func (p *parser) syntax(err error) {
	e, ok := errors.AsType[*yaml.LoadError](err)
	if !ok {
		p.fail(span{p.places.start, len(p.text)}, "this is not valid YAML: "+err.Error())
		return
	}
	at := p.places.offset(e.Mark.Line, e.Mark.Column)
	if e.Mark.Line == 0 {
		at = p.places.start + max(0, strings.IndexFunc(p.text[p.places.start:], isControl))
	}
	end := len(strings.TrimRight(p.text, whiteSpace))
	at = min(at, end)
	_, size := utf8.DecodeRuneInString(p.text[at:end])
	language := "YAML"
	if c := p.text[p.places.start]; c == '[' || c == '{' {
		language = "JSON or YAML"
	}
	message := e.Message
	if e.ContextMsg != "" && e.ContextMark.Line > 0 && e.ContextMark.Line != e.Mark.Line {
		message += " " + e.ContextMsg + " that starts on line " + strconv.Itoa(p.places.skipped+e.ContextMark.Line)
	}
	p.fail(span{at, at + size}, "this is not valid "+language+": "+message+remedy(e.Message, p.text[at:]))
}

// remedy returns advice for the message, unless the message contains it.
func remedy(message, rest string) string {
	switch {
	case strings.HasPrefix(rest, "\t"):
		return "; indent with spaces, not tabs"
	case strings.Contains(message, "cannot start any token"):
		return "; put the value in quotes"
	case strings.Contains(message, "mapping values are not allowed"):
		return "; put a value that contains a colon and a space in quotes, or correct the indentation"
	}
	return ""
}

// isControl reports whether YAML forbids the character.
func isControl(r rune) bool {
	return r < ' ' && r != '\t' && r != '\r' && r != '\n' || r >= 0x7f && r <= 0x9f && r != 0x85 || r == 0xfffe || r == 0xffff
}
