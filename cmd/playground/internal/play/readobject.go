// SPDX-License-Identifier: Apache-2.0

package play

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-0529bac1/taints/internal/similar"
)

// object reads a list from YAML or JSON that begins at start. It is either a
// list or an object that has one.
func (r *reader[T]) object(start int) {
	root, repeats, wrong := parseDocument(r.text, start)
	if wrong != nil {
		r.fail(wrong.span, wrong.message)
		return
	}
	for _, s := range repeats[:min(len(repeats), maxEntries)] {
		r.wrong(s, "this field is here twice; the last one counts, and kubectl refuses it")
	}
	isText := func(v *value) bool { return v.kind == str && r.text[v.start:v.end] == v.text }
	if len(root.items) > 0 && !slices.ContainsFunc(root.items, func(v *value) bool { return !isText(v) }) {
		for _, v := range root.items { // in kubectl's form
			r.line(v.span)
		}
		return
	}
	items := root.get("items")
	if root.kind == array && slices.ContainsFunc(root.items, func(v *value) bool { return v.get("kind") != nil }) {
		items = root
	}
	if items != nil && items.kind == array {
		if root = r.one(items); root == nil {
			return
		}
	}
	if array := r.find(root); array != nil {
		r.array(array)
	}
	if r.implied != nil {
		r.implied(r, root)
	}
}

// one returns the first object of a List that may have entries. It adds a note
// if there are more, and a problem if there is none.
func (r *reader[T]) one(items *value) *value {
	var owners []*value
	for _, o := range items.items {
		template := r.owner == "Pod" && inner(o) != nil && inner(inner(o)) != nil
		if kind := o.get("kind"); kind == nil || kind.text == r.owner || template {
			owners = append(owners, o)
		}
	}
	switch len(owners) {
	case 0:
		r.fail(items.span, "this list has no "+r.owner)
		return nil
	case 1:
	default:
		name := "the first"
		if meta := owners[0].get("metadata"); meta != nil && meta.get("name") != nil {
			name += ", " + meta.get("name").text
		}
		r.note(owners[0].span, "the list has "+strconv.Itoa(len(owners))+" objects with "+r.name+"; this page shows "+name)
	}
	return owners[0]
}

// find returns the list of entries, or the only entry, in the value: a list, an
// object, its spec or that of its template. If there is none, find adds a
// problem and returns nil. It returns nil without a problem for an object that
// may have entries but has none.
func (r *reader[T]) find(v *value) *value {
	if v.kind != object {
		return v
	}
	template := false
	for o := v; o != nil; o = inner(o) {
		switch entries := o.get(r.name); {
		case entries == nil:
		case entries.kind == object:
			r.fail(entries.span, "expected a list of "+r.name+", found an object")
			return nil
		default:
			return entries
		}
		template = template || o.get("template") != nil
	}
	kind := "object"
	if k := v.get("kind"); k != nil {
		kind = k.text
	}
	isOwner := kind == r.owner || template && r.owner == "Pod" || kind == "object" && v.get("spec") != nil
	switch {
	case v.get("key") != nil || v.get("effect") != nil || v.get("operator") != nil:
		return v
	case !isOwner:
		r.fail(v.span, "this "+kind+" has no "+r.name+"; expected a "+r.owner+", its spec, or a list of "+r.name)
	}
	return nil
}

// inner returns the part of an object that describes its content: the spec and,
// in the spec of a Deployment or the like, the template of the pod. It returns
// nil if there is none.
func inner(o *value) *value {
	for _, name := range []string{"spec", "template", "jobTemplate"} {
		if v := o.get(name); v != nil && v.kind == object {
			return v
		}
	}
	return nil
}

func (r *reader[T]) array(v *value) {
	switch v.kind {
	case null:
	case object:
		r.element(v)
	case array:
		for _, item := range v.items {
			if !r.hasRoom(item.span) {
				return
			}
			r.element(item)
		}
	default:
		r.fail(v.span, "expected a list of "+r.name+", found "+string(v.kind))
	}
}

// element reads an entry. It leaves out an entry with a field of the wrong type,
// because an API server would reject all of it.
func (r *reader[T]) element(v *value) {
	if v.kind != object {
		r.fail(v.span, "expected an object, found "+string(v.kind))
		return
	}
	var element T
	e := entry{span: v.span, fields: map[string]span{}}
	good := true
	for _, m := range v.members {
		if !r.hasRoom(m.span) {
			return
		}
		i := slices.IndexFunc(r.fields, func(f field[T]) bool { return f.name == m.name })
		if i < 0 {
			r.wrong(m.span, r.unknown(m.name))
			continue
		}
		e.fields[m.name] = m.value.span
		if err := r.fields[i].read(&element, m.value); err != nil {
			r.fail(m.value.span, m.name+": "+err.Error())
			if !good {
				r.unread-- // the entry is counted already
			}
			good = false
		}
	}
	if good {
		r.add(element, e)
	}
}

// read sets the field to the value. A null leaves it unchanged.
func (f field[T]) read(element *T, v *value) error {
	switch v.kind {
	case null:
		return nil
	case f.want:
		return f.set(element, v.text)
	}
	message := "expected " + string(f.want) + ", found " + string(v.kind)
	if f.want == str && (v.kind == number || v.kind == boolean) {
		message += "; put it in quotes"
	}
	return errors.New(message)
}

// unknown returns the message that elements have no field with the name.
func (r *reader[T]) unknown(name string) string {
	names := make([]string, len(r.fields))
	for i, f := range r.fields {
		names[i] = f.name
	}
	text := strconv.Quote(name) + " is not a field of " + r.name + ", so it has no effect, and kubectl refuses it; "
	if meant := similar.Meant(strings.TrimSpace(name), names); meant != "" {
		return text + "did you mean " + meant + "?"
	}
	return text + "the fields are " + strings.Join(names, ", ")
}
