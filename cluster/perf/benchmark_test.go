// SPDX-License-Identifier: Apache-2.0

//go:build benchmark

package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/component-base/metrics/legacyregistry"
	fwk "k8s.io/kube-scheduler/framework"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	perf "k8s.io/kubernetes/test/integration/scheduler_perf"

	scheduler "github.com/seed-0529bac1/taints/cluster/internal/plugin"
)

var (
	config  = flag.String("config", "", "run the workload of this `file`, a performance-config.yaml")
	outcome = flag.String("result", "", "write what was measured to this `file`")
)

// TestMain parses the flags. scheduler_perf needs an etcd on the PATH. Under that name,
// this program is one.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "etcd" {
		etcd()
	}
	if err := perf.InitTests(); err != nil {
		panic(err)
	}
	perf.PerfSchedulingLabelFilter = "" // the file has only the workload to run
	os.Exit(m.Run())
}

func BenchmarkPerfScheduling(b *testing.B) {
	m := &meter{Gatherer: legacyregistry.DefaultGatherer}
	legacyregistry.DefaultGatherer = m
	newClock := func(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) { return m, nil }
	registry := frameworkruntime.Registry{scheduler.Name: scheduler.New, clock: newClock}
	perf.RunBenchmarkPerfScheduling(b, *config, "taints", registry)
	if b.Failed() {
		return
	}
	measured, err := m.measured()
	content, errJSON := json.Marshal(measured)
	if err := errors.Join(err, errJSON, os.WriteFile(*outcome, content, 0o644)); err != nil {
		b.Fatal(err)
	}
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
