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
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/seed-0529bac1/taints/examples/kubernetes/scheduler/internal/plugin"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/metrics/legacyregistry"
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
		if err != nil {
			b.Fatal(err)
		}
		content, err := json.Marshal(measured)
		if err == nil {
			err = os.WriteFile(*result, content, 0o644)
		}
		if err != nil {
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
