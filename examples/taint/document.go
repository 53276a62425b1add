package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-0529bac1/taints"
)

const expected = "expected the output of kubectl get nodes -o json"

// A document is JSON with nodes in it.
type document struct {
	json  string
	unit  string // of indentation; empty where the document is on one line
	nodes []*node
}

// A node is a Node in a document.
type node struct {
	name       string
	labels     map[string]string
	start, end int    // where it is in the document
	json       string // what is to stand there
}

// header holds what is read of every object.
type header struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name   string            `json:"name"`
		Labels map[string]string `json:"labels"`
	} `json:"metadata"`
}

// parseDocument finds the nodes in a Node, or in a list that has nodes among its items.
func parseDocument(text string) (*document, error) {
	d := &document{json: text}
	start := len(space(text, " \t\r\n"))
	if start == len(text) {
		return nil, errors.New("empty; " + expected)
	}
	if err := json.Unmarshal([]byte(text), new(json.RawMessage)); err != nil {
		return nil, notJSON(err)
	}
	top := strings.TrimSpace(text)
	if top[0] != '{' {
		return nil, fmt.Errorf("%s, not an object; %s", kind(top), expected)
	}
	members := children(top)
	if len(members) > 0 {
		d.unit = strings.TrimLeft(top[1:members[0].start], "\r\n")
	}
	var h header
	if err := decode(top, &h); err != nil {
		return nil, err
	}
	items, err := only(members, "items")
	if err != nil {
		return nil, err
	}
	if items == nil {
		err = d.addNode(h, start, top)
	} else {
		err = d.addItems(strings.TrimSuffix(h.Kind, "List"), start+items.value, items.of(top))
	}
	if err == nil && len(d.nodes) == 0 {
		err = errors.New("no nodes; " + expected)
	}
	return d, err
}

func notJSON(err error) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("not JSON, at offset %d: %w; %s", syntax.Offset, err, expected)
	}
	return err
}

// addItems adds the nodes of a list at the place in the document; the items are of the kind where they do not say theirs.
func (d *document) addItems(itemKind string, start int, items string) error {
	if items == "null" {
		return nil
	}
	if items[0] != '[' {
		return fmt.Errorf("items is %s, not a list; %s", kind(items), expected)
	}
	for i, c := range children(items) {
		h := header{Kind: itemKind}
		err := decode(c.of(items), &h)
		if err == nil {
			err = d.addNode(h, start+c.value, c.of(items))
		}
		if err != nil {
			return fmt.Errorf("items[%d]: %w", i, err)
		}
	}
	return nil
}

// addNode adds the object at the place in the document if it is a Node.
func (d *document) addNode(h header, start int, object string) error {
	if h.Kind != "Node" || h.APIVersion != "v1" && h.APIVersion != "" {
		return nil
	}
	if h.Metadata.Name == "" {
		return errors.New("a Node without a name")
	}
	d.nodes = append(d.nodes, &node{h.Metadata.Name, h.Metadata.Labels, start, start + len(object), object})
	return nil
}

// decode decodes a value, and says in words what does not fit.
func decode(value string, into any) error {
	err := json.Unmarshal([]byte(value), into)
	var wrong *json.UnmarshalTypeError
	switch {
	case !errors.As(err, &wrong):
		return err
	case wrong.Field == "":
		return fmt.Errorf("%s does not belong there", wrong.Value)
	}
	return fmt.Errorf("%s: %s does not belong there", wrong.Field, wrong.Value)
}

// text returns the document with its nodes as they are now.
func (d *document) text() string {
	var b strings.Builder
	at := 0
	for _, n := range d.nodes {
		b.WriteString(d.json[at:n.start])
		b.WriteString(n.json)
		at = n.end
	}
	b.WriteString(d.json[at:])
	return b.String()
}

// change makes the changes to the taints of the node. On failure the node stays as it is.
func (n *node) change(c taints.Changes, overwrite bool, unit string) error {
	spec, err := typed(n.json, "spec", "{}")
	if err != nil {
		return err
	}
	field, err := typed(spec, "taints", "[]")
	if err != nil {
		return fmt.Errorf("spec.%w", err)
	}
	var list []taints.Taint
	if err := decode(field, &list); err != nil {
		return fmt.Errorf("spec.taints: %w", err)
	}
	after, err := c.Apply(list, overwrite)
	if err == nil {
		err = taints.ValidateTaints(after)
	}
	if err != nil {
		return explainFaults(err)
	}
	if slices.EqualFunc(list, after, taints.Taint.Equal) {
		return nil
	}
	nodeGap := gap(n.json, "")
	if len(after) == 0 {
		spec = removeMember(spec, "taints")
	} else {
		specGap := gap(spec, deeper(nodeGap, unit))
		spec = setMember(spec, "taints", taintArray(field, list, after, specGap, unit), nodeGap, unit)
	}
	n.json = setMember(n.json, "spec", spec, "", unit)
	return nil
}

// typed returns the member of the object, or none where it is missing or null; none also says what belongs there.
func typed(object, key, none string) (string, error) {
	value, err := member(object, key)
	switch {
	case err != nil:
		return "", err
	case value == "" || value == "null":
		return none, nil
	case value[0] != none[0]:
		return "", fmt.Errorf("%s is %s, not %s", key, kind(value), kind(none))
	}
	return value, nil
}

// taintArray returns the JSON of the taints. Those of the old list, which field is, keep theirs.
func taintArray(field string, old, after []taints.Taint, outer, unit string) string {
	was := children(field)
	inner := gap(field, deeper(outer, unit))
	var elements []string
	for _, t := range after {
		i := slices.IndexFunc(old, t.Equal)
		if i >= 0 {
			elements = append(elements, was[i].of(field))
			continue
		}
		if len(was) > 0 && !strings.Contains(was[0].of(field), "\n") {
			elements = append(elements, encode(t, "", ""))
		} else {
			elements = append(elements, encode(t, inner, unit))
		}
	}
	return array(field, elements, outer, unit)
}

// explainFaults has a line for each fault.
func explainFaults(err error) error {
	var lines []error
	for _, fault := range err.(*taints.ValidationError).Fields {
		if fault.List == "taints" { // of what results
			lines = append(lines, fmt.Errorf("spec.%w", fault))
		} else {
			lines = append(lines, errors.New(inWords(fault)))
		}
	}
	return errors.Join(lines...)
}
