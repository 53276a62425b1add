// SPDX-License-Identifier: Apache-2.0

package timer

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/cases"
)

func TestAfter(t *testing.T) {
	at := func(clock string) time.Time { return taints.Must(time.Parse(time.TimeOnly, clock)) }
	node := taints.Must(taints.ParseTaints("x:NoSchedule,b:NoExecute,a:NoExecute"))
	added := map[string]string{"x": "07:00:00", "a": "08:00:00", "b": "08:30:00"}
	seenAt := func(t taints.Taint) time.Time { return at(added[t.Key]) }
	cases.Run(t, "testdata/timers.txt", func(_ *testing.T, lines []string) []string {
		var list []taints.Toleration
		for text := range strings.SplitSeq(lines[0], ", ") {
			list = append(list, taints.Must(taints.ParseToleration(text)))
		}
		first, e := After(taints.Compile(list).EvictionOf, [][]taints.Taint{node}, at("12:00:00"), seenAt)
		if first == nil {
			return []string{"stays"}
		}
		return []string{e.At.Format(time.TimeOnly) + " for " + node[e.Taint].Key}
	})
}

func TestOverflow(t *testing.T) {
	node := taints.Must(taints.ParseTaints("a:NoExecute,b:NoExecute"))
	at := time.Date(2026, 11, 26, 12, 2, 0, 0, time.UTC)
	cases.Run(t, "testdata/overflows.txt", func(_ *testing.T, lines []string) []string {
		var a, b int64
		taints.Must(fmt.Sscan(lines[0], &a, &b))
		list := []taints.Toleration{
			{Key: "a", Operator: taints.OpExists, TolerationSeconds: &a}, {Key: "b", Operator: taints.OpExists, TolerationSeconds: &b},
		}
		e := EvictionOf(taints.Compile(list), list, node, at)
		if e.Outcome == taints.Stays {
			return []string{fmt.Sprintf("stays, tolerated %t", e.Tolerated)}
		}
		return []string{fmt.Sprintf("%s for %s after %s, by %d seconds of %s, tolerated %t",
			e.Outcome, node[e.Taint].Key, e.At.Sub(at), e.Seconds, list[e.Toleration].Key, e.Tolerated)}
	})
}
