// SPDX-License-Identifier: Apache-2.0

// Package table writes tables as Markdown.
package table

import (
	"bytes"
	"fmt"
	"strings"
)

// Verdict says whether a floor is met.
func Verdict(met bool) string {
	if met {
		return "met"
	}
	return "MISSED"
}

// Write writes a table with aligned columns; the first line is its head.
func Write(b *bytes.Buffer, lines [][]string) {
	widths := make([]int, len(lines[0]))
	for _, line := range lines {
		for i, cell := range line {
			widths[i] = max(widths[i], len([]rune(cell)))
		}
	}
	for n, line := range lines {
		for i, cell := range line {
			fmt.Fprintf(b, "| %-*s ", widths[i], cell)
		}
		b.WriteString("|\n")
		if n > 0 {
			continue
		}
		for _, width := range widths {
			b.WriteString("|" + strings.Repeat("-", width+2))
		}
		b.WriteString("|\n")
	}
}
