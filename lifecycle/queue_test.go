// SPDX-License-Identifier: Apache-2.0

package lifecycle_test

import (
	"cmp"
	"maps"
	"math"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/lifecycle"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// A queueModel is the reference for a Queue: a list, sorted by deadline and
// then by the order in which the deadlines were set.
type queueModel struct {
	keepTimers bool
	entries    []queued
	count      int
}

type queued struct {
	pod       int
	due, from time.Time // a zero from is unknown
	begun     bool
	order     int
}

// newQueued returns the pending entry for the eviction of a pod.
func newQueued(pod int, e taints.Eviction) queued {
	q := queued{pod: pod, due: e.At, from: e.From}
	if e.From.IsZero() && e.Seconds > 0 {
		q.from = e.At.Add(-time.Duration(e.Seconds) * time.Second)
	}
	q.begun = e.Outcome == taints.EvictsNow || !q.from.IsZero() && !e.At.After(q.from)
	return q
}

func (q *queueModel) find(pod int) int {
	return slices.IndexFunc(q.entries, func(e queued) bool { return e.pod == pod })
}

func (q *queueModel) put(e queued) {
	q.count++
	e.order = q.count
	q.entries = append(q.entries, e)
	slices.SortFunc(q.entries, func(a, b queued) int {
		return cmp.Or(a.due.Compare(b.due), a.order-b.order)
	})
}

func (q *queueModel) remove(pod int) bool {
	i := q.find(pod)
	if i >= 0 {
		q.entries = slices.Delete(q.entries, i, i+1)
	}
	return i >= 0
}

func (q *queueModel) update(pod int, e taints.Eviction) lifecycle.QueueChange {
	i := q.find(pod)
	evicts := e.Outcome == taints.EvictsAt || e.Outcome == taints.EvictsNow
	switch {
	case i < 0 && !evicts:
		return lifecycle.Unchanged
	case i < 0:
		q.put(newQueued(pod, e))
		return lifecycle.Scheduled
	case !evicts && q.keepTimers && q.entries[i].begun:
		return lifecycle.Unchanged
	case !evicts:
		q.remove(pod)
		return lifecycle.Canceled
	}
	old, new := &q.entries[i], newQueued(pod, e)
	if q.keepTimers && !moves(old, new, e) || new.due.Equal(old.due) {
		return lifecycle.Unchanged
	}
	new.begun, new.from = old.begun, old.from
	q.remove(pod)
	q.put(new)
	return lifecycle.Moved
}

// moves is the reference for KeepTimers.
func moves(old *queued, new queued, e taints.Eviction) bool {
	if e.Outcome == taints.EvictsNow && !e.Tolerated {
		old.begun = true
		return new.due.Before(old.due)
	}
	if old.begun || new.from.IsZero() {
		return false
	}
	sameLook := new.from.Equal(old.from)
	old.begun = sameLook && new.begun || !sameLook && !new.from.Before(old.due)
	return sameLook
}

// soon draws one of a few times, so that some are equal.
var soon = rapid.Map(rapid.IntRange(0, 40), func(quarters int) time.Time {
	return noon.Add(time.Duration(quarters) * 250 * time.Millisecond)
})

// anyPod draws one of a few pods as often as one of many.
var anyPod = rapid.OneOf(rapid.IntRange(0, 3), rapid.IntRange(0, 60))

// evicted returns the eviction for a taint that is tolerated for the seconds.
func evicted(seconds int64, observed time.Time) taints.Eviction {
	node := []taints.Taint{{Key: "maintenance", Effect: taints.NoExecute}}
	return taints.EvictionOf(node, []taints.Toleration{{Operator: "Exists", TolerationSeconds: &seconds}}, observed)
}

// anyEviction draws an eviction of a policy or one that a caller constructs.
var anyEviction = rapid.Custom(func(t *rapid.T) taints.Eviction {
	at, from := soon.Draw(t, "at"), rapid.OneOf(rapid.Just(noon), soon).Draw(t, "from")
	switch rapid.IntRange(0, 6).Draw(t, "kind") {
	case 0:
		return taints.Eviction{}
	case 1:
		return taints.Eviction{Outcome: taints.EvictsNow, At: at}
	case 2:
		return taints.Eviction{Outcome: taints.EvictsAt, At: at}
	case 3:
		return taints.Eviction{
			Outcome: taints.EvictsAt,
			At:      at,
			Seconds: rapid.Int64Range(-2, 5).Draw(t, "seconds"),
		}
	case 4:
		return taints.Eviction{Outcome: taints.EvictsAt, At: at, From: from, Seconds: 1}
	case 5:
		return evicted(rapid.Int64Range(-1, 5).Draw(t, "seconds"), from)
	}
	return taints.Eviction{Outcome: taints.Outcome(rapid.IntRange(3, 255).Draw(t, "outcome")), At: at}
})

// A modeledQueue is a queue and its model.
type modeledQueue struct {
	queue *lifecycle.Queue[int]
	model queueModel
}

func (m *modeledQueue) update(t *rapid.T) {
	pod, e := anyPod.Draw(t, "pod"), anyEviction.Draw(t, "eviction")
	if got, want := m.queue.Update(pod, e), m.model.update(pod, e); got != want {
		t.Fatalf("Update(%d, %+v) = %v, want %v", pod, e, got, want)
	}
}

func (m *modeledQueue) delete(t *rapid.T, pod int) {
	if got, want := m.queue.Delete(pod), m.model.remove(pod); got != want {
		t.Fatalf("Delete(%d) = %v", pod, got)
	}
}

// change updates one pod and deletes another.
func (m *modeledQueue) change(t *rapid.T) {
	m.update(t)
	m.delete(t, rapid.IntRange(0, 60).Draw(t, "deleted"))
}

// popDue checks PopDue with a loop body that may update the queue and end early.
func (m *modeledQueue) popDue(t *rapid.T, now time.Time, body func() bool) {
	for pod, due := range m.queue.PopDue(now) {
		if len(m.model.entries) == 0 {
			t.Fatalf("PopDue yields %d at %v, want nothing", pod, due)
		}
		if first := m.model.entries[0]; first.pod != pod || !first.due.Equal(due) {
			t.Fatalf("PopDue yields %d at %v, want %+v", pod, due, first)
		}
		m.model.entries = m.model.entries[1:]
		if !body() {
			return
		}
	}
	if len(m.model.entries) > 0 && !m.model.entries[0].due.After(now) {
		t.Fatalf("PopDue leaves out %+v", m.model.entries[0])
	}
}

// all checks All with a body that updates the queue and may end early: a pod that
// is always pending is yielded once, and one that is not pending is not yielded.
func (m *modeledQueue) all(t *rapid.T) {
	changes := rapid.IntRange(0, 20).Draw(t, "changes")
	early := rapid.IntRange(0, 100).Draw(t, "early")
	pending, came := map[int]bool{}, map[int]int{}
	for _, e := range m.model.entries {
		pending[e.pod] = true
	}
	for pod, due := range m.queue.All() {
		i := m.model.find(pod)
		if i < 0 || !m.model.entries[i].due.Equal(due) {
			t.Fatalf("All yields %d at %v, which is not pending then", pod, due)
		}
		came[pod]++
		if early--; early < 0 {
			return
		}
		if changes--; changes >= 0 {
			m.change(t)
		}
		maps.DeleteFunc(pending, func(pod int, _ bool) bool { return m.model.find(pod) < 0 })
	}
	for pod := range pending {
		if came[pod] != 1 {
			t.Fatalf("All yields pod %d %d times", pod, came[pod])
		}
	}
}

func (m *modeledQueue) check(t *rapid.T) {
	if err := m.queue.Check(); err != nil {
		t.Fatalf("%v", err)
	}
	all := maps.Collect(m.queue.All())
	for _, e := range m.model.entries {
		if due, ok := m.queue.Due(e.pod); !ok || !due.Equal(e.due) || due != all[e.pod] {
			t.Fatalf("Due(%d) = %v, %v, want %+v", e.pod, due, ok, e)
		}
	}
	if due, ok := m.queue.Due(-1); ok || !due.IsZero() {
		t.Fatalf("Due of no pod = %v, %v", due, ok)
	}
	n := len(m.model.entries)
	next, ok := m.queue.Next()
	if m.queue.Len() != n || len(all) != n || ok != (n > 0) ||
		ok && !next.Equal(m.model.entries[0].due) || !ok && !next.IsZero() {
		t.Fatalf("Len = %d, Next = %v, %v, want %+v", m.queue.Len(), next, ok, m.model.entries)
	}
}

func TestQueueIsASortedList(t *testing.T) { rapid.Check(t, queueIsASortedList) }
func FuzzQueue(f *testing.F)              { f.Fuzz(rapid.MakeFuzz(queueIsASortedList)) }

func queueIsASortedList(t *rapid.T) {
	keep := rapid.Bool().Draw(t, "keepTimers")
	m := modeledQueue{&lifecycle.Queue[int]{KeepTimers: keep}, queueModel{keepTimers: keep}}
	t.Repeat(map[string]func(*rapid.T){
		"Update": m.update,
		"Update many": func(t *rapid.T) {
			for range rapid.IntRange(0, 100).Draw(t, "count") {
				m.update(t)
			}
		},
		"Delete many": func(t *rapid.T) {
			first := rapid.IntRange(0, 60).Draw(t, "first")
			for pod := range rapid.IntRange(0, 60).Draw(t, "count") {
				m.delete(t, first+pod)
			}
		},
		"PopDue": func(t *rapid.T) { m.popDue(t, soon.Draw(t, "now"), func() bool { return true }) },
		"PopDue, with updates": func(t *rapid.T) {
			now, steps := soon.Draw(t, "now"), rapid.IntRange(0, 5).Draw(t, "steps")
			m.popDue(t, now, func() bool {
				if steps--; steps >= 0 {
					m.change(t)
				}
				return steps >= 0
			})
		},
		"All, with updates": m.all,
		"All, within itself": func(t *rapid.T) {
			m.queue.All()(func(int, time.Time) bool { m.all(t); return false })
		},
		"": m.check,
	})
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
	t.Run("a name that is not itself is no pod", func(t *testing.T) {
		var q lifecycle.Queue[float64]
		if got := q.Update(math.NaN(), evicted(1, noon)); got != lifecycle.Unchanged || q.Len() != 0 || q.Delete(math.NaN()) {
			t.Errorf("got %v, %d pending", got, q.Len())
		}
	})
}

// Removing pods releases memory in proportion, even in a loop over All and
// after a loop that panics.
func TestQueueReleasesMemory(t *testing.T) {
	const pods = 20_000
	q := lifecycle.Queue[int]{KeepTimers: true}
	check := func(left int) {
		t.Helper()
		if slots, heap := q.Room(); q.Len() != left || max(slots, heap) > 6*left+100 {
			t.Fatalf("%d pods have room for %d and %d, want %d pods", q.Len(), slots, heap, left)
		}
	}
	fill := func() {
		for pod := range pods {
			q.Update(pod, evicted(int64(pod)+1, noon))
		}
	}
	fill()
	full := q.Map()
	for pod := range pods - 1 {
		q.Delete(pod)
		check(pods - 1 - pod)
	}
	if q.Has(full) || !q.KeepTimers {
		t.Error("the map has the size that it had, or timers are not kept")
	}
	fill()
	func() {
		defer func() { recover() }()
		for pod := range q.All() {
			if q.Len() == 1 {
				panic("in the body")
			}
			q.Delete(pod)
		}
	}()
	check(1)
	if err := q.Check(); err != nil {
		t.Error(err)
	}
}

// A new pod takes the room of a removed one.
func TestQueueReusesRoom(t *testing.T) {
	const pods = 100
	var q lifecycle.Queue[int]
	for pod := range 50 * pods {
		q.Update(pod, evicted(int64(pod*7919%1000), noon))
		q.Delete(pod - pods)
		if slots, heap := q.Room(); max(slots, heap) > 2*pods {
			t.Fatalf("room for %d and %d pods where there are %d", slots, heap, q.Len())
		}
	}
}

// The heap is in order whichever pod is removed, even if the pods below one of
// the root's four children are due after all others.
func TestQueueRemovesFromAnywhere(t *testing.T) {
	const pods = 100
	for late := 1; late <= 4; late++ {
		for removed := range pods {
			var q lifecycle.Queue[int]
			for pod := range pods {
				top, seconds := pod, pod
				for top > 4 {
					top = (top - 1) / 4
				}
				if top == late {
					seconds += pods
				}
				q.Update(pod, evicted(int64(seconds), noon))
			}
			q.Delete(removed)
			if err := q.Check(); err != nil {
				t.Fatalf("without %d: %v", removed, err)
			}
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
