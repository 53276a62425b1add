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
	"github.com/seed-0529bac1/taints/internal/test"
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

// A controller looks at a pod every 10 seconds, and evicts it when it is due. The node
// has a taint that the pod tolerates for 30 seconds. Each row says when the pod is
// evicted, after the first look.
func TestControllerLoop(t *testing.T) {
	const never = -1
	for _, tc := range []struct {
		newestWins, fromTimeAdded, timeAdded bool
		want                                 time.Duration
	}{
		{want: 30 * time.Second},
		{timeAdded: true, want: 30 * time.Second},
		{fromTimeAdded: true, want: 30 * time.Second}, // as "kubectl taint" adds no time
		{fromTimeAdded: true, timeAdded: true, want: 30 * time.Second},
		{newestWins: true, fromTimeAdded: true, timeAdded: true, want: 30 * time.Second},
		// With NewestWins each of these looks begins the seconds anew.
		{newestWins: true, want: never},
		{newestWins: true, timeAdded: true, want: never},
		{newestWins: true, fromTimeAdded: true, want: never},
	} {
		node, pod := test.Taints("maintenance:NoExecute"), taints.Compile(test.Tolerations("maintenance:NoExecute for 30s"))
		if tc.timeAdded {
			node[0].TimeAdded = &noon
		}
		policy := taints.EvictionPolicy{FromTimeAdded: tc.fromTimeAdded}
		q := lifecycle.Queue[string]{NewestWins: tc.newestWins}
		got := time.Duration(never)
		for now := noon; got == never && now.Sub(noon) <= 10*time.Minute; now = now.Add(10 * time.Second) {
			q.Update("pod", policy.EvictionOf(pod, node, now))
			for range q.PopDue(now) {
				got = now.Sub(noon)
			}
		}
		if got != tc.want {
			t.Errorf("%+v: evicted after %v", tc, got)
		}
	}
}

// Each step updates the eviction of one pod. It has the change that Update returns, and
// when the pod is due then, in seconds after noon.
func TestQueueUpdate(t *testing.T) {
	const (
		unchanged = lifecycle.QueueUnchanged
		scheduled = lifecycle.QueueScheduled
		moved     = lifecycle.QueueMoved
		canceled  = lifecycle.QueueCanceled
		not       = -1 // due
	)
	after := func(seconds int) time.Time { return noon.Add(time.Duration(seconds) * time.Second) }
	tolerated := func(seconds int64, seen int) taints.Eviction { return evicted(seconds, after(seen)) }
	untolerated := func(seen int) taints.Eviction { return taints.Eviction{Outcome: taints.EvictsNow, At: after(seen)} }
	constructed := func(at int, seconds int64) taints.Eviction {
		return taints.Eviction{Outcome: taints.EvictsAt, At: after(at), Seconds: seconds}
	}
	stays := taints.Eviction{}
	type step struct {
		e    taints.Eviction
		want lifecycle.QueueChange
		due  int
	}
	for _, tc := range []struct {
		name       string
		newestWins bool
		steps      []step
	}{
		{name: "a later look changes nothing", steps: []step{
			{tolerated(300, 0), scheduled, 300},
			{tolerated(300, 10), unchanged, 300},
			{tolerated(60, 20), unchanged, 300},
		}},
		{name: "an evaluation of the same look moves the eviction", steps: []step{
			{tolerated(300, 0), scheduled, 300},
			{tolerated(60, 0), moved, 60},
			{tolerated(300, 0), moved, 300},
			{tolerated(300, 0), unchanged, 300},
		}},
		{name: "a pod that stays is not evicted", steps: []step{
			{stays, unchanged, not},
			{tolerated(300, 0), scheduled, 300},
			{stays, canceled, not},
			{tolerated(300, 10), scheduled, 310},
		}},
		{name: "an untolerated taint begins the eviction", steps: []step{
			{tolerated(300, 0), scheduled, 300},
			{untolerated(10), moved, 10},
			{untolerated(20), unchanged, 10},
			{stays, unchanged, 10},
		}},
		{name: "also if it comes after the deadline", steps: []step{
			{tolerated(5, 0), scheduled, 5},
			{untolerated(10), unchanged, 5},
			{stays, unchanged, 5},
		}},
		{name: "no time begins the eviction", steps: []step{
			{tolerated(0, 0), scheduled, 0},
			{tolerated(60, 0), unchanged, 0},
			{stays, unchanged, 0},
		}},
		{name: "also where it moves the deadline", steps: []step{
			{tolerated(300, 0), scheduled, 300},
			{tolerated(0, 0), moved, 0},
			{stays, unchanged, 0},
		}},
		{name: "a look at the deadline begins the eviction", steps: []step{
			{tolerated(300, 0), scheduled, 300},
			{tolerated(300, 300), unchanged, 300},
			{stays, unchanged, 300},
		}},
		{name: "a look before the deadline does not", steps: []step{
			{tolerated(300, 0), scheduled, 300},
			{tolerated(300, 299), unchanged, 300},
			{stays, canceled, not},
		}},
		{name: "positive seconds tell when a constructed eviction began to run", steps: []step{
			{constructed(300, 300), scheduled, 300},
			{constructed(60, 60), moved, 60},
			{constructed(70, 60), unchanged, 60},
		}},
		{name: "without them it does not change a pending eviction", steps: []step{
			{tolerated(300, 0), scheduled, 300},
			{constructed(10, 0), unchanged, 300},
			{constructed(500, 0), unchanged, 300},
			{stays, canceled, not},
			{constructed(10, 0), scheduled, 10},
			{constructed(5, 0), unchanged, 10},
			{constructed(20, 0), unchanged, 10},
			{tolerated(300, 0), unchanged, 10},
		}},
		{name: "nor with negative ones", steps: []step{
			{constructed(10, math.MinInt64+1), scheduled, 10},
			{constructed(9, math.MinInt64), unchanged, 10},
		}},
		{name: "the newest wins", newestWins: true, steps: []step{
			{tolerated(300, 0), scheduled, 300},
			{tolerated(300, 10), moved, 310},
			{constructed(310, 0), unchanged, 310},
			{untolerated(20), moved, 20},
			{tolerated(60, 30), moved, 90},
			{stays, canceled, not},
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			q := lifecycle.Queue[string]{NewestWins: tc.newestWins}
			for i, s := range tc.steps {
				if got := q.Update("pod", s.e); got != s.want {
					t.Errorf("step %d: %v, want %v", i, got, s.want)
				}
				if due, pending := q.Due("pod"); pending != (s.due != not) || pending && !due.Equal(after(s.due)) {
					t.Errorf("step %d: due at %v, %v, want %v s after noon", i, due, pending, s.due)
				}
			}
		})
	}
}

// Deadlines may be any times, also those at which Unix seconds wrap around.
func TestQueueOfAllTimes(t *testing.T) {
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
	for _, pod := range []string{"the far past", "before", "year 1", "1970", "the far future", "the end"} {
		next, ok := q.Next()
		if !ok || !next.Equal(times[pod]) {
			t.Errorf("Next = %v, %v, want %v", next, ok, times[pod])
		}
		if got := drain(&q, next.Add(-1)); got != nil {
			t.Errorf("%v is out too early", got)
		}
		if got := drain(&q, next); !slices.Equal(got, []string{pod}) {
			t.Errorf("got %v, want %v", got, pod)
		}
	}
	// The time from which the seconds run would be before the first one: it is unknown,
	// so the eviction has not begun.
	first := time.Unix(math.MaxInt64-62135596800+1, 0)
	for _, at := range []time.Time{first, first.Add(time.Second), time.Unix(math.MinInt64/2, 0)} {
		q.Update("pod", taints.Eviction{Outcome: taints.EvictsAt, At: at, Seconds: math.MaxInt64})
		if got := q.Update("pod", taints.Eviction{}); got != lifecycle.QueueCanceled {
			t.Errorf("%v has begun: %v", at, got)
		}
	}
}

// Deadlines come out in UTC and without a monotonic clock.
func TestQueueReturnsWallTimes(t *testing.T) {
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

// A name that does not equal itself is a new pod each time. A name that cannot be
// compared panics, as in a map.
func TestQueueNames(t *testing.T) {
	var q lifecycle.Queue[any]
	now := taints.Eviction{Outcome: taints.EvictsNow, At: noon}
	for range 2 {
		if got := q.Update(math.NaN(), now); got != lifecycle.QueueScheduled {
			t.Errorf("Update = %v", got)
		}
	}
	if _, pending := q.Due(math.NaN()); pending || q.Delete(math.NaN()) || q.Len() != 2 || len(drain(&q, noon)) != 2 {
		t.Errorf("pending %v, and %d pods", pending, q.Len())
	}
	q.Update("pod", now)
	q.Retry(math.NaN(), noon)
	seen := 0
	for _, due := range q.All() {
		if seen++; !due.Equal(noon) {
			t.Errorf("due at %v", due)
		}
	}
	if seen != 2 {
		t.Errorf("All yields %d pods", seen)
	}
	defer func() {
		if recover() == nil {
			t.Error("a slice is a name")
		}
	}()
	q.Update([]int{1}, now)
}

// Each row retries an eviction after 60 s that an untolerated taint began, and then
// updates it.
func TestQueueRetry(t *testing.T) {
	later := noon.Add(time.Minute)
	untolerated := taints.Eviction{Outcome: taints.EvictsNow, At: noon.Add(time.Second)}
	for _, tc := range []struct {
		name       string
		newestWins bool
		e          taints.Eviction
		want       lifecycle.QueueChange
		due        time.Time // zero: none
	}{
		{"the next look does not overtake it", false, untolerated, lifecycle.QueueUnchanged, later},
		{"nor where the newest wins", true, untolerated, lifecycle.QueueUnchanged, later},
		{"a longer toleration does not postpone it", false, evicted(300, noon), lifecycle.QueueUnchanged, later},
		{"except where the newest wins", true, evicted(300, noon), lifecycle.QueueMoved, noon.Add(300 * time.Second)},
		{"a node that recovered during the eviction cancels it", false, taints.Eviction{}, lifecycle.QueueCanceled, time.Time{}},
		{"also where the newest wins", true, taints.Eviction{}, lifecycle.QueueCanceled, time.Time{}},
	} {
		q := lifecycle.Queue[string]{NewestWins: tc.newestWins}
		q.Update("pod", taints.Eviction{Outcome: taints.EvictsNow, At: noon})
		drain(&q, noon)
		q.Update("pod", tc.e)
		q.Retry("pod", later)
		got := q.Update("pod", tc.e)
		if due, _ := q.Due("pod"); got != tc.want || !due.Equal(tc.due) {
			t.Errorf("%s: %v, due at %v", tc.name, got, due)
		}
	}
}
