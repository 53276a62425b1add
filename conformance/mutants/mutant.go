// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"hash/crc32"
	"strings"
)

// A mutant is one small change of the program, which the tests should notice.
type mutant struct {
	file     string // from the root of the repository, with slashes
	line     int
	function string // "Name", "Type.Name", "var name" or "const name"
	operator string
	from, to string // source text, without white space and comments
	identity string
	status   status
	by       string // the test that fails, or another reason why the mutant is killed
	reason   string // what the list of equivalents says, or why the mutant was not tried
	number   int    // in the rewritten package, from 1
	listed   status // what the list says that it is, or nothing
	site     *site  // what selects the mutant by its number
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
	if m.listed != "" && (m.status == survived || m.status == notCovered) {
		m.status = m.listed
	}
}

// setIdentities numbers the mutants that are alike and gives each its identity.
// The mutants are in source order.
func setIdentities(mutants []*mutant) {
	seen := map[string]int{}
	for _, m := range mutants {
		id := fmt.Sprintf("%s %s %s %s => %s", m.file, m.function, m.operator, shorten(m.from), shorten(m.to))
		seen[id]++
		if n := seen[id]; n > 1 {
			id += fmt.Sprintf(" #%d", n)
		}
		m.identity = id
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

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
