// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// A config is a workload as scheduler_perf reads it, and what there is to know
// about it.
type config struct {
	content    []byte // a performance-config.yaml with this workload alone
	nodes      int    // how many are created
	namespaces []string
	selector   string // of the pods in namespaces that are measured, as in "type=unsched"
}

// A testCase has what matters here of a test case; the rest is passed on as it is.
type testCase struct {
	WorkloadTemplate []operation
	FeatureGates     map[string]bool
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
	Count          int
	CountParam     string
	Namespace      string
	Namespaces     []string
	LabelSelector  map[string]string
	CollectMetrics bool
}

// newConfig makes the configuration of a workload from the
// performance-config.yaml that has it. The scheduler's configuration is in a
// file of its own.
func newConfig(w workload, performanceConfig []byte, schedulerConfig string) (*config, error) {
	var cases []map[string]any
	if err := yaml.Unmarshal(performanceConfig, &cases); err != nil {
		return nil, err
	}
	whole, ok := find(cases, w.Case)
	if !ok {
		return nil, fmt.Errorf("there is no test case %q", w.Case)
	}
	var test testCase
	if err := convert(whole, &test); err != nil {
		return nil, err
	}
	i := slices.IndexFunc(test.Workloads, func(v variant) bool { return v.Name == w.Name })
	if i < 0 {
		return nil, fmt.Errorf("%s has no workload %q", w.Case, w.Name)
	}
	v := test.Workloads[i]
	for name := range w.Params {
		if _, ok := v.Params[name]; !ok {
			return nil, fmt.Errorf("%s has no parameter %q", w, name)
		}
	}
	maps.Copy(v.Params, w.Params)
	c, err := measured(test.WorkloadTemplate, v.Params)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", w, err)
	}
	c.content, err = yaml.Marshal([]any{alone(whole, test, v, schedulerConfig)})
	return c, err
}

// alone returns the test case with one workload. Labels and thresholds stay behind:
// the one would keep it from being run, the others are for machines of Kubernetes'.
func alone(whole map[string]any, test testCase, v variant, schedulerConfig string) map[string]any {
	c := maps.Clone(whole)
	delete(c, "labels")
	delete(c, "defaultThresholdMetricSelector")
	v.FeatureGates = gates(v.FeatureGates)
	c["featureGates"] = gates(test.FeatureGates)
	c["workloads"] = []any{v}
	c["schedulerConfigPath"] = schedulerConfig
	// Every label of every metric would be gathered anew, which takes longer than the
	// workload.
	c["metricsCollectorConfig"] = map[string]any{
		"metrics": map[string]any{"scheduler_scheduling_attempt_duration_seconds": nil},
	}
	return c
}

// gates leaves out the gate of QueueingHints, without which they are on too.
// Where it is set, scheduler_perf fails when the scheduler still handles an
// event at the end, as it may on a machine with other work.
func gates(of map[string]bool) map[string]bool {
	rest := maps.Clone(of)
	if rest["SchedulerQueueingHints"] {
		delete(rest, "SchedulerQueueingHints")
	}
	return rest
}

// find returns the test case of that name.
func find(cases []map[string]any, name string) (map[string]any, bool) {
	for _, c := range cases {
		if c["name"] == name {
			return c, true
		}
	}
	return nil, false
}

func convert(from, to any) error {
	content, err := yaml.Marshal(from)
	if err != nil {
		return err
	}
	return yaml.Unmarshal(content, to)
}

// measured finds out which pods are measured: those of the operation that
// collects metrics, or those that the operation names which starts to collect
// them.
func measured(template []operation, params map[string]any) (*config, error) {
	c := &config{}
	for i, op := range template {
		switch {
		case op.Opcode == "createNodes":
			count, err := op.count(params)
			if err != nil {
				return nil, err
			}
			c.nodes += count
		case op.Opcode == "startCollectingMetrics":
			c.namespaces = append(c.namespaces, op.Namespaces...)
			for key, value := range op.LabelSelector {
				c.selector = key + "=" + value
			}
		case op.CollectMetrics && op.Namespace != "":
			c.namespaces = append(c.namespaces, op.Namespace)
		case op.CollectMetrics:
			// As scheduler_perf calls it where nobody does.
			c.namespaces = append(c.namespaces, fmt.Sprintf("namespace-%d", i))
		}
	}
	if len(c.namespaces) == 0 {
		return nil, fmt.Errorf("nothing is measured")
	}
	return c, nil
}

func (op operation) count(params map[string]any) (int, error) {
	if op.CountParam == "" {
		return op.Count, nil
	}
	switch value := params[strings.TrimPrefix(op.CountParam, "$")].(type) {
	case int:
		return value, nil
	case int64:
		return int(value), nil
	case float64:
		return int(value), nil
	}
	return 0, fmt.Errorf("no number for %s", op.CountParam)
}

// schedulerConfig is the scheduler's configuration: that of the manifest with
// the plugin, or the default. Either has the plugin by which pods are counted.
func schedulerConfig(manifest []byte, plugin bool) ([]byte, error) {
	profile := map[string]any{}
	if plugin {
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
	multiPoint := child(child(profile, "plugins"), "multiPoint")
	enabled, _ := multiPoint["enabled"].([]any)
	multiPoint["enabled"] = append(enabled, map[string]any{"name": "Clock"})
	return yaml.Marshal(map[string]any{
		"apiVersion": "kubescheduler.config.k8s.io/v1",
		"kind":       "KubeSchedulerConfiguration",
		"profiles":   []any{profile},
	})
}

// child returns the map in m of that name, which it makes where there is none.
func child(m map[string]any, name string) map[string]any {
	c, ok := m[name].(map[string]any)
	if !ok {
		c = map[string]any{}
		m[name] = c
	}
	return c
}

func readSchedulerConfig(own string, plugin bool) ([]byte, error) {
	manifest, err := os.ReadFile(own + "/../manifests/scheduler/config.yaml")
	if err != nil {
		return nil, err
	}
	return schedulerConfig(manifest, plugin)
}
