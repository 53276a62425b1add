// SPDX-License-Identifier: Apache-2.0

package play

import (
	"strconv"
	"strings"

	"github.com/seed-0529bac1/taints/examples/playground/internal/jsontree"
)

// json reads the list from JSON, which begins at start: an array, or an object
// that has one.
func (r reader[T]) json(l *list[T], start int) {
	v, err := jsontree.Parse(l.text[start:])
	if err != nil {
		at := start + err.(*jsontree.SyntaxError).Offset
		l.fail(span{at, min(at+1, len(l.text))}, err.Error())
		return
	}
	j := jsonReader[T]{reader: r, list: l, shift: start}
	j.duplicates(v)
	if array := j.find(v); array != nil {
		j.array(array)
	}
	if j.implied != nil {
		j.implied(j, v)
	}
}

// duplicates notes members that come twice in an object.
func (j jsonReader[T]) duplicates(v *jsontree.Value) {
	for i := range v.Items {
		j.duplicates(&v.Items[i])
	}
	seen := make(map[string]bool, len(v.Members))
	for i := range v.Members {
		m := &v.Members[i]
		if seen[m.Name] && len(j.list.problems) < maxEntries {
			j.note(span{j.shift + m.Start, j.shift + m.End}, "duplicate member: the last one counts, and kubectl refuses it")
		}
		seen[m.Name] = true
		j.duplicates(&m.Value)
	}
}

// A jsonReader reads a list from JSON.
type jsonReader[T any] struct {
	reader[T]
	list  *list[T]
	shift int // where the JSON begins in the text
}

// span returns where the value stands in the text.
func (j jsonReader[T]) span(v *jsontree.Value) span { return span{j.shift + v.Start, j.shift + v.End} }

func (j jsonReader[T]) fail(v *jsontree.Value, message string) { j.list.fail(j.span(v), message) }

// note notes a problem for which nothing is left out.
func (j jsonReader[T]) note(s span, message string) {
	j.list.problems = append(j.list.problems, problem{s, message, false})
}

// find returns the array of the entries, or the one entry, in the value: an array,
// an object, its spec, or its template's. It is nil, and the list has a problem,
// where there is none; and nil as well for an object that may have some and has
// none.
func (j jsonReader[T]) find(v *jsontree.Value) *jsontree.Value {
	if v.Kind != jsontree.Object {
		return v
	}
	template := false
	for o := v; o != nil; o = inner(o) {
		switch array := o.Get(j.name); {
		case array == nil:
		case array.Kind == jsontree.Object:
			j.fail(array, "want an array of "+j.name+", found an object")
			return nil
		default:
			return array
		}
		template = template || o.Get("template") != nil
	}
	kind := v.Get("kind")
	switch {
	case v.Get("key") != nil || v.Get("effect") != nil || v.Get("operator") != nil:
		return v
	case v.Get("items") != nil:
		j.fail(v, "this is a list of objects; paste one of them")
	case kind != nil && kind.Text == j.ownerOfOther:
		j.fail(v, "this is a "+kind.Text+", and "+j.name+" are those of a "+j.owner)
	case kind != nil && kind.Text != j.owner && !(template && j.owner == "Pod"):
		j.fail(v, "an object of this kind has no "+j.name+"; want a "+j.owner+", its spec, or an array of "+j.name)
	case template || v.Get("spec") != nil || kind != nil && kind.Text == j.owner:
	case len(v.Members) == 0:
		j.fail(v, "this object is empty; want a "+j.owner+", its spec, or an array of "+j.name)
	default:
		j.fail(v, "this object has no "+j.name+"; want a "+j.owner+", its spec, or an array of "+j.name)
	}
	return nil
}

// inner returns the part of an object that holds what the object is to be: the spec,
// and in that of a Deployment and its like the template of the pod. It is nil where
// there is none.
func inner(o *jsontree.Value) *jsontree.Value {
	for _, name := range []string{"spec", "template", "jobTemplate"} {
		if v := o.Get(name); v != nil && v.Kind == jsontree.Object {
			return v
		}
	}
	return nil
}

func (j jsonReader[T]) array(v *jsontree.Value) {
	switch v.Kind {
	case jsontree.Null:
	case jsontree.Object:
		j.element(v)
	case jsontree.Array:
		for i := range v.Items {
			if !j.hasRoom(j.list, j.span(&v.Items[i])) {
				return
			}
			j.element(&v.Items[i])
		}
	default:
		j.fail(v, "want an array of "+j.name+", found "+v.Kind.String())
	}
}

// element reads an entry. One with a member of the wrong type is left out, as an API
// server would read none of it.
func (j jsonReader[T]) element(v *jsontree.Value) {
	if v.Kind != jsontree.Object {
		j.fail(v, "want an object, found "+v.Kind.String())
		return
	}
	var element T
	e := entry{span: j.span(v), fields: make(map[string]span, len(v.Members))}
	good := true
	for i := range v.Members {
		m := &v.Members[i]
		e.fields[m.Name] = j.span(&m.Value)
		if message := j.set(&element, m); message != "" {
			j.fail(&m.Value, m.Name+": "+message)
			good = false
		}
	}
	if good {
		j.list.add(element, e)
	}
}

// set sets the member's field and returns what is wrong with it.
func (j jsonReader[T]) set(element *T, m *jsontree.Member) string {
	for _, f := range j.fields {
		switch {
		case f.name != m.Name:
			continue
		case m.Value.Kind == jsontree.Null:
			return ""
		case m.Value.Kind != f.want:
			return "want " + f.want.String() + ", found " + m.Value.Kind.String()
		}
		if err := f.set(element, m.Value.Text); err != nil {
			return err.Error()
		}
		return ""
	}
	j.note(span{j.shift + m.Start, j.shift + m.End}, j.unknown(m.Name))
	return ""
}

// unknown says that no element has a field of the name.
func (j jsonReader[T]) unknown(name string) string {
	names := make([]string, len(j.fields))
	for i, f := range j.fields {
		names[i] = f.name
	}
	return strconv.Quote(name) + " is not a field of " + j.name +
		", so it does nothing, and kubectl refuses it; their fields are " + strings.Join(names, ", ")
}
