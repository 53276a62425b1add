// SPDX-License-Identifier: Apache-2.0

package rwlock

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"
)

// A writer has the lock alone, and readers see what the last writer wrote.
func TestLockExcludes(t *testing.T) {
	const writers, readers, rounds = 3, 24, 2000
	var l Lock
	var wait sync.WaitGroup
	var a, b int           // equal, except while a writer has the lock
	var inside atomic.Bool // whether a writer has the lock
	for range writers {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for range rounds {
				l.Lock()
				if inside.Swap(true) {
					t.Error("two writers have the lock")
				}
				a++
				runtime.Gosched()
				b++
				inside.Store(false)
				l.Unlock()
			}
		}()
	}
	for range readers {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for seen := 0; seen < writers*rounds && !t.Failed(); {
				slot := l.RLock()
				if inside.Load() || a != b || a < seen {
					t.Errorf("a reader sees %d and %d, and has seen %d", a, b, seen)
				}
				seen = a
				runtime.Gosched()
				if inside.Load() || a != seen {
					t.Error("a writer came to a reader")
				}
				l.RUnlock(slot)
			}
		}()
	}
	wait.Wait()
	if a != writers*rounds {
		t.Errorf("%d writes, want %d", a, writers*rounds)
	}
}

// Any number of readers do not wait for each other. They share the slots
// evenly. There are no more slots than processors, whatever the garbage
// collector drops and however many processors there are later.
func TestReadersDoNotWait(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	processors := runtime.GOMAXPROCS(0) // 1 if a program has no threads
	var l Lock
	for range 3 {
		held := make(map[*Slot]int)
		for range 40 {
			held[l.RLock()]++
		}
		for s, n := range held {
			if len(held) != processors || len(l.slots) != processors || n != 40/processors {
				t.Fatalf("40 readers share %d slots, one %d of them, for %d processors", len(held), n, processors)
			}
			for range n {
				l.RUnlock(s)
			}
		}
		l.idle = sync.Pool{}
	}
	runtime.GOMAXPROCS(2)
	for range 10 {
		defer l.RUnlock(l.RLock())
	}
	if len(l.slots) != processors {
		t.Errorf("%d slots, and before %d", len(l.slots), processors)
	}
}

// A reader gets the slot that its processor has put back. A pool drops some
// slots, and under the race detector many.
func TestSlotsAreUsedAgain(t *testing.T) {
	var l Lock
	same, last := 0, l.RLock()
	for range 1000 {
		l.RUnlock(last)
		s := l.RLock()
		if s == last {
			same++
		}
		last = s
	}
	if same < 100 && len(l.slots) > 1 {
		t.Errorf("a reader gets its slot back in %d of 1000 rounds", same)
	}
}

// Two slots never share a cache line, wherever they are.
func TestSlotsAreApart(t *testing.T) {
	if size := unsafe.Sizeof(Slot{}); size != 128 {
		t.Errorf("a slot has %d bytes, want 128", size)
	}
}

// BenchmarkLock measures readers on one processor and on several, and a writer,
// with a Lock and with sync.RWMutex.
func BenchmarkLock(b *testing.B) {
	var l Lock
	var m sync.RWMutex
	for _, c := range []struct {
		name string
		f    func()
	}{
		{"Lock/read", func() { defer l.RUnlock(l.RLock()) }},
		{"Lock/write", func() { l.Lock(); defer l.Unlock() }},
		{"RWMutex/read", func() { m.RLock(); defer m.RUnlock() }},
		{"RWMutex/write", func() { m.Lock(); defer m.Unlock() }},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				c.f()
			}
		})
		b.Run(c.name+"/parallel", func(b *testing.B) {
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					c.f()
				}
			})
		})
	}
}
