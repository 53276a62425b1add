// SPDX-License-Identifier: Apache-2.0

package terminal

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestWidth(t *testing.T) {
	for columns, want := range map[string]int{
		"": 100, "x": 100, "-5": 100, "0": 100, "39": 100, "40": 40, "1000": 1000, "1001": 100,
	} {
		if got := Width(nil, columns); got != want {
			t.Errorf("COLUMNS=%s: width %d, want %d", columns, got, want)
		}
	}
	f, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got := Width(f, ""); got != DefaultWidth {
		t.Errorf("of a file: %d", got)
	}
	if Is(f) || Is(nil) || Is(strings.NewReader("")) {
		t.Error("a file is a terminal")
	}
	f.Close()
	if !Is(f) {
		t.Error("a closed file is not as a terminal")
	}
}

func TestPrintable(t *testing.T) {
	if got := Printable("a\x1b[31m\n\u202eb\té"); got != "a\uFFFD[31m\n\uFFFDb\uFFFDé" {
		t.Errorf("got %q", got)
	}
}

func TestProgress(t *testing.T) {
	var b strings.Builder
	now := time.Date(2026, 11, 21, 1, 24, 0, 0, time.UTC)
	p := newProgress(&b, func() time.Time { return now })
	p.Show("%d", 1000)
	p.Clear()
	if b.Len() > 0 {
		t.Errorf("within a second: %q", b.String())
	}
	now = now.Add(time.Second)
	p.Show("read %d", 2000)
	p.Show("read %d", 3000)
	now = now.Add(time.Second)
	p.Show("end")
	p.Clear()
	p.Clear()
	want := "\rread 2000\rend      \r" + strings.Repeat(" ", 9) + "\r"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	b.Reset()
	if p := NewProgress(&b, time.Now); p != nil {
		t.Error("progress where there is no terminal")
	}
	p = nil
	p.Show("x")
	p.Clear()
}
