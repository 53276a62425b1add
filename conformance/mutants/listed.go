// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
)

// An entry is a line of the list of mutants that the tests need not notice: an
// identity and a reason.
type entry struct {
	identity, reason string
	line             int
}

// The reason of an entry begins with this word where a test could notice the
// mutant, and it is known that none does. Other entries are for mutants that are
// equivalent: no test can.
const acceptedWord = "accepted:"

func (e entry) status() status {
	if strings.HasPrefix(e.reason, acceptedWord) {
		return accepted
	}
	return equivalent
}

// readList reads a list: a line holds an identity, " // " and a reason; empty
// lines and those that begin with "#" are comments. A file that is not there is
// an empty list.
func readList(file string) ([]entry, error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return parseList(file, string(data))
}

func parseList(file, text string) ([]entry, error) {
	var list []entry
	seen := map[string]int{}
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		at := strings.LastIndex(line, " // ")
		if at < 0 {
			return nil, fmt.Errorf("%s:%d: no reason behind \" // \"", file, i+1)
		}
		e := entry{strings.TrimSpace(line[:at]), strings.TrimSpace(line[at+4:]), i + 1}
		if first := seen[e.identity]; first > 0 {
			return nil, fmt.Errorf("%s:%d: the same as line %d", file, i+1, first)
		}
		seen[e.identity] = e.line
		list = append(list, e)
	}
	return list, nil
}

// A selection says which mutants are looked at.
type selection struct {
	folders []string            // of packages, from the root of the repository
	files   map[string][]string // of a folder; without an entry all
	match   *regexp.Regexp      // of identities
}

// holds reports whether the selection holds the mutants of the identity.
func (s selection) holds(identity string) bool {
	file, _, _ := strings.Cut(identity, " ")
	for _, folder := range s.folders {
		if path.Dir(file) == folder && s.holdsFile(folder, file) {
			return s.match.MatchString(identity)
		}
	}
	return false
}

func (s selection) holdsFile(folder, file string) bool {
	files, some := s.files[folder]
	return !some || slices.Contains(files, file)
}

// newSelection returns the selection of the arguments, which name folders of
// packages or files.
func newSelection(args []string, match *regexp.Regexp) selection {
	s := selection{files: map[string][]string{}, match: match}
	whole := map[string]bool{}
	for _, arg := range args {
		arg = path.Clean(strings.ReplaceAll(arg, `\`, "/"))
		folder := arg
		if strings.HasSuffix(arg, ".go") {
			folder = path.Dir(arg)
			s.files[folder] = append(s.files[folder], arg)
		} else {
			whole[arg] = true
		}
		if !slices.Contains(s.folders, folder) {
			s.folders = append(s.folders, folder)
		}
	}
	for folder := range whole {
		delete(s.files, folder)
	}
	return s
}

// mark gives the listed mutants their reasons and returns the entries that no
// mutant of the selection matches.
func mark(mutants []*mutant, list []entry, s selection) (stale []entry) {
	byIdentity := map[string]*mutant{}
	for _, m := range mutants {
		byIdentity[m.identity] = m
	}
	for _, e := range list {
		if !s.holds(e.identity) {
			continue
		}
		m := byIdentity[e.identity]
		if m == nil {
			stale = append(stale, e)
			continue
		}
		m.listed = e.status()
		if m.status == "" || m.status == m.listed {
			m.reason = e.reason
		}
	}
	return stale
}
