// SPDX-License-Identifier: Apache-2.0

// Package controller evicts the pods that do not tolerate their nodes' NoExecute
// taints. It replaces Kubernetes' taint-eviction controller.
//
// Package taints computes what the taints of a node do to a pod. A
// [lifecycle.Queue] holds the deadlines of all pending evictions. A check of a pod
// that has changed, or whose node has, schedules, moves or cancels its eviction
// (check.go). A check depends on what was seen and not on when it runs, so an extra
// check changes nothing. From the deadline to the eviction, a pod goes this way:
//
//   - Its node is in a queue, and all of its pods that are due are picked (dispatch.go).
//   - They share a view: the API server confirms what the cache says (view.go).
//   - Each waits for a worker and the rate limit, is checked once more (dispatch.go),
//     and evicted (evict.go).
package controller

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"golang.org/x/time/rate"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cluster/internal/program"
	"github.com/seed-0529bac1/taints/lifecycle"
)

// Options configure which pods are evicted, when, and how.
type Options struct {
	// Policy computes the deadlines. Its Arrival is set for each pod.
	Policy taints.EvictionPolicy
	// KeepTimers keeps the first deadline of a pending eviction. See
	// [lifecycle.Queue].
	KeepTimers bool
	// Method is how pods are evicted.
	Method Method
	// DeleteHeldAfter deletes a pod on a failed node so long after its deadline if a
	// PodDisruptionBudget still holds back its eviction, unless it is 0.
	DeleteHeldAfter time.Duration
	// Leads reports whether this replica leads, if there are several.
	Leads func() bool
	// DryRun does everything except evict.
	DryRun bool
	// QPS is how many evictions may begin in a second, and Burst how many at once
	// after a pause. QPS 0 or less means no limit.
	QPS   float64
	Burst int
	// Workers is how many pods are evicted at a time.
	Workers int
}

// A Controller evicts pods.
type Controller struct {
	client  client.Client // reads from the cache
	live    client.Reader // reads from the API server
	events  events.EventRecorder
	options Options
	metrics *instruments

	first, retries, large *lane

	workers chan struct{} // one for each worker
	turn    chan struct{} // full while a worker waits for the rate limit
	limiter *rate.Limiter
	cancels *rate.Limiter // of events that say that an eviction is canceled

	mu      sync.Mutex // guards the following fields, and those of pods that are not in flight
	nodes   map[string]*node
	unknown sets.Set[types.NamespacedName] // nodes and pods that are not understood
	pods    map[types.NamespacedName]*pod
	placed  map[string]sets.Set[*pod] // the same pods by node
	views   map[string]*view          // the newest of each node
	queue   lifecycle.Queue[*pod]

	canceled []*pod // by the check that runs
}

// New returns a controller that reads from the client's cache, and from the API
// server if the cache may be too old. It registers its metrics.
func New(c client.Client, live client.Reader, recorder events.EventRecorder, registry prometheus.Registerer, o Options) *Controller {
	// As many pods wait for an answer or for their turn as may be evicted in three
	// seconds: views are used before they are too old.
	workers := max(o.Workers, 1)
	limit, ahead := rate.Limit(o.QPS), max(int(3*o.QPS), workers)
	if o.QPS <= 0 {
		limit, ahead = rate.Inf, 16*workers
	}
	controller := &Controller{
		client:  c,
		live:    live,
		events:  recorder,
		options: o,
		first:   newLane(name+"-evictions", ahead),
		retries: newLane(name+"-retries", workers),
		large:   newLane(name+"-large", 1),
		workers: make(chan struct{}, workers),
		turn:    make(chan struct{}, 1),
		limiter: rate.NewLimiter(limit, max(o.Burst, 1)),
		cancels: rate.NewLimiter(50, 200), // client-go sends all events at once, however many there are
		nodes:   map[string]*node{},
		unknown: sets.New[types.NamespacedName](),
		pods:    map[types.NamespacedName]*pod{},
		placed:  map[string]sets.Set[*pod]{},
		views:   map[string]*view{},
		queue:   lifecycle.Queue[*pod]{NewestWins: !o.KeepTimers},
	}
	controller.metrics = newInstruments(registry, controller)
	return controller
}

const name = "taints-evictor"

// cacheSyncTimeout is longer than any outage of the API server: the process waits
// for the API server, and is not ready until then.
const cacheSyncTimeout = 365 * 24 * time.Hour

// Setup adds the controller to a manager with [CacheOptions] and [Mapper]. Only
// the leader checks pods. Every replica observes taints, so that a taint without
// timeAdded keeps its time when another replica leads.
func Setup(m manager.Manager, o Options) error {
	c := New(m.GetClient(), m.GetAPIReader(), m.GetEventRecorder(name), metrics.Registry, o)
	return errors.Join(
		m.GetFieldIndexer().IndexField(context.Background(), &corev1.Pod{}, byNode, nodeOf),
		builder.ControllerManagedBy(m).
			Named(name+"-nodes").
			For(&corev1.Node{}).
			WithOptions(controller.Options{NeedLeaderElection: ptr.To(false), CacheSyncTimeout: cacheSyncTimeout}).
			Complete(reconcile.Func(c.reconcileNode)),
		builder.ControllerManagedBy(m).
			Named(name).
			Watches(&corev1.Pod{}, &handler.EnqueueRequestForObject{}).
			Watches(&corev1.Node{}, &handler.EnqueueRequestForObject{}, builder.WithPredicates(taintsChange)).
			WithOptions(controller.Options{CacheSyncTimeout: cacheSyncTimeout}).
			Complete(c),
		m.Add(c),
	)
}

// CacheOptions returns options for a cache that is small even in a large cluster:
// it has only the pods that have a node, and only the fields of pods and nodes
// that the controller reads. Its objects are shared and must not be modified.
func CacheOptions() cache.Options {
	return cache.Options{
		ReaderFailOnMissingInformer: true,
		ByObject: map[client.Object]cache.ByObject{
			&corev1.Pod{}: {
				Field:                 fields.OneTermNotEqualSelector("spec.nodeName", ""),
				Transform:             strip,
				UnsafeDisableDeepCopy: ptr.To(true),
			},
			&corev1.Node{}: {Transform: strip, UnsafeDisableDeepCopy: ptr.To(true)},
		},
	}
}

// instruments are the controller's metrics.
type instruments struct {
	evictions, failures *prometheus.CounterVec
	lateness            prometheus.Histogram
}

func newInstruments(registry prometheus.Registerer, c *Controller) *instruments {
	register := promauto.With(registry)
	m := &instruments{
		evictions: register.NewCounterVec(prometheus.CounterOpts{
			Name: "taints_evictor_evictions_total",
			Help: "Evictions by outcome: evicted, deleted, gone, canceled or dry-run.",
		}, []string{"outcome"}),
		failures: register.NewCounterVec(prometheus.CounterOpts{
			Name: "taints_evictor_failed_attempts_total",
			Help: "Attempts to evict a pod that failed and are repeated, by reason: blocked, throttled, conflict, stale or error.",
		}, []string{"reason"}),
		lateness: register.NewHistogram(prometheus.HistogramOpts{
			Name:    "taints_evictor_lateness_seconds",
			Help:    "How long after its deadline a pod was evicted.",
			Buckets: []float64{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300, 1800},
		}),
	}
	for _, outcome := range []string{done, deleted, gone, canceled, dryRun} {
		m.evictions.WithLabelValues(outcome)
	}
	for _, reason := range []string{blocked, throttled, conflict, stale, failed} {
		m.failures.WithLabelValues(reason)
	}
	gauge := func(name, help string, labels prometheus.Labels, value func() float64) {
		register.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: labels}, func() float64 {
			c.mu.Lock()
			defer c.mu.Unlock()
			return value()
		})
	}
	gauge("taints_evictor_build_info", "The program's version.", prometheus.Labels{"version": program.Version()},
		func() float64 { return 1 })
	gauge("taints_evictor_not_understood",
		"Tainted nodes, and pods on them, that have an effect or an operator of a newer version of Kubernetes.", nil,
		func() float64 { return float64(c.unknown.Len()) })
	gauge("taints_evictor_queue_length", "Pods to evict, now or later.", nil, func() float64 { return float64(c.queue.Len()) })
	gauge("taints_evictor_next_deadline_timestamp_seconds",
		"The earliest deadline of these pods, in seconds since 1970, in the past or the future; 0 if there are none.", nil, c.nextDeadline)
	for cause, held := range map[string]bool{"budget": true, "other": false} {
		gauge("taints_evictor_oldest_overdue_seconds",
			"How long the most overdue pod has been overdue, of those that a PodDisruptionBudget holds back, and of the others; 0 if no pod is.",
			prometheus.Labels{"cause": cause}, func() float64 { return c.oldestOverdue(held) })
	}
	return m
}

func (c *Controller) nextDeadline() float64 {
	if at, ok := c.queue.Next(); ok {
		return float64(at.UnixMilli()) / 1000
	}
	return 0
}

func (c *Controller) oldestOverdue(held bool) (seconds float64) {
	for _, p := range c.pods {
		if c.pending(p) && p.held == held {
			seconds = max(seconds, time.Since(p.due).Seconds())
		}
	}
	return seconds
}
