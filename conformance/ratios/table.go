// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/seed-0529bac1/taints/conformance/internal/table"
)

// table writes the report as Markdown.
func (r *report) table(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s, Go %s\n\n", r.Machine, r.Go)
	r.writeRows(&b)
	if r.Queue == nil {
		_, err := w.Write(b.Bytes())
		return err
	}
	b.WriteByte('\n')
	lines := [][]string{{"a million pending evictions", "ours", "Kubernetes", "ratio", "floor", ""}}
	for _, p := range r.Queue {
		floor, met := "", ""
		if p.Floor > 0 {
			floor, met = times(p.Floor), table.Verdict(p.Met)
		}
		lines = append(lines, []string{p.Work, p.amount(p.Ours), p.amount(p.Kubernetes), times(p.Ratio), floor, met})
	}
	table.Write(&b, lines)
	b.WriteByte('\n')
	lines = [][]string{{"cost of the import", "packages", "modules", "lines", "binary", "floor", ""}}
	for _, c := range r.Import {
		floor, met := "", ""
		if c.MostBytes > 0 {
			floor, met = "0 others, "+size(c.MostBytes), table.Verdict(c.Met)
		}
		lines = append(lines, []string{
			c.Of, strconv.Itoa(c.Packages), strconv.Itoa(c.Modules), strconv.Itoa(c.Lines),
			size(c.Bytes), floor, met,
		})
	}
	table.Write(&b, lines)
	_, err := w.Write(b.Bytes())
	return err
}

// writeRows writes a table for each way that the library is compared with, in
// the order of the rows.
func (r *report) writeRows(b *bytes.Buffer) {
	var ways []string
	tables := make(map[string][][]string)
	for _, x := range r.Rows {
		if tables[x.Beside] == nil {
			ways = append(ways, x.Beside)
			tables[x.Beside] = [][]string{
				{"work", "ours", x.Beside, "ratio (of the least)", "allocations", "floor", ""},
			}
		}
		tables[x.Beside] = append(tables[x.Beside], []string{
			x.Work, duration(x.Ours.Median), duration(x.Other.Median),
			fmt.Sprintf("%s (%s)", times(x.Ratio), times(x.Least)),
			fmt.Sprintf("%s / %s", number(x.Ours.Allocs), number(x.Other.Allocs)),
			fmt.Sprintf("%s, %s", times(x.Floor), number(x.AllocsFloor)), table.Verdict(x.Met),
		})
	}
	for i, way := range ways {
		if i > 0 {
			b.WriteByte('\n')
		}
		table.Write(b, tables[way])
	}
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

// digits rounds a number to two digits, because more do not repeat.
func digits(x float64) string {
	if x < 10 {
		return strconv.FormatFloat(x, 'f', 1, 64)
	}
	unit := math.Pow10(int(math.Log10(x)) - 1)
	return strconv.FormatFloat(math.Round(x/unit)*unit, 'f', 0, 64)
}

func number(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

func size(bytes int64) string {
	if bytes < 1<<20 {
		return fmt.Sprintf("%d KB", bytes>>10)
	}
	return fmt.Sprintf("%.1f MB", float64(bytes)/(1<<20))
}
