// SPDX-License-Identifier: Apache-2.0

// Package say has the words that all outputs share.
package say

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/visible"
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

// For returns the word for one or for many.
func For(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// Noun returns the noun, in the plural if needed.
func Noun(n int, noun string) string { return For(n, noun, noun+"s") }

// Count returns the number and the noun.
func Count(n int, noun string) string { return fmt.Sprintf("%d %s", n, Noun(n, noun)) }

// Have returns the number, the noun and the verb.
func Have(n int, noun string) string { return Count(n, noun) + For(n, " has", " have") }

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

// Each returns the text of each element.
func Each[T any](list []T, text func(T) string) []string {
	words := make([]string, len(list))
	for i, x := range list {
		words[i] = text(x)
	}
	return words
}

// TaintTexts returns the text of each taint.
func TaintTexts(list []taints.Taint) []string { return Each(list, visible.Taint) }

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
func SelectorText(selector map[string]string) string {
	return strings.Join(Each(SortedKeys(selector), func(key string) string { return LabelText(key, selector[key]) }), ",")
}

// LabelText returns the label in the form of kubectl, in quotes where spaces would
// not be seen.
func LabelText(key, value string) string {
	if strings.ContainsFunc(key+value, unicode.IsSpace) {
		return strconv.Quote(key) + "=" + strconv.Quote(value)
	}
	return key + "=" + value
}

// AffinityText returns the terms as kubectl selectors. It shortens long ones.
func AffinityText(required *corev1.NodeSelector) string {
	if required == nil {
		return ""
	}
	terms := Each(required.NodeSelectorTerms, func(term corev1.NodeSelectorTerm) string {
		return strings.Join(Each(slices.Concat(term.MatchFields, term.MatchExpressions), RequirementText), ",")
	})
	return Shortened(strings.Join(terms, " or "))
}

// Shortened returns at most 300 characters of the text.
func Shortened(s string) string {
	if r := []rune(s); len(r) > 300 {
		return string(r[:300]) + "…"
	}
	return s
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

// IsSameWord reports whether two similar names mean the same, and do not name
// different things, such as team-a and team-b, or trusted and untrusted. They are
// the same name if they differ only in letter case or separators, or if one long
// word has an extra or missing letter or two swapped neighbors, not at its
// beginning or end.
func IsSameWord(a, b string) bool {
	if strings.EqualFold(a, b) {
		return true
	}
	x, y := keyWords(a), keyWords(b)
	if len(x) != len(y) {
		return false
	}
	differ := 0
	for i := range x {
		if x[i] != y[i] {
			differ++
		}
		if differ > 1 || x[i] != y[i] && !isMisspelled(x[i], y[i]) {
			return false
		}
	}
	return true
}

// keyWords returns the words of a key in lower case. Separators end words, and
// so does an upper-case letter after a lower-case one, as in teamA.
func keyWords(key string) []string {
	var b strings.Builder
	var last rune
	for _, r := range key {
		if unicode.IsLower(last) && unicode.IsUpper(r) {
			b.WriteByte(' ')
		}
		if last = r; unicode.IsLetter(r) || unicode.IsDigit(r) {
			b.WriteRune(unicode.ToLower(r))
		} else {
			b.WriteByte(' ')
		}
	}
	return strings.Fields(b.String())
}

// isMisspelled reports whether the words are the same word, long enough to
// judge, with one misspelling. A replaced letter is no misspelling, as in east
// and west. Neither is an extra letter at the end, as in plane and planet.
func isMisspelled(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a) < 5 || a[0] != b[0] || strings.ContainsFunc(a+b, unicode.IsDigit) {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	if len(a) < len(b) {
		return i < len(a) && a[i:] == b[i+1:]
	}
	return i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}

var plain = regexp.MustCompile(`^[-_./:=,@a-zA-Z0-9]+$`)

// CommandLine joins the words, with quotes where a POSIX shell needs them.
func CommandLine(words ...string) string {
	return strings.Join(Each(words, func(s string) string {
		if plain.MatchString(s) {
			return s
		}
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}), " ")
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

var password = regexp.MustCompile(`(^|://)([^:@/\s"]*):(?:[^/\s]\S*)?@`)

// WithoutPassword returns a URL, or a text with URLs, with PASSWORD in place of
// passwords.
func WithoutPassword(s string) string { return password.ReplaceAllString(s, "$1$2:PASSWORD@") }
