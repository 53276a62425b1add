// SPDX-License-Identifier: Apache-2.0

package valueset

import (
	"math"
	"strings"
)

// This file contains all that the library knows about operators. A new operator
// needs a row in the table, with a meaning that returns its set, and a constant
// in package taints.

// An Operator describes which values a toleration matches and which it may have.
type Operator struct {
	Name string
	// Form is what validation requires of the toleration's value.
	Form Form
	// Comparison is whether Options.NoComparison disables the operator.
	Comparison bool
	// Kind is the kind of set that a value defines: All; or One, the value itself;
	// or another kind, for which meaning returns the set.
	Kind Kind

	meaning meaning
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

var operators = [...]Operator{
	{Name: "", Form: Label, Kind: One}, // Equal
	{Name: exists, Form: Empty, Kind: All},
	{Name: Equal, Form: Label, Kind: One},
	{Name: "Lt", Form: Integer, Comparison: true, Kind: Integers, meaning: less},
	{Name: "Gt", Form: Integer, Comparison: true, Kind: Integers, meaning: greater},
}

// A meaning is how a value defines a set. It is not a function, because the
// arguments of an indirect call escape, and every toleration would be allocated.
type meaning uint8

const (
	less meaning = iota
	greater
)

func (m meaning) of(value string) Set {
	switch m {
	case less:
		if limit, ok := ParseInteger(value); ok && limit != math.MinInt64 {
			return Set{Kind: Integers, Least: math.MinInt64, Most: limit - 1}
		}
	case greater:
		if limit, ok := ParseInteger(value); ok && limit != math.MaxInt64 {
			return Set{Kind: Integers, Least: limit + 1, Most: math.MaxInt64}
		}
	}
	return Set{}
}

// Find returns the number of the operator with the name, or -1 if there is none.
func Find(name string) int {
	switch name { // fast for the usual ones; see BenchmarkValidateTolerations
	case "":
		return 0
	case exists:
		return 1
	case Equal:
		return 2
	}
	for i := range operators {
		if operators[i].Name == name {
			return i
		}
	}
	return -1
}

// At returns the operator with the number.
func At(number int) *Operator { return &operators[number] }

// Of returns the values that a toleration with the operator and value matches.
// There are none if comparison is false and the operator compares.
func (o *Operator) Of(value string, comparison bool) Set {
	switch {
	case o.Comparison && !comparison:
		return Set{}
	case o.Kind == One:
		return Set{Kind: One, Text: value}
	case o.Kind == All:
		return Set{Kind: All}
	}
	return o.meaning.of(value)
}

// Of is like [Operator.Of] for the operator with the name. An unknown operator
// matches nothing.
func Of(operator, value string, comparison bool) Set {
	switch operator {
	case exists:
		return Set{Kind: All}
	case Equal, "":
		return Set{Kind: One, Text: value}
	}
	number := Find(operator)
	if number < 0 {
		return Set{}
	}
	return operators[number].Of(value, comparison)
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
