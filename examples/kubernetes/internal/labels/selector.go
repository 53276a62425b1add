// SPDX-License-Identifier: Apache-2.0

package labels

import (
	"fmt"
	"slices"
	"strings"
)

// A Selector chooses objects by their labels; all its requirements must hold.
// The empty one chooses all.
type Selector []Requirement

// Matches reports whether the labels meet all requirements.
func (s Selector) Matches(labels map[string]string) bool {
	return !slices.ContainsFunc(s, func(r Requirement) bool { return !r.Matches(labels) })
}

// String returns the selector as kubectl takes it.
func (s Selector) String() string {
	var words []string
	for _, r := range s {
		words = append(words, r.String())
	}
	return strings.Join(words, ",")
}

// Parse reads a selector as kubectl takes it: "a=b", "a==b", "a!=b", "a in
// (b,c)", "a notin (b,c)", "a", "!a", "a>1" and "a<1", with commas between. The
// empty text is the empty selector.
func Parse(text string) (Selector, error) {
	var s Selector
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	for _, part := range split(text) {
		r, ok := parseRequirement(strings.TrimSpace(part))
		if !ok || !r.Valid() {
			return nil, fmt.Errorf(
				"%q: want a=b, a!=b, a in (b,c), a notin (b,c), a, !a, a>1 or a<1, with commas between",
				strings.TrimSpace(part),
			)
		}
		s = append(s, r)
	}
	return s, nil
}

// split splits the text at the commas that are not in parentheses.
func split(text string) []string {
	var parts []string
	start, depth := 0, 0
	for i := range len(text) {
		switch {
		case text[i] == '(':
			depth++
		case text[i] == ')':
			depth--
		case text[i] == ',' && depth <= 0:
			parts, start = append(parts, text[start:i]), i+1
		}
	}
	return append(parts, text[start:])
}

func parseRequirement(s string) (r Requirement, ok bool) {
	for _, form := range [...]struct {
		sign string
		op   Operator
	}{{"!=", NotIn}, {"==", In}, {"=", In}, {">", Gt}, {"<", Lt}} {
		if key, value, ok := strings.Cut(s, form.sign); ok && !strings.Contains(s, "(") {
			return Requirement{strings.TrimSpace(key), form.op, []string{strings.TrimSpace(value)}}, true
		}
	}
	if key, ok := strings.CutPrefix(s, "!"); ok {
		return Requirement{Key: strings.TrimSpace(key), Operator: DoesNotExist}, true
	}
	key, set, isSet := strings.Cut(s, "(")
	if !isSet {
		return Requirement{Key: s, Operator: Exists}, true
	}
	set, ok = strings.CutSuffix(set, ")")
	words := strings.Fields(key)
	if !ok || len(words) != 2 {
		return r, false
	}
	r.Key = words[0]
	switch words[1] {
	case "in":
		r.Operator = In
	case "notin":
		r.Operator = NotIn
	default:
		return r, false
	}
	for _, v := range strings.Split(set, ",") {
		r.Values = append(r.Values, strings.TrimSpace(v))
	}
	return r, true
}

// HasAll reports whether the labels have all those that are wanted, as of a node
// selector or of matchLabels.
func HasAll(labels, wanted map[string]string) bool {
	for key, value := range wanted {
		if have, ok := labels[key]; !ok || have != value {
			return false
		}
	}
	return true
}
