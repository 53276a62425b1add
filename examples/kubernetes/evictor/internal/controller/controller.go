// SPDX-License-Identifier: Apache-2.0

// Package controller evicts the pods that do not tolerate their nodes' NoExecute
// taints, or no longer: it stands in for Kubernetes' taint-eviction controller.
//
// What the taints of a node do to a pod is for package taints to say, and so is what
// is due next: all pending evictions are in a [lifecycle.Queue], those that have
// failed in one of their own. There is one way in: whatever happens to a pod or its
// node leads to a check of the pod (check.go), which puts it into its queue, moves it
// there or takes it out. There is one way out: a few workers take turns to sleep until
// the first pod is due (runner.go), check it once more, and evict it (evict.go). What
// fails goes into the queue of retries, for later.
package controller

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/time/rate"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/lifecycle"
)

// Options say which pods are evicted, when, and how.
type Options struct {
	// Policy says how deadlines are computed.
	Policy taints.EvictionPolicy
	// KeepTimers keeps the first deadline of a pending eviction, see [lifecycle.Queue].
	KeepTimers bool
	// Method says what evicting is.
	Method Method
	// DryRun does everything but evict.
	DryRun bool
	// QPS is how many evictions may begin in a second, and Burst how many at once
	// after a pause. QPS 0 or less is no limit.
	QPS   float64
	Burst int
	// Workers is how many evictions go on at a time; less than 1 counts as 1.
	Workers int
}

// A Controller evicts pods. It is made by New.
type Controller struct {
	client  client.Client // reads from the cache
	live    client.Reader // reads from the API server
	events  events.EventRecorder
	clock   clock.Clock
	options Options
	limiter *rate.Limiter
	metrics *instruments
	leading atomic.Bool   // checks of pods are asked for
	turn    chan struct{} // held by the worker that waits for the next pod
	wake    chan struct{} // tells it that the queue has changed

	mu      sync.Mutex // guards what follows, pods included
	nodes   map[string]*node
	pods    map[types.NamespacedName]*pod
	queue   lifecycle.Queue[*pod]
	retries lifecycle.Queue[*pod] // what has failed, so that others do not wait for it
}

// New returns a controller that reads from the cache of the client, and from the API
// server where it must be sure. Its metrics go to the registry.
func New(c client.Client, live client.Reader, recorder events.EventRecorder,
	registry prometheus.Registerer, clock clock.Clock, o Options,
) *Controller {
	limit := rate.Limit(o.QPS)
	if o.QPS <= 0 {
		limit = rate.Inf
	}
	controller := &Controller{
		client:  c,
		live:    live,
		events:  recorder,
		clock:   clock,
		options: o,
		limiter: rate.NewLimiter(limit, max(o.Burst, 1)),
		turn:    make(chan struct{}, 1),
		wake:    make(chan struct{}, 1),
		nodes:   map[string]*node{},
		pods:    map[types.NamespacedName]*pod{},
		queue:   lifecycle.Queue[*pod]{KeepTimers: o.KeepTimers},
	}
	controller.metrics = newInstruments(registry, controller)
	return controller
}

// Setup adds a controller to the manager, which wants [CacheOptions] and [Mapper]. It
// works only where the manager leads; before, it takes note of taints and of nothing
// else, so that a taint without timeAdded counts from when it came and not from when
// another leader died.
func Setup(m manager.Manager, o Options) error {
	if err := m.GetFieldIndexer().IndexField(context.Background(), &corev1.Pod{}, byNode, nodeOf); err != nil {
		return err
	}
	c := New(m.GetClient(), m.GetAPIReader(), m.GetEventRecorder(name), metrics.Registry, clock.RealClock{}, o)
	err := builder.ControllerManagedBy(m).
		Named(name).
		For(&corev1.Pod{}, builder.WithPredicates(c.podChanges())).
		Watches(&corev1.Node{}, c.nodeHandler()).
		WithOptions(controller.Options{EnableWarmup: ptr.To(true), CacheSyncTimeout: cacheSyncTimeout}).
		Complete(c)
	if err != nil {
		return err
	}
	return m.Add(c)
}

const name = "taints-evictor"

// cacheSyncTimeout is longer than any outage: a process that ends because the API
// server is gone is not there when it is back. Until the cache is filled the process
// is not ready.
const cacheSyncTimeout = 365 * 24 * time.Hour

// Reconcile checks a pod.
func (c *Controller) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	return reconcile.Result{}, c.checkCached(ctx, request.NamespacedName)
}

// checkCached checks a pod as the cache has it. It reads the cache while it holds the
// mutex, so that of two checks of a pod the later one knows the newer state.
func (c *Controller) checkCached(ctx context.Context, name types.NamespacedName) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	obj, err := c.cached(ctx, name)
	if err == nil {
		c.check(ctx, name, obj, c.clock.Now())
	}
	return err
}

// cached returns the pod as the cache has it, not to be written to, and nil where
// the cache has none.
func (c *Controller) cached(ctx context.Context, name types.NamespacedName) (*corev1.Pod, error) {
	obj := &corev1.Pod{}
	err := c.client.Get(ctx, name, obj)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return obj, err
}

// NeedLeaderElection says that only the leader evicts.
func (c *Controller) NeedLeaderElection() bool { return true }

// later returns the later of two times.
func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}
