// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
)

// inBubble runs a controller as a manager does, in simulated time that passes by itself.
func inBubble(t *testing.T, o Options, test func(w *world)) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, o)
		w.now = time.Now
		w.start(clock.RealClock{})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- w.c.Start(ctx) }()
		test(w)
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// count is how many pods are evicted by now, in a bubble.
func (w *world) count() int {
	synctest.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.evicted)
}

func TestEachIsEvictedInTime(t *testing.T) {
	o := fromTimeAdded
	o.Workers = 4
	inBubble(t, o, func(w *world) {
		start := time.Now()
		want := map[types.UID]time.Duration{}
		for i := range 200 {
			seconds := (i * 37) % 500
			uid := w.addPod(fmt.Sprint("pod-", i), "n",
				tolerations(fmt.Sprintf("a:NoExecute op=Exists for %ds", seconds)))
			want[uid] = time.Duration(seconds) * s
		}
		w.setNode("n", taint("a:NoExecute", start))
		time.Sleep(time.Hour)
		synctest.Wait()
		for uid, after := range want {
			if got, ok := w.evicted[uid]; !ok || got.Sub(start) != after {
				t.Errorf("%s is evicted after %v, want %v", uid, got.Sub(start), after)
			}
		}
	})
}

// A worker that waits for a later pod notices an earlier one, and that the later one
// is not to be evicted any longer.
func TestTheQueueChangesWhileAWorkerWaits(t *testing.T) {
	inBubble(t, fromTimeAdded, func(w *world) {
		start := time.Now()
		late := w.addPod("late", "n", tolerations("a:NoExecute op=Exists for 30s"))
		w.setNode("n", taint("a:NoExecute", start))
		time.Sleep(10 * s)
		early := w.addPod("early", "m", tolerations("a:NoExecute op=Exists for 5s"))
		w.setNode("m", taint("a:NoExecute", time.Now()))
		time.Sleep(10 * s)
		w.setNode("n")
		time.Sleep(time.Hour)
		synctest.Wait()
		if got := w.evicted[early].Sub(start); got != 15*s {
			t.Errorf("evicted after %v", got)
		}
		w.wantNotEvicted(late)
	})
}

func TestRateLimit(t *testing.T) {
	o := fromTimeAdded
	o.QPS, o.Burst, o.Workers = 10, 5, 3
	inBubble(t, o, func(w *world) {
		for i := range 55 {
			w.addPod(fmt.Sprint("pod-", i), "n", nil)
		}
		time.Sleep(time.Minute)
		start := time.Now()
		w.setNode("n", taint("a:NoExecute", start))
		if n := w.count(); n != 5 {
			t.Errorf("%d at once, want 5", n)
		}
		time.Sleep(2*s + time.Millisecond)
		if n := w.count(); n != 25 {
			t.Errorf("%d after 2 s, want 25", n)
		}
		time.Sleep(3 * s)
		if n := w.count(); n != 55 {
			t.Errorf("%d after 5 s, want 55", n)
		}
	})
}

func TestWorkers(t *testing.T) {
	o := fromTimeAdded
	o.Workers = 3
	inBubble(t, o, func(w *world) {
		var now, most atomic.Int32
		w.fail = func(string) error {
			for n := now.Add(1); n > most.Load(); {
				most.Store(n)
			}
			defer now.Add(-1)
			time.Sleep(s)
			return nil
		}
		for i := range 12 {
			w.addPod(fmt.Sprint("pod-", i), "n", nil)
		}
		start := time.Now()
		w.setNode("n", taint("a:NoExecute", start))
		time.Sleep(4*s - time.Millisecond)
		if n := w.count(); n != 9 {
			t.Errorf("%d are evicted after 4 s, want 9", n)
		}
		time.Sleep(2 * time.Millisecond)
		if n := w.count(); n != 12 || most.Load() != 3 {
			t.Errorf("%d are evicted, up to %d at a time", n, most.Load())
		}
	})
}

// An API server that does not answer does not keep a worker forever, nor the process
// from ending.
func TestAnAPIServerThatHangs(t *testing.T) {
	inBubble(t, fromTimeAdded, func(w *world) {
		hang := true
		w.fail = func(string) error {
			if hang {
				hang = false
				time.Sleep(requestTimeout)
				return context.DeadlineExceeded
			}
			return nil
		}
		start := time.Now()
		uid := w.addPod("web", "n", nil)
		w.setNode("n", taint("a:NoExecute", start))
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := w.evicted[uid].Sub(start); got < requestTimeout+firstRetry || got > requestTimeout+2*firstRetry {
			t.Errorf("evicted after %v", got)
		}
	})
}

// A leader that loses its lease ends, and another takes over while evictions fail.
func TestAnotherLeader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, fromTimeAdded)
		w.now = time.Now
		start := time.Now()
		w.fail = failTimes(5, errors.New("no"))
		var uids []types.UID
		for i := range 20 {
			list := tolerations(fmt.Sprintf("a:NoExecute op=Exists for %ds", i))
			uids = append(uids, w.addPod(fmt.Sprint("pod-", i), "n", list))
		}
		w.noteNode("n", taint("a:NoExecute", start))
		for range 10 {
			w.start(clock.RealClock{})
			w.tellAll()
			ctx, lost := context.WithTimeout(t.Context(), 3*s+500*time.Millisecond)
			_ = w.c.Start(ctx)
			lost()
		}
		for i, uid := range uids {
			at, ok := w.evicted[uid]
			if after, want := at.Sub(start), time.Duration(i)*s; !ok || after < want || after > want+9*s {
				t.Errorf("pod-%d is evicted after %v, want %v", i, after, want)
			}
		}
	})
}

// Budgets hold back more pods than the rate limit lets be tried again: those that are
// due for the first time do not wait for them, and they are tried all the same.
func TestPodsThatAreHeldBackDelayNobody(t *testing.T) {
	const held = 1000
	o := fromTimeAdded
	o.QPS, o.Burst, o.Workers = 10, 20, 8
	inBubble(t, o, func(w *world) {
		tries := map[string]int{}
		w.fail = func(name string) error {
			if strings.HasPrefix(name, "held-") {
				w.mu.Lock()
				defer w.mu.Unlock()
				tries[name]++
				return disrupts("no", 0)
			}
			return nil
		}
		for i := range held {
			w.addPod(fmt.Sprint("held-", i), "n", nil)
		}
		w.setNode("n", taint("a:NoExecute", time.Now()))
		time.Sleep(3 * time.Minute)
		for i := range 10 {
			name := fmt.Sprint("web-", i)
			uid, start := w.addPod(name, "m-"+name, nil), time.Now()
			w.setNode("m-"+name, taint("a:NoExecute", start))
			time.Sleep(5 * s)
			synctest.Wait()
			if at, ok := w.evicted[uid]; !ok || at.Sub(start) > 101*time.Millisecond {
				t.Errorf("%s is evicted after %v", name, at.Sub(start))
			}
		}
		for i := range held {
			if name := fmt.Sprint("held-", i); tries[name] < 2 {
				t.Fatalf("%s is tried %d times", name, tries[name])
			}
		}
	})
}
