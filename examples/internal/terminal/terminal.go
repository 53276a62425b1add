// SPDX-License-Identifier: Apache-2.0

// Package terminal is what the examples ask of a terminal.
package terminal

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Is reports whether the stream is a terminal, another device that nobody types
// JSON on, or closed.
func Is(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err != nil || info.Mode()&os.ModeCharDevice != 0
}

// DefaultWidth is the width of text where nothing says how wide the terminal is.
const DefaultWidth = 100

// Width returns how many columns text for the stream may have: what columns
// says, which is the variable COLUMNS, else the width of the terminal, else
// [DefaultWidth].
func Width(stream any, columns string) int {
	if n, err := strconv.Atoi(columns); err == nil && isWidth(n) {
		return n
	}
	if f, ok := stream.(*os.File); ok {
		if n := columnsOf(f); isWidth(n) {
			return n
		}
	}
	return DefaultWidth
}

func isWidth(n int) bool { return n >= 40 && n <= 1000 }

// Printable replaces what could do anything to a terminal, except line feeds.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// Line is Printable text in one line, whatever is in the names of objects.
func Line(s string) string { return strings.ReplaceAll(Printable(s), "\n", " ") }

// A Progress shows on a terminal how far something has come, once it takes
// longer than a second. The nil Progress shows nothing.
type Progress struct {
	w     io.Writer
	clock func() time.Time
	next  time.Time // when to show the next text
	width int       // of what is on the screen
}

// NewProgress returns nil where the stream is no terminal.
func NewProgress(w io.Writer, clock func() time.Time) *Progress {
	if f, ok := w.(*os.File); !ok || !Is(f) {
		return nil
	}
	return newProgress(w, clock)
}

func newProgress(w io.Writer, clock func() time.Time) *Progress {
	return &Progress{w: w, clock: clock, next: clock().Add(time.Second)}
}

// Show shows the text if it is time to.
func (p *Progress) Show(format string, args ...any) {
	if p == nil {
		return
	}
	now := p.clock()
	if now.Before(p.next) {
		return
	}
	p.next = now.Add(200 * time.Millisecond)
	text := fmt.Sprintf(format, args...)
	fmt.Fprintf(p.w, "\r%-*s", p.width, text)
	p.width = max(p.width, len(text))
}

// Clear takes the text off the screen.
func (p *Progress) Clear() {
	if p != nil && p.width > 0 {
		fmt.Fprintf(p.w, "\r%s\r", strings.Repeat(" ", p.width))
		p.width = 0
	}
}
