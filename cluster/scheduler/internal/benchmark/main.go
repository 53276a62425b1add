// SPDX-License-Identifier: Apache-2.0

// Command benchmark runs a workload of Kubernetes' scheduler benchmark,
// scheduler_perf, and writes the measurements to a file. The configuration may
// enable the plugin Taints. The command perf builds it and starts it once for each
// run:
//
//	benchmark -config FILE -result FILE ...
//
// scheduler_perf needs an etcd on the PATH. Under that name, this program is one.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/seed-0529bac1/taints/cluster/scheduler/internal/plugin"
	"go.etcd.io/etcd/server/v3/etcdmain"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"
	fwk "k8s.io/kube-scheduler/framework"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	perf "k8s.io/kubernetes/test/integration/scheduler_perf"
)

func main() {
	if filepath.Base(os.Args[0]) == "etcd" {
		etcd()
		return
	}
	m := &meter{Gatherer: legacyregistry.DefaultGatherer}
	testing.Init()
	config := flag.String("config", "", "run the workload of this `file`, a performance-config.yaml")
	result := flag.String("result", "", "write what was measured to this `file`")
	if err := perf.InitTests(); err != nil { // it parses the flags
		fmt.Fprintf(os.Stderr, "benchmark: %v\n", err)
		os.Exit(1)
	}
	perf.PerfSchedulingLabelFilter = "" // the file has only the workload to run

	legacyregistry.DefaultGatherer = m
	registry := frameworkruntime.Registry{plugin.Name: plugin.New, clock: m.newClock}
	run := func(b *testing.B) {
		perf.RunBenchmarkPerfScheduling(b, *config, "taints", registry)
		if b.Failed() {
			return
		}
		measured, err := m.measured()
		content, errJSON := json.Marshal(measured)
		if err := errors.Join(err, errJSON, os.WriteFile(*result, content, 0o644)); err != nil {
			b.Fatal(err)
		}
	}
	match := func(string, string) (bool, error) { return true, nil }
	testing.Main(match, nil, []testing.InternalBenchmark{{Name: "BenchmarkPerfScheduling", F: run}}, nil)
}

// etcd serves until it is told to end, or until its parent ends without telling it.
// It does not wait for the disk, which other processes may keep busy: its data does
// not outlive the run.
func etcd() {
	parent := os.Getppid()
	go func() {
		for range time.Tick(time.Second) {
			if os.Getppid() != parent {
				os.Exit(1)
			}
		}
	}()
	etcdmain.Main(append(os.Args, "--unsafe-no-fsync"))
}

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
	pods        int
	begin, end  time.Time // when the first and the last pod was bound
	first, last *sums     // what was gathered
}

// sums are the metrics of the process at one time.
type sums struct {
	cpu, algorithm float64   // seconds
	chosen         uint64    // how often the algorithm has run
	pods           int       // how many were bound
	end            time.Time // when the last of them was
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
	s.pods, s.end = m.pods, m.end
	m.last = s
	if m.first == nil {
		m.first = s
	}
	return families, nil
}

// measured returns the measurements as the command perf reads them.
func (m *meter) measured() (map[string]float64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.last == nil || m.last.pods < 2 {
		return nil, errors.New("nothing was measured")
	}
	return map[string]float64{
		"pods":      float64(m.last.pods),
		"seconds":   m.last.end.Sub(m.begin).Seconds(),
		"cpu":       m.last.cpu - m.first.cpu,
		"algorithm": (m.last.algorithm - m.first.algorithm) / float64(max(1, m.last.chosen-m.first.chosen)),
	}, nil
}

// clock is the name of a meter as a plugin.
const clock = "Clock"

var _ fwk.PostBindPlugin = (*meter)(nil)

func (m *meter) newClock(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) {
	return m, nil
}

// Name returns the name of the plugin.
func (m *meter) Name() string { return clock }

// PostBind counts a pod that was bound.
func (m *meter) PostBind(context.Context, fwk.CycleState, *corev1.Pod, string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.first == nil {
		return
	}
	m.end = time.Now()
	if m.pods == 0 {
		m.begin = m.end
	}
	m.pods++
}
