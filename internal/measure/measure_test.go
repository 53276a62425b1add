// SPDX-License-Identifier: Apache-2.0

package measure

import (
	"strings"
	"testing"
	"time"
)

func TestAnswer(t *testing.T) {
	var done int
	row := Row{
		Ours:  func() func(int) { return func(n int) { done += n } },
		Other: func() func(int) { return Each(func() { done-- }) },
	}
	for _, ours := range []bool{true, false} {
		done = 0
		var b strings.Builder
		if err := New(row.Side(ours)(), time.Microsecond).Answer(strings.NewReader("\n\n"), &b); err != nil {
			t.Fatal(err)
		}
		if lines := strings.Split(strings.TrimSpace(b.String()), "\n"); len(lines) != 3 || lines[2] != "0" {
			t.Errorf("got %q", lines)
		}
		if ours != (done > 0) {
			t.Errorf("ours %v: the other side did the work", ours)
		}
	}
}
