// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"os/exec"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// TestConfig checks the configuration of every workload. The files of Kubernetes are
// in the module cache.
func TestConfig(t *testing.T) {
	out, err := output(exec.Command("go", "list", "-f", "{{.Dir}}", schedulerPerf))
	if err != nil {
		t.Fatal(err)
	}
	configs := map[string]*config{}
	for _, w := range workloads {
		content, err := os.ReadFile(w.file(".", out))
		if err != nil {
			t.Fatal(err)
		}
		c, err := newConfig(w, content, "scheduler.yaml")
		if err != nil {
			t.Fatal(err)
		}
		configs[w.Case] = c
		var cases []map[string]any
		var typed []testCase
		if err := yaml.Unmarshal(c.content, &cases); err != nil || yaml.Unmarshal(c.content, &typed) != nil || len(cases) != 1 {
			t.Fatalf("%s: %v\n%s", w, err, c.content)
		}
		if only := typed[0].Workloads; len(only) != 1 || only[0].Name != w.Name ||
			cases[0]["labels"] != nil || cases[0]["schedulerConfigPath"] != "scheduler.yaml" {
			t.Errorf("%s:\n%s", w, c.content)
		}
		for name, want := range w.Params {
			if got := typed[0].Workloads[0].Params[name]; got != float64(want.(int)) {
				t.Errorf("%s: %s is %v", w, name, got)
			}
		}
	}
	for name, want := range map[string][]string{
		"SchedulingBasic": {"namespace-2", ""},
		"EventHandlingPodUpdate": {
			"nodeunschedulable", "tainttoleration", "blocker", "interpodaffinity", "noderesources", "schedulinggates", "type=unsched",
		},
	} {
		if diff := cmp.Diff(want, append(configs[name].namespaces, configs[name].selector)); diff != "" {
			t.Errorf("%s measures the pods of (-want +got):\n%s", name, diff)
		}
	}
}
