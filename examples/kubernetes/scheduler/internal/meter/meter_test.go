// SPDX-License-Identifier: Apache-2.0

package meter

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	dto "github.com/prometheus/client_model/go"
	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/measurement"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	fwk "k8s.io/kube-scheduler/framework"
)

// A gatherer has a page of metrics for each time that it is asked.
type gatherer struct{ pages [][]*dto.MetricFamily }

func (g *gatherer) Gather() ([]*dto.MetricFamily, error) {
	if len(g.pages) == 0 {
		return nil, errors.New("no more pages")
	}
	page := g.pages[0]
	g.pages = g.pages[1:]
	return page, nil
}

// page has the metrics after so many pods.
func page(n uint64) []*dto.MetricFamily {
	cpu, sum := 10*float64(n), float64(n)/2
	family := func(name string, metric *dto.Metric) *dto.MetricFamily {
		return &dto.MetricFamily{Name: &name, Metric: []*dto.Metric{metric}}
	}
	histogram := &dto.Metric{Histogram: &dto.Histogram{SampleCount: &n, SampleSum: &sum}}
	return []*dto.MetricFamily{
		family("process_cpu_seconds_total", &dto.Metric{Counter: &dto.Counter{Value: &cpu}}),
		family("scheduler_scheduling_algorithm_duration_seconds", histogram),
		family("something_else", histogram),
	}
}

func pod(namespace, kind string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Labels: map[string]string{"type": kind}}}
}

func TestMeter(t *testing.T) {
	m := &Meter{
		Gatherer:   &gatherer{pages: [][]*dto.MetricFamily{page(1), page(2), page(5)}},
		Namespaces: []string{"measured", "too"},
		Selector:   labels.SelectorFromSet(labels.Set{"type": "unsched"}),
	}
	p, err := m.NewClock(t.Context(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Measured(); err == nil {
		t.Error("no error before anything is measured")
	}
	for range 3 {
		if _, err := m.Gather(); err != nil {
			t.Fatal(err)
		}
		for _, pod := range []*corev1.Pod{
			pod("measured", "unsched"), pod("too", "unsched"), pod("too", "blocker"), pod("other", "unsched"),
		} {
			p.(fwk.PostBindPlugin).PostBind(t.Context(), nil, pod, "node")
		}
	}
	if _, err := m.Gather(); err == nil {
		t.Error("no error where the metrics cannot be gathered")
	}
	run, err := m.Measured()
	if err != nil {
		t.Fatal(err)
	}
	if run.Seconds <= 0 {
		t.Errorf("it took %v s", run.Seconds)
	}
	run.Seconds = 0
	want := measurement.Run{Pods: 6, CPU: 40, Algorithm: measurement.Sum{Count: 4, Sum: 2}}
	if diff := cmp.Diff(want, run); diff != "" {
		t.Error(diff)
	}
}
