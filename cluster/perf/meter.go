// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"sync"
	"time"

	dto "github.com/prometheus/client_model/go"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-base/metrics"
	fwk "k8s.io/kube-scheduler/framework"
)

// A meter measures more precisely than scheduler_perf, which samples once a second
// or counts from the start of the process:
//
//   - It replaces the metrics gatherer. scheduler_perf gathers when it starts to
//     measure, every second, and when it stops. The measurement is the difference
//     between the last time and the first.
//   - Its plugin, the same for both schedulers, sees each pod that is bound. Those
//     that are bound before the first time or after the last do not count.
type meter struct {
	metrics.Gatherer // the gatherer that it replaces

	mu          sync.Mutex
	bound       []time.Time // when each pod was bound
	first, last *sums       // what was gathered
}

// sums are the metrics of the process at one time.
type sums struct {
	cpu, algorithm float64 // seconds
	chosen         uint64  // how often the algorithm has run
	bound          int     // how many pods were bound
}

// Gather implements [metrics.Gatherer].
func (m *meter) Gather() ([]*dto.MetricFamily, error) {
	families, err := m.Gatherer.Gather()
	if err != nil {
		return nil, err
	}
	s := &sums{}
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			switch family.GetName() {
			case "process_cpu_seconds_total":
				s.cpu = metric.GetCounter().GetValue()
			case "scheduler_scheduling_algorithm_duration_seconds":
				s.chosen, s.algorithm = metric.GetHistogram().GetSampleCount(), metric.GetHistogram().GetSampleSum()
			}
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	s.bound = len(m.bound)
	m.last = s
	if m.first == nil {
		m.first = s
	}
	return families, nil
}

// measured returns the measurement.
func (m *meter) measured() (measurement, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.last == nil || m.last.bound < m.first.bound+2 {
		return measurement{}, errors.New("nothing was measured")
	}
	bound := m.bound[m.first.bound:m.last.bound]
	return measurement{
		Pods:      float64(len(bound)),
		Seconds:   bound[len(bound)-1].Sub(bound[0]).Seconds(),
		CPU:       m.last.cpu - m.first.cpu,
		Algorithm: (m.last.algorithm - m.first.algorithm) / float64(max(1, m.last.chosen-m.first.chosen)),
	}, nil
}

// clock is the name of a meter as a plugin.
const clock = "Clock"

var _ fwk.PostBindPlugin = (*meter)(nil)

// Name returns the name of the plugin.
func (m *meter) Name() string { return clock }

// PostBind counts a pod that was bound.
func (m *meter) PostBind(context.Context, fwk.CycleState, *corev1.Pod, string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.bound = append(m.bound, time.Now())
}
