// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"math"
	"strconv"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// A queue is controller-runtime's queue, but it shuts down only when no worker waits
// for a request: otherwise it may hang (kubernetes-sigs/controller-runtime#3538).
// The version that fixes this needs the modules of Kubernetes 1.37.
type queue struct {
	priorityqueue.PriorityQueue[reconcile.Request]

	mu      sync.Mutex
	waiting int
	closing bool
}

func newQueue(name string, limiter workqueue.TypedRateLimiter[reconcile.Request]) workqueue.TypedRateLimitingInterface[reconcile.Request] {
	return &queue{PriorityQueue: priorityqueue.New(name, func(o *priorityqueue.Opts[reconcile.Request]) {
		o.RateLimiter = limiter
	})}
}

func (q *queue) GetWithPriority() (r reconcile.Request, priority int, shutdown bool) {
	if q.wait(1) {
		return r, 0, true
	}
	r, priority, _ = q.PriorityQueue.GetWithPriority()
	return r, priority, q.wait(-1)
}

// wait adds change to the number of waiting workers, and reports whether the queue
// is being shut down. The last worker to stop waiting shuts it down.
func (q *queue) wait(change int) (closing bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closing && change > 0 {
		return true
	}
	q.waiting += change
	if q.closing && q.waiting == 0 {
		q.PriorityQueue.ShutDown()
	}
	return q.closing
}

// ShutDown wakes each waiting worker with a separate request.
func (q *queue) ShutDown() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closing = true
	if q.waiting == 0 {
		q.PriorityQueue.ShutDown()
	}
	for i := range q.waiting {
		wake := reconcile.Request{NamespacedName: types.NamespacedName{Name: strconv.Itoa(i)}}
		q.AddWithOpts(priorityqueue.AddOpts{Priority: ptr.To(math.MaxInt)}, wake)
	}
}
