// SPDX-License-Identifier: Apache-2.0

// Package meter measures a scheduler while scheduler_perf, Kubernetes' own
// benchmark, runs a workload.
package meter

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/measurement"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/component-base/metrics"
	fwk "k8s.io/kube-scheduler/framework"
)

// A Meter measures more precisely than scheduler_perf, which samples once a second
// or counts from the start of the process:
//
//   - Its plugin, the same for both schedulers, sees each pod that is bound: see
//     [Meter.NewClock].
//   - It replaces the metrics gatherer. scheduler_perf gathers when it starts to
//     measure, every second, and when it stops. The measurement is the difference
//     between the last time and the first.
type Meter struct {
	metrics.Gatherer                 // the gatherer that it replaces
	Namespaces       []string        // of the measured pods
	Selector         labels.Selector // of the measured pods

	mu          sync.Mutex
	pods        int
	begin, end  time.Time        // when the first and the last pod was bound
	first, last *measurement.Run // what was gathered
}

// Gather implements [metrics.Gatherer].
func (m *Meter) Gather() ([]*dto.MetricFamily, error) {
	families, err := m.Gatherer.Gather()
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.last = snapshot(families)
	if m.first == nil {
		m.first = m.last
	}
	return families, nil
}

// Measured returns the measurements.
func (m *Meter) Measured() (measurement.Run, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.first == nil || m.pods < 2 {
		return measurement.Run{}, errors.New("nothing was measured")
	}
	return measurement.Run{
		Pods:      m.pods,
		Seconds:   m.end.Sub(m.begin).Seconds(),
		CPU:       m.last.CPU - m.first.CPU,
		Algorithm: m.last.Algorithm.Sub(m.first.Algorithm),
	}, nil
}

// snapshot returns the metrics of the process at one time.
func snapshot(families []*dto.MetricFamily) *measurement.Run {
	s := &measurement.Run{}
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			switch family.GetName() {
			case "process_cpu_seconds_total":
				s.CPU = metric.GetCounter().GetValue()
			case "scheduler_scheduling_algorithm_duration_seconds":
				h := metric.GetHistogram()
				s.Algorithm = measurement.Sum{Count: int(h.GetSampleCount()), Sum: h.GetSampleSum()}
			}
		}
	}
	return s
}

var _ fwk.PostBindPlugin = (*Meter)(nil)

// Clock is the name of a Meter as a plugin.
const Clock = "Clock"

// NewClock returns the Meter as a plugin.
func (m *Meter) NewClock(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) {
	return m, nil
}

// Name returns the name of the plugin.
func (m *Meter) Name() string { return Clock }

// PostBind counts a pod that was bound.
func (m *Meter) PostBind(_ context.Context, _ fwk.CycleState, pod *corev1.Pod, _ string) {
	if !slices.Contains(m.Namespaces, pod.Namespace) || !m.Selector.Matches(labels.Set(pod.Labels)) {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.end = time.Now()
	if m.pods == 0 {
		m.begin = m.end
	}
	m.pods++
}
