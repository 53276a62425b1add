// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// 10,000 pods on 100 nodes are due at the same time. They leave at the rate of -qps,
// with little more than one request for each, also if the API server refuses 30 % of
// all reads, or answers them late. The cache does not know that another node has lost
// its taint. The pods of that node stay, and take no part of -qps.
func TestManyPods(t *testing.T) {
	const nodes, due, stay, qps, burst = 100, 10_000, 100, 50, 100
	for name, read := range map[string]func(reads int) error{
		"an idle API server": func(int) error { return nil },
		"a busy one": func(reads int) error {
			if reads*7%10 < 3 {
				return apierrors.NewTooManyRequests("later", 1)
			}
			return nil
		},
		"a slow one": func(int) error { time.Sleep(2 * s); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			o := fromTimeAdded
			o.QPS, o.Burst, o.Workers = qps, burst, 8
			inWorld(t, o, func(w *world) {
				w.read = read
				w.setNode("node-old", taint("a:NoExecute", begin))
				for i := range nodes {
					w.setNode(fmt.Sprint("node-", i), taint("a:NoExecute", begin))
				}
				for i := range due + stay {
					node := "node-old"
					if i >= stay {
						node = fmt.Sprint("node-", i%nodes)
					}
					w.addPod(fmt.Sprint(node, "/pod-", i), tolerations("a:NoExecute op=Exists for 300s"))
				}
				w.settle()
				w.run("old node-old\nnode node-old")
				w.pass(300*s - time.Since(w.begin))
				const most = due * 9 / 10
				w.pass((most-burst)/qps*s + 5*s) // the slow one takes some seconds before the first
				if got := len(w.evicted); got < most || got > most+6*qps {
					t.Errorf("%d pods are evicted, want %d", got, most)
				}
				w.pass(time.Minute)
				each := float64(len(w.attempts)+w.reads) / due
				t.Logf("%.3f requests for each", each)
				if len(w.evicted) != due || len(w.attempts) != due || each > 1.2 {
					t.Errorf("%d pods are evicted, after %d attempts, and %.2f requests for each", len(w.evicted), len(w.attempts), each)
				}
			})
		})
	}
}

// While the cache of a node is old, one pod tries for all of them. If all of them stay, a
// line of the log says so, and some events.
func TestAnOldCacheOfManyPods(t *testing.T) {
	work := func(pods int) (allocations uint64) {
		inWorld(t, fromTimeAdded, func(w *world) {
			w.setNode("n", taint("a:NoExecute", begin))
			for i := range pods {
				w.addPod(fmt.Sprint("n/pod-", i), tolerations("a:NoExecute op=Exists for 10s"))
			}
			w.run("pass 9s\nold n\nnode n")
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			w.pass(time.Hour)
			runtime.ReadMemStats(&after)
			w.run("attempts\nup-to-date n\nlog 1 Canceled evictions\nforgotten")
			if canceled := w.metrics()["evictions_total canceled"]; canceled != float64(pods) || len(w.events) != min(pods, 200) {
				t.Errorf("%v of %d evictions are canceled, with %d events", canceled, pods, len(w.events))
			}
			allocations = after.Mallocs - before.Mallocs
		})
		return allocations
	}
	if one, many := work(1), work(300); many > one+300*60 { // 60 for each pod, in its first try
		t.Errorf("an hour takes %d allocations for one pod, and %d for 300", one, many)
	}
}
