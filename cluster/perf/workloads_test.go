// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"os/exec"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// TestConfig checks the configuration of every workload. The files of Kubernetes are
// in the module cache.
func TestConfig(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", "{{.Dir}}", schedulerPerf).Output()
	workloads, errList := allWorkloads()
	if err := errors.Join(err, errList); err != nil || len(workloads) == 0 {
		t.Fatalf("%d workloads, %v", len(workloads), err)
	}
	for _, w := range workloads {
		alone, err := workloadConfig(w, w.file(".", strings.TrimSpace(string(out))), "scheduler.yaml")
		if err != nil {
			t.Fatal(err)
		}
		var cases []struct {
			testCase
			Labels              []string
			SchedulerConfigPath string
		}
		if err := yaml.Unmarshal(alone, &cases); err != nil || len(cases) != 1 || len(cases[0].Workloads) != 1 {
			t.Fatalf("%s: %v\n%s", w, err, alone)
		}
		only := cases[0].Workloads[0]
		if only.Name != w.Name || cases[0].Labels != nil || cases[0].SchedulerConfigPath != "scheduler.yaml" {
			t.Errorf("%s:\n%s", w, alone)
		}
		for name, want := range w.Params {
			if got := only.Params[name]; got != want {
				t.Errorf("%s: %s is %v", w, name, got)
			}
		}
	}
}
