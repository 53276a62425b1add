// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"html/template"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/kube"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

const example = `
- name: Other
- name: Basic
  defaultPodTemplatePath: ../templates/pod.yaml
  featureGates: {SchedulerQueueingHints: true, InPlacePodVerticalScaling: true}
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
    featureGates: {SchedulerQueueingHints: true, SchedulerAsyncAPICalls: false}
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

func TestConfigMeasures(t *testing.T) {
	for name, want := range map[string]config{
		"Events": {selector: "type=unsched", namespaces: []string{"a", "b"}},
		"Named":  {namespaces: []string{"sched"}},
	} {
		c, err := newConfig(workload{Case: name, Name: "One"}, []byte(example), "")
		if err != nil || c.selector != want.selector || !cmp.Equal(c.namespaces, want.namespaces) {
			t.Errorf("%s: %+v, %v", name, c, err)
		}
	}
}

// TestWorkloadsExist finds every workload in its file, Kubernetes' own in the
// module cache.
func TestWorkloadsExist(t *testing.T) {
	out, err := output(exec.Command("go", "list", "-f", "{{.Dir}}", schedulerPerf))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, w := range workloads {
		if seen[w.String()] {
			t.Errorf("%s is there twice", w)
		}
		seen[w.String()] = true
		content, err := os.ReadFile(w.file(".", out))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := newConfig(w, content, "scheduler.yaml"); err != nil {
			t.Error(err)
		}
		if w.Cost <= 0 {
			t.Errorf("%s costs nothing", w)
		}
	}
}

func TestSchedulerConfig(t *testing.T) {
	const head = `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
`
	for s, want := range map[side]string{
		stock: `
  plugins: {multiPoint: {enabled: [{name: Clock}]}}
`,
		plugin: `
  plugins:
    multiPoint: {enabled: [{name: Taints, weight: 3}, {name: Clock}], disabled: [{name: TaintToleration}]}
    filter: {enabled: [{name: Taints}]}
  pluginConfig:
  - {name: Taints, args: {apiVersion: taints.scheduler/v1, kind: TaintsArgs, redact: true}}
`,
	} {
		content, err := schedulerConfig(".", s == plugin)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(parse(t, head+want), parse(t, string(content))); diff != "" {
			t.Errorf("%s: %s", s, diff)
		}
	}
}

// TestOwnWorkloads counts on how many of 1,000 nodes the pods of each workload
// may be placed: what its name says.
func TestOwnWorkloads(t *testing.T) {
	const nodes = 1000
	for _, test := range []struct {
		node, pod string
		feasible  int
	}{
		{"untainted", "plain", 1000},
		{"tainted-40", "plain", 600},
		{"tainted-40", "spread", 600},
		{"tainted-80", "plain", 200},
		{"pool", "pool", 20},
		{"teams-50", "teams-50", 20},
		{"teams-1000", "teams-1000", 1},
		{"preferred", "plain", 1000},
		{"waiting", "plain", 0},
		{"waiting-heartbeat", "plain", 0},
		{"waiting-other", "plain", 0},
		{"waiting-another", "plain", 0},
		{"waiting-free", "plain", 1000},
	} {
		var nodeTaints [][]taints.Taint
		for i := range nodes {
			nodeTaints = append(nodeTaints, kube.Taints(render[corev1.Node](t, "node-"+test.node, i).Spec.Taints))
		}
		for _, index := range []int{0, 1, 2999} {
			tolerations := kube.Tolerations(render[corev1.Pod](t, "pod-"+test.pod, index).Spec.Tolerations)
			feasible := 0
			for _, list := range nodeTaints {
				if _, found := taints.FindUntolerated(list, tolerations, taints.Hard); !found {
					feasible++
				}
			}
			if feasible != test.feasible {
				t.Errorf("%s: pod %d of %s may be placed on %d of %d nodes, want %d",
					test.node, index, test.pod, feasible, nodes, test.feasible)
			}
		}
	}
}

// render returns the object of a template, as scheduler_perf reads it.
func render[Object any](t *testing.T, name string, index int) *Object {
	t.Helper()
	var text bytes.Buffer
	object := new(Object)
	file := filepath.Join("workloads", "templates", name+".yaml")
	functions := template.FuncMap{"Mod": func(a, b int) int { return a % b }}
	parsed, err := template.New(filepath.Base(file)).Funcs(functions).ParseFiles(file)
	if err == nil {
		err = parsed.Execute(&text, map[string]any{"Index": index, "Count": 1})
	}
	if err == nil {
		err = yaml.UnmarshalStrict(text.Bytes(), object)
	}
	if err != nil {
		t.Fatal(err)
	}
	return object
}
