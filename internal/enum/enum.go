// Package enum converts between the numbers of enumerations and their names.
package enum

import "strconv"

// Name returns names[i], or the kind and the number, as in "Outcome(9)", where
// there is no such name.
func Name(kind string, i int, names []string) string {
	if i >= 0 && i < len(names) {
		return names[i]
	}
	return kind + "(" + strconv.Itoa(i) + ")"
}

// Index returns the index of the text among the names, and whether it is there.
func Index(names []string, text []byte) (i int, ok bool) {
	for i, name := range names {
		if name == string(text) {
			return i, true
		}
	}
	return -1, false
}
