// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"unicode/utf8"

	"github.com/fatih/color"
)

// A page is text of a width.
type page struct {
	strings.Builder
	width int
	color bool
}

// line writes a line, whatever the names of objects hold.
func (p *page) line(s string) {
	p.WriteString(printable(s))
	p.WriteByte('\n')
}

func (p *page) blank() { p.WriteByte('\n') }

// styled writes a line in a style.
func (p *page) styled(s string, style ...color.Attribute) {
	if !p.color || len(style) == 0 {
		p.line(s)
		return
	}
	c := color.New(style...)
	c.EnableColor() // which the page has decided
	p.WriteString(c.Sprint(printable(s)) + "\n")
}

// title begins a section.
func (p *page) title(s string) {
	p.blank()
	p.styled(s, color.Bold)
}

// command writes a command in one line, so that it can be pasted.
func (p *page) command(indent, s string) {
	if s != "" {
		p.styled(indent+s, color.FgCyan)
	}
}

// wrap writes text, the first line after first and in a style, the others after
// hang. It breaks lines between words only.
func (p *page) wrap(first, hang, text string, style ...color.Attribute) {
	line, isEmpty := first, true
	for _, w := range strings.Fields(text) {
		if !isEmpty && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(w) > p.width {
			p.styled(line, style...)
			line, isEmpty, style = hang, true, nil
		}
		if !isEmpty {
			line += " "
		}
		line += w
		isEmpty = false
	}
	p.styled(line, style...)
}
