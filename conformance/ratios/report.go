// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/seed-0529bac1/taints/conformance/internal/table"
)

// A report has the results of all measurements in tables. The first line of a
// table is its header.
type report struct {
	tables [][][]string
	missed bool // a floor
}

// add adds a line to the table with the header.
func (r *report) add(header, line []string) {
	at := slices.IndexFunc(r.tables, func(lines [][]string) bool { return slices.Equal(lines[0], header) })
	if at < 0 {
		at = len(r.tables)
		r.tables = append(r.tables, [][]string{header})
	}
	r.tables[at] = append(r.tables[at], line)
}

// verdict returns the word for a floor.
func (r *report) verdict(met bool) string {
	if met {
		return "met"
	}
	r.missed = true
	return "MISSED"
}

// write writes the tables as Markdown.
func (r *report) write(w io.Writer) error {
	var b bytes.Buffer
	for _, lines := range r.tables {
		b.WriteByte('\n')
		table.Write(&b, lines)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// duration writes nanoseconds with a suitable unit.
func duration(ns float64) string {
	switch {
	case ns < 1000:
		return digits(ns) + " ns"
	case ns < 1e6:
		return digits(ns/1e3) + " µs"
	case ns < 1e9:
		return digits(ns/1e6) + " ms"
	}
	return digits(ns/1e9) + " s"
}

func times(ratio float64) string { return digits(ratio) + "×" }

func digits(x float64) string {
	if x < 10 {
		return strconv.FormatFloat(rounded(x), 'f', 1, 64)
	}
	return strconv.FormatFloat(rounded(x), 'f', 0, 64)
}

// rounded rounds a number to two digits, because more do not repeat.
func rounded(x float64) float64 {
	if x < 10 {
		return math.Round(x*10) / 10
	}
	unit := math.Pow10(int(math.Log10(x)) - 1)
	return math.Round(x/unit) * unit
}

func number(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

func size(bytes int64) string {
	if bytes < 1<<20 {
		return fmt.Sprintf("%d KB", bytes>>10)
	}
	return fmt.Sprintf("%.1f MB", float64(bytes)/(1<<20))
}
