// SPDX-License-Identifier: Apache-2.0

package play

import (
	"cmp"
	"errors"
	"io"
	"iter"
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

var scalarKinds = map[string]kind{"!!null": null, "!!bool": boolean, "!!int": number, "!!float": number}

// kindOf returns the kind of the node. No node is null. The booleans are those of YAML 1.1.
func kindOf(n *yaml.Node) kind {
	switch {
	case n == nil:
		return null
	case n.Kind == yaml.MappingNode:
		return object
	case n.Kind == yaml.SequenceNode:
		return array
	case n.Style == 0 && n.Tag == "!!str" && n.Load(new(bool)) == nil: // plain, such as yes
		return boolean
	}
	return cmp.Or(scalarKinds[n.Tag], str)
}

// members yields the names and values of an object. Others have none.
func members(n *yaml.Node) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(name, value *yaml.Node) bool) {
		for i := 0; kindOf(n) == object && i < len(n.Content); i += 2 {
			if !yield(n.Content[i], n.Content[i+1]) {
				return
			}
		}
	}
}

// get returns the value at the path of names, or nil if there is none.
func get(n *yaml.Node, path ...string) *yaml.Node {
	for _, want := range path {
		var found *yaml.Node
		for name, value := range members(n) {
			if name.Value == want {
				found = value
			}
		}
		n = found
	}
	return n
}

// scalar returns the text of the scalar at the path of names, or "".
func scalar(n *yaml.Node, path ...string) string {
	if n = get(n, path...); n != nil {
		return n.Value
	}
	return ""
}

// items returns the items of a list. Others have none.
func items(n *yaml.Node) []*yaml.Node {
	if kindOf(n) == array {
		return n.Content
	}
	return nil
}

// Limits for nesting, and for the values that aliases stand for. A browser has a small stack
// and little time between two keystrokes.
var limits = yaml.WithPlugin(loaderlimits.New(loaderlimits.DepthValue(100), loaderlimits.AliasValue(10_000)))

// parseDocument parses the YAML of the text from start. JSON is YAML. The text
// has one document and may have empty ones. In it, no node is an alias, each name
// appears once, and objects have the members that merge keys name. The result is
// nil if the text has no value, or a part that cannot be read.
func (s *source) parseDocument(start int) (root *yaml.Node) {
	s.first = s.place(span{start, start})
	loader := taints.Must(yaml.NewLoader(strings.NewReader(s.s[start:]), limits))
	for {
		var document yaml.Node
		var value any
		err := loader.Load(&document)
		if errors.Is(err, io.EOF) {
			return root
		}
		if err == nil { // the library finds what is wrong with aliases, merge keys and names
			err = document.Load(&value, limits, yaml.WithUniqueKeys(false))
		}
		if err != nil {
			s.syntax(start, err)
			return nil
		}
		n := document.Content[0]
		s.resolve(n)
		switch {
		case kindOf(n) == null:
		case root != nil:
			s.fail(s.at(n), "this is a second document; paste one document")
			return nil
		default:
			root = n
		}
	}
}

// resolve gives the node, and those in it, the meaning that they have for Kubernetes.
func (s *source) resolve(n *yaml.Node) {
	switch n.Kind {
	case yaml.AliasNode: // of a node before it
		line, column := n.Line, n.Column
		*n = *n.Alias
		n.Line, n.Column = line, column
	case yaml.MappingNode:
		s.resolveMembers(n)
	case yaml.SequenceNode:
		for _, c := range n.Content {
			s.resolve(c)
		}
	}
}

func (s *source) resolveMembers(n *yaml.Node) {
	var merged, pairs []*yaml.Node
	index := make(map[string]int, len(n.Content)/2) // of each name in pairs
	for name, value := range members(n) {
		s.resolve(name)
		s.resolve(value)
		at, has := index[name.Value]
		switch {
		case name.Tag == "!!merge" && kindOf(value) == array:
			merged = append(merged, value.Content...)
		case name.Tag == "!!merge":
			merged = append(merged, value)
		case !has:
			index[name.Value] = len(pairs)
			pairs = append(pairs, name, value)
		default:
			if pairs[at], pairs[at+1] = name, value; len(s.problems) < maxEntries {
				s.wrong(s.at(name), "this field is here twice; the last one counts, and kubectl refuses it")
			}
		}
	}
	for _, o := range merged {
		for name, value := range members(o) {
			if _, has := index[name.Value]; !has {
				index[name.Value] = len(pairs)
				pairs = append(pairs, name, value)
			}
		}
	}
	n.Content = pairs
}

// yamlOffset returns the offset of a line and a column of the YAML.
func (s *source) yamlOffset(line, column int) int {
	if line == 1 {
		column += s.first.Column - 1
	}
	return s.offset(s.first.Line-1+line, column)
}

// at returns the span of the node: a scalar, or the rest of the line, without
// white space at its end, if the node is something else or has another form there.
func (s *source) at(n *yaml.Node) span {
	start := s.yamlOffset(n.Line, n.Column)
	line, _, _ := strings.Cut(s.s[start:], "\n")
	line = strings.TrimRight(line, whiteSpace)
	written := n.Value
	switch {
	case n.Style&yaml.DoubleQuotedStyle != 0:
		written = `"` + n.Value + `"`
	case n.Style&yaml.SingleQuotedStyle != 0:
		written = "'" + n.Value + "'"
	}
	if i := strings.Index(line, written); n.Kind == yaml.ScalarNode && i >= 0 {
		return span{start, start + i + len(written)}
	}
	return span{start, start + len(line)}
}

// syntax adds the library's error for a text that is not valid YAML.
func (s *source) syntax(start int, err error) {
	e, ok := errors.AsType[*yaml.LoadError](err)
	if !ok {
		e = &yaml.LoadError{Message: err.Error()}
	}
	at := s.yamlOffset(e.Mark.Line, e.Mark.Column)
	if e.Mark.Line == 0 { // of a character that YAML forbids
		at = start + e.Mark.Index
	}
	end := len(strings.TrimRight(s.s, whiteSpace))
	at = min(at, end)
	_, size := utf8.DecodeRuneInString(s.s[at:end])
	language := "YAML"
	if c := s.s[start]; c == '[' || c == '{' {
		language = "JSON or YAML"
	}
	message := e.Message
	if e.ContextMsg != "" && e.ContextMark.Line > 0 && e.ContextMark.Line != e.Mark.Line {
		message += " " + e.ContextMsg + " that starts on line " + strconv.Itoa(s.first.Line-1+e.ContextMark.Line)
	}
	s.fail(span{at, at + size}, "this is not valid "+language+": "+inWords(message, s.s[at:]))
}

// inWords returns the library's message about the text, with advice, or a plainer one.
func inWords(message, text string) string {
	switch {
	case strings.HasPrefix(text, "\t"):
		return message + "; indent with spaces, not tabs"
	case strings.Contains(message, "cannot start any token"):
		return message + "; put the value in quotes"
	case strings.Contains(message, "mapping values are not allowed"):
		return message + "; put a value that contains a colon and a space in quotes, or correct the indentation"
	case strings.Contains(message, "alias"):
		return message + "; write the values out"
	case strings.Contains(message, "as a map key"):
		return "a name must be a string"
	case strings.Contains(message, "map merge requires"):
		return "the merge key << takes an object or a list of objects"
	}
	return message
}
