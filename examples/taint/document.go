// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/examples/internal/kubejson"
)

const expected = "expected the output of kubectl get nodes -o json"

// A document is JSON with nodes in it: one or more lists or objects.
type document struct {
	name  string
	json  string
	nodes []*node

	unit string // of the last document at the top that was looked at
	end  int    // of that
}

// A node is a Node in a document.
type node struct {
	name       string
	labels     map[string]string
	start, end int    // where it is in the document
	unit       string // of indentation there; empty where it is on one line
	json       string // what is to stand there
}

// parseDocument finds the nodes: those that stand alone, and those among the
// items of lists.
func parseDocument(name, text string) (*document, error) {
	d := &document{name: name, json: text}
	err := kubejson.Read(name, strings.NewReader(text), func(o *kubejson.Object) error {
		if !o.IsCore("Node") {
			return nil
		}
		start, end := int(o.Start), int(o.End)
		n := &node{start: start, end: end, json: text[start:end]}
		d.nodes = append(d.nodes, n)
		return n.decode()
	})
	if err == nil && len(d.nodes) == 0 {
		err = fmt.Errorf("%s: no nodes; %s", name, expected)
	}
	if err != nil {
		return nil, err
	}
	for _, n := range d.nodes { // once all of the text is known to be valid
		n.unit = d.unitAt(n.start)
	}
	return d, nil
}

// unitAt returns the unit of indentation of what is at the top of the document
// at the place. Places never go back before the beginning of the one before.
func (d *document) unitAt(place int) string {
	for d.end <= place {
		start := d.end + len(space(d.json[d.end:], " \t\r\n"))
		d.end = kubejson.End(d.json, start)
		d.unit = strings.TrimLeft(gap(d.json[start:d.end], ""), "\r\n")
	}
	return d.unit
}

// decode reads what is needed to choose the node.
func (n *node) decode() error {
	err := kubejson.Fields("it", []byte(n.json), func(key, value []byte) error {
		if string(key) != "metadata" {
			return nil
		}
		return kubejson.Fields("metadata", value, func(key, value []byte) (err error) {
			switch string(key) {
			case "name":
				n.name, err = kubejson.DecodeString("metadata.name", value)
			case "labels":
				err = kubejson.Decode("metadata.labels", value, &n.labels)
			}
			return err
		})
	})
	if err == nil && n.name == "" {
		err = errors.New("metadata.name is missing")
	}
	return err
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

// change makes the changes to the taints of the node. On failure the node stays
// as it is.
func (n *node) change(c taints.Changes, overwrite bool) error {
	spec, err := typed(n.json, "spec", "{}")
	if err != nil {
		return err
	}
	field, err := typed(spec, "taints", "[]")
	if err != nil {
		return fmt.Errorf("spec.%w", err)
	}
	list, err := kubejson.DecodeList[taints.Taint]("spec.taints", []byte(field))
	if err != nil {
		return err
	}
	after, err := c.ApplyStrict(list, overwrite)
	if err == nil {
		err = taints.ValidateTaints(after)
	}
	if err != nil {
		return explainFaults(err, list)
	}
	if slices.EqualFunc(list, after, taints.Taint.Equal) {
		return nil
	}
	nodeGap := gap(n.json, "")
	if len(after) == 0 {
		spec = removeMember(spec, "taints")
	} else {
		specGap := gap(spec, deeper(nodeGap, n.unit))
		spec = setMember(spec, "taints", taintArray(field, list, after, specGap, n.unit), nodeGap, n.unit)
	}
	n.json = setMember(n.json, "spec", spec, "", n.unit)
	return nil
}

// typed returns the member of the object, or none where it is missing or null;
// none also says what belongs there.
func typed(object, key, none string) (string, error) {
	value, err := member(object, key)
	switch {
	case err != nil:
		return "", err
	case value == "" || value == "null":
		return none, nil
	case value[0] != none[0]:
		return "", fmt.Errorf("%s is %s, not %s", key, kubejson.Kind(value), kubejson.Kind(none))
	}
	return value, nil
}

// taintArray returns the JSON of the taints. Those of the old list, which field
// is, keep theirs.
func taintArray(field string, old, after []taints.Taint, outer, unit string) string {
	was := children(field)
	inner := gap(field, deeper(outer, unit))
	var elements []string
	for _, t := range after {
		i := slices.IndexFunc(old, t.Equal)
		if i >= 0 {
			elements = append(elements, was[i].Of(field))
			continue
		}
		if len(was) > 0 && !strings.Contains(was[0].Of(field), "\n") {
			elements = append(elements, encode(t, "", ""))
		} else {
			elements = append(elements, encode(t, inner, unit))
		}
	}
	return array(field, elements, outer, unit)
}

// explainFaults has a line for each fault of a change to the list; for taints
// that are there already, one in kubectl's words.
func explainFaults(err error, list []taints.Taint) error {
	var lines []error
	var keys, have []string
	for _, fault := range err.(*taints.ErrorList).Errors {
		switch {
		case fault.List == "taints": // of what results
			lines = append(lines, fmt.Errorf("spec.%w", fault))
		case fault.Kind == taints.ErrExists:
			t := taints.MustParseTaint(fault.Value) // which ParseChanges has read
			keys = append(keys, t.Key)
			if i, found := taints.FindTaint(list, t.ID()); found {
				have = append(have, list[i].String())
			}
		default:
			lines = append(lines, errors.New(inWords(fault)))
		}
	}
	if len(keys) > 0 {
		clash := fmt.Errorf("already has %s taint(s) with same effect(s) and --overwrite is false: it has %s",
			strings.Join(keys, ","), strings.Join(have, ", "))
		lines = append([]error{clash}, lines...)
	}
	return errors.Join(lines...)
}
