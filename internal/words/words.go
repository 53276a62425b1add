// SPDX-License-Identifier: Apache-2.0

// Package words puts names and values into messages.
package words

import (
	"strconv"
	"strings"
)

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
