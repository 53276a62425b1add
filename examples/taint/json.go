package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// The functions here edit valid JSON as text, so that what is not edited stays byte for byte, and what comes new looks
// like its surroundings. A gap is the white space before the first member of an object, as in "\n    "; it is empty
// where the object is on one line.

// A child is a member of an object, or an element of an array, which has no key. Its places are those in the parent's text.
type child struct {
	key        string
	start      int // of the key, or of the element
	keyEnd     int
	value, end int
}

// of returns the text of the child's value.
func (c child) of(parent string) string { return parent[c.value:c.end] }

// children returns the members of an object, or the elements of an array.
func children(parent string) []child {
	decoder := json.NewDecoder(strings.NewReader(parent))
	decoder.Token() // the text is valid, so there are no errors
	var list []child
	for at := 1; decoder.More(); {
		c := child{start: at + len(space(parent[at:], " \t\r\n,"))}
		if parent[0] == '{' {
			key, _ := decoder.Token()
			c.key, c.keyEnd = key.(string), int(decoder.InputOffset())
		}
		var value json.RawMessage
		decoder.Decode(&value)
		c.end = int(decoder.InputOffset())
		c.value = c.end - len(value)
		list, at = append(list, c), c.end
	}
	return list
}

// space returns the beginning of the text that is made of the characters.
func space(text, characters string) string {
	return text[:len(text)-len(strings.TrimLeft(text, characters))]
}

// gap returns the gap of an object or array, or the other one where it has no children.
func gap(parent, other string) string {
	if list := children(parent); len(list) > 0 {
		return parent[1:list[0].start]
	}
	return other
}

// deeper returns the gap one level further in.
func deeper(gap, unit string) string {
	if gap == "" {
		return ""
	}
	return gap + unit
}

// only returns the child of the key, nil where there is none.
func only(list []child, key string) (*child, error) {
	var found *child
	for i := range list {
		if list[i].key != key {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("%s is there twice", key)
		}
		found = &list[i]
	}
	return found, nil
}

// member returns the text of the object's member, empty where it has none of the key.
func member(object, key string) (string, error) {
	c, err := only(children(object), key)
	if c == nil {
		return "", err
	}
	return c.of(object), nil
}

// setMember returns the object with the value for the key, at the end if the key is new. The outer gap is that of the
// object around it.
func setMember(object, key, value, outer, unit string) string {
	list := children(object)
	if len(list) == 0 {
		inner, colon := deeper(outer, unit), ":"
		if inner != "" {
			colon = ": "
		}
		return "{" + inner + strconv.Quote(key) + colon + value + outer + "}"
	}
	for _, c := range list {
		if c.key == key {
			return object[:c.value] + value + object[c.end:]
		}
	}
	first, last := list[0], list[len(list)-1]
	return object[:last.end] + "," + object[1:first.start] + strconv.Quote(key) + object[first.keyEnd:first.value] + value + object[last.end:]
}

// removeMember returns the object without the member, which it has.
func removeMember(object, key string) string {
	list := children(object)
	for i, c := range list {
		switch {
		case c.key != key:
		case len(list) == 1:
			return "{}"
		case i == 0:
			return object[:c.start] + object[list[1].start:]
		default:
			return object[:list[i-1].end] + object[c.end:]
		}
	}
	return object
}

// array returns an array of the elements in the form of the old one, which may be empty. The outer gap is that of the object
// around it.
func array(old string, elements []string, outer, unit string) string {
	inner, end := gap(old, deeper(outer, unit)), outer
	if list := children(old); len(list) > 0 {
		end = old[list[len(list)-1].end : len(old)-1]
	}
	return "[" + inner + strings.Join(elements, ","+inner) + end + "]"
}

// encode returns the JSON of the value as an element of an array with the gap.
func encode(value any, gap, unit string) string {
	b, err := json.Marshal(value)
	if gap != "" {
		b, err = json.MarshalIndent(value, gap[strings.LastIndexByte(gap, '\n')+1:], unit)
	}
	if err != nil {
		panic(err) // of values that always have a JSON form
	}
	return string(b)
}

// kind says what the JSON value is.
func kind(value string) string {
	switch value[0] {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a string"
	case 'n':
		return "null"
	case 't', 'f':
		return "true or false"
	}
	return "a number"
}
