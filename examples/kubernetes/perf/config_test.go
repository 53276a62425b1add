// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"html/template"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/kube"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

const example = `
- name: Other
  workloadTemplate: []
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
- name: Nothing
  workloadTemplate: [{opcode: createNodes, countParam: $nodes}]
  workloads:
  - {name: One, params: {nodes: 1}}
  - {name: NoNumber, params: {nodes: many}}
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
	var got, want any
	if err := yaml.Unmarshal(c.content, &got); err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal([]byte(`
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
`), &want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestConfigMeasures(t *testing.T) {
	c, err := newConfig(workload{Case: "Events", Name: "One"}, []byte(example), "")
	if err != nil || c.selector != "type=unsched" || !cmp.Equal(c.namespaces, []string{"a", "b"}) {
		t.Errorf("Events: %+v, %v", c, err)
	}
	c, err = newConfig(workload{Case: "Named", Name: "One"}, []byte(example), "")
	if err != nil || c.selector != "" || !cmp.Equal(c.namespaces, []string{"sched"}) {
		t.Errorf("Named: %+v, %v", c, err)
	}
}

func TestConfigErrors(t *testing.T) {
	for want, w := range map[string]workload{
		`no test case "None"`:          {Case: "None"},
		`no workload "Huge"`:           {Case: "Basic", Name: "Huge"},
		`no parameter "pod"`:           {Case: "Basic", Name: "Small", Params: params{"pod": 1}},
		"Nothing/One: nothing is":      {Case: "Nothing", Name: "One"},
		"NoNumber: no number for $nod": {Case: "Nothing", Name: "NoNumber"},
	} {
		_, err := newConfig(w, []byte(example), "")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q in it", w, err, want)
		}
	}
	if _, err := newConfig(workload{}, []byte("a: b"), ""); err == nil {
		t.Error("no error for another file")
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
	for s, want := range map[side]string{
		stock: `
- schedulerName: default-scheduler
  plugins: {multiPoint: {enabled: [{name: Clock}]}}
`,
		plugin: `
- schedulerName: default-scheduler
  plugins:
    multiPoint: {enabled: [{name: Taints, weight: 3}, {name: Clock}], disabled: [{name: TaintToleration}]}
    filter: {enabled: [{name: Taints}]}
  pluginConfig:
  - {name: Taints, args: {apiVersion: taints.scheduler/v1, kind: TaintsArgs, redact: true}}
`,
	} {
		content, err := readSchedulerConfig(".", s == plugin)
		if err != nil {
			t.Fatal(err)
		}
		var got struct{ Profiles any }
		if err := yaml.Unmarshal(content, &got); err != nil {
			t.Fatal(err)
		}
		var profiles any
		if err := yaml.Unmarshal([]byte(want), &profiles); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(profiles, got.Profiles); diff != "" {
			t.Errorf("%s: %s", s, diff)
		}
	}
	if _, err := schedulerConfig([]byte("profiles: []"), true); err == nil {
		t.Error("no error for a manifest without a profile")
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
		pods := decoder[corev1.Pod]{template: parse(t, "pod-"+test.pod), name: "pod-"}
		node := decoder[corev1.Node]{template: parse(t, "node-"+test.node), name: "node-"}
		for _, index := range []int{0, 1, 2999} {
			tolerations := kube.Tolerations(pods.decode(t, index).Spec.Tolerations)
			feasible := 0
			for i := range nodes {
				list := kube.Taints(node.decode(t, i).Spec.Taints)
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

// parse reads a template as scheduler_perf does.
func parse(t *testing.T, name string) *template.Template {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("workloads", "templates", name+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	functions := template.FuncMap{"Mod": func(a, b int) int { return a % b }}
	parsed, err := template.New(name).Funcs(functions).Parse(string(content))
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

// A decoder makes objects from a template. It knows those that differ only in
// their names.
type decoder[Object any] struct {
	template *template.Template
	name     string // what names begin with, before the index
	known    map[string]*Object
}

func (d *decoder[Object]) decode(t *testing.T, index int) *Object {
	t.Helper()
	var buffer strings.Builder
	if err := d.template.Execute(&buffer, map[string]any{"Index": index, "Count": 1}); err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(buffer.String(), fmt.Sprint(d.name, index), d.name)
	if object, ok := d.known[text]; ok {
		return object
	}
	object := new(Object)
	if err := yaml.UnmarshalStrict([]byte(text), object); err != nil {
		t.Fatalf("%s: %v", d.template.Name(), err)
	}
	if d.known == nil {
		d.known = map[string]*Object{}
	}
	d.known[text] = object
	return object
}
