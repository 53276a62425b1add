// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

const (
	mostElements = 1000 // in a list that is read, such as tolerations
	mostProblems = 100  // that are noted
)

// A value is what decodeJSON returned, or a part of it, with the path that leads
// there, as in spec.tolerations[2].key.
type value struct {
	path string
	json any // nil: missing or null, which is the same to Kubernetes
}

// An object is the members of a value; none if it is missing.
type object struct {
	path    string
	members map[string]any
}

// field returns the member of the name.
func (o object) field(name string) value {
	if o.path == "" {
		return value{name, o.members[name]}
	}
	return value{o.path + "." + name, o.members[name]}
}

// entry returns the member of a name that is anybody's choice.
func (o object) entry(name string) value {
	return value{o.path + "[" + quote(name) + "]", o.members[name]}
}

// A reader takes out of values what is expected there, and notes what is something
// else. What is missing is read as empty.
type reader struct{ problems []string }

// note adds a problem.
func (r *reader) note(path, format string, args ...any) {
	if len(r.problems) == mostProblems {
		return
	}
	text := fmt.Sprintf(format, args...)
	if path != "" {
		text = path + text
	}
	r.problems = append(r.problems, text)
}

func (r *reader) unexpected(v value, want string) {
	if v.json != nil {
		path := v.path
		if path == "" {
			path = "the JSON"
		}
		r.note(path, " is %s, not %s", kindOf(v.json), want)
	}
}

func (r *reader) object(v value) object {
	members, ok := v.json.(map[string]any)
	if !ok {
		r.unexpected(v, "an object")
	}
	return object{v.path, members}
}

func (r *reader) list(v value) []value {
	elements, ok := v.json.([]any)
	if !ok {
		r.unexpected(v, "a list")
	}
	if len(elements) > mostElements {
		r.note(v.path, " has %d entries, more than %d", len(elements), mostElements)
		return nil
	}
	list := make([]value, len(elements))
	for i, e := range elements {
		list[i] = value{v.path + "[" + strconv.Itoa(i) + "]", e}
	}
	return list
}

func (r *reader) text(v value) string {
	s, ok := v.json.(string)
	if !ok {
		r.unexpected(v, "a string")
	}
	return s
}

// texts reads an object whose members are strings; nil if it is missing.
func (r *reader) texts(v value) map[string]string {
	o := r.object(v)
	if o.members == nil {
		return nil
	}
	m := make(map[string]string, len(o.members))
	for name := range o.members {
		m[name] = r.text(o.entry(name))
	}
	return m
}

func (r *reader) integer(v value) *int64 {
	number, _ := v.json.(json.Number)
	n, err := strconv.ParseInt(number.String(), 10, 64)
	if err != nil {
		r.unexpected(v, "a 64-bit integer")
		return nil
	}
	return &n
}

// truth reads true or false; false if it is missing.
func (r *reader) truth(v value) bool {
	b, ok := v.json.(bool)
	if !ok {
		r.unexpected(v, "true or false")
	}
	return b
}

// only notes members that have none of the names.
func (r *reader) only(o object, names ...string) {
	for _, name := range slices.Sorted(maps.Keys(o.members)) {
		if !slices.Contains(names, name) {
			r.note(o.entry(name).path, " is not a field; there are %s", strings.Join(names, ", "))
		}
	}
}

// kindOf says what a value is.
func kindOf(v any) string {
	switch v := v.(type) {
	case string:
		return "a string"
	case json.Number:
		return "the number " + clip(v.String(), 40)
	case bool:
		return "true or false"
	case []any:
		return "a list"
	}
	return "an object"
}

// quote returns the text in quotes, cut to a length that fits a message.
func quote(s string) string { return strconv.Quote(clip(s, 100)) }

// clip cuts the text to about so many bytes.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
