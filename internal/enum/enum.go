// SPDX-License-Identifier: Apache-2.0

// Package enum names the numbers of enumerations.
package enum

import "strconv"

// String returns the name of e or, if there is none, the kind and the number, as
// in "Outcome(9)".
func String[E ~uint8](e E, kind string, names []string) string {
	if int(e) < len(names) {
		return names[e]
	}
	return kind + "(" + strconv.Itoa(int(e)) + ")"
}
