// SPDX-License-Identifier: Apache-2.0

package valueset

import (
	"math"
	"strings"
)

// This file contains all that the library knows about operators. A new operator
// needs a row in the table, and a constant in package taints.

// An Operator describes which values a toleration matches and which it may have.
type Operator struct {
	Name string
	// Form is what validation requires of the toleration's value.
	Form Form
	// Comparison is whether Options.NoComparison disables the operator.
	Comparison bool

	kind Kind // of the sets; a set of One is the value itself
	// from and to, added to the value, are the ends of a set of Integers. The
	// smallest and the largest int64 mean that it has no end.
	from, to int64
}

// A Form is what a toleration's value must look like to be valid.
type Form uint8

const (
	// Empty: there must be no value.
	Empty Form = iota
	// Label: the value must be valid for a taint.
	Label
	// Integer: the value must be an integer; see [ParseInteger].
	Integer
)

const (
	// Equal is the operator that an empty name means.
	Equal = "Equal"

	exists = "Exists"
)

var operators = []Operator{
	{Name: "", Form: Label, kind: One}, // Equal
	{Name: exists, Form: Empty, kind: All},
	{Name: Equal, Form: Label, kind: One},
	{Name: "Lt", Form: Integer, Comparison: true, kind: Integers, from: math.MinInt64, to: -1},
	{Name: "Gt", Form: Integer, Comparison: true, kind: Integers, from: 1, to: math.MaxInt64},
}

// Find returns the operator with the name, or nil if there is none.
func Find(name string) *Operator {
	for i := range operators {
		if operators[i].Name == name {
			return &operators[i]
		}
	}
	return nil
}

// Of returns the values that a toleration with the operator and value matches.
// There are none if the operator is unknown, or if it compares and comparison is
// false.
func Of(operator, value string, comparison bool) Set {
	o := Find(operator)
	switch {
	case o == nil, o.Comparison && !comparison:
		return Set{}
	case o.kind == One:
		return Set{Kind: One, Text: value}
	case o.kind == Integers:
		if n, ok := ParseInteger(value); ok {
			return o.integers(n)
		}
		return Set{}
	}
	return Set{Kind: o.kind}
}

// integers returns the integers from n+o.from to n+o.to.
func (o *Operator) integers(n int64) Set {
	if o.from > 0 && n > math.MaxInt64-o.from || o.to < 0 && n < math.MinInt64-o.to {
		return Set{}
	}
	s := Set{Kind: Integers, Least: n + o.from, Most: n + o.to}
	if o.from == math.MinInt64 || o.from < 0 && s.Least > n {
		s.Least = math.MinInt64
	}
	if o.to == math.MaxInt64 || o.to > 0 && s.Most < n {
		s.Most = math.MaxInt64
	}
	return s
}

// Match reports whether Of returns a set that contains the text. It creates no
// Set for the usual operators; see BenchmarkFilter.
func Match(operator, value string, comparison bool, text string) bool {
	switch operator {
	case exists:
		return true
	case Equal, "":
		return value == text
	}
	set := Of(operator, value, comparison)
	return set.Contains(text)
}

// Names returns the names of the operators, without those that compare if
// comparison is false.
func Names(comparison bool) []string {
	var names []string
	for _, o := range operators[1:] {
		if comparison || !o.Comparison {
			names = append(names, o.Name)
		}
	}
	return names
}

// Choice returns the names of [Names] in words, as in "Exists, Equal, Lt or Gt".
func Choice(comparison bool) string {
	names := Names(comparison)
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
