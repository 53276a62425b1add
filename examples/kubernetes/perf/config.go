// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
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
	profile := map[string]any{}
	if plugin {
		manifest, err := os.ReadFile(own + "/../manifests/scheduler/config.yaml")
		if err != nil {
			return nil, err
		}
		var m struct{ Profiles []map[string]any }
		if err := yaml.Unmarshal(manifest, &m); err != nil {
			return nil, err
		}
		if len(m.Profiles) != 1 {
			return nil, fmt.Errorf("the manifest has %d profiles, want 1", len(m.Profiles))
		}
		profile = m.Profiles[0]
	}
	profile["schedulerName"] = "default-scheduler"
	at := []string{"plugins", "multiPoint", "enabled"}
	enabled, _, err := unstructured.NestedSlice(profile, at...)
	if err != nil {
		return nil, err
	}
	enabled = append(enabled, map[string]any{"name": "Clock"})
	if err := unstructured.SetNestedSlice(profile, enabled, at...); err != nil {
		return nil, err
	}
	return yaml.Marshal(map[string]any{
		"apiVersion": "kubescheduler.config.k8s.io/v1",
		"kind":       "KubeSchedulerConfiguration",
		"profiles":   []any{profile},
	})
}
