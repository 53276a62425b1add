// SPDX-License-Identifier: Apache-2.0

// Package similar finds words that may be misspelled.
package similar

import "strings"

// Meant returns the first word that equals s except for letter case, that
// begins with s if s is at least three letters long, or that is a few [Edits] from
// s. It returns "" if there is none.
func Meant(s string, words []string) string {
	for _, w := range words {
		begins := len(s) > 2 && len(s) <= len(w) && strings.EqualFold(s, w[:len(s)])
		if begins || strings.EqualFold(s, w) || Edits(s, w) > 0 {
			return w
		}
	}
	return ""
}

// Edits returns the number of edits, 1 or 2, between two words. An edit
// inserts, deletes or replaces a byte, or swaps two neighbors. Edits returns 0
// if there are none or too many: more than two, more than one if a word is shorter
// than five letters, or any if a word is shorter than three.
func Edits(a, b string) int {
	most := min(2, (min(len(a), len(b))-1)/2)
	if d := distance(a, b, most); d <= most {
		return d
	}
	return 0
}

// distance returns the number of edits from a to b. If there are more than
// most, it returns some number above most.
func distance(a, b string, most int) int {
	for a != "" && b != "" && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	shorter, longer := min(len(a), len(b)), max(len(a), len(b))
	if shorter == 0 || longer-shorter > most {
		return longer
	}
	least := distance(a[1:], b[1:], most-1)
	least = min(least, distance(a[1:], b, most-1))
	least = min(least, distance(a, b[1:], most-1))
	if len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0] {
		least = min(least, distance(a[2:], b[2:], most-1))
	}
	return least + 1
}
