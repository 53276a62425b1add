// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"
	"reflect"
)

// Check returns an error if the queue is inconsistent, or nil.
func (q *Queue[P]) Check() error {
	if len(q.pods) != len(q.heap) {
		return fmt.Errorf("%d pods, but %d in the heap", len(q.pods), len(q.heap))
	}
	for i, p := range q.heap {
		if i > 0 && !q.heap[(i-1)/4].before(&p) {
			return fmt.Errorf("the entry at %d comes before the one above", i)
		}
		s := q.slots[p.slot]
		if int(s.at) != i {
			return fmt.Errorf("the slot of the entry at %d says %d", i, s.at)
		}
		if at, known := q.pods[s.pod]; !known || at != p.slot {
			return fmt.Errorf("pod %v is in slot %d, known %v, not in %d", s.pod, at, known, p.slot)
		}
	}
	free := 0
	for i := q.free - 1; i >= 0; i = -2 - q.slots[i].at {
		if !reflect.ValueOf(q.slots[i].pod).IsZero() {
			return fmt.Errorf("free slot %d holds %v", i, q.slots[i].pod)
		}
		free++
	}
	if free+len(q.heap) != len(q.slots) {
		return fmt.Errorf("%d free slots and %d pods in %d", free, len(q.heap), len(q.slots))
	}
	return nil
}

// Room returns the number of pods for which the slots and the heap have memory.
func (q *Queue[P]) Room() (slots, heap int) { return cap(q.slots), cap(q.heap) }

// Map returns the map of the pods. Pass it to Has to check whether the queue
// still uses it.
func (q *Queue[P]) Map() any { return q.pods }

// Has reports whether the queue still uses the map.
func (q *Queue[P]) Has(pods any) bool {
	return reflect.ValueOf(q.pods).Pointer() == reflect.ValueOf(pods).Pointer()
}
