// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"container/heap"
	"iter"
	"slices"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/enum"
)

// A Queue holds the pending evictions of pods, at most one for each, in the order of
// their deadlines, and those with equal deadlines in the order in which they were
// set. It has no timer. Times are compared by wall clock and returned in UTC.
//
// The zero Queue is empty and ready to use. A Queue must not be copied after first
// use, and is not safe for concurrent use. A name that does not equal itself, such
// as NaN, is never in it, and as in a map an interface name that is not comparable
// panics.
//
// Update, Delete and each step of PopDue take time logarithmic in the number of
// pending evictions. The memory of a Queue is proportional to the most evictions
// that it has held.
type Queue[P comparable] struct {
	// KeepTimers makes Update treat a pending eviction as Kubernetes'
	// taint-eviction controller treats a running timer. Set it before the first
	// Update. Without it the newest eviction counts. With it, the first of these
	// rules that applies decides what Update does to a pending eviction:
	//
	//   - An untolerated taint (EvictsNow without Tolerated) begins the eviction,
	//     and moves it to At if that is earlier.
	//   - An eviction that has begun does not change, even if the pod stays. Only
	//     Delete and PopDue remove it.
	//   - If the pod stays, the eviction is canceled.
	//   - If From is the same, the eviction moves to At, earlier or later.
	//   - If From is different, the eviction keeps its deadline. If From is not
	//     before the deadline, the eviction begins.
	//
	// An EvictsNow, or an EvictsAt whose At is not after its From, has begun when
	// Update schedules or moves it. Kubernetes deletes a pod as soon as its timer
	// fires, so call PopDue before Update.
	KeepTimers bool

	_     noCopy
	pods  map[P]*timer[P]
	heap  deadlines[P]
	added deadline[P] // what heap.Push adds; a field takes no allocation
	count uint64      // of deadlines so far
}

// A timer is the pending eviction of a pod.
type timer[P comparable] struct {
	pod      P
	from     time.Time // from which the seconds count, if hasFrom is true
	index    int32     // in the heap; an int would take 16 bytes more
	hasFrom  bool
	hasBegun bool // only with KeepTimers
}

// A deadline is when a timer is due.
type deadline[P comparable] struct {
	due   time.Time // by wall clock, in UTC
	order uint64    // of deadlines at the same time
	timer *timer[P]
}

// noCopy makes "go vet" find copies.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

// A QueueChange describes how an update changed a pod's pending eviction.
type QueueChange uint8

const (
	// QueueUnchanged: the pod has the same pending eviction as before, or none.
	QueueUnchanged QueueChange = iota
	// QueueScheduled: the pod had no pending eviction, and now has one.
	QueueScheduled
	// QueueMoved: the pending eviction now has another deadline.
	QueueMoved
	// QueueCanceled: the pod had a pending eviction, and now has none.
	QueueCanceled
)

var queueChangeNames = []string{"QueueUnchanged", "QueueScheduled", "QueueMoved", "QueueCanceled"}

// String returns the name of the constant, and "QueueChange(n)" for other
// numbers.
func (c QueueChange) String() string { return enum.String(c, "QueueChange", queueChangeNames) }

// MarshalText returns what String returns. The error is always nil.
func (c QueueChange) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText parses the name of a constant. If there is an error, c is
// unchanged.
func (c *QueueChange) UnmarshalText(text []byte) error {
	return enum.Parse(c, "QueueChange", queueChangeNames, text)
}

// Update replaces the pod's pending eviction with e, or follows [Queue.KeepTimers],
// and returns what changed. The deadline of EvictsAt and EvictsNow is e.At. Any other
// outcome cancels a pending eviction.
//
// The caller may construct e, as in Eviction{Outcome: EvictsAt, At: t}. A zero From
// then means At minus Seconds, if Seconds is positive and there is such a time.
// Otherwise From is not known: with KeepTimers, such an EvictsAt does not begin
// when it is scheduled and does not change a pending eviction.
func (q *Queue[P]) Update(pod P, e taints.Eviction) QueueChange {
	t := q.pods[pod]
	evicts := e.Outcome == taints.EvictsAt || e.Outcome == taints.EvictsNow
	switch {
	case t == nil && (!evicts || pod != pod):
		return QueueUnchanged
	case t == nil:
		q.schedule(pod, e)
		return QueueScheduled
	case evicts:
		return q.reschedule(t, e)
	case t.hasBegun:
		return QueueUnchanged
	}
	q.remove(t)
	return QueueCanceled
}

// schedule schedules the eviction of a pod that has none pending.
func (q *Queue[P]) schedule(pod P, e taints.Eviction) {
	if q.pods == nil {
		q.pods = make(map[P]*timer[P])
	}
	t := &timer[P]{pod: pod, index: int32(len(q.heap))}
	if q.KeepTimers {
		t.from, t.hasFrom = fromOf(e)
		t.hasBegun = begins(e)
	}
	q.pods[pod] = t
	q.count++
	q.added = deadline[P]{wall(e.At), q.count, t}
	heap.Push(&q.heap, &q.added)
}

// reschedule updates a pending eviction.
func (q *Queue[P]) reschedule(t *timer[P], e taints.Eviction) QueueChange {
	d := &q.heap[t.index]
	if q.KeepTimers && !d.moves(e) || d.due.Equal(e.At) {
		return QueueUnchanged
	}
	q.count++
	d.due, d.order = wall(e.At), q.count
	heap.Fix(&q.heap, int(t.index))
	return QueueMoved
}

// moves reports whether, with KeepTimers, e moves the deadline. It also records
// whether the eviction has begun.
func (d *deadline[P]) moves(e taints.Eviction) bool {
	t := d.timer
	if e.Outcome == taints.EvictsNow && !e.Tolerated {
		t.hasBegun = true
		return d.due.After(e.At)
	}
	from, ok := fromOf(e)
	switch {
	case !ok || t.hasBegun:
		return false
	case t.hasFrom && t.from.Equal(from):
		t.hasBegun = begins(e)
		return true
	}
	t.hasBegun = !from.Before(d.due)
	return false
}

// begins reports whether the eviction has begun when it is scheduled or moved.
func begins(e taints.Eviction) bool {
	from, ok := fromOf(e)
	return e.Outcome == taints.EvictsNow || ok && !from.Before(e.At)
}

// fromOf returns the time from which the seconds of the eviction count, and
// whether it is known.
func fromOf(e taints.Eviction) (from time.Time, ok bool) {
	if !e.From.IsZero() {
		return wall(e.From), true
	}
	from = time.Unix(e.At.Unix()-e.Seconds, int64(e.At.Nanosecond()))
	return from, e.Seconds > 0 && from.Before(e.At) // the difference may wrap around
}

// wall returns the time by wall clock, in UTC.
func wall(t time.Time) time.Time { return t.Round(0).UTC() }

// Delete removes the pending eviction of a pod that is gone, and reports whether
// there was one.
func (q *Queue[P]) Delete(pod P) bool {
	t := q.pods[pod]
	if t != nil {
		q.remove(t)
	}
	return t != nil
}

func (q *Queue[P]) remove(t *timer[P]) {
	delete(q.pods, t.pod)
	heap.Remove(&q.heap, int(t.index))
}

// Due returns the deadline of the pod's pending eviction, and whether it has one.
func (q *Queue[P]) Due(pod P) (time.Time, bool) {
	if t := q.pods[pod]; t != nil {
		return q.heap[t.index].due, true
	}
	return time.Time{}, false
}

// Len returns the number of pending evictions.
func (q *Queue[P]) Len() int { return len(q.heap) }

// Next returns the earliest deadline, and whether there is one.
func (q *Queue[P]) Next() (time.Time, bool) {
	if len(q.heap) == 0 {
		return time.Time{}, false
	}
	return q.heap[0].due, true
}

// PopDue returns an iterator over the pods whose deadlines are not after now, with
// the deadlines, in order. It removes each pod before it yields it. The loop body may
// end early, and may update the queue: each step yields the pod that is then due
// first. To retry an eviction, schedule it for a later time, in another Queue if an
// Update of the pod may come before.
func (q *Queue[P]) PopDue(now time.Time) iter.Seq2[P, time.Time] {
	return func(yield func(P, time.Time) bool) {
		for len(q.heap) > 0 && !q.heap[0].due.After(now) {
			first := q.heap[0]
			q.remove(first.timer)
			if !yield(first.timer.pod, first.due) {
				return
			}
		}
	}
}

// All returns an iterator over all pods with pending evictions, with their
// deadlines, in no particular order. The loop body may update the queue, as with a
// map.
func (q *Queue[P]) All() iter.Seq2[P, time.Time] {
	return func(yield func(P, time.Time) bool) {
		for pod, t := range q.pods {
			if !yield(pod, q.heap[t.index].due) {
				return
			}
		}
	}
}

// deadlines is a heap with the earliest deadline first.
type deadlines[P comparable] []deadline[P]

func (h deadlines[P]) Len() int { return len(h) }

func (h deadlines[P]) Less(i, j int) bool {
	a, b := &h[i], &h[j]
	return a.due.Before(b.due) || a.order < b.order && a.due.Equal(b.due)
}

func (h deadlines[P]) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].timer.index, h[j].timer.index = int32(i), int32(j)
}

func (h *deadlines[P]) Push(d any) { *h = append(*h, *d.(*deadline[P])) }

// Pop returns nil, because callers of heap.Remove know what they remove.
func (h *deadlines[P]) Pop() any {
	end := len(*h) - 1
	*h = slices.Delete(*h, end, end+1)
	return nil
}
