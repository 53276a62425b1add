// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"iter"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/enum"
)

// A Queue holds the pending evictions of pods, and reports when the next one is
// due. Pod names may have any comparable type. A Queue has no goroutine, timer
// or clock: the caller sleeps until [Queue.Next] and then evicts the pods of
// [Queue.PopDue]. The zero Queue is empty and ready to use. A Queue must not be
// copied after first use, and is not safe for concurrent use.
//
// A pod has at most one pending eviction. Evictions are in the order of their
// deadlines, and those with equal deadlines in the order in which the deadlines
// were set. Deadlines are compared by wall clock, in nanoseconds, over the
// whole range of [time.Time], and returned in UTC.
//
// A name that does not equal itself, such as NaN, is never in the queue. As in
// a map, a name of an interface type panics if its value is not comparable.
type Queue[P comparable] struct {
	// KeepTimers makes Update behave like Kubernetes' taint-eviction controller
	// when it evaluates a pod again. It must be set before the first Update.
	// Without KeepTimers the newest eviction counts.
	//
	// With KeepTimers a pending eviction is a timer. Later updates do not change
	// it, whether their deadline is earlier or later, except as follows:
	//
	//   - An untolerated taint evicts the pod at once.
	//   - If the pod stays, its pending eviction is canceled.
	//   - Otherwise the deadline moves only if both evictions have the same
	//     From, by wall clock and to the nanosecond. So a taint that is tolerated
	//     for no time does not bring a pending eviction forward.
	//   - An eviction that has begun is never canceled or postponed, even if the
	//     pod stays: only Delete and PopDue remove it. It begins when an
	//     EvictsNow, or an EvictsAt whose At is not after its From, schedules or
	//     moves it; when an untolerated taint evicts the pod; and when an update
	//     has a From that is not before its deadline.
	//
	// So setting the wall clock back moves nothing. Kubernetes starts a deletion
	// when it is due, so call PopDue before Update.
	KeepTimers bool

	_     noCopy
	pods  map[P]int32 // indexes in slots
	slots []slot[P]
	free  int32 // the first free slot plus 1, or 0 for none
	heap  []pending
	count uint64 // the number of deadlines so far
	loops int    // the number of loops over All in progress
}

// A slot holds a pod with a pending eviction, or is free.
type slot[P comparable] struct {
	pod   P
	since instant // the time from which the seconds count, or begun or unknown
	at    int32   // index in the heap; in a free slot, -1 minus (the next free slot plus 1)
}

// Two values that are not times: begun is the since of an eviction that has
// begun, and unknown is the since of one whose From is not known.
var begun, unknown = instant{nanos: -1}, instant{nanos: -2}

// noCopy makes "go vet" find copies.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

// A QueueChange describes how an update changed a pod's pending eviction.
type QueueChange uint8

const (
	// Unchanged: the pod still has the same pending eviction, or still has none.
	Unchanged QueueChange = iota
	// Scheduled: the pod had no pending eviction, and now has one.
	Scheduled
	// Moved: the pending eviction now has another deadline.
	Moved
	// Canceled: the pod had a pending eviction, and now has none.
	Canceled
)

var queueChangeNames = []string{"Unchanged", "Scheduled", "Moved", "Canceled"}

// String returns the name of the constant, and "QueueChange(n)" for other
// numbers.
func (c QueueChange) String() string {
	return enum.String(c, "QueueChange", queueChangeNames)
}

// MarshalText returns what String returns. The error is always nil.
func (c QueueChange) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText parses the name of a constant. The error is a
// [*taints.FieldError], and c is then unchanged.
func (c *QueueChange) UnmarshalText(text []byte) error {
	return enum.Unmarshal(c, queueChangeNames, text, unknownName)
}

// Update replaces the pod's pending eviction with e, and returns what changed.
// The deadline of EvictsAt and EvictsNow is e.At. Stays, or an unknown outcome,
// cancels a pending eviction. With [Queue.KeepTimers] a pending eviction may
// remain unchanged.
//
// The caller may construct e, as in Eviction{Outcome: EvictsAt, At: t}. A zero
// From then means At minus Seconds if Seconds is positive. Otherwise From is
// not known: with KeepTimers, such an EvictsAt does not begin when it is
// scheduled and does not change a pending eviction.
func (q *Queue[P]) Update(pod P, e taints.Eviction) QueueChange {
	if pod != pod {
		return Unchanged
	}
	evicts := e.Outcome == taints.EvictsAt || e.Outcome == taints.EvictsNow
	i, present := q.pods[pod]
	switch {
	case present && evicts:
		return q.reschedule(i, e)
	case present:
		return q.cancel(i)
	case evicts:
		q.schedule(pod, e)
		return Scheduled
	}
	return Unchanged
}

// cancel removes the pod in the slot, unless its eviction has begun.
func (q *Queue[P]) cancel(i int32) QueueChange {
	if q.slots[i].since == begun {
		return Unchanged
	}
	q.remove(i)
	return Canceled
}

// reschedule updates the pending eviction in the slot.
func (q *Queue[P]) reschedule(i int32, e taints.Eviction) QueueChange {
	due := instantOf(e.At)
	if q.KeepTimers && !q.moves(&q.slots[i], due, e) {
		return Unchanged
	}
	return q.move(i, due)
}

// moves reports whether, with KeepTimers, the eviction moves the pending one of
// the slot to due. It also records whether the pending eviction has begun.
func (q *Queue[P]) moves(s *slot[P], due instant, e taints.Eviction) bool {
	pending := q.heap[s.at].due
	if e.Outcome == taints.EvictsNow && !e.Tolerated {
		s.since = begun
		return due.before(pending)
	}
	from := fromOf(e)
	if from == unknown {
		return false
	}
	if s.since == from {
		s.since = q.sinceOf(e)
		return true
	}
	if !from.before(pending) {
		s.since = begun
	}
	return false
}

// fromOf returns the time from which the seconds of the eviction count.
func fromOf(e taints.Eviction) instant {
	switch {
	case !e.From.IsZero():
		return instantOf(e.From)
	case e.Seconds <= 0:
		return unknown
	}
	at := instantOf(e.At)
	return newInstant(at.seconds()-e.Seconds, at.nanos)
}

// sinceOf returns the since of a slot for the eviction.
func (q *Queue[P]) sinceOf(e taints.Eviction) instant {
	if !q.KeepTimers {
		return instant{}
	}
	from := fromOf(e)
	if e.Outcome == taints.EvictsNow || from != unknown && !from.before(instantOf(e.At)) {
		return begun
	}
	return from
}

// Delete removes the pod's pending eviction, and reports whether there was one.
// It is for pods that are gone.
func (q *Queue[P]) Delete(pod P) bool {
	i, present := q.pods[pod]
	if present {
		q.remove(i)
	}
	return present
}

// Due returns the deadline of the pod's pending eviction. It returns the zero time
// and false if there is none.
func (q *Queue[P]) Due(pod P) (time.Time, bool) {
	i, present := q.pods[pod]
	if !present {
		return time.Time{}, false
	}
	return q.heap[q.slots[i].at].due.time(), true
}

// Len returns the number of pending evictions.
func (q *Queue[P]) Len() int { return len(q.heap) }

// Next returns the earliest deadline. It returns the zero time and false if the
// queue is empty.
func (q *Queue[P]) Next() (time.Time, bool) {
	if len(q.heap) == 0 {
		return time.Time{}, false
	}
	return q.heap[0].due.time(), true
}

// PopDue returns an iterator over the pods whose deadlines are not after now,
// with the deadlines, in order. It removes each pod from the queue before it
// yields it. If a loop ends early, the other pods stay in the queue.
//
// The loop body may update the queue, because each step yields the pod that is
// then due first. A pod that the body schedules for now or earlier is yielded
// in the same loop. To retry an eviction, schedule it for a later time. Because
// the pod's next Update moves it, a controller that evaluates its pods
// meanwhile should keep failed evictions in a separate Queue.
func (q *Queue[P]) PopDue(now time.Time) iter.Seq2[P, time.Time] {
	return func(yield func(P, time.Time) bool) { q.popDue(instantOf(now), yield) }
}

func (q *Queue[P]) popDue(now instant, yield func(P, time.Time) bool) {
	for len(q.heap) > 0 && !now.before(q.heap[0].due) {
		first := q.heap[0]
		pod := q.slots[first.slot].pod
		q.remove(first.slot)
		if !yield(pod, first.due.time()) {
			return
		}
	}
}

// All returns an iterator over all pods with pending evictions, with their
// deadlines, in no particular order.
//
// The loop body may update the queue, as with a map: a pod that it removes is
// no longer yielded, a pod that it moves is yielded once, with its deadline at
// that time, and a pod that it schedules may or may not be yielded.
func (q *Queue[P]) All() iter.Seq2[P, time.Time] {
	return func(yield func(P, time.Time) bool) { q.all(yield) }
}

func (q *Queue[P]) all(yield func(P, time.Time) bool) {
	q.loops++ // keeps the slots in place
	defer func() {
		q.loops--
		q.shrink()
	}()
	for i := 0; i < len(q.slots); i++ {
		if s := &q.slots[i]; s.at >= 0 && !yield(s.pod, q.heap[s.at].due.time()) {
			return
		}
	}
}

// schedule schedules the eviction of a pod that has none pending.
func (q *Queue[P]) schedule(pod P, e taints.Eviction) {
	i := q.newSlot()
	if q.pods == nil {
		q.pods = make(map[P]int32)
	}
	q.pods[pod] = i
	q.slots[i].pod, q.slots[i].since = pod, q.sinceOf(e)
	q.push(pending{instantOf(e.At), i, q.nextOrder()})
}

// newSlot returns the index of a slot without a pod.
func (q *Queue[P]) newSlot() int32 {
	if q.free == 0 {
		q.slots = append(q.slots, slot[P]{})
		return int32(len(q.slots) - 1)
	}
	i := q.free - 1
	q.free = -1 - q.slots[i].at
	return i
}

// move sets another deadline for the pending eviction in the slot.
func (q *Queue[P]) move(i int32, due instant) QueueChange {
	at := int(q.slots[i].at)
	if q.heap[at].due == due {
		return Unchanged
	}
	q.fix(at, pending{due, i, q.nextOrder()})
	return Moved
}

// nextOrder returns a number larger than all previous ones.
func (q *Queue[P]) nextOrder() uint64 {
	q.count++
	return q.count
}

// remove removes the pod in the slot.
func (q *Queue[P]) remove(i int32) {
	s := &q.slots[i]
	delete(q.pods, s.pod)
	q.cut(int(s.at))
	*s = slot[P]{at: -1 - q.free}
	q.free = i + 1
	q.shrink()
}

// shrink releases memory if at most a quarter of the slots hold pods. It takes
// time proportional to what is left, after at least three times as many removals.
func (q *Queue[P]) shrink() {
	const small = 32 // with so few slots, it is not worth the time
	n := len(q.heap)
	if len(q.slots) <= small || n > len(q.slots)/4 || q.loops > 0 {
		return
	}
	slots, heap := q.slots, q.heap
	q.pods, q.free = make(map[P]int32, n), 0
	q.slots, q.heap = make([]slot[P], n), make([]pending, n)
	for i, p := range heap {
		s := slots[p.slot]
		q.pods[s.pod], q.slots[i] = int32(i), s
		p.slot = int32(i)
		q.put(i, p)
	}
}
