package taints

import (
	"iter"
	"time"
)

// A Selection says which of several tolerations that match a NoExecute taint counts for it.
type Selection uint8

const (
	// FirstMatch takes the first in list order, as Kubernetes does.
	FirstMatch Selection = iota
	// LongestMatch takes the one that tolerates longest, the first of several such.
	LongestMatch
	// ShortestMatch takes the one that tolerates shortest, the first of several such.
	ShortestMatch
)

// String returns the name of the constant, and shows a number that stands for nothing as such.
func (s Selection) String() string {
	return enumName("selection", int(s), "FirstMatch", "LongestMatch", "ShortestMatch")
}

// An Outcome says what becomes of a running pod.
type Outcome uint8

const (
	// Stays: nothing evicts the pod.
	Stays Outcome = iota
	// EvictsAt: the pod is evicted when its tolerationSeconds are over.
	EvictsAt
	// EvictsNow: the pod is evicted at once.
	EvictsNow
)

// String returns the name of the constant, and shows a number that stands for nothing as such.
func (o Outcome) String() string {
	return enumName("outcome", int(o), "Stays", "EvictsAt", "EvictsNow")
}

// An EvictionPolicy says how evictions are computed. The zero policy is what Kubernetes' taint-eviction controller does. It
// is comparable.
type EvictionPolicy struct {
	// Select says which matching toleration counts for a taint. A value that is none of the three counts as FirstMatch.
	Select Selection
	// FromTimeAdded counts a taint's seconds from its TimeAdded, where that is set, instead of from the time of
	// observation. A controller that restarts then finds the same deadlines again, while Kubernetes' gives every pod its
	// full time anew. A taint that replaces another, as unreachable does not-ready, has a later TimeAdded and sets a later
	// deadline.
	FromTimeAdded bool
}

// An Eviction is what the NoExecute taints of a node do to a pod that runs there. The zero Eviction is a pod that stays,
// except that its Taint and Toleration are 0.
type Eviction struct {
	// Outcome says whether the pod stays, or leaves at a time or at once.
	Outcome Outcome
	// At is the earliest deadline that a taint sets, and the zero time for Stays. For EvictsNow it is the time of
	// observation, or earlier where the policy counts from TimeAdded: the pod is overdue since then. It keeps the
	// location, and within reach the monotonic clock reading, of the time it counts from.
	At time.Time
	// Seconds is the tolerationSeconds that decided, as written: zero or negative ones mean at once. It is 0 for Stays and
	// for a taint that is not tolerated.
	Seconds int64
	// Taint and Toleration are the indexes of the pair that decided: a taint without toleration has Toleration -1, and for
	// Stays both are -1.
	Taint, Toleration int
}

// Evict computes when a pod with the tolerations leaves a node with the taints, under the zero [EvictionPolicy], that
// is, as Kubernetes' taint-eviction controller does. Only NoExecute taints count.
//
//   - A NoExecute taint that no toleration matches evicts now; the first such taint decides.
//   - Otherwise each NoExecute taint has the seconds of the first toleration that matches it. None set is for ever; zero
//     or less is now, and the first such taint decides.
//   - Otherwise the taint with the earliest deadline decides, the first of several, and the pod leaves seconds after
//     observed, which is when the controller saw the taints.
//
// A later toleration of the same taint does not count, even if it tolerates longer, and neither does the effect of a
// toleration with seconds, as long as it matches. Seconds may be any int64. In Kubernetes, more than 9223372036 of them
// overflow time.Duration: 9223372037 are for ever and 18446744074 less than a second. Here nothing overflows; a deadline
// that no time.Time can hold is for ever.
//
// All input is accepted, see [Toleration.Tolerates]. Nothing is allocated or retained.
func Evict(taints []Taint, tolerations []Toleration, observed time.Time) Eviction {
	return EvictionPolicy{}.evict(taints, observed, func(t *Taint, after int) (int, *int64) {
		i := next(tolerations, t, after)
		if i < 0 {
			return i, nil
		}
		return i, tolerations[i].TolerationSeconds
	})
}

// Evict is the function [Evict] for the compiled tolerations and under the policy, which see. A nil Matcher tolerates
// nothing.
func (p EvictionPolicy) Evict(m *Matcher, taints []Taint, observed time.Time) Eviction {
	return p.evict(taints, observed, func(t *Taint, after int) (int, *int64) {
		i := m.next(t, after)
		if i < 0 {
			return i, nil
		}
		return i, m.rules[i].TolerationSeconds
	})
}

// evict implements Evict. The function next returns the index of the first toleration behind the index after that matches
// the taint, and its seconds, or -1.
func (p EvictionPolicy) evict(taints []Taint, observed time.Time, next func(t *Taint, after int) (int, *int64)) Eviction {
	e := Eviction{Taint: -1, Toleration: -1}
	for i := range taints {
		t := &taints[i]
		if t.Effect != NoExecute {
			continue
		}
		toleration, tolerated := p.choose(t, next)
		seconds := int64(0)
		if toleration >= 0 {
			if tolerated == nil {
				continue
			}
			seconds = *tolerated
		}
		if e.Outcome == EvictsAt && seconds >= e.Seconds && !p.FromTimeAdded {
			continue // no earlier, as both count from observed; spares half of the work for two taints
		}
		from := observed
		if p.FromTimeAdded && t.TimeAdded != nil {
			from = *t.TimeAdded
		}
		if seconds <= 0 {
			if from.After(observed) {
				from = observed
			}
			e.combine(Eviction{EvictsNow, from, seconds, i, toleration})
		} else if at, ok := addSeconds(from, seconds); ok {
			e.combine(Eviction{EvictsAt, at, seconds, i, toleration})
		}
	}
	return e
}

// combine makes e what it and f, which a later taint leads to, lead to together. Now decides over later, an untolerated
// taint over one tolerated for no time, an earlier deadline over a later one, and otherwise the earlier taint. The
// earlier deadline holds in any case.
func (e *Eviction) combine(f Eviction) {
	if e.Outcome == Stays {
		*e = f
		return
	}
	decides, earlier := false, f.At.Before(e.At)
	switch {
	case f.Outcome != e.Outcome:
		decides = f.Outcome == EvictsNow
	case f.Outcome == EvictsNow:
		decides = f.Toleration < 0 && e.Toleration >= 0
	default:
		decides = earlier
	}
	at := e.At
	if earlier {
		at = f.At
	}
	if decides {
		*e = f
	}
	e.At = at
}

// choose returns the index of the toleration that counts for the taint, and its seconds, or -1 if none matches.
func (p EvictionPolicy) choose(t *Taint, next func(t *Taint, after int) (int, *int64)) (toleration int, seconds *int64) {
	toleration, seconds = next(t, -1)
	if toleration < 0 || p.Select != LongestMatch && p.Select != ShortestMatch {
		return toleration, seconds
	}
	for i, s := next(t, toleration); i >= 0; i, s = next(t, i) {
		if p.Select == LongestMatch && outlasts(s, seconds) || p.Select == ShortestMatch && outlasts(seconds, s) {
			toleration, seconds = i, s
		}
	}
	return toleration, seconds
}

// outlasts reports whether tolerating for a seconds is longer than for b seconds.
func outlasts(a, b *int64) bool {
	if a == nil || b == nil {
		return a == nil && b != nil
	}
	return max(*a, 0) > max(*b, 0)
}

// maxUnix is the last second that a time.Time can hold: it counts seconds from year 1 in an int64.
const maxUnix = 1<<63 - 1 - sinceYear1

// addSeconds returns t and the seconds, which are positive, and whether a time.Time can hold that. Unlike time.Time.Add
// it is not limited to the range of time.Duration.
func addSeconds(t time.Time, seconds int64) (sum time.Time, ok bool) {
	if t.Unix() > maxUnix-seconds {
		return time.Time{}, false
	}
	if seconds <= int64(1<<63-1)/int64(time.Second) {
		return t.Add(time.Duration(seconds) * time.Second), true
	}
	return time.Unix(t.Unix()+seconds, int64(t.Nanosecond())).In(t.Location()), true
}

// An EvictionQueue holds the pending evictions of many pods, which are named by any comparable type, and says when the next
// is due. It has no goroutine, timer or clock of its own: the caller sleeps until [EvictionQueue.Next], and then evicts what
// [EvictionQueue.PopDue] yields. The zero EvictionQueue is empty and ready to use; it must not be copied once it is in use.
// It is not safe for concurrent use: a controller that has several workers guards it with a mutex.
//
// A pod has at most one pending eviction. Evictions come out in order of their deadline, and those of one deadline in the
// order in which they got it. Deadlines are compared by wall clock, to the nanosecond, over all times that a time.Time can
// hold, and come out in UTC. Update and Remove take time in proportion to the logarithm of the number of pending evictions.
//
// A name that does not equal itself, such as a NaN, is no pod: Update and Remove do nothing with it. A name of an interface
// type that holds a value that can not be compared panics, as in a map.
type EvictionQueue[P comparable] struct {
	// KeepTimers makes Update do what Kubernetes' taint-eviction controller does (processPodOnNode): a pending eviction does
	// not move when a later look at the pod leads to another deadline, be it earlier or later, only when an untolerated
	// taint evicts the pod at once; it is cancelled when the pod stays. The time of a look is that from which the
	// [Eviction] counts, its At less its Seconds; one that is no later than the first look does move the deadline. KeepTimers
	// is set before the first Update, and then left alone.
	//
	// Without KeepTimers the newest answer counts. A controller that asks again and again then wants
	// [EvictionPolicy.FromTimeAdded]: deadlines that count from the time of asking move on with each answer.
	KeepTimers bool

	pods  map[P]int32 // index in slots; more pods than that do not fit into memory
	slots []slot[P]
	from  []instant // by slot, since when the seconds count; only with KeepTimers
	free  []int32   // slots without a pod
	heap  []pending
	count uint64 // of the deadlines given out so far
}

// A slot is a pod with a pending eviction.
type slot[P comparable] struct {
	pod P
	at  int32 // in the heap
}

// A pending eviction is an entry of the heap, in which each is due no later than the four below it, at 4i+1 to 4i+4.
type pending struct {
	seconds int64 // when it is due, as in instant
	nanos   int32
	slot    int32
	order   uint64 // of those with one deadline
}

func (p *pending) due() instant { return instant{p.seconds, p.nanos} }

func (p *pending) before(q *pending) bool {
	if p.seconds != q.seconds {
		return p.seconds < q.seconds
	}
	if p.nanos != q.nanos {
		return p.nanos < q.nanos
	}
	return p.order < q.order
}

// An instant is a time as seconds since year 1 and nanoseconds.
type instant struct {
	seconds int64
	nanos   int32
}

// sinceYear1 is the Unix time 0 as an instant.
const sinceYear1 = 62135596800

func instantOf(t time.Time) instant {
	return instant{t.Unix() + sinceYear1, int32(t.Nanosecond())} // wraps where Unix did
}

func (i instant) time() time.Time {
	return time.Unix(i.seconds-sinceYear1, int64(i.nanos)).UTC()
}

func (i instant) before(j instant) bool {
	return i.seconds < j.seconds || i.seconds == j.seconds && i.nanos < j.nanos
}

// A QueueChange says what an update did to a pod's pending eviction.
type QueueChange uint8

const (
	// Unchanged: the pod had no pending eviction and has none, or keeps the one that it has.
	Unchanged QueueChange = iota
	// Scheduled: the pod had no pending eviction and has one now.
	Scheduled
	// Moved: the pending eviction has another deadline now.
	Moved
	// Cancelled: the pod has no pending eviction any more.
	Cancelled
)

// String returns the name of the constant, and shows a number that stands for nothing as such.
func (c QueueChange) String() string {
	return enumName("change", int(c), "Unchanged", "Scheduled", "Moved", "Cancelled")
}

// Update makes the eviction the pod's pending one and says what that changed: it schedules one for EvictsAt and EvictsNow, the
// latter at its At, which is due at once, moves one that is pending, and cancels it for Stays. An outcome that is none of the
// three counts as Stays. KeepTimers says otherwise for pending ones.
func (q *EvictionQueue[P]) Update(pod P, e Eviction) QueueChange {
	if pod != pod {
		return Unchanged
	}
	i, known := q.pods[pod]
	if e.Outcome != EvictsAt && e.Outcome != EvictsNow {
		if !known {
			return Unchanged
		}
		q.remove(i)
		return Cancelled
	}
	due := instantOf(e.At)
	if !known {
		i = q.add(pod, due)
		q.remember(i, e)
		return Scheduled
	}
	p := &q.heap[q.slots[i].at]
	if !q.moves(i, e) || p.due() == due {
		return Unchanged
	}
	p.seconds, p.nanos, p.order = due.seconds, due.nanos, q.nextOrder()
	q.fix(int(q.slots[i].at))
	return Moved
}

// moves reports whether the eviction moves the pending one in slot i, if its deadline is another.
func (q *EvictionQueue[P]) moves(i int32, e Eviction) bool {
	switch {
	case !q.KeepTimers:
		return true
	case e.Outcome == EvictsNow && e.Toleration < 0:
		return instantOf(e.At).before(q.heap[q.slots[i].at].due())
	}
	return int(i) < len(q.from) && !q.from[i].before(e.from())
}

// remember keeps since when the seconds of the eviction in slot i count.
func (q *EvictionQueue[P]) remember(i int32, e Eviction) {
	if !q.KeepTimers {
		return
	}
	for len(q.from) < len(q.slots) {
		q.from = append(q.from, instant{})
	}
	q.from[i] = e.from()
}

// from returns since when the seconds of the eviction count.
func (e Eviction) from() instant {
	i := instantOf(e.At)
	i.seconds -= max(e.Seconds, 0)
	return i
}

// Remove takes out the pod's pending eviction, as when the pod is gone, and reports whether there was one.
func (q *EvictionQueue[P]) Remove(pod P) bool {
	i, known := q.pods[pod]
	if known {
		q.remove(i)
	}
	return known
}

// Due returns the deadline of the pod's pending eviction and whether there is one; it is the zero time if there is none.
func (q *EvictionQueue[P]) Due(pod P) (time.Time, bool) {
	i, known := q.pods[pod]
	if !known {
		return time.Time{}, false
	}
	return q.heap[q.slots[i].at].due().time(), true
}

// Len returns the number of pending evictions.
func (q *EvictionQueue[P]) Len() int { return len(q.pods) }

// Next returns the earliest deadline and whether there is one; it is the zero time if there is none.
func (q *EvictionQueue[P]) Next() (time.Time, bool) {
	if len(q.heap) == 0 {
		return time.Time{}, false
	}
	return q.heap[0].due().time(), true
}

// PopDue yields the pods whose deadline is not after now, each with its deadline, in order. A pod is taken out of the queue
// right before it is yielded; a loop that ends early leaves the others in. The loop body may call every method: each step
// yields what is due first at that moment, so a pod that the body removes or moves beyond now does not come, and one that it
// schedules for now or before does, in this loop; to try again later, schedule it for later. It allocates nothing.
func (q *EvictionQueue[P]) PopDue(now time.Time) iter.Seq2[P, time.Time] {
	return func(yield func(P, time.Time) bool) { q.popDue(instantOf(now), yield) }
}

func (q *EvictionQueue[P]) popDue(now instant, yield func(P, time.Time) bool) {
	for len(q.heap) > 0 && !now.before(q.heap[0].due()) {
		first := q.heap[0]
		pod := q.slots[first.slot].pod
		q.remove(first.slot)
		if !yield(pod, first.due().time()) {
			return
		}
	}
}

func (q *EvictionQueue[P]) nextOrder() uint64 {
	q.count++
	return q.count
}

// add puts the pod into a slot, which it returns, and into the heap.
func (q *EvictionQueue[P]) add(pod P, due instant) int32 {
	i := int32(len(q.slots))
	if last := len(q.free) - 1; last >= 0 {
		i, q.free = q.free[last], q.free[:last]
	} else {
		q.slots = append(q.slots, slot[P]{})
	}
	if q.pods == nil {
		q.pods = make(map[P]int32)
	}
	q.pods[pod] = i
	q.slots[i].pod = pod
	q.heap = append(q.heap, pending{due.seconds, due.nanos, i, q.nextOrder()})
	q.up(len(q.heap) - 1)
	return i
}

// remove takes out the pod in slot i. What an empty queue holds is given back.
func (q *EvictionQueue[P]) remove(i int32) {
	at, last := int(q.slots[i].at), len(q.heap)-1
	delete(q.pods, q.slots[i].pod)
	q.slots[i] = slot[P]{}
	q.free = append(q.free, i)
	q.move(last, at)
	q.heap = q.heap[:last]
	if at < last {
		q.fix(at)
	}
	if last == 0 {
		*q = EvictionQueue[P]{KeepTimers: q.KeepTimers, count: q.count}
	}
}

// move puts the entry at i of the heap at j.
func (q *EvictionQueue[P]) move(i, j int) {
	q.heap[j] = q.heap[i]
	q.slots[q.heap[j].slot].at = int32(j)
}

// fix brings the entry at i, which has changed, to where it belongs.
func (q *EvictionQueue[P]) fix(i int) {
	if !q.up(i) {
		q.down(i)
	}
}

// up moves the entry at i up until the one above is due before, and reports whether it moved.
func (q *EvictionQueue[P]) up(i int) bool {
	start, p := i, q.heap[i]
	for i > 0 {
		above := (i - 1) / 4
		if !p.before(&q.heap[above]) {
			break
		}
		q.move(above, i)
		i = above
	}
	q.heap[i] = p
	q.slots[p.slot].at = int32(i)
	return i != start
}

// down moves the entry at i down until it is due before all below.
func (q *EvictionQueue[P]) down(i int) {
	p := q.heap[i]
	for {
		first := 4*i + 1
		if first >= len(q.heap) {
			break
		}
		least := first
		for below := first + 1; below < min(first+4, len(q.heap)); below++ {
			if q.heap[below].before(&q.heap[least]) {
				least = below
			}
		}
		if p.before(&q.heap[least]) {
			break
		}
		q.move(least, i)
		i = least
	}
	q.heap[i] = p
	q.slots[p.slot].at = int32(i)
}

// A Zone is the nodes that fail together, by the number of those that are ready and of those that are not. A negative number
// counts as zero.
type Zone struct {
	Ready, NotReady int
}

// counts returns the numbers as such that two of them add up.
func (z Zone) counts() (ready, notReady uint) { return uint(max(z.Ready, 0)), uint(max(z.NotReady, 0)) }

// A ZoneState says how much of a zone is not ready.
type ZoneState uint8

const (
	// ZoneNormal: few nodes are not ready, or the zone has none.
	ZoneNormal ZoneState = iota
	// ZonePartial: many nodes are not ready; the zone may be cut off in part.
	ZonePartial
	// ZoneFull: no node is ready; the zone may be cut off.
	ZoneFull
)

// String returns the name of the constant, and shows a number that stands for nothing as such.
func (s ZoneState) String() string {
	return enumName("zone state", int(s), "ZoneNormal", "ZonePartial", "ZoneFull")
}

// A DisruptionPolicy says how fast nodes that are not ready may be tainted with NoExecute, and so their pods evicted, when
// many fail at once: more likely than many failures is that the cluster does not see its nodes. [DefaultDisruptionPolicy] is
// Kubernetes'; the zero policy taints nothing. It is comparable.
type DisruptionPolicy struct {
	// Threshold is the share of nodes that are not ready from which on a zone is ZonePartial
	// (--unhealthy-zone-threshold). Shares are compared in float32, as in Kubernetes.
	Threshold float32
	// Rate is how many nodes of a zone may be tainted in a second (--node-eviction-rate).
	Rate float32
	// SecondaryRate is that of a zone that is ZonePartial and has more than LargeZone nodes; a smaller one has 0
	// (--secondary-node-eviction-rate and --large-cluster-size-threshold).
	SecondaryRate float32
	LargeZone     int
}

// DefaultDisruptionPolicy returns the defaults of the kube-controller-manager: a threshold of 0.55, a node in 10 seconds, a
// node in 100 seconds in a zone that is ZonePartial and has more than 50 nodes.
func DefaultDisruptionPolicy() DisruptionPolicy {
	return DisruptionPolicy{Threshold: 0.55, Rate: 0.1, SecondaryRate: 0.01, LargeZone: 50}
}

// State returns the state of the zone (ComputeZoneState in Kubernetes' node-lifecycle controller): ZoneFull if it has nodes and
// none is ready; ZonePartial if more than two are not ready and their share is the threshold or more; ZoneNormal otherwise,
// and for a zone without nodes.
func (p DisruptionPolicy) State(z Zone) ZoneState {
	ready, notReady := z.counts()
	switch {
	case ready == 0 && notReady > 0:
		return ZoneFull
	case notReady > 2 && float32(notReady)/float32(ready+notReady) >= p.Threshold:
		return ZonePartial
	}
	return ZoneNormal
}

// Rates appends to dst, for each of the zones of a cluster, how many of its nodes may be tainted in a second: Rate in a zone
// that is ZoneNormal or ZoneFull, SecondaryRate or 0 in one that is ZonePartial, and 0 in all when the cluster is
// [FullyDisrupted]. It allocates only if dst is too small.
func (p DisruptionPolicy) Rates(dst []float32, zones []Zone) []float32 {
	cutOff := FullyDisrupted(zones)
	for _, z := range zones {
		rate := float32(0)
		if !cutOff {
			rate = p.rate(z)
		}
		dst = append(dst, rate)
	}
	return dst
}

// FullyDisrupted reports whether every zone that has nodes is ZoneFull, as it is where no zone has nodes: whatever failed, it
// is not the nodes. Kubernetes then taints no node with NoExecute and takes such taints off all nodes that it tainted.
func FullyDisrupted(zones []Zone) bool {
	for _, z := range zones {
		if ready, _ := z.counts(); ready > 0 {
			return false
		}
	}
	return true
}

// rate returns the rate of a zone in a cluster that is not cut off.
func (p DisruptionPolicy) rate(z Zone) float32 {
	if p.State(z) != ZonePartial {
		return p.Rate
	}
	if ready, notReady := z.counts(); ready+notReady > uint(max(p.LargeZone, 0)) {
		return p.SecondaryRate
	}
	return 0
}
