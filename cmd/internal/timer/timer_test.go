// SPDX-License-Identifier: Apache-2.0

package timer

import (
	"strings"
	"testing"
	"time"

	"github.com/seed-0529bac1/taints"
)

func TestOf(t *testing.T) {
	at := func(clock string) time.Time { return taints.Must(time.Parse(time.TimeOnly, clock)) }
	node := taints.Must(taints.ParseTaints("x:NoSchedule,b:NoExecute,a:NoExecute"))
	added := map[string]string{"a": "08:00:00", "b": "08:30:00"}
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
		if i, e, ok := Of(taints.EvictionPolicy{}, taints.Compile(list), node, seenAt); ok {
			got = e.At.Format(time.TimeOnly) + " " + node[i].Key
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", tolerations, got, want)
		}
	}
}
