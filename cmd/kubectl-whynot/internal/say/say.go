// SPDX-License-Identifier: Apache-2.0

// Package say has the words that all outputs share.
package say

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/seed-0529bac1/taints"
)

// Printable replaces characters that could move a terminal's cursor or hide text.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, s)
}

// Count returns the number and the noun, in the plural if needed.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Joined joins the words, as in "a, b and c".
func Joined(words []string) string { return Enumerate(words, "and") }

// Enumerate joins the words, with another word before the last one.
func Enumerate(words []string, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	n := len(words) - 1
	return strings.Join(words[:n], ", ") + " " + last + " " + words[n]
}

// FirstOf returns the first words and the number of the others.
func FirstOf(words []string, most int) []string {
	if len(words) <= most+1 {
		return words
	}
	return append(slices.Clone(words[:most]), fmt.Sprintf("%d more", len(words)-most))
}

// NamesOf joins the first names. The total may exceed the length of the list.
func NamesOf(names []string, total int) string {
	const most = 5
	if total <= most+1 {
		return Joined(names)
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), total-most)
}

// TaintTexts returns the text of each taint.
func TaintTexts(list []taints.Taint) []string {
	var words []string
	for _, t := range list {
		words = append(words, t.String())
	}
	return words
}

// TaintsText names the first taints.
func TaintsText(list []taints.Taint) string { return Joined(FirstOf(TaintTexts(list), 3)) }

// Sentence begins the text with an upper-case letter.
func Sentence(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// SelectorText returns the selector in the form of kubectl.
func SelectorText(selector map[string]string) string { return labels.Set(selector).String() }

// AffinityText returns the terms as kubectl selectors. It shortens long ones.
func AffinityText(required *corev1.NodeSelector) string {
	var terms []string
	for _, term := range required.NodeSelectorTerms {
		var words []string
		for _, r := range slices.Concat(term.MatchFields, term.MatchExpressions) {
			words = append(words, RequirementText(r))
		}
		terms = append(terms, strings.Join(words, ","))
	}
	s := []rune(strings.Join(terms, " or "))
	if len(s) > 300 {
		return string(s[:300]) + "…"
	}
	return string(s)
}

var selectionOperators = map[corev1.NodeSelectorOperator]selection.Operator{
	corev1.NodeSelectorOpIn: selection.In, corev1.NodeSelectorOpNotIn: selection.NotIn,
	corev1.NodeSelectorOpExists: selection.Exists, corev1.NodeSelectorOpDoesNotExist: selection.DoesNotExist,
	corev1.NodeSelectorOpGt: selection.GreaterThan, corev1.NodeSelectorOpLt: selection.LessThan,
}

// RequirementText returns the requirement in the form of kubectl.
func RequirementText(r corev1.NodeSelectorRequirement) string {
	if parsed, err := labels.NewRequirement(r.Key, selectionOperators[r.Operator], r.Values); err == nil {
		return parsed.String()
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s %s", r.Key, r.Operator, strings.Join(r.Values, ",")))
}

// IsTypo reports whether the texts are the same word with one typing mistake, not
// the names of two things such as gpu and cpu, east and west, or team-a and team-b:
// letter case, a separator, two neighbors or a letter, not at the beginning or the
// end, where only a letter may be there twice. No digit differs.
func IsTypo(a, b string) bool {
	letters := func(s string) string {
		return strings.Map(func(r rune) rune {
			if strings.ContainsRune("-_.", r) {
				return -1
			}
			return unicode.ToLower(r)
		}, s)
	}
	if a, b = letters(a), letters(b); len(a) > len(b) {
		a, b = b, a
	}
	if a == b {
		return a != ""
	}
	i, n := 0, 0 // the texts have the same first i and last n bytes
	for i < len(a) && a[i] == b[i] {
		i++
	}
	for n < len(a)-i && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	x, y := a[i:len(a)-n], b[i:len(b)-n]
	if len(a) < 3 || i == 0 || strings.ContainsFunc(x+y, unicode.IsDigit) {
		return false
	}
	switch {
	case len(x) == 0 && len(y) == 1:
		return n > 0 || y[0] == b[i-1]
	case len(x) == 2 && len(y) == 2:
		return x[0] == y[1] && x[1] == y[0]
	}
	return len(x) == 1 && len(y) == 1 && n > 0
}

// shellWord quotes the text for a shell if necessary.
func shellWord(s string) string {
	isPlain := func(r rune) bool {
		return r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_./:=,@", r))
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !isPlain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// CommandLine joins the words, with quotes where a shell needs them.
func CommandLine(words ...string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = shellWord(w)
	}
	return strings.Join(quoted, " ")
}

// SortedKeys returns the keys of the map.
func SortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// Relative describes how far away a time is. A time.Duration ends after 292 years.
func Relative(seconds int64) string {
	const year = 365 * 24 * 60 * 60
	away := max(seconds, -seconds)
	text := duration.HumanDuration(time.Duration(min(away, year*200)) * time.Second)
	if away > year*200 {
		text = fmt.Sprintf("%dy", away/year)
	}
	switch {
	case seconds == 0:
		return "now"
	case seconds < 0:
		return text + " ago"
	}
	return "in " + text
}
