// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/seed-0529bac1/taints/cluster/internal/memory"
)

// Budgets hold back more pods than the rate limit allows to retry. First attempts
// do not wait for these pods, which are still retried.
func TestPodsThatAreHeldBackDelayNobody(t *testing.T) {
	const held, workers = 300, 4
	o := fromTimeAdded
	o.QPS, o.Burst, o.Workers = 10, 20, workers
	inWorld(t, o, func(w *world) {
		tries := map[string]int{}
		w.fail = func(name string) error {
			if tries[name]++; strings.HasPrefix(name, "held-") {
				return failures["budget"]
			}
			return nil
		}
		for i := range held {
			w.addPod(fmt.Sprint("n/held-", i), nil)
		}
		w.setNode("n", taint("a:NoExecute", w.now()))
		w.pass(2 * time.Minute)
		for i := range 10 {
			start := w.now()
			uid := w.addPod(fmt.Sprint("n/web-", i), nil)
			w.pass(5 * s)
			if at, ok := w.evicted[uid]; !ok || at.Sub(start) > (workers+2)*s/10+time.Millisecond {
				t.Errorf("web-%d is evicted after %v", i, at.Sub(start))
			}
		}
		for i := range held {
			if name := fmt.Sprint("held-", i); tries[name] < 2 {
				t.Fatalf("%s is tried %d times", name, tries[name])
			}
		}
	})
}

// A pod is due while the check that cancels its eviction still waits for its turn. The
// controller looks itself, and does not try again and again until then.
func TestLateCheck(t *testing.T) {
	inWorld(t, fromTimeAdded, func(w *world) {
		uid := w.addPod("n/web", tolerations("a:NoExecute op=Exists for 10s"))
		w.setNode("n", taint("a:NoExecute", w.now()))
		w.hold = true
		w.setNode("n")
		w.pass(20 * s)
		if _, evicted := w.evicted[uid]; evicted || w.metrics()["queue_length"] != 0 {
			t.Errorf("evicted: %v, metrics: %v", evicted, w.metrics())
		}
	})
}

func TestMemory(t *testing.T) { memory.Test(t, "evictor", strip) }

// The cache keeps each toleration once, and of many only that they are many.
func TestStripTolerations(t *testing.T) {
	few := append(tolerations("a:NoExecute op=Exists for 10s", "a:NoExecute op=Exists for 20s", "a"), fillers()[3:]...)
	if got := stripTolerations(slices.Repeat(few, 5_000)); !equality.Semantic.DeepEqual(got, few) || cap(got) > 2*len(got) {
		t.Errorf("got %v", got)
	}
	seen := map[string]bool{}
	long := corev1.Toleration{Key: strings.Repeat("a", maxText)}
	for _, last := range []string{"x:NoExecute op=Exists", "x:NoExecute op=Exists for 0s", "y:NoExecute op=Exists"} {
		for _, list := range [][]corev1.Toleration{tolerations("many", last), append(tolerations(last), long)} {
			got := stripTolerations(list)
			if again := stripTolerations(got); !hasTooMany(got) || seen[got[0].Value] || !equality.Semantic.DeepEqual(again, got) {
				t.Errorf("%v becomes %v, and then %v", list, got, again)
			}
			seen[got[0].Value] = true
		}
	}
}
