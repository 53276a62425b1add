// SPDX-License-Identifier: Apache-2.0

package timer

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/seed-0529bac1/taints"
)

func TestAfter(t *testing.T) {
	at := func(clock string) time.Time { return taints.Must(time.Parse(time.TimeOnly, clock)) }
	node := taints.Must(taints.ParseTaints("x:NoSchedule,b:NoExecute,a:NoExecute"))
	added := map[string]string{"x": "07:00:00", "a": "08:00:00", "b": "08:30:00"}
	for tolerations, want := range map[string]string{
		"a:NoExecute for 3600s, b:NoExecute for 60s": "09:00:00 a", // the timer of a is kept
		"a:NoExecute for 60s, b:NoExecute for 60s":   "08:01:00 a",
		"a:NoExecute for 3600s":                      "08:30:00 b", // no timer is kept for an untolerated taint
		"a:NoExecute, b:NoExecute for 60s":           "08:31:00 b",
		"a:NoExecute for 3600s, b:NoExecute":         "09:00:00 a",
		"a:NoExecute, b:NoExecute":                   "stays",
	} {
		var list []taints.Toleration
		for s := range strings.SplitSeq(tolerations, ", ") {
			list = append(list, taints.Must(taints.ParseToleration(s)))
		}
		got := "stays"
		seenAt := func(t taints.Taint) time.Time { return at(added[t.Key]) }
		if first, e := After(taints.Compile(list).EvictionOf, [][]taints.Taint{node}, at("12:00:00"), seenAt); first != nil {
			got = e.At.Format(time.TimeOnly) + " " + node[e.Taint].Key
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", tolerations, got, want)
		}
	}
}

// Seconds overflow as in Kubernetes. The least count before they do.
func TestOverflow(t *testing.T) {
	node := taints.Must(taints.ParseTaints("a:NoExecute,b:NoExecute"))
	at := time.Date(2026, 11, 26, 12, 2, 0, 0, time.UTC)
	const never = "stays"
	for _, tc := range []struct {
		a, b int64
		want string
	}{
		{-300, 60, "0s"},
		{0, 60, "0s"},
		{1, 60, "1s"},
		{9223372036, math.MaxInt64, "2562047h47m16s"},
		{9223372037, math.MaxInt64, never},
		{12e9, math.MaxInt64, never},
		{18446744073, math.MaxInt64, never},
		{18446744074, math.MaxInt64, "290.448384ms"},
		{31536000000, math.MaxInt64, never},
		{40e9, math.MaxInt64, "862919h57m32.580896768s"},
		{4611686018427387904, math.MaxInt64, "0s"},
		{4611686018427387905, math.MaxInt64, "1s"},
		{math.MaxInt64, math.MaxInt64, never},
		{math.MaxInt64 - 1, math.MaxInt64, never},
		{math.MinInt64, 60, "0s"},
		{18446744074, 60, "1m0s"},
		{9223372037, 60, "1m0s"},
		{60, 18446744074, "1m0s"},
		{18446744074, 9223372037, never},
	} {
		list := []taints.Toleration{
			{Key: "a", Operator: taints.OpExists, TolerationSeconds: &tc.a}, {Key: "b", Operator: taints.OpExists, TolerationSeconds: &tc.b},
		}
		e, got := EvictionOf(taints.Compile(list), list, node, at), never
		if e.Outcome != taints.Stays {
			got = e.At.Sub(at).String()
		}
		if got != tc.want || (e.Outcome == taints.EvictsNow) != (got == "0s") || e.Tolerated != (got != never) {
			t.Errorf("%d and %d seconds: got %s (%s), want %s", tc.a, tc.b, got, e.Outcome, tc.want)
		}
	}
}
