// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"hash/crc32"
	"strings"
)

// A mutant is one small change of the program, which the tests should notice.
type mutant struct {
	File     string `json:"file"` // from the root of the repository, with slashes
	Line     int    `json:"line"`
	Function string `json:"function"` // "Name", "Type.Name", "var name" or "const name"
	Operator string `json:"operator"`
	From     string `json:"from"` // source text, white space and comments aside
	To       string `json:"to"`
	Ordinal  int    `json:"ordinal"` // counts, from 1, those that are alike otherwise
	Identity string `json:"identity"`
	Diff     string `json:"diff"`
	Status   status `json:"status"`
	// By is the test that fails, or another reason why the mutant is killed.
	By string `json:"by,omitempty"`
	// Reason is what the list of equivalents says, or why the mutant was not
	// tried.
	Reason string `json:"reason,omitempty"`

	number int    // in the rewritten package, from 1
	listed status // what the list says that it is, or nothing
	site   *site  // what selects the mutant by its number
}

// A status is what became of a mutant.
type status string

const (
	killed     status = "killed"
	survived   status = "survived"
	notCovered status = "not covered" // survived, because no test reaches it
	equivalent status = "equivalent"  // listed as one that no test can notice
	accepted   status = "accepted"    // survived, and listed as such
	notTried   status = "not tried"
)

// settle gives a mutant that survived the status that the list gives it.
func (m *mutant) settle() {
	if m.listed != "" && (m.Status == survived || m.Status == notCovered) {
		m.Status = m.listed
	}
}

// setIdentities numbers the mutants that are alike and gives each its identity.
// The mutants are in source order.
func setIdentities(mutants []*mutant) {
	seen := map[string]int{}
	for _, m := range mutants {
		id := fmt.Sprintf("%s %s %s %s => %s", m.File, m.Function, m.Operator, shorten(m.From), shorten(m.To))
		seen[id]++
		m.Ordinal = seen[id]
		if m.Ordinal > 1 {
			id += fmt.Sprintf(" #%d", m.Ordinal)
		}
		m.Identity = id
	}
}

// The longest source text that an identity shows in full.
const longest = 90

// shorten returns the text, or the beginning of a long one with a sum of all of
// it.
func shorten(text string) string {
	if len(text) <= longest {
		return text
	}
	return fmt.Sprintf("%s… %08x", strings.ToValidUTF8(text[:longest-20], ""), crc32.ChecksumIEEE([]byte(text)))
}

// diff shows the change within its line of source, as git does between words,
// where the line has the text from in this column, and otherwise by itself.
func diff(line string, column int, from, to string) string {
	change := fmt.Sprintf("[-%s-]{+%s+}", shorten(from), shorten(to))
	rest, ok := strings.CutPrefix(line[column:], from)
	if !ok || len(from) > longest {
		return change
	}
	return strings.TrimSpace(line[:column] + change + rest)
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
