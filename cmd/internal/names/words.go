// SPDX-License-Identifier: Apache-2.0

package names

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/seed-0529bac1/taints/internal/similar"
)

// IsSameWord reports whether two similar names mean the same, and do not name
// different things, such as team-a and team-b, or trusted and untrusted: they differ
// only in letter case or separators, or one word has two swapped neighbors or, if it is
// long, an extra or missing letter, not at its beginning or end.
func IsSameWord(a, b string) bool {
	if strings.EqualFold(a, b) {
		return true
	}
	x, y := keyWords(a), keyWords(b)
	for len(x) > 0 && len(y) > 0 && x[0] == y[0] {
		x, y = x[1:], y[1:]
	}
	isShort := func(word string) bool { return len(word) < 3 }
	if strings.Join(x, "") == strings.Join(y, "") && !slices.ContainsFunc(slices.Concat(x, y), isShort) {
		return true
	}
	return len(x) == len(y) && isMisspelled(x[0], y[0]) && slices.Equal(x[1:], y[1:])
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
	letters := func(s string) []string { return slices.Sorted(slices.Values(strings.Split(s, ""))) }
	isSwapped := slices.Equal(letters(a), letters(b))
	if len(a) < 4 || len(a) < 5 && !isSwapped || a[0] != b[0] || strings.ContainsFunc(a+b, unicode.IsDigit) {
		return false
	}
	return similar.Edits(a, b) == 1 && !strings.HasPrefix(b, a) && (len(a) < len(b) || isSwapped)
}
