// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints/cmd/internal/cases"
	"github.com/seed-0529bac1/taints/cmd/internal/lists"
)

func TestLine(t *testing.T) {
	cases.Run(t, "testdata/lines.txt", func(t *testing.T, lines []string) []string {
		var given [][2]int64
		if err := json.Unmarshal([]byte(lines[0]), &given); err != nil {
			t.Fatal(lines, err)
		}
		spans := lists.Each(given, func(s [2]int64) Span { return Span{s[0], s[1]} })
		l := New(spans)
		ticks := lists.Each(l.Ticks(), func(x Tick) string { return fmt.Sprint(x.Text, " ", x.At) })
		return []string{strings.Join(ticks, ", "), fmt.Sprintf("times %q, ranges %q", l.Path(false, spans), l.Path(true, spans))}
	})
}

// Many times do not make the drawing long.
func TestManyTimes(t *testing.T) {
	var many []Span
	for i := range int64(100_000) {
		many = append(many, Span{i * 100, i * 100}, Span{-i, 7})
	}
	if n := len(New(many).Path(false, many) + New(many).Path(true, many)); n > 10_000 {
		t.Errorf("the drawing of many times has %d bytes", n)
	}
}
