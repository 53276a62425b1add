// SPDX-License-Identifier: Apache-2.0

package meter

import (
	"errors"
	"os"
	"path/filepath"
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

func family(name string, metrics ...*dto.Metric) *dto.MetricFamily {
	return &dto.MetricFamily{Name: &name, Metric: metrics}
}

// metric makes a metric with labels, given as pairs of name and value.
func metric(counter float64, histogram *dto.Histogram, labels ...string) *dto.Metric {
	m := &dto.Metric{Counter: &dto.Counter{Value: &counter}, Histogram: histogram}
	for i := 0; i < len(labels); i += 2 {
		m.Label = append(m.Label, &dto.LabelPair{Name: &labels[i], Value: &labels[i+1]})
	}
	return m
}

func seconds(sum float64, counts ...uint64) *dto.Histogram {
	h := &dto.Histogram{SampleCount: &counts[len(counts)-1], SampleSum: &sum}
	for i := range counts {
		bound := float64(int(1) << i)
		h.Bucket = append(h.Bucket, &dto.Bucket{UpperBound: &bound, CumulativeCount: &counts[i]})
	}
	return h
}

// page is what the metrics say when so many pods were scheduled and as many not.
func page(n uint64) []*dto.MetricFamily {
	x := float64(n)
	woken := func(queue, event string, count float64) *dto.Metric {
		return metric(count, nil, "queue", queue, "event", event)
	}
	return []*dto.MetricFamily{
		family("process_cpu_seconds_total", metric(10*x, nil)),
		family("scheduler_scheduling_attempt_duration_seconds",
			metric(0, seconds(x, n, n), "result", "scheduled"),
			metric(0, seconds(2*x, 0, n), "result", "unschedulable")),
		family("scheduler_scheduling_algorithm_duration_seconds", metric(0, seconds(x/2, n, n))),
		family("scheduler_event_handling_duration_seconds",
			metric(0, seconds(x, n), "event", "NodeUpdateNodeTaint"),
			metric(0, seconds(5, 5), "event", "NodeAdd")),
		family("scheduler_queue_incoming_pods_total",
			woken("active", "NodeUpdateNodeTaint", x), woken("backoff", "NodeUpdateNodeTaint", x),
			woken("unschedulable", "NodeUpdateNodeTaint", 7*x), woken("active", "NodeAdd", 3),
			woken("active", "UnschedulablePodAdd", x), woken("active", "BackoffComplete", x),
			woken("active", "PopFromBackoffQ", x), woken("unschedulable", "ScheduleAttemptFailure", x),
			woken("backoff", "ScheduleAttemptFailure", x)),
		family("something_else", metric(1, nil)),
	}
}

func pod(namespace, kind string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace: namespace, Labels: map[string]string{"type": kind},
	}}
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
	want := measurement.Run{
		Pods: 6,
		CPU:  40,
		Attempts: measurement.Histogram{
			Sum: measurement.Sum{Count: 8, Sum: 12}, Bounds: []float64{1, 2}, Counts: []int{4, 8},
		},
		Algorithm: measurement.Histogram{
			Sum: measurement.Sum{Count: 4, Sum: 2}, Bounds: []float64{1, 2}, Counts: []int{4, 4},
		},
		Events: map[string]measurement.Sum{"NodeUpdateNodeTaint": {Count: 4, Sum: 4}},
		Woken:  map[string]int{"NodeUpdateNodeTaint": 8},
	}
	if diff := cmp.Diff(want, run); diff != "" {
		t.Error(diff)
	}
}

func TestProfile(t *testing.T) {
	m := &Meter{Gatherer: &gatherer{pages: [][]*dto.MetricFamily{page(1), page(2)}}}
	if err := m.StopProfile(); err != nil {
		t.Errorf("no profile: %v", err)
	}
	m.Profile = filepath.Join(t.TempDir(), "profile")
	for range 2 { // the second does not start it again
		if _, err := m.Gather(); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.StopProfile(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(m.Profile); err != nil || info.Size() == 0 {
		t.Errorf("the profile: %v, %v", info, err)
	}
}
