// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A drawing draws from the texts of testdata/random.txt.
type drawing struct {
	*rand.Rand
	texts map[string][]string
}

func newDrawing(t *testing.T) *drawing {
	t.Helper()
	file, err := os.ReadFile("testdata/random.txt")
	if err != nil {
		t.Fatal(err)
	}
	d := &drawing{texts: make(map[string][]string)}
	for line := range strings.SplitSeq(string(file), "\n") {
		if name, text, ok := strings.Cut(line, " ="); ok && line[0] != '#' {
			d.texts[name] = append(d.texts[name], strings.TrimSpace(text))
		}
	}
	return d
}

var choice = regexp.MustCompile(`<[^<>]*>`)

// text returns the text with one of its choices each.
func (d *drawing) text(text string) string {
	return choice.ReplaceAllStringFunc(text, func(words string) string {
		var all []string
		for word := range strings.SplitSeq(strings.Trim(words, "<>"), "|") {
			word, times, _ := strings.Cut(word, "*")
			n, _ := strconv.Atoi(times)
			all = append(all, slices.Repeat([]string{word}, max(n, 1))...)
		}
		word := all[d.IntN(len(all))]
		if texts := d.texts[word]; texts != nil {
			return d.text(texts[d.IntN(len(texts))])
		}
		return word
	})
}
