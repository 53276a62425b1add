package lifecycle

import (
	"iter"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/enum"
)

// A Queue holds the pending evictions of pods, which any comparable type may
// name, and says when the next is due. It has no goroutine, timer or clock: the
// caller sleeps until [Queue.Next] and then evicts what [Queue.PopDue] yields.
// The zero Queue is empty and ready to use. A Queue must not be copied after
// first use, and is not safe for concurrent use.
//
// A pod has at most one pending eviction. Evictions come out in the order of
// their deadlines, and those of one deadline in the order in which they got it.
// Deadlines compare by wall clock, to the nanosecond, over the whole range of
// time.Time, and come out in UTC.
//
// A name that does not equal itself, such as a NaN, is no pod: it is never in
// the queue. As in a map, a name of an interface type panics if it holds a value
// that cannot be compared.
type Queue[P comparable] struct {
	// KeepTimers makes Update do what Kubernetes' taint-eviction controller
	// does when it looks at a pod again. Set it before the first Update. The
	// zero value makes the newest answer count.
	//
	// Under KeepTimers a pending eviction is a timer, which later looks leave
	// alone, whether they lead to an earlier or a later deadline:
	//
	//   - An untolerated taint evicts the pod at once.
	//   - A pod that stays loses its pending eviction.
	//   - Otherwise the deadline moves only if the seconds count from the very
	//     moment from which those of the first look count: if both have the
	//     same From, by wall clock and to the nanosecond. Tolerating a taint
	//     for no time thus does not hasten a pending eviction.
	//   - An eviction that has begun is never taken back and never put off, not
	//     even if the pod stays: only Delete and PopDue remove it. It begins
	//     when EvictsNow, or an EvictsAt whose At is not after its From,
	//     schedules or moves it; when an untolerated taint evicts the pod; and
	//     when an Update has a From that is not before its deadline.
	//
	// A wall clock that steps back therefore moves nothing. As Kubernetes starts
	// a deletion when its time has come, call PopDue before Update.
	KeepTimers bool

	_     noCopy
	pods  map[P]int32 // indexes in slots; more pods than that do not fit into memory
	slots []slot[P]
	free  int32 // the first free slot, plus 1; 0 for none
	heap  []pending
	count uint64 // of the deadlines given out so far
	loops int    // over All that are under way
}

// A slot is a pod with a pending eviction, or free.
type slot[P comparable] struct {
	pod   P
	since instant // what the seconds count from, or begun
	at    int32   // in the heap; in a free slot -1 less the next one plus 1
}

// begun is what the seconds count from when an eviction has begun: no time.
var begun = instant{nanos: -1}

// noCopy makes "go vet" find copies.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

// A QueueChange says what an update did to a pod's pending eviction.
type QueueChange uint8

const (
	// Unchanged: the pod had no pending eviction and has none, or it keeps the
	// one that it has.
	Unchanged QueueChange = iota
	// Scheduled: the pod had no pending eviction and has one now.
	Scheduled
	// Moved: the pending eviction has another deadline now.
	Moved
	// Canceled: the pod had a pending eviction and has none now.
	Canceled
)

var queueChangeNames = []string{"Unchanged", "Scheduled", "Moved", "Canceled"}

// String returns the name of the constant, and "QueueChange(n)" for other
// numbers.
func (c QueueChange) String() string { return enum.Name("QueueChange", int(c), queueChangeNames) }

// MarshalText returns what String returns. The error is always nil.
func (c QueueChange) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads the name of a constant. The error is a
// [*taints.ParseError].
func (c *QueueChange) UnmarshalText(text []byte) error {
	return unmarshalName(c, "QueueChange", queueChangeNames, text)
}

// Update makes the eviction the pod's pending one, and returns what that
// changed. For EvictsAt and EvictsNow the deadline is the eviction's At; for
// Stays, or an unknown outcome, a pending eviction is canceled. Under KeepTimers
// a pending eviction may stay as it is.
//
// The eviction may be one that the caller made: {Outcome: EvictsAt, At: t}. A
// From that is zero stands for At less Seconds, if that is positive. An
// EvictsNow of the caller's is that of an untolerated taint.
func (q *Queue[P]) Update(pod P, e taints.Eviction) QueueChange {
	if pod != pod {
		return Unchanged
	}
	evicts := e.Outcome == taints.EvictsAt || e.Outcome == taints.EvictsNow
	i, known := q.pods[pod]
	switch {
	case known && evicts:
		return q.reschedule(i, e)
	case known:
		return q.cancel(i)
	case evicts:
		q.add(pod, e)
		return Scheduled
	}
	return Unchanged
}

// cancel takes out the pod in the slot, unless its eviction has begun.
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

// moves reports whether the eviction, which is due then, moves the pending one
// of the pod under KeepTimers. It also notes that the pending one has begun.
func (q *Queue[P]) moves(s *slot[P], due instant, e taints.Eviction) bool {
	pending := q.heap[s.at].due
	if untolerated(e) {
		s.since = begun
		return due.before(pending)
	}
	from := fromOf(e)
	if s.since == from {
		s.since = q.sinceOf(e)
		return true
	}
	if !from.before(pending) {
		s.since = begun
	}
	return false
}

// untolerated reports whether a taint that is not tolerated evicts at once.
func untolerated(e taints.Eviction) bool {
	_, tolerated := e.Toleration()
	return e.Outcome == taints.EvictsNow && !tolerated
}

// fromOf returns since when the seconds of the eviction count.
func fromOf(e taints.Eviction) instant {
	if !e.From.IsZero() {
		return instantOf(e.From)
	}
	at := instantOf(e.At)
	return newInstant(at.seconds()-max(e.Seconds, 0), at.nanos)
}

// sinceOf returns what a slot holds for the eviction.
func (q *Queue[P]) sinceOf(e taints.Eviction) instant {
	if !q.KeepTimers {
		return instant{}
	}
	if e.Outcome == taints.EvictsNow || !e.At.After(e.From) {
		return begun
	}
	return fromOf(e)
}

// Delete takes out the pod's pending eviction, as when the pod is gone, and
// reports whether there was one.
func (q *Queue[P]) Delete(pod P) bool {
	i, known := q.pods[pod]
	if known {
		q.remove(i)
	}
	return known
}

// Due returns the deadline of the pod's pending eviction, and whether there is
// one.
func (q *Queue[P]) Due(pod P) (time.Time, bool) {
	i, known := q.pods[pod]
	if !known {
		return time.Time{}, false
	}
	return q.heap[q.slots[i].at].due.time(), true
}

// Len returns the number of pending evictions.
func (q *Queue[P]) Len() int { return len(q.heap) }

// Next returns the earliest deadline, and whether there is one.
func (q *Queue[P]) Next() (time.Time, bool) {
	if len(q.heap) == 0 {
		return time.Time{}, false
	}
	return q.heap[0].due.time(), true
}

// PopDue yields the pods whose deadline is not after now, with the deadlines, in
// order. It takes a pod out of the queue right before it yields it; a loop that
// ends early leaves the others in.
//
// The loop body may update the queue: each step yields what is then due first.
// A pod that the body removes, or moves beyond now, does not come; one that it
// schedules for now or before comes in this loop. To try an eviction again
// later, schedule it for later.
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

// All yields every pod with a pending eviction, with its deadline, in no
// particular order. It takes nothing out of the queue.
//
// The loop body may update the queue, as it may a map: a pod that it removes
// does not come any more, one that it moves comes once, with the deadline that
// it then has, and one that it schedules may come or not.
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

// add schedules the eviction of a pod that has none pending.
func (q *Queue[P]) add(pod P, e taints.Eviction) {
	i := q.newSlot()
	if q.pods == nil {
		q.pods = make(map[P]int32)
	}
	q.pods[pod] = i
	q.slots[i].pod, q.slots[i].since = pod, q.sinceOf(e)
	q.push(pending{instantOf(e.At), i, q.nextOrder()})
}

// newSlot returns a slot without a pod.
func (q *Queue[P]) newSlot() int32 {
	if q.free == 0 {
		q.slots = append(q.slots, slot[P]{})
		return int32(len(q.slots) - 1)
	}
	i := q.free - 1
	q.free = -1 - q.slots[i].at
	return i
}

// move gives the pending eviction in the slot another deadline.
func (q *Queue[P]) move(i int32, due instant) QueueChange {
	at := int(q.slots[i].at)
	if q.heap[at].due == due {
		return Unchanged
	}
	q.fix(at, pending{due, i, q.nextOrder()})
	return Moved
}

// nextOrder returns a number larger than all before.
func (q *Queue[P]) nextOrder() uint64 {
	q.count++
	return q.count
}

// remove takes out the pod in the slot.
func (q *Queue[P]) remove(i int32) {
	s := &q.slots[i]
	delete(q.pods, s.pod)
	q.cut(int(s.at))
	*s = slot[P]{at: -1 - q.free}
	q.free = i + 1
	q.shrink()
}

// shrink gives back memory when at most a quarter of the slots holds a pod. It
// takes time in proportion to what is left, and at least three times as many
// removals came before.
func (q *Queue[P]) shrink() {
	const small = 32 // slots, not worth the time
	n := len(q.heap)
	if len(q.slots) <= small || n > len(q.slots)/4 || q.loops > 0 {
		return
	}
	slots, heap := q.slots, q.heap
	q.pods, q.slots, q.heap, q.free = make(map[P]int32, n), make([]slot[P], n), make([]pending, n), 0
	for i, p := range heap {
		s := slots[p.slot]
		q.pods[s.pod], q.slots[i] = int32(i), s
		p.slot = int32(i)
		q.put(i, p)
	}
}
