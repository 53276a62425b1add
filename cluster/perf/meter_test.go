// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
)

func TestMeter(t *testing.T) {
	cpu := prometheus.NewCounter(prometheus.CounterOpts{Name: "process_cpu_seconds_total"})
	algorithm := prometheus.NewHistogram(prometheus.HistogramOpts{Name: "scheduler_scheduling_algorithm_duration_seconds"})
	registry := prometheus.NewRegistry()
	registry.MustRegister(cpu, algorithm)
	m := &meter{Gatherer: registry}
	bind := func() { m.PostBind(t.Context(), nil, &corev1.Pod{}, "node") }
	bind() // before it is measured
	for range 3 {
		cpu.Add(10)
		algorithm.Observe(0.5)
		if _, err := m.Gather(); err != nil {
			t.Fatal(err)
		}
		bind()
		bind()
	}
	got, err := m.measured()
	if err != nil || got.Seconds <= 0 {
		t.Fatalf("it took %v s, %v", got.Seconds, err)
	}
	if want := (measurement{Pods: 4, Seconds: got.Seconds, CPU: 20, Algorithm: 0.5}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
