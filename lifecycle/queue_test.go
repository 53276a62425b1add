// SPDX-License-Identifier: Apache-2.0

package lifecycle_test

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
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
			if got := drain(&q, next.Add(-1)); got != nil {
				t.Errorf("%v is out too early", got)
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
		q := lifecycle.Queue[string]{}
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
		q := lifecycle.Queue[string]{}
		for _, want := range []lifecycle.QueueChange{lifecycle.QueueScheduled, lifecycle.QueueUnchanged} {
			later := time.Duration(want) * time.Second
			e := taints.Eviction{Outcome: taints.EvictsAt, At: noon.Add(later), Seconds: math.MinInt64 + int64(want)}
			if got := q.Update("pod", e); got != want {
				t.Errorf("%v, want %v", got, want)
			}
		}
	})
	t.Run("an unknown time of beginning changes no timer", func(t *testing.T) {
		q := lifecycle.Queue[string]{}
		at := func(seconds int) taints.Eviction {
			return taints.Eviction{Outcome: taints.EvictsAt, At: noon.Add(time.Duration(seconds) * time.Second)}
		}
		known := evicted(300, noon)
		for i, e := range []taints.Eviction{known, at(10), at(500), known, {}, at(10), at(5), at(20), known, at(5)} {
			got, want := q.Update("pod", e), lifecycle.QueueUnchanged
			switch i {
			case 0, 5:
				want = lifecycle.QueueScheduled
			case 4:
				want = lifecycle.QueueCanceled
			}
			if got != want {
				t.Errorf("update %d: %v, want %v", i, got, want)
			}
		}
		if due, _ := q.Due("pod"); !due.Equal(at(10).At) {
			t.Errorf("due at %v", due)
		}
	})
}

func TestQueueChangeText(t *testing.T) {
	checkText[lifecycle.QueueChange](t, "QueueUnchanged", "QueueScheduled", "QueueMoved", "QueueCanceled", "QueueChange(4)")
}

// checkText checks that the numbers from 0 have the names, of which the last is no
// constant's, as texts and as JSON.
func checkText[E interface {
	~uint8
	fmt.Stringer
}](t *testing.T, names ...string) {
	t.Helper()
	for i, name := range names {
		if text, err := json.Marshal(E(i)); err != nil || string(text) != strconv.Quote(name) || E(i).String() != name {
			t.Errorf("%d is %s, %v, want %s", i, text, err, name)
		}
	}
}

// "go vet" finds copies of a queue, because it has a field with a Lock method.
func TestQueueHasALock(t *testing.T) {
	field, ok := reflect.TypeFor[lifecycle.Queue[int]]().FieldByName("_")
	if !ok || !reflect.PointerTo(field.Type).Implements(reflect.TypeFor[sync.Locker]()) {
		t.Error("a queue has no field that locks")
	}
}

// Times are compared by wall clock, in any location: the same deadline is no change,
// and an evaluation with the same From moves a timer.
func TestQueueComparesMoments(t *testing.T) {
	now := time.Now()
	for _, same := range []time.Time{now, now.Round(0), now.UTC(), now.In(time.FixedZone("x", -3600))} {
		newest, keep := lifecycle.Queue[string]{NewestWins: true}, lifecycle.Queue[string]{}
		newest.Update("pod", evicted(300, now))
		keep.Update("pod", evicted(300, now))
		if got := newest.Update("pod", evicted(300, same)); got != lifecycle.QueueUnchanged {
			t.Errorf("the same deadline, from %v: %v", same, got)
		}
		if got := keep.Update("pod", evicted(60, same)); got != lifecycle.QueueMoved {
			t.Errorf("from %v: %v", same, got)
		}
	}
}
