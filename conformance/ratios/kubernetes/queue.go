// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/controller/tainteviction"

	"github.com/seed-0529bac1/taints/conformance/internal/work"
	"github.com/seed-0529bac1/taints/internal/test/measure"
)

// queue measures a TimedWorkerQueue with n pods. Its timers use real time, so the
// deadlines are later than the end of the fill. Waiting for them takes no processor
// time.
func queue(n int) []measure.Phase {
	for wait := time.Duration(n) * 12 * time.Microsecond; ; wait *= 2 {
		inTime := false
		phases := work.Phases(n, func(names []types.NamespacedName) work.Queue {
			return kubernetesQueue(names, wait, &inTime)
		})
		if inTime {
			return phases
		}
	}
}

// kubernetesQueue returns a queue whose pods come due after the wait. It sets inTime
// if that is after all of them have been added, moved and canceled.
func kubernetesQueue(names []types.NamespacedName, wait time.Duration, inTime *bool) work.Queue {
	ctx := context.Background()
	var deleted atomic.Int64
	done := make(chan struct{})
	q := tainteviction.CreateWorkerQueue(func(context.Context, time.Time, *tainteviction.WorkArgs) error {
		if deleted.Add(1) == int64(work.Left(len(names))) {
			close(done)
		}
		return nil
	})
	first := time.Now().Add(wait)
	args := func(i int) *tainteviction.WorkArgs {
		return tainteviction.NewWorkArgs(names[i].Name, names[i].Namespace)
	}
	return work.Queue{
		Add:    func(i int) { q.AddWork(ctx, args(i), time.Now(), first.Add(work.Spread(i))) },
		Move:   func(i int) { q.UpdateWork(ctx, args(i), time.Now(), first.Add(work.Spread(i)+work.Moved)) },
		Cancel: func(i int) { q.CancelWork(logger, names[i].String()) },
		Drain: func() {
			*inTime = time.Now().Before(first)
			<-done
			q.CancelAndWait() // for the last goroutines, which keep the queue alive
		},
	}
}
