// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"os"
	"slices"

	schedulerv1 "k8s.io/kube-scheduler/config/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"
)

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
func workloadConfig(w workload, performanceConfig []byte, schedulerConfig string) ([]byte, error) {
	var whole []map[string]any
	var cases []testCase
	err := errors.Join(yaml.Unmarshal(performanceConfig, &whole), yaml.Unmarshal(performanceConfig, &cases))
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

// schedulerConfig returns the scheduler's configuration: that of the manifest with
// the plugin, or the default. Both have the plugin that counts pods.
func schedulerConfig(own string, plugin bool) ([]byte, error) {
	var config struct {
		Profiles []schedulerv1.KubeSchedulerProfile
	}
	manifest := []byte("profiles: [{}]")
	if plugin {
		var err error
		if manifest, err = os.ReadFile(own + "/../manifests/scheduler/config.yaml"); err != nil {
			return nil, err
		}
	}
	if err := yaml.Unmarshal(manifest, &config); err != nil {
		return nil, err
	}
	if n := len(config.Profiles); n != 1 {
		return nil, fmt.Errorf("the manifest has %d profiles, want 1", n)
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
