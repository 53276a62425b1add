// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"slices"

	schedulerv1 "k8s.io/kube-scheduler/config/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"
)

// A workload is defined in a performance-config.yaml: one of Kubernetes, or
// the one in the folder workloads.
type workload struct {
	Folder string  // of scheduler_perf; "" for the folder workloads
	Case   string  // the test case
	Name   string  // which of its workloads
	Params params  // changed parameters, so that all workloads fit into 45 minutes on two cores
	Floor  float64 // how many times as fast the plugin must be; 0 for usualFloor
	Cost   int     // roughly how many seconds a run takes on two cores
	// Paced workloads run at a fixed pace: objects are updated at a fixed rate, and
	// the scheduler waits for that. Their CPU time counts, not their throughput.
	Paced bool
}

// params are the parameters of a workload, such as numbers of nodes and pods.
type params = map[string]any

// usualFloor leaves room for noise: the plugin must not be slower.
const usualFloor = 0.97

func (w workload) String() string { return w.Case + "/" + w.Name }

func (w workload) floor() float64 { return cmp.Or(w.Floor, usualFloor) }

//go:embed workloads.yaml
var workloadsFile []byte

// allWorkloads returns the workloads in the order in which they are run.
func allWorkloads() (list []workload, err error) {
	err = yaml.UnmarshalStrict(workloadsFile, &list)
	return list, err
}

// file returns the path of the workload's performance-config.yaml.
func (w workload) file(own, kubernetes string) string {
	if w.Folder == "" {
		return fmt.Sprintf("%s/workloads/performance-config.yaml", own)
	}
	return fmt.Sprintf("%s/%s/performance-config.yaml", kubernetes, w.Folder)
}

// list prints the workloads with their costs, and the parameters that differ from
// Kubernetes'.
func list(chosen []workload, rounds int) {
	total := 0
	for _, w := range chosen {
		fmt.Printf("%-70s %3d s a run %v\n", w, w.Cost, w.Params)
		total += 2 * rounds * w.Cost
	}
	fmt.Printf("%d workloads, about %d minutes\n", len(chosen), (total+59)/60)
}

// A testCase has the fields of a test case that matter here.
type testCase struct {
	Name      string
	Workloads []variant
}

// A variant is a workload of a test case.
type variant struct {
	Name         string          `json:"name"`
	Params       params          `json:"params"`
	FeatureGates map[string]bool `json:"featureGates"`
}

// workloadConfig returns a performance-config.yaml with a workload alone, from the
// whole file and with the path of the scheduler's configuration.
func workloadConfig(w workload, file, schedulerConfig string) ([]byte, error) {
	var whole []map[string]any
	var cases []testCase
	text, err := os.ReadFile(file)
	err = errors.Join(err, yaml.Unmarshal(text, &whole), yaml.Unmarshal(text, &cases))
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(cases, func(t testCase) bool { return t.Name == w.Case })
	if i < 0 {
		return nil, fmt.Errorf("there is no test case %q", w.Case)
	}
	j := slices.IndexFunc(cases[i].Workloads, func(v variant) bool { return v.Name == w.Name })
	if j < 0 {
		return nil, fmt.Errorf("%s has no workload %q", w.Case, w.Name)
	}
	v := cases[i].Workloads[j]
	for name, value := range w.Params {
		if _, ok := v.Params[name]; !ok {
			return nil, fmt.Errorf("%s has no parameter %q", w, name)
		}
		v.Params[name] = value
	}
	alone := whole[i]
	delete(alone, "labels")                         // it would not run
	delete(alone, "defaultThresholdMetricSelector") // for Kubernetes' machines
	alone["workloads"] = []any{v}
	alone["schedulerConfigPath"] = schedulerConfig
	// Gathering every label of every metric takes longer than the workload.
	alone["metricsCollectorConfig"] = map[string]any{
		"metrics": map[string]any{"scheduler_scheduling_attempt_duration_seconds": nil},
	}
	return yaml.Marshal([]any{alone})
}

// schedulerConfig returns a scheduler's configuration with the one profile in the YAML,
// and with the plugin that counts pods.
func schedulerConfig(profiles string) ([]byte, error) {
	var config struct {
		Profiles []schedulerv1.KubeSchedulerProfile
	}
	if err := yaml.Unmarshal([]byte(profiles), &config); err != nil || len(config.Profiles) != 1 {
		return nil, fmt.Errorf("%d profiles, want 1, %v", len(config.Profiles), err)
	}
	profile := config.Profiles[0]
	profile.SchedulerName = new("default-scheduler")
	plugins := ptr.Deref(profile.Plugins, schedulerv1.Plugins{})
	plugins.MultiPoint.Enabled = append(plugins.MultiPoint.Enabled, schedulerv1.Plugin{Name: "Clock"})
	profile.Plugins = &plugins
	return yaml.Marshal(map[string]any{
		"apiVersion": "kubescheduler.config.k8s.io/v1",
		"kind":       "KubeSchedulerConfiguration",
		"profiles":   []any{profile},
	})
}
