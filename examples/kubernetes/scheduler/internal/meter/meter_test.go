// SPDX-License-Identifier: Apache-2.0

package meter

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/measurement"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	fwk "k8s.io/kube-scheduler/framework"
)

func pod(namespace, kind string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Labels: map[string]string{"type": kind}}}
}

func TestMeter(t *testing.T) {
	cpu := prometheus.NewCounter(prometheus.CounterOpts{Name: "process_cpu_seconds_total"})
	algorithm := prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "scheduler_scheduling_algorithm_duration_seconds",
	})
	registry := prometheus.NewRegistry()
	registry.MustRegister(cpu, algorithm)
	m := &Meter{
		Gatherer:   registry,
		Namespaces: []string{"measured", "too"},
		Selector:   labels.SelectorFromSet(labels.Set{"type": "unsched"}),
	}
	p, err := m.NewClock(t.Context(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		cpu.Add(10)
		algorithm.Observe(0.5)
		if _, err := m.Gather(); err != nil {
			t.Fatal(err)
		}
		for _, pod := range []*corev1.Pod{
			pod("measured", "unsched"), pod("too", "unsched"), pod("too", "blocker"), pod("other", "unsched"),
		} {
			p.(fwk.PostBindPlugin).PostBind(t.Context(), nil, pod, "node")
		}
	}
	run, err := m.Measured()
	if err != nil || run.Seconds <= 0 {
		t.Fatalf("it took %v s, %v", run.Seconds, err)
	}
	run.Seconds = 0
	want := measurement.Run{Pods: 6, CPU: 20, Algorithm: measurement.Sum{Count: 2, Sum: 1}}
	if diff := cmp.Diff(want, run); diff != "" {
		t.Error(diff)
	}
}
