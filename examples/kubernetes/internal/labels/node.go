// SPDX-License-Identifier: Apache-2.0

package labels

import (
	"slices"
	"strings"
)

// A Term is a node selector term: a node must meet all of it. The empty term
// matches no node.
type Term struct {
	MatchExpressions []Requirement `json:"matchExpressions,omitempty"`
	MatchFields      []Requirement `json:"matchFields,omitempty"`
}

// Terms are the terms of a required node affinity, of which one must match. No
// terms match no node.
type Terms []Term

// nameField is the one field of a node that a term can be about.
const nameField = "metadata.name"

// Match reports whether the node of the name and labels matches one of the
// terms, as the scheduler sees it.
func (t Terms) Match(name string, labels map[string]string) bool {
	return slices.ContainsFunc(t, func(term Term) bool { return term.match(name, labels) })
}

func (t *Term) match(name string, labels map[string]string) bool {
	if len(t.MatchExpressions) == 0 && len(t.MatchFields) == 0 || !t.valid() {
		return false
	}
	for i := range t.MatchFields {
		if !t.MatchFields[i].matchField(name) {
			return false
		}
	}
	for i := range t.MatchExpressions {
		if !t.MatchExpressions[i].Matches(labels) {
			return false
		}
	}
	return true
}

// valid reports whether Kubernetes takes the term.
func (t *Term) valid() bool {
	for i := range t.MatchExpressions {
		if !t.MatchExpressions[i].Valid() {
			return false
		}
	}
	return !slices.ContainsFunc(t.MatchFields, func(r Requirement) bool {
		return r.Operator != In && r.Operator != NotIn || len(r.Values) != 1
	})
}

// matchField is Matches for the fields of a node, where one that is not there is empty.
func (r *Requirement) matchField(name string) bool {
	have := ""
	if r.Key == nameField {
		have = name
	}
	return (have == r.Values[0]) == (r.Operator == In)
}

// Names returns the only nodes that can match, where every term names one.
func (t Terms) Names() (names []string, ok bool) {
	for i := range t {
		at := slices.IndexFunc(t[i].MatchFields, func(r Requirement) bool {
			return r.Key == nameField && r.Operator == In && len(r.Values) == 1
		})
		if at < 0 {
			return nil, false
		}
		names = append(names, t[i].MatchFields[at].Values[0])
	}
	slices.Sort(names)
	return slices.Compact(names), true
}

// WithoutFields returns what the terms ask of labels. It is nil where a term
// asks for fields only, so that any labels do.
func (t Terms) WithoutFields() Terms {
	var list Terms
	for _, term := range t {
		if len(term.MatchExpressions) == 0 && len(term.MatchFields) > 0 {
			return nil
		}
		list = append(list, Term{MatchExpressions: term.MatchExpressions})
	}
	return list
}

// String returns the terms in kubectl's form of selectors, with "or" between,
// and "(nothing)" for what matches no node.
func (t Terms) String() string {
	var words []string
	for i := range t {
		if all := slices.Concat(t[i].MatchFields, t[i].MatchExpressions); len(all) > 0 {
			words = append(words, Selector(all).String())
		}
	}
	if len(words) == 0 {
		return "(nothing)"
	}
	return strings.Join(words, " or ")
}
