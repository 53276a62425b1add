// SPDX-License-Identifier: Apache-2.0

package taints

import "strings"

// meant returns the first word that s equals up to letter case, that begins with
// s, or that is one or two edits from s. It returns "" if there is none.
func meant(s string, words []string) string {
	for _, w := range words {
		begins := len(s) > 2 && len(s) <= len(w) && strings.EqualFold(s, w[:len(s)])
		if begins || strings.EqualFold(s, w) || keyEdits(s, w) > 0 {
			return w
		}
	}
	return ""
}

// keyEdits returns how many edits, 1 or 2, lead from one key to the other. It
// returns 0 if there are more, or if the keys are too short for a guess.
func keyEdits(a, b string) int {
	shorter, longer := min(len(a), len(b)), max(len(a), len(b))
	most := min(2, (shorter-1)/2)
	if longer-shorter > most {
		return 0
	}
	if d := edits(a, b, most); d <= most {
		return d
	}
	return 0
}

// edits returns how many edits lead from a to b, where an edit inserts, deletes
// or replaces a byte, or swaps two neighbors. If there are more than most, it
// returns some number above most.
func edits(a, b string, most int) int {
	for a != "" && b != "" && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	if a == "" || b == "" || most == 0 {
		return max(len(a), len(b))
	}
	least := edits(a[1:], b[1:], most-1)
	least = min(least, edits(a[1:], b, most-1))
	least = min(least, edits(a, b[1:], most-1))
	if len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0] {
		least = min(least, edits(a[2:], b[2:], most-1))
	}
	return least + 1
}
