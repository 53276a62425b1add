// SPDX-License-Identifier: Apache-2.0

// Package timer finds the timer that Kubernetes' taint-eviction controller has for
// a pod that runs, and has the words that explain it.
package timer

import (
	"math"
	"slices"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/lifecycle"
)

// Rule explains the timer.
const Rule = "Kubernetes' controller counts from when it sees a taint, here from timeAdded or the pod's arrival. " +
	"It keeps a timer that runs when the node gets more taints. After a restart it sees all taints anew."

// Overflow is said of more than MaxSeconds.
const Overflow = "more than 9223372036 seconds overflow in Kubernetes"

// MaxSeconds are the most tolerationSeconds that do not overflow in Kubernetes.
const MaxSeconds = int64(math.MaxInt64 / time.Second)

// EvictionOf returns when a pod leaves for the taints that the controller sees at the time.
// Kubernetes turns the least seconds into nanoseconds, which overflow. Those that become
// negative are forever. The tolerations are those of the matcher.
func EvictionOf(m *taints.Matcher, tolerations []taints.Toleration, list []taints.Taint, at time.Time) taints.Eviction {
	e := m.EvictionOf(list, at)
	if e.Seconds = max(e.Seconds, 0); e.Outcome != taints.Stays && e.Seconds <= MaxSeconds {
		return e
	}
	e = taints.Eviction{Seconds: math.MaxInt64}
	for i, t := range list {
		k, ok := m.Match(t)
		if !ok || t.Effect != taints.NoExecute {
			continue
		}
		if s := tolerations[k].TolerationSeconds; s != nil && *s < e.Seconds {
			e = taints.Eviction{Outcome: taints.EvictsAt, Tolerated: true, Taint: i, Toleration: k, From: at, Seconds: *s}
		}
	}
	wait := time.Duration(e.Seconds) * time.Second
	switch {
	case wait < 0:
		return taints.Eviction{}
	case wait == 0:
		e.Outcome = taints.EvictsNow
	}
	e.At = at.Add(wait)
	return e
}

// Briefly is how long a taint may stay that Kubernetes' node-lifecycle controller
// removes: it looks at each node every 5 seconds.
const Briefly = 5 * time.Second

// After returns the pod's timer after its node has had the lists of taints, one after the
// other, and the taint that started it, or nil if the pod stays. The first list has been
// there, and the others come now. The controller sees a taint when it is added, or when the
// pod arrives, but nothing in the future: clocks differ. A timer that runs is kept or
// canceled, unless it ends before the next change.
func After(
	evictionOf func([]taints.Taint, time.Time) taints.Eviction, lists [][]taints.Taint, now time.Time, seenAt func(taints.Taint) time.Time,
) (first *taints.Taint, e taints.Eviction) {
	var queue lifecycle.Queue[struct{}]
	see := func(list []taints.Taint, at, end time.Time) {
		if first != nil && !e.At.After(end) { // the pod is deleted before
			return
		}
		next := evictionOf(list, at)
		switch queue.Update(struct{}{}, next) {
		case lifecycle.QueueCanceled:
			first, e = nil, next
		case lifecycle.QueueScheduled, lifecycle.QueueMoved:
			first, e = &list[next.Taint], next
		}
	}
	times := make([]time.Time, len(lists[0]))
	for i, t := range lists[0] {
		times[i] = slices.MinFunc([]time.Time{seenAt(t), now}, time.Time.Compare)
	}
	seen := make([]taints.Taint, len(times)) // without those that come later
	for _, at := range slices.CompactFunc(slices.SortedFunc(slices.Values(times), time.Time.Compare), time.Time.Equal) {
		for i, t := range lists[0] {
			if times[i].Equal(at) && t.Effect == taints.NoExecute {
				seen[i] = t
			}
		}
		see(seen, at, at)
	}
	end := now
	for _, list := range lists[1:] {
		see(list, now, end)
		end = now.Add(Briefly)
	}
	return first, e
}
