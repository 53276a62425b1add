// SPDX-License-Identifier: Apache-2.0

// Package enum names the numbers of enumerations, joins names in words, and quotes
// texts.
package enum

import (
	"strconv"
	"strings"
)

// String returns the name of e or, if there is none, the kind and the number, as
// in "Outcome(9)".
func String[E ~uint8](e E, kind string, names []string) string {
	if int(e) < len(names) {
		return names[e]
	}
	return kind + "(" + strconv.Itoa(int(e)) + ")"
}

// Join joins the texts with commas, and the last one with the given text, as in "A, B
// or C".
func Join[S ~string](texts []S, last string) string {
	joined := ""
	for i, text := range texts {
		switch i {
		case 0:
		case len(texts) - 1:
			joined += last
		default:
			joined += ", "
		}
		joined += string(text)
	}
	return joined
}

// AppendQuoted appends s in quotes, shortened if it is long, as errors quote it.
func AppendQuoted(b []byte, s string) []byte {
	const limit = 80
	if len(s) <= limit {
		return strconv.AppendQuote(b, s)
	}
	b = strconv.AppendQuote(b, strings.ToValidUTF8(s[:limit], ""))
	b = append(b, " ("...)
	b = strconv.AppendInt(b, int64(len(s)), 10)
	return append(b, " bytes)"...)
}
