// SPDX-License-Identifier: Apache-2.0

package lifecycle_test

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/lifecycle"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// evicted returns the eviction for a taint that is tolerated for the seconds.
func evicted(seconds int64, observed time.Time) taints.Eviction {
	node := []taints.Taint{{Key: "maintenance", Effect: taints.NoExecute}}
	return taints.EvictionOf(node, []taints.Toleration{{Operator: "Exists", TolerationSeconds: &seconds}}, observed)
}

func drain[P comparable](q *lifecycle.Queue[P], now time.Time) (pods []P) {
	for pod := range q.PopDue(now) {
		pods = append(pods, pod)
	}
	return pods
}

func TestQueue(t *testing.T) {
	t.Run("due at the nanosecond", func(t *testing.T) {
		var q lifecycle.Queue[string]
		when := noon.Add(10*time.Second + 5)
		q.Update("pod", taints.Eviction{Outcome: taints.EvictsAt, At: when})
		if got := drain(&q, when.Add(-1)); got != nil {
			t.Errorf("%v is out too early", got)
		}
		if got := drain(&q, when); len(got) != 1 {
			t.Error("the pod is not out in time")
		}
	})
	t.Run("all times", func(t *testing.T) {
		var q lifecycle.Queue[string]
		end := time.Unix(math.MaxInt64-62135596800, 999_999_999)
		times := map[string]time.Time{
			"year 1":         {},
			"before":         time.Unix(-62135596801, 0),
			"1970":           time.Unix(0, 0),
			"the far past":   time.Unix(math.MinInt64/2, 1),
			"the far future": end.Add(-1),
			"the end":        end,
		}
		for pod, when := range times {
			q.Update(pod, taints.Eviction{Outcome: taints.EvictsAt, At: when, Seconds: math.MaxInt64})
		}
		want := []string{"the far past", "before", "year 1", "1970", "the far future", "the end"}
		for i := range 3 {
			next, ok := q.Next()
			if !ok || !next.Equal(times[want[i]]) {
				t.Errorf("Next = %v, %v, want %v", next, ok, times[want[i]])
			}
			if got := drain(&q, next); !slices.Equal(got, want[i:i+1]) {
				t.Errorf("got %v, want %v", got, want[i])
			}
		}
		if got := drain(&q, end); !slices.Equal(got, want[3:]) {
			t.Errorf("got %v, want %v", got, want[3:])
		}
	})
	t.Run("deadlines come out in UTC and without a monotonic clock", func(t *testing.T) {
		var q lifecycle.Queue[string]
		when := time.Now().In(time.FixedZone("x", 3600))
		q.Update("pod", taints.Eviction{Outcome: taints.EvictsNow, At: when})
		next, _ := q.Next()
		due, _ := q.Due("pod")
		for _, all := range q.All() {
			if want := when.Round(0).UTC(); next != want || due != want || all != want {
				t.Errorf("got %v, %v and %v, want %v", next, due, all, want)
			}
		}
	})
	t.Run("a difference before the first time is not known", func(t *testing.T) {
		q := lifecycle.Queue[string]{KeepTimers: true}
		first := time.Unix(math.MaxInt64-62135596800+1, 0) // wraps around
		for _, at := range []time.Time{first, first.Add(time.Second), time.Unix(math.MinInt64/2, 0)} {
			e := taints.Eviction{Outcome: taints.EvictsAt, At: at, Seconds: math.MaxInt64}
			if got := q.Update("pod", e); got != lifecycle.QueueScheduled {
				t.Errorf("%v: %v", at, got)
			}
			if got := q.Update("pod", taints.Eviction{}); got != lifecycle.QueueCanceled {
				t.Errorf("%v has begun: %v", at, got)
			}
		}
	})
	t.Run("negative seconds do not tell a time", func(t *testing.T) {
		q := lifecycle.Queue[string]{KeepTimers: true}
		for _, want := range []lifecycle.QueueChange{lifecycle.QueueScheduled, lifecycle.QueueUnchanged} {
			later := time.Duration(want) * time.Second
			e := taints.Eviction{Outcome: taints.EvictsAt, At: noon.Add(later), Seconds: math.MinInt64 + int64(want)}
			if got := q.Update("pod", e); got != want {
				t.Errorf("%v, want %v", got, want)
			}
		}
	})
	t.Run("a name that is not itself is no pod", func(t *testing.T) {
		var q lifecycle.Queue[float64]
		if got := q.Update(math.NaN(), evicted(1, noon)); got != lifecycle.QueueUnchanged || q.Len() != 0 || q.Delete(math.NaN()) {
			t.Errorf("got %v, %d pending", got, q.Len())
		}
	})
}

// "go vet" finds copies of a queue, because it has a field with a Lock method.
func TestQueueHasALock(t *testing.T) {
	field, ok := reflect.TypeFor[lifecycle.Queue[int]]().FieldByName("_")
	if !ok || !reflect.PointerTo(field.Type).Implements(reflect.TypeFor[sync.Locker]()) {
		t.Error("a queue has no field that locks")
	}
}

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
			got := strings.TrimPrefix(q.Update("pod", check(cells[2], after)).String(), "Queue") + " "
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
		if got := q.Update("pod", evicted(60, from)); got != lifecycle.QueueMoved {
			t.Errorf("%v: %v", from, got)
		}
	}
}
