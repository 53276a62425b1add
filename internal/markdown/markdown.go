// SPDX-License-Identifier: Apache-2.0

// Package markdown reads the tables of this repository's documents, for the
// tests that check them.
package markdown

import (
	"fmt"
	"regexp"
	"strings"
)

// A Table is a table of a document.
type Table struct {
	Heading string   // the nearest heading above the table, without its number signs
	Columns []string // the headers of its columns
	Rows    []Row
}

// A Row is a row of a table.
type Row struct {
	Line  string
	cells map[string]string
}

// Cell returns the text in the column with the header. It panics if there is no
// such column, because then the test is wrong, not the document.
func (r Row) Cell(column string) string {
	cell, ok := r.cells[column]
	if !ok {
		panic("no column " + column + " in " + r.Line)
	}
	return cell
}

// Code returns the texts between backquotes in the column.
func (r Row) Code(column string) []string { return Code(r.Cell(column)) }

var spans = regexp.MustCompile("`[^`]+`")

// Code returns the texts between backquotes.
func Code(text string) []string {
	list := spans.FindAllString(text, -1)
	for i := range list {
		list[i] = strings.Trim(list[i], "`")
	}
	return list
}

// WithoutCode returns the text without the parts between backquotes.
func WithoutCode(text string) string { return spans.ReplaceAllString(text, "") }

// Tables returns the tables of the document, in order. It ignores code blocks.
func Tables(document string) ([]Table, error) {
	var tables []Table
	heading, inTable, inCode := "", false, false
	for line := range strings.Lines(document) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") {
			inCode = !inCode
		}
		if inCode || !strings.HasPrefix(line, "|") {
			inTable = false
			if !inCode && strings.HasPrefix(line, "#") {
				heading = strings.TrimSpace(strings.TrimLeft(line, "#"))
			}
			continue
		}
		cells := cellsOf(line)
		if !inTable {
			inTable = true
			tables = append(tables, Table{Heading: heading, Columns: cells})
			continue
		}
		t := &tables[len(tables)-1]
		if len(cells) != len(t.Columns) {
			return nil, fmt.Errorf("%d cells in place of %d: %s", len(cells), len(t.Columns), line)
		}
		if strings.Trim(line, "|-: ") == "" && len(t.Rows) == 0 {
			continue
		}
		t.Rows = append(t.Rows, rowOf(line, t.Columns, cells))
	}
	return tables, nil
}

func rowOf(line string, columns, cells []string) Row {
	r := Row{line, make(map[string]string, len(columns))}
	for i, column := range columns {
		r.cells[column] = cells[i]
	}
	return r
}

func cellsOf(line string) []string {
	const bar = "\x00" // an escaped bar, which does not end a cell
	line = strings.ReplaceAll(line, `\|`, bar)
	cells := strings.Split(strings.TrimSuffix(strings.TrimPrefix(line, "|"), "|"), "|")
	for i := range cells {
		cells[i] = strings.TrimSpace(strings.ReplaceAll(cells[i], bar, "|"))
	}
	return cells
}
