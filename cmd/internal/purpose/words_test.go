// SPDX-License-Identifier: Apache-2.0

package purpose

import (
	"slices"
	"strings"
	"testing"
)

// Each line of words.txt is about pools or a state, and no word is there twice.
func TestWords(t *testing.T) {
	lines := map[string]string{}
	for line := range strings.Lines(wordList) {
		name, texts, _ := strings.Cut(line, ": ")
		for text := range strings.FieldsSeq(texts) {
			text = strings.Trim(text, "=:")
			if other, isTwice := lines[text]; isTwice {
				t.Errorf("%s: %s and %s", text, other, name)
			}
			lines[text] = name
		}
	}
	for _, state := range said {
		if state != None && !slices.ContainsFunc(All, func(e *Entry) bool { return e.State == state }) {
			t.Errorf("no state: %q", state)
		}
	}
}
