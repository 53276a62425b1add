// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/cluster"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestThroughput measures how fast the scheduler with the plugin and the one without
// place 2,000 pods in a cluster of 5,000 nodes with 50 sets of taints, and prints a
// table. Each pod tolerates one set. The two take turns, twice, on one control
// plane.
func TestThroughput(t *testing.T) {
	const (
		nodeCount = 5000
		sets      = 50
		podCount  = 2000
		rounds    = 2
	)
	c := start(t, cluster.Options{
		NoControllerManager: true, // nodes need no heartbeat, and nobody looks at the pods
		APIServer:           []string{"--disable-admission-plugins=ServiceAccount,TaintNodesByCondition"},
	})
	var nodes []*corev1.Node
	for i := range nodeCount {
		nodes = append(nodes, cluster.Node(fmt.Sprintf("node-%04d", i), teamTaints(i%sets)...))
	}
	begin := time.Now()
	c.AddNodes(nodes...)
	t.Logf("%d nodes created in %v", nodeCount, time.Since(begin).Round(time.Millisecond))

	rows := []*row{
		{name: "TaintToleration", profile: profile{Name: corev1.DefaultSchedulerName}},
		{name: "Taints", profile: profile{Name: corev1.DefaultSchedulerName, Taints: true}},
	}
	for range rounds {
		for _, r := range rows {
			r.measure(t, c, podCount, sets)
		}
	}
	var table strings.Builder
	fmt.Fprintf(&table,
		"| plugin | pods a second | scheduling a pod | all PreFilter | all Filter | its PreFilter | its Filter, a node |\n")
	fmt.Fprintf(&table, "|---|--:|--:|--:|--:|--:|--:|\n")
	for _, r := range rows {
		fmt.Fprintf(&table, "| %s | %.0f | %v | %v | %v | %v | %v |\n", r.name, float64(r.pods)/r.took.Seconds(),
			&r.algorithm, &r.preFilter, &r.filter, &r.ownPreFilter, &r.ownFilter)
	}
	t.Logf("%d nodes in %d taint sets, %d pods, %d rounds:\n%s", nodeCount, sets, podCount, rounds, table.String())
	if stock, taints := rows[0].filter.mean(), rows[1].filter.mean(); taints >= stock {
		t.Errorf("filtering takes %v for a pod, and %v without the plugin", taints, stock)
	}
}

// teamTaints are the taints of the nodes of a team.
func teamTaints(team int) []corev1.Taint {
	return []corev1.Taint{
		{Key: "example.com/team", Value: fmt.Sprintf("team-%d", team), Effect: corev1.TaintEffectNoSchedule},
		{Key: "example.com/spot", Value: "true", Effect: corev1.TaintEffectPreferNoSchedule},
	}
}

// teamPod is a pod of a team, and has three tolerations as many pods have, besides
// two that admission adds.
func teamPod(name string, team int) *corev1.Pod {
	return asking(cluster.Pod(name,
		corev1.Toleration{
			Key:      corev1.TaintNodeMemoryPressure,
			Operator: corev1.TolerationOpExists,
			Effect:   corev1.TaintEffectNoSchedule,
		},
		corev1.Toleration{
			Key:      "example.com/team",
			Operator: corev1.TolerationOpEqual,
			Value:    fmt.Sprintf("team-%d", team),
		},
		corev1.Toleration{
			Key:      "nvidia.com/gpu",
			Operator: corev1.TolerationOpExists,
			Effect:   corev1.TaintEffectNoSchedule,
		},
	), "100m")
}

// A row is what was measured with one plugin.
type row struct {
	name    string
	profile profile

	pods                    int
	took                    time.Duration
	algorithm               histogram // scheduling a pod, without binding it
	preFilter, filter       histogram // an extension point, for a pod: all plugins, and all nodes
	ownPreFilter, ownFilter histogram // the plugin alone, sampled by the scheduler: for a pod, and for a node
}

// measure creates the pods, starts the scheduler, and stops the time from the first
// pod that it has placed to the last.
func (r *row) measure(t *testing.T, c *cluster.Cluster, count, sets int) {
	t.Helper()
	var pods []*corev1.Pod
	for i := range count {
		pods = append(pods, teamPod(fmt.Sprintf("pod-%04d", i), i%sets))
	}
	c.AddPods(pods...)
	scheduler, url := startScheduler(t, c, nil, r.profile)

	var first, last int
	var begin, end time.Time
	c.Within(5*time.Minute, "all pods are placed", func() error {
		last = r.scheduled(t, c, url)
		end = time.Now()
		if first == 0 {
			first, begin = last, end
		}
		if last < count {
			return fmt.Errorf("%d of %d are", last, count)
		}
		return nil
	})
	metrics, err := c.Metrics(url + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	r.pods += last - first
	r.took += end.Sub(begin)
	point := func(name string) histogram {
		return histogramOf(metrics["scheduler_framework_extension_point_duration_seconds"], "extension_point", name)
	}
	own := func(name string) histogram {
		return histogramOf(metrics["scheduler_plugin_execution_duration_seconds"],
			"extension_point", name, "plugin", r.name)
	}
	r.algorithm.add(histogramOf(metrics["scheduler_scheduling_algorithm_duration_seconds"]))
	r.preFilter.add(point("PreFilter"))
	r.filter.add(point("Filter"))
	r.ownPreFilter.add(own("PreFilter"))
	r.ownFilter.add(own("Filter"))
	t.Logf("%s: %d pods in %v", r.name, last-first, end.Sub(begin).Round(time.Millisecond))

	c.Eventually("all pods are on nodes of their team", func() error {
		for _, pod := range c.Pods("default") {
			if number(pod.Spec.NodeName)%sets != number(pod.Name)%sets {
				return fmt.Errorf("%s is on %q: %s", pod.Name, pod.Spec.NodeName, pending(pod))
			}
		}
		return nil
	})
	scheduler.Stop()
	err = c.Client.CoreV1().Pods("default").DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	c.Eventually("the pods are gone", func() error {
		if left := len(c.Pods("default")); left > 0 {
			return fmt.Errorf("%d are left", left)
		}
		return nil
	})
}

// number is that at the end of a name, and -1 where there is none.
func number(name string) int {
	n, err := strconv.Atoi(name[strings.LastIndex(name, "-")+1:])
	if err != nil {
		return -1
	}
	return n
}

// scheduled is how many pods the scheduler has placed, by its own count.
func (r *row) scheduled(t *testing.T, c *cluster.Cluster, url string) int {
	t.Helper()
	metrics, err := c.Metrics(url + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, metric := range matching(metrics["scheduler_schedule_attempts_total"], "result", "scheduled") {
		total += int(metric.GetCounter().GetValue())
	}
	return total
}

// A histogram is the sum of what was observed, and how often.
type histogram struct {
	sum   float64 // seconds
	count uint64
}

func (h *histogram) add(other histogram) {
	h.sum += other.sum
	h.count += other.count
}

func (h *histogram) mean() time.Duration {
	return time.Duration(h.sum / float64(max(1, h.count)) * float64(time.Second))
}

// String returns the mean.
func (h *histogram) String() string {
	switch mean := h.mean(); {
	case h.count == 0:
		return "none"
	case mean < 10*time.Microsecond:
		return mean.Round(10 * time.Nanosecond).String()
	default:
		return mean.Round(time.Microsecond).String()
	}
}

func histogramOf(family *dto.MetricFamily, labels ...string) histogram {
	var h histogram
	for _, metric := range matching(family, labels...) {
		h.add(histogram{metric.GetHistogram().GetSampleSum(), metric.GetHistogram().GetSampleCount()})
	}
	return h
}

// matching returns the metrics of the family that have the labels, given as pairs of
// name and value.
func matching(family *dto.MetricFamily, labels ...string) []*dto.Metric {
	var found []*dto.Metric
	for _, metric := range family.GetMetric() {
		has := map[string]string{}
		for _, label := range metric.GetLabel() {
			has[label.GetName()] = label.GetValue()
		}
		fits := true
		for i := 0; i < len(labels); i += 2 {
			fits = fits && has[labels[i]] == labels[i+1]
		}
		if fits {
			found = append(found, metric)
		}
	}
	return found
}
