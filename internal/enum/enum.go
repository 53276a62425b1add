// SPDX-License-Identifier: Apache-2.0

// Package enum converts between the numbers and names of enumerations.
package enum

import "strconv"

// Name returns names[i], or the kind and number, as in "Outcome(9)", if there is
// no such name.
func Name(kind string, i int, names []string) string {
	if i >= 0 && i < len(names) {
		return names[i]
	}
	return kind + "(" + strconv.Itoa(i) + ")"
}

// Index returns the index of the name that equals the text, and whether there is
// one.
func Index(names []string, text []byte) (i int, ok bool) {
	for i, name := range names {
		if name == string(text) {
			return i, true
		}
	}
	return -1, false
}
