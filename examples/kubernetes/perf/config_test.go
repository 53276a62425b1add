// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"os/exec"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

const example = `
- name: Other
- name: Basic
  defaultPodTemplatePath: ../templates/pod.yaml
  featureGates: {InPlacePodVerticalScaling: true}
  labels: [performance]
  workloadTemplate:
  - {opcode: createNodes, countParam: $nodes}
  - {opcode: createNodes, count: 1, nodeTemplatePath: node.yaml}
  - {opcode: createPods, countParam: $pods, collectMetrics: true}
  workloads:
  - name: Small
    params: {nodes: 5, pods: 10}
  - name: Large
    threshold: 270
    labels: [performance]
    featureGates: {SchedulerAsyncAPICalls: false}
    params: {nodes: 5000, pods: 10000}
- name: Events
  workloadTemplate:
  - {opcode: startCollectingMetrics, name: unsched, namespaces: [a, b], labelSelector: {type: unsched}}
  - {opcode: createPods, count: 1, namespace: a, skipWaitToCompletion: true}
  - {opcode: stopCollectingMetrics}
  workloads:
  - {name: One}
- name: Named
  workloadTemplate:
  - {opcode: createPods, count: 1, namespace: sched, collectMetrics: true}
  workloads:
  - {name: One}
`

func TestConfig(t *testing.T) {
	w := workload{Case: "Basic", Name: "Large", Params: params{"pods": 3000}}
	c, err := newConfig(w, []byte(example), "scheduler.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if c.nodes != 5001 || c.selector != "" || !cmp.Equal(c.namespaces, []string{"namespace-2"}) {
		t.Errorf("%d nodes, namespaces %q, selector %q", c.nodes, c.namespaces, c.selector)
	}
	if diff := cmp.Diff(parse(t, `
- name: Basic
  defaultPodTemplatePath: ../templates/pod.yaml
  featureGates: {InPlacePodVerticalScaling: true}
  schedulerConfigPath: scheduler.yaml
  metricsCollectorConfig: {metrics: {scheduler_scheduling_attempt_duration_seconds: null}}
  workloadTemplate:
  - {opcode: createNodes, countParam: $nodes}
  - {opcode: createNodes, count: 1, nodeTemplatePath: node.yaml}
  - {opcode: createPods, countParam: $pods, collectMetrics: true}
  workloads:
  - name: Large
    featureGates: {SchedulerAsyncAPICalls: false}
    params: {nodes: 5000, pods: 3000}
`), parse(t, string(c.content))); diff != "" {
		t.Error(diff)
	}
}

func parse(t *testing.T, text string) (object any) {
	t.Helper()
	if err := yaml.UnmarshalStrict([]byte(text), &object); err != nil {
		t.Fatal(err)
	}
	return object
}

// TestWorkloadsExist checks that every workload is in its file. Kubernetes' own
// files are in the module cache.
func TestWorkloadsExist(t *testing.T) {
	out, err := output(exec.Command("go", "list", "-f", "{{.Dir}}", schedulerPerf))
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range workloads {
		content, err := os.ReadFile(w.file(".", out))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := newConfig(w, content, "scheduler.yaml"); err != nil {
			t.Error(err)
		}
	}
}
