// SPDX-License-Identifier: Apache-2.0

// Package meter measures what a scheduler does while scheduler_perf,
// Kubernetes' own benchmark, runs a workload.
package meter

import (
	"context"
	"errors"
	"os"
	"runtime/pprof"
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
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// A Meter measures what scheduler_perf itself would only give in samples of a
// second, or from the start of the process:
//
//   - It is told of every pod that is bound, by a plugin that is part of either
//     scheduler, stock or not: see [Meter.NewClock].
//   - It stands in for the gatherer of metrics. scheduler_perf gathers when it
//     starts to measure, every second, and when it stops. What the last time has
//     more than the first belongs to what is measured.
type Meter struct {
	metrics.Gatherer                 // the one that it stands in for
	Namespaces       []string        // of the pods that are measured
	Selector         labels.Selector // of these
	Profile          string          // a file for a CPU profile, or ""

	mu          sync.Mutex
	pods        int
	begin, end  time.Time // when the first and the last pod was bound
	first, last *snapshot
	profiling   *os.File
}

// bound counts a pod.
func (m *Meter) bound(pod *corev1.Pod) {
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

// Gather implements [metrics.Gatherer].
func (m *Meter) Gather() ([]*dto.MetricFamily, error) {
	families, err := m.Gatherer.Gather()
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.last = snapshotOf(families)
	if m.first != nil {
		return families, nil
	}
	m.first = m.last
	return families, m.startProfile()
}

func (m *Meter) startProfile() error {
	if m.Profile == "" {
		return nil
	}
	file, err := os.Create(m.Profile)
	if err != nil {
		return err
	}
	m.profiling = file
	return pprof.StartCPUProfile(file)
}

// StopProfile ends the profile, if there is one.
func (m *Meter) StopProfile() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.profiling == nil {
		return nil
	}
	pprof.StopCPUProfile()
	return m.profiling.Close()
}

// Measured returns what was measured.
func (m *Meter) Measured() (measurement.Run, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.first == nil || m.pods < 2 {
		return measurement.Run{}, errors.New("nothing was measured")
	}
	run := measurement.Run{
		Pods:      m.pods,
		Seconds:   m.end.Sub(m.begin).Seconds(),
		CPU:       m.last.cpu - m.first.cpu,
		Attempts:  m.last.attempts.Sub(m.first.attempts),
		Algorithm: m.last.algorithm.Sub(m.first.algorithm),
		Events:    map[string]measurement.Sum{},
		Woken:     map[string]int{},
	}
	for event, sum := range m.last.events {
		if difference := sum.Sub(m.first.events[event]); difference.Count > 0 {
			run.Events[event] = difference
		}
	}
	for event, count := range m.last.woken {
		if difference := count - m.first.woken[event]; difference > 0 {
			run.Woken[event] = difference
		}
	}
	return run, nil
}

// A snapshot is what the metrics of the process say at one time.
type snapshot struct {
	cpu       float64
	attempts  measurement.Histogram
	algorithm measurement.Histogram
	events    map[string]measurement.Sum
	woken     map[string]int
}

func snapshotOf(families []*dto.MetricFamily) *snapshot {
	s := &snapshot{events: map[string]measurement.Sum{}, woken: map[string]int{}}
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			s.add(family.GetName(), metric)
		}
	}
	return s
}

func (s *snapshot) add(name string, metric *dto.Metric) {
	switch name {
	case "process_cpu_seconds_total":
		s.cpu = metric.GetCounter().GetValue()
	case "scheduler_scheduling_attempt_duration_seconds": // by result
		s.attempts = s.attempts.Add(histogramOf(metric.GetHistogram()))
	case "scheduler_scheduling_algorithm_duration_seconds":
		s.algorithm = s.algorithm.Add(histogramOf(metric.GetHistogram()))
	case "scheduler_event_handling_duration_seconds":
		event := label(metric, "event")
		s.events[event] = s.events[event].Add(histogramOf(metric.GetHistogram()).Sum)
	case "scheduler_queue_incoming_pods_total":
		if event := label(metric, "event"); label(metric, "queue") != "unschedulable" && wakes(event) {
			s.woken[event] += int(metric.GetCounter().GetValue())
		}
	}
}

// wakes reports whether a pod that comes into a queue by the event was one that
// waited, not a new one or one that failed.
func wakes(event string) bool {
	switch event {
	case framework.ScheduleAttemptFailure, framework.BackoffComplete, framework.PopFromBackoffQ,
		framework.EventUnscheduledPodAdd.Label():
		return false
	}
	return true
}

func label(metric *dto.Metric, name string) string {
	for _, pair := range metric.GetLabel() {
		if pair.GetName() == name {
			return pair.GetValue()
		}
	}
	return ""
}

func histogramOf(h *dto.Histogram) measurement.Histogram {
	var result measurement.Histogram
	result.Sum = measurement.Sum{Count: int(h.GetSampleCount()), Sum: h.GetSampleSum()}
	for _, bucket := range h.GetBucket() {
		result.Bounds = append(result.Bounds, bucket.GetUpperBound())
		result.Counts = append(result.Counts, int(bucket.GetCumulativeCount()))
	}
	return result
}

// A clock is the plugin by which a Meter sees pods bound.
type clock struct{ meter *Meter }

var _ fwk.PostBindPlugin = clock{}

// Clock is the name of the plugin.
const Clock = "Clock"

// NewClock makes the plugin.
func (m *Meter) NewClock(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) {
	return clock{m}, nil
}

// Name returns the name of the plugin.
func (c clock) Name() string { return Clock }

// PostBind counts a pod that was bound.
func (c clock) PostBind(_ context.Context, _ fwk.CycleState, pod *corev1.Pod, _ string) {
	c.meter.bound(pod)
}
