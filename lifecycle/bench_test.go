// SPDX-License-Identifier: Apache-2.0

package lifecycle_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/lifecycle"
)

// A million pods are scheduled; every second one is moved, every fourth is
// canceled, and the others come due.
func BenchmarkQueue(b *testing.B) {
	const pods = 1_000_000
	names := make([]string, pods)
	for i := range names {
		names[i] = "namespace-" + strconv.Itoa(i%100) + "/pod-" + strconv.Itoa(i)
	}
	start := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	at := func(i int) taints.Eviction { // within a millisecond, in no order
		return taints.Eviction{
			Outcome: taints.EvictsAt,
			At:      start.Add(time.Duration(i * 7919 % pods)),
			Seconds: 60,
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		var q lifecycle.Queue[string]
		for i, pod := range names {
			q.Update(pod, at(i))
		}
		for i := 0; i < pods; i += 2 {
			q.Update(names[i], at(i+pods/3))
		}
		for i := 1; i < pods; i += 4 {
			q.Update(names[i], taints.Eviction{})
		}
		for range q.PopDue(start.Add(time.Hour)) {
		}
		if q.Len() > 0 {
			b.Fatal("some did not come due")
		}
	}
}
