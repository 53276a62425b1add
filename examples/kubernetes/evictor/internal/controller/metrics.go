package controller

import (
	"github.com/prometheus/client_golang/prometheus"
)

// instruments are the controller's metrics.
type instruments struct {
	evictions *prometheus.CounterVec
	lateness  prometheus.Histogram
}

func newInstruments(registry prometheus.Registerer, c *Controller) *instruments {
	m := &instruments{
		evictions: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "taints_evictor_evictions_total",
			Help: "Evictions by outcome: evicted, gone, blocked, conflict, error, dry-run or cancelled. One that was blocked, or failed, is tried again.",
		}, []string{"outcome"}),
		lateness: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "taints_evictor_lateness_seconds",
			Help:    "How long after its deadline a pod was evicted.",
			Buckets: []float64{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300, 1800},
		}),
	}
	for _, o := range []string{done, gone, blocked, conflict, failed, dryRun, cancelled} {
		m.evictions.WithLabelValues(o)
	}
	registry.MustRegister(m.evictions, m.lateness,
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "taints_evictor_queue_length",
			Help: "Pods that are to be evicted, now or later.",
		}, c.queueLength),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "taints_evictor_next_deadline_timestamp_seconds",
			Help: "When the next eviction is due, in seconds since 1970; 0 if there is none.",
		}, c.nextDeadline))
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
	at, ok := c.queue.Next()
	if !ok {
		return 0
	}
	return float64(at.UnixMilli()) / 1000
}
