// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// instruments are the controller's metrics.
type instruments struct {
	evictions, failures *prometheus.CounterVec
	lateness            prometheus.Histogram
}

func newInstruments(registry prometheus.Registerer, c *Controller) *instruments {
	m := &instruments{
		evictions: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "taints_evictor_evictions_total",
			Help: "Evictions by outcome: evicted, gone, canceled or dry-run.",
		}, []string{"outcome"}),
		failures: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "taints_evictor_failed_attempts_total",
			Help: "Attempts to evict a pod that failed and are repeated, by reason: blocked, throttled, conflict or error.",
		}, []string{"reason"}),
		lateness: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "taints_evictor_lateness_seconds",
			Help:    "How long after its deadline a pod was evicted.",
			Buckets: []float64{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300, 1800},
		}),
	}
	for _, outcome := range []string{done, gone, canceled, dryRun} {
		m.evictions.WithLabelValues(outcome)
	}
	for _, reason := range []string{blocked, throttled, conflict, failed} {
		m.failures.WithLabelValues(reason)
	}
	registry.MustRegister(m.evictions, m.failures, m.lateness,
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "taints_evictor_queue_length",
			Help: "Pods to evict, now or later.",
		}, c.queueLength),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "taints_evictor_next_deadline_timestamp_seconds",
			Help: "The earliest deadline of these pods, in seconds since 1970, in the past or the future; 0 if there are none.",
		}, c.nextDeadline),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "taints_evictor_oldest_overdue_seconds",
			Help: "How long the most overdue pod has been overdue; 0 if no pod is.",
		}, c.oldestOverdue))
	return m
}

func (c *Controller) queueLength() float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return float64(c.queue.Len())
}

func (c *Controller) nextDeadline() float64 {
	at, ok := c.earliest()
	if !ok {
		return 0
	}
	return float64(at.UnixMilli()) / 1000
}

func (c *Controller) oldestOverdue() float64 {
	at, ok := c.earliest()
	if !ok {
		return 0
	}
	return max(0, time.Since(at).Seconds())
}

// earliest returns the earliest deadline of all pending evictions.
func (c *Controller) earliest() (time.Time, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.queue.Next()
}
