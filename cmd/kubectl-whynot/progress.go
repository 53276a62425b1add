// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"time"

	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/manifest"
)

// A progress is a line on a terminal that counts what was read. It is nil where
// there is no terminal.
type progress struct {
	out            io.Writer
	clock          func() time.Time
	shown          time.Time // zero: nothing is shown
	objects, bytes int
}

// counted returns add with a line that counts the objects.
func (p *progress) counted(add func(manifest.Object) error) func(manifest.Object) error {
	if p == nil {
		return add
	}
	p.shown = p.clock()
	return func(o manifest.Object) error {
		p.objects, p.bytes = p.objects+1, p.bytes+o.Size()
		if now := p.clock(); now.Sub(p.shown) > 200*time.Millisecond {
			p.shown = now
			message.NewPrinter(language.English).Fprintf(p.out, "\rread %d objects, %d MB", p.objects, p.bytes/1e6)
		}
		return add(o)
	}
}

// erase erases the line.
func (p *progress) erase() {
	if p != nil {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}
