// SPDX-License-Identifier: Apache-2.0

// Package rwlock provides a lock for many readers on many processors.
package rwlock

import (
	"runtime"
	"sync"
)

// A Lock is a lock for readers or one writer, like sync.RWMutex. Readers on
// different processors write to different cache lines, so a short read does not
// wait for a read on another processor (BenchmarkLock). A writer locks every
// slot, which costs more. The zero Lock is not locked. A Lock must not be
// copied after first use.
type Lock struct {
	writer sync.Mutex // guards slots, and is held by the writer
	slots  []*Slot    // never more than there were processors
	next   int        // the slot that readers share next
	idle   sync.Pool  // of *Slot; a processor gets the slots that it put back
}

// A Slot is a lock for the readers of one processor, or of several if there are
// many. It fills pairs of cache lines, which some processors fetch together.
type Slot struct {
	sync.RWMutex
	_ [128 - 24]byte
}

// RLock locks for reading. It waits while a writer has the lock or waits for it.
func (l *Lock) RLock() *Slot {
	s, ok := l.idle.Get().(*Slot)
	if !ok {
		s = l.slot()
	}
	s.RLock()
	return s
}

// RUnlock unlocks the slot that RLock returned.
func (l *Lock) RUnlock(s *Slot) {
	s.RUnlock()
	l.idle.Put(s)
}

// slot returns a new slot or, if there is one for each processor, a shared one.
func (l *Lock) slot() *Slot {
	l.writer.Lock()
	defer l.writer.Unlock()
	if len(l.slots) < runtime.GOMAXPROCS(0) {
		l.slots = append(l.slots, new(Slot))
		return l.slots[len(l.slots)-1]
	}
	l.next = (l.next + 1) % len(l.slots)
	return l.slots[l.next]
}

// Lock locks for writing.
func (l *Lock) Lock() {
	l.writer.Lock()
	for _, s := range l.slots {
		s.Lock()
	}
}

// Unlock unlocks for writing.
func (l *Lock) Unlock() {
	for _, s := range l.slots {
		s.Unlock()
	}
	l.writer.Unlock()
}
