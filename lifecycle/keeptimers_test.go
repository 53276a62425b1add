// SPDX-License-Identifier: Apache-2.0

package lifecycle_test

import (
	"strings"
	"testing"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/lifecycle"
)

// check returns the eviction that a controller computes after a while for a node
// in maintenance. The pod tolerates that for some seconds, "forever" or "never".
func check(tolerated string, after time.Duration) taints.Eviction {
	var tolerations []taints.Toleration
	switch tolerated {
	case "never":
	case "forever":
		tolerations = []taints.Toleration{taints.MustParseToleration("maintenance op=Exists")}
	default:
		tolerations = []taints.Toleration{taints.MustParseToleration("maintenance:NoExecute op=Exists for " + tolerated)}
	}
	node := []taints.Taint{taints.MustParseTaint("maintenance:NoExecute")}
	return taints.EvictionOf(node, tolerations, noon.Add(after))
}

// Each row is a pod that tolerates a taint for some time, and after a while for
// another. The results are those with KeepTimers, which follow processPodOnNode
// in Kubernetes, and those without, when the newest eviction counts.
const keepTimers = `
nothing new                                                        | 300s  | 300s    | 0s  | Unchanged 5m   | Unchanged 5m
a later check                                                      | 300s  | 300s    | 1m  | Unchanged 5m   | Moved 6m
a longer time                                                      | 300s  | 600s    | 1m  | Unchanged 5m   | Moved 11m
a shorter time                                                     | 600s  | 300s    | 1m  | Unchanged 10m  | Moved 6m
a longer time at the same moment                                   | 300s  | 600s    | 0s  | Moved 10m      | Moved 10m
a shorter time at the same moment                                  | 600s  | 300s    | 0s  | Moved 5m       | Moved 5m
a nanosecond later                                                 | 300s  | 600s    | 1ns | Unchanged 5m   | Moved 10m1ns
a clock that stepped back                                          | 300s  | 300s    | -1m | Unchanged 5m   | Moved 4m
a clock that stepped back, a longer time                           | 300s  | 600s    | -1m | Unchanged 5m   | Moved 9m
no time, tolerated                                                 | 300s  | 0s      | 1m  | Unchanged 5m   | Moved 1m
less than no time, tolerated                                       | 300s  | -60s    | 1m  | Unchanged 5m   | Moved 1m
no time, tolerated, at the same moment                             | 300s  | 0s      | 0s  | Moved 0s       | Moved 0s
no longer tolerated                                                | 300s  | never   | 1m  | Moved 1m       | Moved 1m
not tolerated, and the clock stepped back                          | 300s  | never   | -1m | Moved -1m      | Moved -1m
not tolerated, after the deadline                                  | 300s  | never   | 6m  | Unchanged 5m   | Moved 6m
tolerated forever                                                  | 300s  | forever | 1m  | Canceled -     | Canceled -
begun, and seen again                                              | never | never   | 1m  | Unchanged 0s   | Moved 1m
begun, and tolerated for a time                                    | never | 300s    | 1m  | Unchanged 0s   | Moved 6m
begun, and tolerated for a time at the same moment                 | never | 300s    | 0s  | Unchanged 0s   | Moved 5m
begun, and tolerated for no time                                   | never | 0s      | 1m  | Unchanged 0s   | Moved 1m
begun, and tolerated forever                                       | never | forever | 1m  | Unchanged 0s   | Canceled -
tolerated for no time, then forever                                | 0s    | forever | 1m  | Unchanged 0s   | Canceled -
tolerated for no time, then longer                                 | 0s    | 600s    | 0s  | Unchanged 0s   | Moved 10m
tolerated for no time, then not at all, and the clock stepped back | 0s    | never   | -1m | Moved -1m      | Moved -1m
`

func TestKeepTimers(t *testing.T) {
	for line := range strings.Lines(strings.TrimSpace(keepTimers)) {
		cells := strings.Split(line, "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		after, err := time.ParseDuration(cells[3])
		if err != nil {
			t.Fatal(err)
		}
		for keep, want := range map[bool]string{true: cells[4], false: cells[5]} {
			q := lifecycle.Queue[string]{KeepTimers: keep}
			q.Update("pod", check(cells[1], 0))
			got := q.Update("pod", check(cells[2], after)).String() + " "
			if next, ok := q.Next(); ok {
				got += next.Sub(noon).String()
			}
			change, due, _ := strings.Cut(want, " ")
			if d, err := time.ParseDuration(due); err == nil {
				due = d.String()
			}
			if due == "-" {
				due = ""
			}
			if want := change + " " + due; got != want {
				t.Errorf("%s, KeepTimers %v: %s, want %s", cells[0], keep, got, want)
			}
		}
	}
}

// The times of checks are compared by wall clock, in any location.
func TestKeepTimersComparesMoments(t *testing.T) {
	now := time.Now()
	for _, from := range []time.Time{now, now.Round(0), now.UTC(), now.In(time.FixedZone("x", -3600))} {
		q := lifecycle.Queue[string]{KeepTimers: true}
		q.Update("pod", evicted(300, now))
		if got := q.Update("pod", evicted(60, from)); got != lifecycle.Moved {
			t.Errorf("%v: %v", from, got)
		}
	}
}
