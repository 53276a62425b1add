// SPDX-License-Identifier: Apache-2.0

package lifecycle

// A pending eviction is an entry of a queue's heap. Each entry comes before its
// four children. The children of the entry at i are at 4i+1 to 4i+4.
type pending struct {
	due   instant
	slot  int32  // of the pod
	order uint64 // of entries that are due at the same instant
}

func (p *pending) before(q *pending) bool {
	if p.due != q.due {
		return p.due.before(q.due)
	}
	return p.order < q.order
}

// push adds an entry to the heap.
func (q *Queue[P]) push(p pending) {
	q.heap = append(q.heap, p)
	q.up(len(q.heap)-1, p)
}

// cut removes the entry at i from the heap.
func (q *Queue[P]) cut(i int) {
	end := len(q.heap) - 1
	last := q.heap[end]
	q.heap = q.heap[:end]
	if i < end {
		q.fix(i, last)
	}
}

// fix puts the entry at i, or at its place above or below i.
func (q *Queue[P]) fix(i int, p pending) {
	if i > 0 && p.before(&q.heap[(i-1)/4]) {
		q.up(i, p)
	} else {
		q.down(i, p)
	}
}

// up puts the entry at i or above, and moves down the entries that come after
// it.
func (q *Queue[P]) up(i int, p pending) {
	for i > 0 {
		above := (i - 1) / 4
		if !p.before(&q.heap[above]) {
			break
		}
		q.put(i, q.heap[above])
		i = above
	}
	q.put(i, p)
}

// down puts the entry at i or below, and moves up the entries that come before
// it.
func (q *Queue[P]) down(i int, p pending) {
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
		q.put(i, q.heap[least])
		i = least
	}
	q.put(i, p)
}

// put writes the entry to i, and i to the entry's slot.
func (q *Queue[P]) put(i int, p pending) {
	q.heap[i] = p
	q.slots[p.slot].at = int32(i)
}
