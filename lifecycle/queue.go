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
// their deadlines. Among equal deadlines the first that was set comes first. It runs
// no timer. Times are compared by wall clock and returned in UTC.
//
// The zero Queue is empty and ready to use. A Queue must not be copied after first
// use, and is not safe for concurrent use.
//
// An update of a pending eviction follows the running timers of Kubernetes'
// taint-eviction controller, so a controller may evaluate a pod as often as it likes.
// Kubernetes deletes a pod as soon as its timer fires, and cannot call that back. So
// an eviction begins, here too: then it is not canceled, even if the pod stays. The
// first of these rules that applies decides:
//
//   - An eviction that Retry set does not begin. It is canceled if the pod stays, and
//     otherwise does not change.
//   - An untolerated taint (EvictsNow without Tolerated) begins the eviction,
//     and moves it to At if that is earlier.
//   - An eviction that began does not change. Only Delete, Retry and PopDue
//     remove it.
//   - If the pod stays, the eviction is canceled.
//   - If From is the same, the eviction moves to At, earlier or later.
//   - If From is different, the eviction keeps its deadline. If From is not
//     before the deadline, the eviction begins.
//
// An EvictsNow, or an EvictsAt whose At is not after its From, begins when Update
// schedules or moves it. A controller that wakes up at each deadline calls PopDue
// before Update, as Kubernetes does. A controller that polls calls Update first, so
// that a node that recovered since the last look keeps its pods.
//
// P names a pod: by its UID, or by its namespace and name. Names follow Go's rules for keys
// of maps: one that does not equal itself, such as NaN, is never found again and takes
// memory for good, and one that cannot be compared panics.
//
// Update, Delete, Retry and each step of PopDue take time logarithmic in the number of
// pending evictions. The memory of a Queue is proportional to the most evictions
// that it held.
type Queue[P comparable] struct {
	// NewestWins replaces the rules of [Queue]: every Update sets the deadline anew, or
	// cancels the eviction. Set it before the first Update. Use it with
	// [taints.EvictionPolicy.FromTimeAdded], for taints that all have a TimeAdded. For
	// others, each look postpones the deadline, and the pod is never due.
	NewestWins bool

	_     noCopy
	pods  map[P]*timer[P]
	heap  deadlines[P]
	added deadline[P] // what heap.Push adds; a field takes no allocation
	sets  uint64      // how many deadlines were set
}

// A timer is the pending eviction of a pod.
type timer[P comparable] struct {
	pod      P
	from     time.Time // from which the seconds run, if hasFrom is true
	index    int       // in the heap
	hasFrom  bool
	hasBegun bool
	retries  bool // it was set by Retry
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
	// QueueUnchanged: nothing changed.
	QueueUnchanged QueueChange = iota
	// QueueScheduled: there is a new pending eviction.
	QueueScheduled
	// QueueMoved: the deadline of the pending eviction changed.
	QueueMoved
	// QueueCanceled: the pending eviction is gone.
	QueueCanceled
)

var queueChangeNames = []string{"QueueUnchanged", "QueueScheduled", "QueueMoved", "QueueCanceled"}

// String returns the name of the constant, and "QueueChange(n)" for other
// numbers.
func (c QueueChange) String() string { return enum.String(c, "QueueChange", queueChangeNames) }

// MarshalText returns what String returns. The error is always nil.
func (c QueueChange) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// Update sets, moves or cancels the pod's pending eviction, by the rules of [Queue],
// and returns what changed. The deadline of EvictsAt and EvictsNow is e.At. With any
// other outcome the pod stays.
//
// The caller may construct e, as in Eviction{Outcome: EvictsAt, At: t}. If From is
// zero and Seconds is positive, From is At minus Seconds. Otherwise a zero From is
// unknown: such an EvictsAt does not begin when it is scheduled and does not change a
// pending eviction.
func (q *Queue[P]) Update(pod P, e taints.Eviction) QueueChange {
	t := q.pods[pod]
	evicts := e.Outcome == taints.EvictsAt || e.Outcome == taints.EvictsNow
	switch {
	case t == nil && !evicts:
		return QueueUnchanged
	case t == nil:
		q.schedule(pod, e)
		return QueueScheduled
	case evicts && t.retries && !(q.NewestWins && q.heap[t.index].due.Before(e.At)):
		return QueueUnchanged
	case evicts:
		return q.reschedule(t, e)
	case t.hasBegun:
		return QueueUnchanged
	}
	q.remove(t)
	return QueueCanceled
}

// schedule schedules the eviction of a pod without a pending one.
func (q *Queue[P]) schedule(pod P, e taints.Eviction) *timer[P] {
	if q.pods == nil {
		q.pods = make(map[P]*timer[P])
	}
	t := &timer[P]{pod: pod, index: len(q.heap)}
	if !q.NewestWins {
		t.from, t.hasFrom = fromOf(e)
		t.hasBegun = begins(e)
	}
	q.pods[pod] = t
	q.sets++
	q.added = deadline[P]{wall(e.At), q.sets, t}
	heap.Push(&q.heap, &q.added)
	return t
}

// reschedule updates a pending eviction, by the rules of Queue in their order.
func (q *Queue[P]) reschedule(t *timer[P], e taints.Eviction) QueueChange {
	d := &q.heap[t.index]
	if !q.NewestWins {
		from, known := fromOf(e)
		switch {
		case e.Outcome == taints.EvictsNow && !e.Tolerated:
			t.hasBegun = true
			if !d.due.After(e.At) {
				return QueueUnchanged
			}
		case t.hasBegun || !known:
			return QueueUnchanged
		case t.hasFrom && t.from.Equal(from):
			t.hasBegun = begins(e)
		default:
			t.hasBegun = !from.Before(d.due)
			return QueueUnchanged
		}
	}
	if d.due.Equal(e.At) {
		return QueueUnchanged
	}
	t.retries = false
	q.sets++
	d.due, d.order = wall(e.At), q.sets
	heap.Fix(&q.heap, t.index)
	return QueueMoved
}

// Retry schedules the eviction of a pod again, for an eviction that failed, in place
// of a pending one. Until then an Update does not make it earlier. With one by which
// the pod stays, it is canceled. Under NewestWins, an Update with a later deadline
// moves it. If the pod may have been updated between PopDue and Retry, call Update
// after Retry: the node may have recovered.
func (q *Queue[P]) Retry(pod P, at time.Time) {
	q.Delete(pod)
	q.schedule(pod, taints.Eviction{Outcome: taints.EvictsAt, At: at}).retries = true
}

// begins reports whether the eviction begins when it is scheduled or moved.
func begins(e taints.Eviction) bool {
	from, ok := fromOf(e)
	return e.Outcome == taints.EvictsNow || ok && !from.Before(e.At)
}

// fromOf returns the time from which the seconds of the eviction run, and
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
	heap.Remove(&q.heap, t.index)
	t.index = -1 // All may still find it, by a name that does not equal itself
}

// Due returns the deadline of the pod's pending eviction, and whether there is one.
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
// first. If an eviction fails, call Retry.
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
			if t.index >= 0 && !yield(pod, q.heap[t.index].due) {
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
	h[i].timer.index, h[j].timer.index = i, j
}

func (h *deadlines[P]) Push(d any) { *h = append(*h, *d.(*deadline[P])) }

// Pop returns nil, because callers of heap.Remove know what they remove.
func (h *deadlines[P]) Pop() any {
	end := len(*h) - 1
	*h = slices.Delete(*h, end, end+1)
	return nil
}
