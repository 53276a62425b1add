// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"strconv"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// TestQueueShutDown is kubernetes-sigs/controller-runtime#3538: the queue is shut
// down while workers take requests and wait for more.
func TestQueueShutDown(t *testing.T) {
	limiter := workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]()
	for range 300 {
		q := newQueue("test", limiter).(priorityqueue.PriorityQueue[reconcile.Request])
		var workers sync.WaitGroup
		for w := range 8 {
			workers.Go(func() {
				for i := 0; ; i++ {
					q.Add(reconcile.Request{NamespacedName: types.NamespacedName{Namespace: strconv.Itoa(w), Name: strconv.Itoa(i)}})
					r, _, shutdown := q.GetWithPriority()
					if shutdown {
						return
					}
					if i == 50 && w == 0 {
						go q.ShutDown()
					}
					q.Done(r)
				}
			})
		}
		workers.Wait()
	}
}
