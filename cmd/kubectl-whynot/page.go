// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"unicode/utf8"

	"github.com/fatih/color"

	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/say"
)

// A page is text with a width.
type page struct {
	strings.Builder
	width int
	color bool
}

// line writes a line, with safe replacements in the names of objects.
func (p *page) line(s string) {
	p.WriteString(say.Printable(s))
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
	c.EnableColor() // the page has decided to use color
	p.WriteString(c.Sprint(say.Printable(s)) + "\n")
}

// paragraph writes text after a blank line.
func (p *page) paragraph(text string) {
	p.blank()
	p.wrap("", "", text)
}

// title starts a section.
func (p *page) title(s string) {
	p.blank()
	p.styled(s, color.Bold)
}

// command writes a command on one line, so that users can paste it.
func (p *page) command(indent, s string) {
	if s != "" {
		p.styled(indent+s, color.FgCyan)
	}
}

// wrap writes text in a style. It puts first before the first line and hang
// before the other lines. It breaks lines only between words.
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
