// SPDX-License-Identifier: Apache-2.0

// Package docs reads the tables of this repository's documents, and runs the
// commands in them, for the tests of what they say.
package docs

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
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
	heading, inTable := "", false
	for line := range strings.Lines(Prose(document)) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "#"):
			heading = strings.TrimSpace(strings.TrimLeft(line, "#"))
			inTable = false
			continue
		case !strings.HasPrefix(line, "|"):
			inTable = false
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
		r := Row{line, map[string]string{}}
		for i, column := range t.Columns {
			r.cells[column] = cells[i]
		}
		t.Rows = append(t.Rows, r)
	}
	return tables, nil
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

// fenced matches a block of code, whose lines may be indented.
var fenced = regexp.MustCompile("(?m)^( *)```(.*)\n((?s:.*?))^ *```$")

// Prose returns the document without its blocks of code.
func Prose(document string) string { return fenced.ReplaceAllString(document, "") }

// A Block is a block of code in a document.
type Block struct {
	File     string
	Language string // sh: commands; console: commands after "$ ", each with its output
	Text     string
}

// Blocks returns the blocks of the file in one of the languages, in order.
func Blocks(t testing.TB, file string, languages ...string) []Block {
	t.Helper()
	document, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var blocks []Block
	for _, m := range fenced.FindAllStringSubmatch(string(document), -1) {
		if indent, language := m[1], m[2]; slices.Contains(languages, language) {
			text := strings.TrimPrefix(strings.ReplaceAll("\n"+m[3], "\n"+indent, "\n"), "\n")
			blocks = append(blocks, Block{file, language, text})
		}
	}
	return blocks
}

// Command returns the command that runs the block, whose language must be sh, in
// bash in the folder, with more environment variables. Bash stops at the first
// command that fails.
func (b Block) Command(t testing.TB, folder string, env ...string) *exec.Cmd {
	t.Helper()
	command := exec.CommandContext(t.Context(), "bash", "-eu", "-o", "pipefail", "-c", b.Text)
	command.Dir, command.Env = folder, append(os.Environ(), env...)
	return command
}

// Run runs the block like Command, and returns its output. The test fails if the
// block fails.
func (b Block) Run(t testing.TB, folder string, env ...string) string {
	t.Helper()
	output, err := b.Command(t, folder, env...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s\n%s", b.File, err, b.Text, output)
	}
	return string(output)
}

// Check runs the commands of a console block one after the other, and compares
// the output of each command with the text printed below it. "…" in this text
// matches anything.
func (b Block) Check(t testing.TB, folder string, env ...string) {
	t.Helper()
	const mark = "--- the output of one command ends here ---"
	script := Block{File: b.File, Text: "set +e\n"} // a command may fail on purpose
	var commands, wants []string
	for line := range strings.Lines(b.Text) {
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			commands, wants = append(commands, command), append(wants, "")
			script.Text += fmt.Sprintf("%secho '%s'\n", command, mark)
		} else if len(wants) > 0 {
			wants[len(wants)-1] += line
		}
	}
	parts := strings.Split(script.Run(t, folder, env...), mark+"\n")
	for i, want := range wants {
		pattern := strings.ReplaceAll(regexp.QuoteMeta(want), "…", ".*")
		if !regexp.MustCompile("(?s)^" + pattern + "$").MatchString(parts[i]) {
			t.Errorf("%s: %ssays\n%s\nand the document\n%s", b.File, commands[i], parts[i], want)
		}
	}
}
