// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/examples/internal/terminal"
)

// A page is text of a width.
type page struct {
	strings.Builder
	width int
}

// line writes a line, whatever is in the names of objects.
func (p *page) line(s string) {
	p.WriteString(terminal.Line(s))
	p.WriteByte('\n')
}

func (p *page) blank() { p.line("") }

// title begins a section.
func (p *page) title(s string) {
	p.blank()
	p.line(s)
	p.blank()
}

// wrap writes text, the first line after first and the others after hang. It
// breaks lines between words only, and if there is more than one text, between
// them only.
func (p *page) wrap(first, hang string, texts ...string) {
	words := texts
	if len(texts) == 1 {
		words = strings.Fields(texts[0])
	}
	line, empty := first, true
	for i, w := range words {
		if i > 0 && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(w) > p.width {
			p.line(strings.TrimRight(line, " "))
			line, empty = hang, true
		}
		if !empty {
			line += " "
			if len(texts) > 1 {
				line += " "
			}
		}
		line += w
		empty = false
	}
	p.line(line)
}

// firstNames returns the first names and the number of those left out.
func firstNames(names []string) string {
	return namesOf(names, len(names))
}

// namesOf is firstNames of nodes of which not all names are known.
func namesOf(names []string, total int) string {
	const most = 5
	if total <= most+1 {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s, +%d", strings.Join(names[:most], ", "), total-most)
}

func fieldAt(i int) string { return fmt.Sprintf("tolerations[%d]", i) }

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func taintTexts(list []taints.Taint) []string {
	var words []string
	for _, t := range list {
		words = append(words, t.String())
	}
	return words
}

// enumerate joins the words as in "a, b and c".
func enumerate(words []string, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	n := len(words) - 1
	return strings.Join(words[:n], ", ") + " " + last + " " + words[n]
}

func isOrAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// selectorText returns the selector as kubectl takes it.
func selectorText(selector map[string]string) string {
	var words []string
	for _, key := range slices.Sorted(maps.Keys(selector)) {
		words = append(words, label{key, selector[key]}.String())
	}
	return strings.Join(words, ",")
}
