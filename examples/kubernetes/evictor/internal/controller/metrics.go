// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

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
			Help: "Evictions by outcome: evicted, gone, canceled or dry-run.",
		}, []string{"outcome"}),
		failures: register.NewCounterVec(prometheus.CounterOpts{
			Name: "taints_evictor_failed_attempts_total",
			Help: "Attempts to evict a pod that failed and are repeated, by reason: blocked, throttled, conflict or error.",
		}, []string{"reason"}),
		lateness: register.NewHistogram(prometheus.HistogramOpts{
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
	gauge := func(name, help string, value func() float64) {
		register.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value)
	}
	gauge("taints_evictor_queue_length", "Pods to evict, now or later.", c.queueLength)
	gauge("taints_evictor_next_deadline_timestamp_seconds",
		"The earliest deadline of these pods, in seconds since 1970, in the past or the future; 0 if there are none.", c.nextDeadline)
	gauge("taints_evictor_oldest_overdue_seconds", "How long the most overdue pod has been overdue; 0 if no pod is.", c.oldestOverdue)
	return m
}

func (c *Controller) queueLength() float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return float64(c.queue.Len())
}

func (c *Controller) nextDeadline() float64 {
	if at, ok := c.earliest(); ok {
		return float64(at.UnixMilli()) / 1000
	}
	return 0
}

func (c *Controller) oldestOverdue() float64 {
	if at, ok := c.earliest(); ok {
		return max(0, time.Since(at).Seconds())
	}
	return 0
}

// earliest returns the earliest deadline of all pending evictions.
func (c *Controller) earliest() (time.Time, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.queue.Next()
}
