// SPDX-License-Identifier: Apache-2.0

package lifecycle_test

import (
	"cmp"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/lifecycle"
)

// A queueModel is the reference for a Queue: a list, sorted by deadline and
// then by the order in which the deadlines were set.
type queueModel struct {
	newestWins bool
	entries    []queued
	count      int
}

type queued struct {
	pod       int
	due, from time.Time // a zero from is unknown
	begun     bool
	retries   bool
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
		return lifecycle.QueueUnchanged
	case i < 0:
		q.put(newQueued(pod, e))
		return lifecycle.QueueScheduled
	case evicts && q.entries[i].retries && (!q.newestWins || !e.At.After(q.entries[i].due)):
		return lifecycle.QueueUnchanged
	case !evicts && !q.newestWins && q.entries[i].begun:
		return lifecycle.QueueUnchanged
	case !evicts:
		q.remove(pod)
		return lifecycle.QueueCanceled
	}
	old, new := &q.entries[i], newQueued(pod, e)
	if !q.newestWins && !moves(old, new, e) || new.due.Equal(old.due) {
		return lifecycle.QueueUnchanged
	}
	new.begun, new.from = old.begun, old.from
	q.remove(pod)
	q.put(new)
	return lifecycle.QueueMoved
}

// moves is the reference for the rules of timers.
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

func (m *modeledQueue) retry(t *rapid.T) {
	pod, at := anyPod.Draw(t, "pod"), soon.Draw(t, "at")
	m.queue.Retry(pod, at)
	m.model.remove(pod)
	m.model.put(queued{pod: pod, due: at, retries: true})
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
	newest := rapid.Bool().Draw(t, "newestWins")
	m := modeledQueue{&lifecycle.Queue[int]{NewestWins: newest}, queueModel{newestWins: newest}}
	t.Repeat(map[string]func(*rapid.T){
		"Update": m.update,
		"Retry":  m.retry,
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
