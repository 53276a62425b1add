// SPDX-License-Identifier: Apache-2.0

package play

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/seed-0529bac1/taints/cmd/internal/lists"
	"github.com/seed-0529bac1/taints/internal/similar"
)

// document reads a list from YAML or JSON that begins at start. It is either a
// list or an object that has one.
func (l *list[T]) document(start int) {
	root := l.parseDocument(start)
	isText := func(n *yaml.Node) bool { return kindOf(n) == str && l.part(l.at(n)) == n.Value }
	isOther := func(n *yaml.Node) bool { return !isText(n) }
	if list := items(root); len(list) > 0 && !slices.ContainsFunc(list, isOther) {
		for _, n := range list { // in kubectl's form
			l.line(l.at(n))
		}
		return
	}
	objects := get(root, "items")
	if slices.ContainsFunc(items(root), func(n *yaml.Node) bool { return get(n, "kind") != nil }) {
		objects = root
	}
	if kindOf(objects) == array {
		root = l.one(objects)
	}
	l.object = root
	l.array(l.find(root))
}

// one returns the first object of a List that may have entries. It adds a note
// if there are more, and a problem if there is none.
func (l *list[T]) one(objects *yaml.Node) *yaml.Node {
	owners := slices.DeleteFunc(slices.Clone(objects.Content), func(o *yaml.Node) bool { return !l.isOwner(o) })
	if len(owners) == 0 {
		l.fail(l.at(objects), "this list has no "+l.owner)
		return nil
	}
	if len(owners) > 1 {
		name := strings.TrimSuffix("the first, "+scalar(owners[0], "metadata", "name"), ", ")
		l.note(l.at(owners[0]), "the list has "+strconv.Itoa(len(owners))+" objects with "+l.name+"; this page shows "+name)
	}
	return owners[0]
}

// find returns the list of entries, or the only entry, in the value: a list, an
// object, its spec or that of its template. If there is none, find adds a
// problem and returns nil. It returns nil without a problem for an object that
// may have entries but has none.
func (l *list[T]) find(n *yaml.Node) *yaml.Node {
	if kindOf(n) != object {
		return n
	}
	for o := n; o != nil; o = inner(o) {
		entries := get(o, l.name)
		if kindOf(entries) == object {
			l.fail(l.at(entries), "expected a list of "+l.name+", found an object")
			return nil
		}
		if entries != nil {
			return entries
		}
	}
	kind := scalar(n, "kind")
	switch {
	case get(n, "key") != nil || get(n, "effect") != nil || get(n, "operator") != nil:
		return n
	case !l.isOwner(n), kind == "" && inner(n) == nil:
		l.fail(l.at(n), "this "+cmp.Or(kind, "object")+" has no "+l.name+"; expected a "+l.owner+", its spec, or a list of "+l.name)
	}
	return nil
}

// isOwner reports whether the object may have entries: its kind has some, is not known, or
// has a template of pods.
func (l *list[T]) isOwner(o *yaml.Node) bool {
	kind := scalar(o, "kind")
	return kind == "" || kind == l.owner || l.owner == "Pod" && (inner(inner(o)) != nil || get(o, "template") != nil)
}

// inner returns the part of an object that describes its content: the spec and,
// in the spec of a Deployment or the like, the template of the pod. It returns
// nil if there is none.
func inner(o *yaml.Node) *yaml.Node {
	for _, name := range []string{"spec", "template", "jobTemplate"} {
		if n := get(o, name); kindOf(n) == object {
			return n
		}
	}
	return nil
}

func (l *list[T]) array(n *yaml.Node) {
	switch kindOf(n) {
	case null:
	case object:
		l.element(n)
	case array:
		for _, item := range n.Content {
			if !l.hasRoom(l.at(item)) {
				return
			}
			l.element(item)
		}
	default:
		l.fail(l.at(n), "expected a list of "+l.name+", found "+string(kindOf(n)))
	}
}

// element reads an entry. It leaves out an entry with a field of the wrong type,
// because an API server would reject all of it.
func (l *list[T]) element(n *yaml.Node) {
	if kindOf(n) != object {
		l.fail(l.at(n), "expected an object, found "+string(kindOf(n)))
		return
	}
	var element T
	fields := l.fields(&element)
	before := l.unread
	for name, value := range members(n) {
		if !l.hasRoom(l.at(name)) {
			return
		}
		i := slices.IndexFunc(fields, func(f field) bool { return f.name == name.Value })
		if i < 0 {
			l.wrong(l.at(name), l.unknown(name.Value, fields))
		} else if err := fields[i].set(value); err != nil {
			l.fail(l.at(value), name.Value+": "+err.Error())
			l.unread = before + 1 // it is one entry
		}
	}
	if l.unread == before {
		l.append(element, entry{l.at(n), n})
	}
}

// A field is a field of an element, and where its value goes.
type field struct {
	name string
	to   any
}

// set sets the field to the value. A null leaves it unchanged.
func (f field) set(n *yaml.Node) error {
	want := str
	if _, isNumber := f.to.(**int64); isNumber {
		want = number
	}
	switch kind := kindOf(n); {
	case kind == null:
		return nil
	case want == str && (kind == number || kind == boolean):
		return errors.New("expected a string, found " + string(kind) + "; put it in quotes")
	case kind != want:
		return errors.New("expected " + string(want) + ", found " + string(kind))
	}
	if _, isTime := f.to.(**time.Time); isTime {
		if _, err := time.Parse(time.RFC3339, n.Value); err != nil {
			return errors.New("expected a time such as 2026-11-21T12:00:00Z")
		}
	}
	if n.Load(f.to) != nil {
		return errors.New("expected a 64-bit integer")
	}
	return nil
}

// unknown returns the message that elements have no field with the name.
func (l *list[T]) unknown(name string, fields []field) string {
	names := lists.Each(fields, func(f field) string { return f.name })
	text := strconv.Quote(name) + " is not a field of " + l.name + ", so it has no effect, and kubectl refuses it; "
	if meant := similar.Meant(strings.TrimSpace(name), names); meant != "" {
		return text + "did you mean " + meant + "?"
	}
	return text + "the fields are " + strings.Join(names, ", ")
}
