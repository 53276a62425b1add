// SPDX-License-Identifier: Apache-2.0

package play

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// An Answer is the content that the page shows.
type Answer struct {
	Brief               string // everything in one line, for screen readers
	Placement, Eviction Statement
	Problems            []Problem
	Taints              []TaintAnswer
	Tolerations         []TolerationAnswer
}

// A Problem is something wrong with a field of the form.
type Problem struct {
	Place          `yaml:",inline"`
	Field, Message string
	Unread         bool // the text there was left out
}

// NewAnswer returns the answer to a state.
func NewAnswer(s State) Answer {
	a := newAnswerer(s)
	x := Answer{
		Placement:   a.reserved("Scheduling unknown", a.placement()),
		Eviction:    a.reserved("Eviction unknown", a.eviction()),
		Problems:    slices.Concat(a.taints.listed("taints"), a.written.listed("tolerations"), a.problems),
		Taints:      a.taintAnswers(),
		Tolerations: a.tolerationAnswers(),
	}
	brief := []string{x.Placement.Text, x.Eviction.Text}
	if n := len(a.taints.problems) + len(a.written.problems) + len(a.problems); n > 0 {
		brief = append(brief, count(n, "problem", "problems"))
	}
	findings := 0
	for _, t := range x.Tolerations {
		findings += len(t.Findings)
	}
	if findings > 0 {
		brief = append(brief, count(findings, "finding", "findings"))
	}
	x.Brief = strings.Join(brief, ". ") + "."
	return x
}

// Object returns the answer as a JavaScript object. Its values are strings,
// integers, booleans, and lists and objects of these: []any and map[string]any.
func (x Answer) Object() (object map[string]any) {
	var n yaml.Node
	if n.Encode(x) != nil || n.Decode(&object) != nil {
		panic("play: an answer is not YAML")
	}
	return object
}

// mostProblems is the most problems of a list that are listed.
const mostProblems = 50

// listed returns the first problems of the list, and the number of the others.
func (l *list[T]) listed(field string) []Problem {
	var all []Problem
	places := newText(l.text)
	for i, p := range l.problems {
		if i == mostProblems {
			more := "and " + count(len(l.problems)-i, "more problem", "more problems")
			return append(all, Problem{Field: field, Message: more})
		}
		all = append(all, Problem{places.place(p.span), field, p.message, p.unread})
	}
	return all
}
