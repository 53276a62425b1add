// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/internal/similar"
)

// SelectorText returns the selector in the form of kubectl.
func SelectorText(selector map[string]string) string {
	return strings.Join(say.Each(say.SortedKeys(selector), func(key string) string { return labelText(key, selector[key]) }), ",")
}

// labelText returns the label as in kubectl, in quotes if there are spaces.
func labelText(key, value string) string {
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
	terms := say.Each(required.NodeSelectorTerms, func(term corev1.NodeSelectorTerm) string {
		return strings.Join(say.Each(slices.Concat(term.MatchFields, term.MatchExpressions), requirementText), ",")
	})
	return say.Shortened(strings.Join(terms, " or "))
}

var selectionOperators = map[corev1.NodeSelectorOperator]selection.Operator{
	corev1.NodeSelectorOpIn: selection.In, corev1.NodeSelectorOpNotIn: selection.NotIn,
	corev1.NodeSelectorOpExists: selection.Exists, corev1.NodeSelectorOpDoesNotExist: selection.DoesNotExist,
	corev1.NodeSelectorOpGt: selection.GreaterThan, corev1.NodeSelectorOpLt: selection.LessThan,
}

// requirementText returns the requirement in the form of kubectl.
func requirementText(r corev1.NodeSelectorRequirement) string {
	if parsed, err := labels.NewRequirement(r.Key, selectionOperators[r.Operator], r.Values); err == nil {
		return parsed.String()
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s %s", r.Key, r.Operator, strings.Join(r.Values, ",")))
}

// IsSameWord reports whether two similar names mean the same, and do not name
// different things, such as team-a and team-b, or trusted and untrusted: they differ
// only in letter case or separators, or one long word has an extra or missing letter
// or two swapped neighbors, not at its beginning or end.
func IsSameWord(a, b string) bool {
	if strings.EqualFold(a, b) {
		return true
	}
	x, y := keyWords(a), keyWords(b)
	if len(x) != len(y) {
		return false
	}
	for len(x) > 0 && x[0] == y[0] {
		x, y = x[1:], y[1:]
	}
	return len(x) == 0 || isMisspelled(x[0], y[0]) && slices.Equal(x[1:], y[1:])
}

// keyWords returns the words of a key in lower case. Separators end words, and
// so does an upper-case letter after a lower-case one, as in teamA.
func keyWords(key string) []string {
	key = strings.ToLower(camelCase.ReplaceAllString(key, "$1 $2"))
	return strings.FieldsFunc(key, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

var camelCase = regexp.MustCompile(`(\p{Ll})(\p{Lu})`)

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
	letters := func(s string) []string { return slices.Sorted(slices.Values(strings.Split(s, ""))) }
	isSwapped := slices.Equal(letters(a), letters(b))
	return similar.Edits(a, b) == 1 && !strings.HasPrefix(b, a) && (len(a) < len(b) || isSwapped)
}
