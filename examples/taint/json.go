// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-0529bac1/taints/examples/internal/kubejson"
)

// The functions here edit valid JSON as text, so that what is not edited stays
// byte for byte, and what comes new looks like its surroundings. A gap is the
// white space before the first member of an object, as in "\n    "; it is empty
// where the object is on one line.

// children returns the members of an object, or the elements of an array.
func children(parent string) []kubejson.Member[string] {
	return slices.Collect(kubejson.Members(parent))
}

// space returns the beginning of the text that is made of the characters.
func space(text, characters string) string {
	return text[:len(text)-len(strings.TrimLeft(text, characters))]
}

// gap returns the gap of an object or array, or the other one where it has no children.
func gap(parent, other string) string {
	if list := children(parent); len(list) > 0 {
		return parent[1:list[0].Start]
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
func only(list []kubejson.Member[string], key string) (*kubejson.Member[string], error) {
	var found *kubejson.Member[string]
	for i := range list {
		if list[i].Key != key {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("%s is a duplicate member", key)
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
	return c.Of(object), nil
}

// setMember returns the object with the value for the key, at the end if the
// key is new. The outer gap is that of the object around it.
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
		if c.Key == key {
			return object[:c.Value] + value + object[c.End:]
		}
	}
	first, last := list[0], list[len(list)-1]
	return object[:last.End] + "," + object[1:first.Start] + strconv.Quote(key) +
		object[first.KeyEnd:first.Value] + value + object[last.End:]
}

// removeMember returns the object without the member, which it has.
func removeMember(object, key string) string {
	list := children(object)
	for i, c := range list {
		switch {
		case c.Key != key:
		case len(list) == 1:
			return "{}"
		case i == 0:
			return object[:c.Start] + object[list[1].Start:]
		default:
			return object[:list[i-1].End] + object[c.End:]
		}
	}
	return object
}

// array returns an array of the elements in the form of the old one, which may
// be empty. The outer gap is that of the object around it.
func array(old string, elements []string, outer, unit string) string {
	inner, end := gap(old, deeper(outer, unit)), outer
	if list := children(old); len(list) > 0 {
		end = old[list[len(list)-1].End : len(old)-1]
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
