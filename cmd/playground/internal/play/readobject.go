// SPDX-License-Identifier: Apache-2.0

package play

import (
	"errors"
	"slices"
	"strconv"
	"strings"
)

// object reads a list from YAML or JSON that begins at start. It is either a
// list or an object that has one.
func (r reader[T]) object(l *list[T], start int) {
	root, repeats, wrong := parseDocument(l.text, start)
	if wrong != nil {
		l.problems = append(l.problems, *wrong)
		return
	}
	j := objectReader[T]{reader: r, list: l}
	for _, s := range repeats[:min(len(repeats), maxEntries)] {
		l.note(s, "this field is here twice; the last one counts, and kubectl refuses it")
	}
	if items := root.get("items"); items != nil && items.kind == array {
		if root = j.one(items); root == nil {
			return
		}
	}
	if array := j.find(root); array != nil {
		j.array(array)
	}
	if j.implied != nil {
		j.implied(j, root)
	}
}

// An objectReader reads a list from YAML or JSON.
type objectReader[T any] struct {
	reader[T]
	list *list[T]
}

func (j objectReader[T]) fail(v *value, message string) { j.list.fail(v.span, message) }

// one returns the first object of a List that may have entries. It adds a note
// if there are more, and a problem if there is none.
func (j objectReader[T]) one(items *value) *value {
	var owners []*value
	for _, o := range items.items {
		template := j.owner == "Pod" && inner(o) != nil && inner(inner(o)) != nil
		if kind := o.get("kind"); kind == nil || kind.text == j.owner || template {
			owners = append(owners, o)
		}
	}
	switch len(owners) {
	case 0:
		j.fail(items, "this list has no "+j.owner)
		return nil
	case 1:
	default:
		name := "the first"
		if meta := owners[0].get("metadata"); meta != nil && meta.get("name") != nil {
			name += ", " + meta.get("name").text
		}
		j.list.note(owners[0].span, "the list has "+strconv.Itoa(len(owners))+" objects with "+j.name+"; this page shows "+name)
	}
	return owners[0]
}

// find returns the list of entries, or the only entry, in the value: a list, an
// object, its spec or that of its template. If there is none, find adds a
// problem and returns nil. It returns nil without a problem for an object that
// may have entries but has none.
func (j objectReader[T]) find(v *value) *value {
	if v.kind != object {
		return v
	}
	template := false
	for o := v; o != nil; o = inner(o) {
		switch entries := o.get(j.name); {
		case entries == nil:
		case entries.kind == object:
			j.fail(entries, "expected a list of "+j.name+", found an object")
			return nil
		default:
			return entries
		}
		template = template || o.get("template") != nil
	}
	name := ""
	if k := v.get("kind"); k != nil {
		name = k.text
	}
	expected := "; expected a " + j.owner + ", its spec, or a list of " + j.name
	switch {
	case v.get("key") != nil || v.get("effect") != nil || v.get("operator") != nil:
		return v
	case name == j.ownerOfOther:
		j.fail(v, "this is a "+name+", and only a "+j.owner+" has "+j.name)
	case name != "" && name != j.owner && !(template && j.owner == "Pod"):
		j.fail(v, "an object of this kind has no "+j.name+expected)
	case template || v.get("spec") != nil || name == j.owner:
	case len(v.members) == 0:
		j.fail(v, "this object is empty"+expected)
	default:
		j.fail(v, "this object has no "+j.name+expected)
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

func (j objectReader[T]) array(v *value) {
	switch v.kind {
	case null:
	case object:
		j.element(v)
	case array:
		for _, item := range v.items {
			if !j.list.hasRoom(j.name, item.span) {
				return
			}
			j.element(item)
		}
	default:
		j.fail(v, "expected a list of "+j.name+", found "+v.kind.String())
	}
}

// element reads an entry. It leaves out an entry with a field of the wrong type,
// because an API server would reject all of it.
func (j objectReader[T]) element(v *value) {
	if v.kind != object {
		j.fail(v, "expected an object, found "+v.kind.String())
		return
	}
	var element T
	e := entry{span: v.span, fields: map[string]span{}}
	good := true
	for _, m := range v.members {
		if !j.list.hasRoom(j.name, m.span) {
			return
		}
		f := j.field(m.name)
		if f == nil {
			j.list.note(m.span, j.unknown(m.name))
			continue
		}
		e.fields[m.name] = m.value.span
		if err := f.read(&element, m.value); err != nil {
			j.fail(m.value, m.name+": "+err.Error())
			good = false
		}
	}
	if good {
		j.list.add(element, e)
	}
}

// field returns the field with the name, or nil if elements have no such field.
func (r reader[T]) field(name string) *field[T] {
	i := slices.IndexFunc(r.fields, func(f field[T]) bool { return f.name == name })
	if i < 0 {
		return nil
	}
	return &r.fields[i]
}

// read sets the field to the value. A null leaves it unchanged.
func (f field[T]) read(element *T, v *value) error {
	switch v.kind {
	case null:
		return nil
	case f.want:
		return f.set(element, v.text)
	}
	message := "expected " + f.want.String() + ", found " + v.kind.String()
	if f.want == str && (v.kind == number || v.kind == boolean) {
		message += "; put it in quotes"
	}
	return errors.New(message)
}

// unknown returns the message that elements have no field with the name.
func (r reader[T]) unknown(name string) string {
	names := make([]string, len(r.fields))
	for i, f := range r.fields {
		names[i] = f.name
	}
	return strconv.Quote(name) + " is not a field of " + r.name +
		", so it has no effect, and kubectl refuses it; the fields are " + strings.Join(names, ", ")
}
