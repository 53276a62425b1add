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
		register.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: labels}, value)
	}
	gauge("taints_evictor_queue_length", "Pods to evict, now or later.", nil, c.queueLength)
	gauge("taints_evictor_next_deadline_timestamp_seconds",
		"The earliest deadline of these pods, in seconds since 1970, in the past or the future; 0 if there are none.", nil, c.nextDeadline)
	for cause, held := range map[string]bool{"budget": true, "other": false} {
		gauge("taints_evictor_oldest_overdue_seconds",
			"How long the most overdue pod has been overdue, of those that a PodDisruptionBudget holds back, and of the others; 0 if no pod is.",
			prometheus.Labels{"cause": cause}, func() float64 { return c.oldestOverdue(held) })
	}
	return m
}

func (c *Controller) queueLength() float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return float64(c.queue.Len())
}

func (c *Controller) nextDeadline() float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at, ok := c.queue.Next(); ok {
		return float64(at.UnixMilli()) / 1000
	}
	return 0
}

func (c *Controller) oldestOverdue(held bool) (seconds float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.pods {
		if at, pending := c.queue.Due(p); pending && p.held == held {
			seconds = max(seconds, time.Since(at).Seconds())
		}
	}
	return seconds
}
