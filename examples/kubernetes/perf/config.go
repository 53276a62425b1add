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

// A config is a workload as scheduler_perf reads it, and what it measures.
type config struct {
	content    []byte // a performance-config.yaml with this workload alone
	namespaces []string
	selector   string // of the pods in the namespaces, as in "type=unsched"
}

// A testCase has the fields of a test case that matter here.
type testCase struct {
	Name             string
	WorkloadTemplate []operation
	Workloads        []variant
}

// A variant is a workload of a test case.
type variant struct {
	Name         string          `json:"name"`
	Params       params          `json:"params"`
	FeatureGates map[string]bool `json:"featureGates"`
}

// An operation is a step of every workload of a test case.
type operation struct {
	Opcode         string
	Namespace      string
	Namespaces     []string
	LabelSelector  map[string]string
	CollectMetrics bool
}

// newConfig returns the configuration of a workload from its
// performance-config.yaml, with the path of the scheduler's configuration.
func newConfig(w workload, performanceConfig []byte, schedulerConfig string) (*config, error) {
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
	c := &config{}
	for k, op := range cases[i].WorkloadTemplate {
		c.add(k, op)
	}
	if len(c.namespaces) == 0 {
		return nil, fmt.Errorf("%s: nothing is measured", w)
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
	c.content, err = yaml.Marshal([]any{alone})
	return c, err
}

// add adds what the operation at the index measures.
func (c *config) add(index int, op operation) {
	switch {
	case op.Opcode == "startCollectingMetrics":
		c.namespaces = append(c.namespaces, op.Namespaces...)
		for key, value := range op.LabelSelector {
			c.selector = key + "=" + value
		}
	case op.CollectMetrics && op.Namespace != "":
		c.namespaces = append(c.namespaces, op.Namespace)
	case op.CollectMetrics: // scheduler_perf's default name
		c.namespaces = append(c.namespaces, fmt.Sprintf("namespace-%d", index))
	}
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
