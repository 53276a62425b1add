// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/recorded"
	"github.com/seed-0529bac1/taints/tolerationset"
	"pgregory.net/rapid"
)

// mutated returns the pod after /mutate, and the paths of the patch.
func mutated(t *testing.T, p *Policy, namespace string, pod podMap) (after podMap, paths []string) {
	t.Helper()
	r := mustAsk(t, handler(p), "/mutate", reviewOf("CREATE", namespace, pod, nil))
	if !r.Allowed {
		t.Fatalf("refused: %+v", r.Status)
	}
	if r.Patch == nil {
		return pod, nil
	}
	var steps []operation
	if err := json.Unmarshal(r.Patch, &steps); err != nil {
		t.Fatal(err)
	}
	for _, step := range steps {
		paths = append(paths, step.Op+" "+step.Path)
	}
	after = applied(t, pod, r.Patch).(podMap)
	again := mustAsk(t, handler(p), "/mutate", reviewOf("CREATE", namespace, after, nil))
	if !again.Allowed || again.Patch != nil {
		t.Errorf("again: %+v, %s", again.Status, again.Patch)
	}
	return after, paths
}

// tolerationsOf returns those of the pod.
func tolerationsOf(t rapid.TB, pod any) []taints.Toleration {
	t.Helper()
	var p struct {
		Spec struct{ Tolerations []taints.Toleration }
	}
	if err := json.Unmarshal(encode(pod), &p); err != nil {
		t.Fatal(err)
	}
	return p.Spec.Tolerations
}

func TestMutate(t *testing.T) {
	const notReady = "node.kubernetes.io/not-ready:NoExecute op=Exists for 300s"
	const unreachable = "node.kubernetes.io/unreachable:NoExecute op=Exists for 300s"
	const pressure = "node.kubernetes.io/memory-pressure:NoSchedule op=Exists"
	const rules = `{
		"cluster": {"defaultTolerations": [{"key": "spot", "operator": "Exists"}]},
		"namespaces": {
			"own": {"defaultTolerations": [{"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 20}]},
			"none": {"defaultTolerations": []}
		},
		"dedications": [
			{"name": "a", "namespaces": ["own", "none"], "podSelector": {"matchLabels": {"team": "a"}}, "tolerations": [{"key": "team", "value": "a"}], "nodeSelector": {"team": "a", "tilde~/x": ""}},
			{"name": "z", "podSelector": {"matchLabels": {"zone": "z"}}, "tolerations": [{"key": "zone", "operator": "Exists"}], "nodeSelector": {"zone": "z"}}
		]
	}`
	gpu := map[string]any{"resources": map[string]any{
		"requests": map[string]any{"example.com/gpu": "1", "hugepages-2Mi": "4Mi"},
	}}
	disk := map[string]any{"resources": map[string]any{
		"requests": map[string]any{"example.com/disk": "1", "cpu": "0"},
		"limits":   map[string]any{"example.com/limit": "1"},
	}}
	cpu := map[string]any{"resources": map[string]any{"limits": map[string]any{"cpu": "1"}}}
	tests := []struct {
		name      string
		namespace string
		labels    map[string]string
		spec      map[string]any
		want      []string
		paths     string
	}{
		{"bare", "none", nil, map[string]any{}, []string{notReady, unreachable}, "add /spec/tolerations"},
		{
			"null", "none", nil,
			map[string]any{"tolerations": nil, "nodeSelector": nil},
			[]string{notReady, unreachable},
			"add /spec/tolerations",
		},
		{
			"empty list", "none", nil,
			map[string]any{"tolerations": []any{}},
			[]string{notReady, unreachable},
			"add /spec/tolerations/-, add /spec/tolerations/-",
		},
		{
			"the cluster's defaults", "web", nil,
			map[string]any{"tolerations": []any{map[string]any{"key": "a", "future": 1}}},
			[]string{"a", "spot op=Exists", notReady, unreachable},
			"add /spec/tolerations/-, add /spec/tolerations/-, add /spec/tolerations/-",
		},
		{
			"the namespace's defaults", "own", nil,
			map[string]any{},
			[]string{"node.kubernetes.io/not-ready:NoExecute op=Exists for 20s", unreachable},
			"add /spec/tolerations",
		},
		{
			"the pod's own", "own", nil,
			map[string]any{"tolerations": []any{map[string]any{"operator": "Exists"}}},
			[]string{"op=Exists"},
			"",
		},
		{
			"memory", "none", nil,
			map[string]any{"containers": []any{cpu}},
			[]string{notReady, unreachable, pressure},
			"add /spec/tolerations",
		},
		{
			"resources", "none", nil,
			map[string]any{"containers": []any{gpu}, "initContainers": []any{disk, gpu}},
			[]string{
				notReady, unreachable, "example.com/disk:NoSchedule op=Exists",
				"example.com/gpu:NoSchedule op=Exists",
			},
			"add /spec/tolerations",
		},
		{
			"pod-level resources", "none", nil,
			map[string]any{"containers": []any{cpu}, "resources": map[string]any{}},
			[]string{notReady, unreachable},
			"add /spec/tolerations",
		},
		{
			"seconds without NoExecute", "none", nil,
			map[string]any{
				"containers": []any{gpu},
				"tolerations": []any{map[string]any{
					"key":      "example.com/gpu",
					"operator": "Exists", "effect": "NoSchedule", "tolerationSeconds": 5,
				}},
			},
			[]string{"example.com/gpu:NoSchedule op=Exists", notReady, unreachable},
			"remove /spec/tolerations/0/tolerationSeconds, add /spec/tolerations/-, add /spec/tolerations/-",
		},
		{
			"dedicated, other namespace", "web",
			map[string]string{"team": "a"},
			map[string]any{},
			[]string{"spot op=Exists", notReady, unreachable},
			"add /spec/tolerations",
		},
		{
			"dedicated, other label", "none",
			map[string]string{"team": "b"},
			map[string]any{},
			[]string{notReady, unreachable},
			"add /spec/tolerations",
		},
		{
			"dedicated", "none",
			map[string]string{"team": "a", "x": "y"},
			map[string]any{},
			[]string{notReady, unreachable, "team=a"},
			"add /spec/tolerations, add /spec/nodeSelector",
		},
		{
			"dedicated, with a selector", "none",
			map[string]string{"team": "a"},
			map[string]any{"nodeSelector": map[string]any{"os": "linux"}},
			[]string{notReady, unreachable, "team=a"},
			"add /spec/tolerations, add /spec/nodeSelector/team, add /spec/nodeSelector/tilde~0~1x",
		},
		{
			"dedicated, in part", "none",
			map[string]string{"team": "a"},
			map[string]any{"nodeSelector": map[string]any{"team": "a"}},
			[]string{notReady, unreachable, "team=a"},
			"add /spec/tolerations, add /spec/nodeSelector/tilde~0~1x",
		},
		{
			"dedicated twice", "own",
			map[string]string{"team": "a", "zone": "z"},
			map[string]any{"nodeSelector": map[string]any{}},
			[]string{
				"node.kubernetes.io/not-ready:NoExecute op=Exists for 20s",
				unreachable,
				"team=a",
				"zone op=Exists",
			},
			"add /spec/tolerations, add /spec/nodeSelector/team, add /spec/nodeSelector/tilde~0~1x, add /spec/nodeSelector/zone",
		},
	}
	p := &Policy{Rules: mustRules(t, strings.ReplaceAll(rules, "tilde~/x", "tilde"))}
	// No label, but the escapes must be right.
	p.Rules.dedications[0].nodeSelector = map[string]string{"team": "a", "tilde~/x": ""}
	for _, test := range tests {
		pod := newPod(test.spec)
		pod["metadata"] = map[string]any{"labels": test.labels}
		after, paths := mutated(t, p, test.namespace, pod)
		var got []string
		for _, toleration := range tolerationsOf(t, after) {
			got = append(got, toleration.String())
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
		if got := strings.Join(paths, ", "); got != test.paths {
			t.Errorf("%s: patch %s, want %s", test.name, got, test.paths)
		}
		if !hasAllOf(decoded(t, after), decoded(t, pod)) && !strings.Contains(test.paths, "remove") {
			t.Errorf("%s: %s lost something of %s", test.name, encode(after), encode(pod))
		}
		if spec := after["spec"].(map[string]any); len(test.labels) > 0 && len(paths) > 1 {
			if want := spec["nodeSelector"].(map[string]any); want["team"] != "a" || want["tilde~/x"] != "" {
				t.Errorf("%s: node selector %v", test.name, want)
			}
		}
	}
}

func TestMutateSeconds(t *testing.T) {
	notReady, unreachable := int64(60), int64(-1)
	p := &Policy{Defaults: taints.DefaultSeconds{NotReady: &notReady, Unreachable: &unreachable}}
	after, _ := mutated(t, p, "any", newPod(map[string]any{}))
	want := "[node.kubernetes.io/not-ready:NoExecute op=Exists for 60s node.kubernetes.io/unreachable:NoExecute op=Exists for -1s]"
	if got := fmt.Sprint(tolerationsOf(t, after)); got != want {
		t.Errorf("got %s", got)
	}
}

func TestMutateRefuses(t *testing.T) {
	p := &Policy{Rules: mustRules(t, `{"dedications": [
		{"name": "ml", "namespaces": ["ml"], "tolerations": [{"key": "a"}], "nodeSelector": {"pool": "ml", "os": "linux"}},
		{"name": "spot", "podSelector": {"matchLabels": {"spot": "yes"}}, "tolerations": [{"key": "a"}], "nodeSelector": {"pool": "spot"}}
	]}`)}
	spot := map[string]any{"labels": map[string]string{"spot": "yes"}}
	tests := []struct {
		metadata, selector any
		want               string
	}{
		{
			nil,
			map[string]string{"pool": "web"},
			`dedication "ml" sends the pod to nodes with pool=ml, but its nodeSelector has pool=web`,
		},
		{
			nil,
			map[string]string{"pool": "", "os": "windows"},
			`dedication "ml" sends the pod to nodes with os=linux, but its nodeSelector has os=windows`,
		},
		{spot, nil, `dedication "spot" sends the pod to nodes with pool=spot, but another dedication wants pool=ml`},
		{
			spot,
			map[string]string{"pool": "ml"},
			`dedication "spot" sends the pod to nodes with pool=spot, but its nodeSelector has pool=ml`,
		},
	}
	for _, test := range tests {
		pod := newPod(map[string]any{"nodeSelector": test.selector})
		pod["metadata"] = test.metadata
		r := mustAsk(t, handler(p), "/mutate", reviewOf("CREATE", "ml", pod, nil))
		if r.Allowed || r.Status.Code != 403 || r.Status.Reason != "Forbidden" || r.Status.Message != test.want {
			t.Errorf("%v: %+v, want %s", test.selector, r.Status, test.want)
		}
	}
}

// Whatever a pod has: it is refused for its node selector alone, loses nothing, and
// gets nothing more the second time. Every taint that it tolerated it tolerates as
// long as before. And what it is given is allowed.
func TestMutateLaws(t *testing.T) {
	h := handler(testPolicy(t))
	keys := []string{
		"", "dedicated", "spot", "example.com/maintenance", "example.com/gpu",
		"node.kubernetes.io/not-ready", "node.kubernetes.io/memory-pressure",
	}
	operators := []taints.Operator{"", taints.OpEqual, taints.OpExists, taints.OpLt}
	effects := []taints.Effect{"", taints.NoSchedule, taints.NoExecute}
	toleration := rapid.Custom(func(t *rapid.T) taints.Toleration {
		return taints.Toleration{
			Key:               rapid.SampledFrom(keys).Draw(t, "key"),
			Operator:          rapid.SampledFrom(operators).Draw(t, "operator"),
			Value:             rapid.SampledFrom([]string{"", "ml", "5"}).Draw(t, "value"),
			Effect:            rapid.SampledFrom(effects).Draw(t, "effect"),
			TolerationSeconds: rapid.Ptr(rapid.Int64Range(-1, 9000), true).Draw(t, "seconds"),
		}
	})
	label := func(t *rapid.T, name string, values ...string) map[string]string {
		return rapid.MapOfN(rapid.Just(name), rapid.SampledFrom(values), 0, 1).Draw(t, name)
	}
	amounts := rapid.MapOfN(rapid.SampledFrom([]string{
		"cpu", "memory", "example.com/gpu",
		"example.com/disk",
	}), rapid.SampledFrom([]string{"0", "1", "1Gi"}), 0, 3)
	rapid.Check(t, func(t *rapid.T) {
		namespace := rapid.SampledFrom([]string{"ml", "web", "monitoring"}).Draw(t, "namespace")
		pod := newPod(map[string]any{
			"nodeSelector": label(t, "example.com/pool", "ml", "web"),
			"containers": []any{map[string]any{"resources": map[string]any{
				"requests": amounts.Draw(t, "requests"),
				"limits":   amounts.Draw(t, "limits"),
			}}},
		})
		pod["metadata"] = map[string]any{"labels": label(t, "workload", "batch", "web")}
		had := rapid.SliceOfN(toleration, 0, 4).Draw(t, "tolerations")
		if len(had) > 0 {
			pod["spec"].(map[string]any)["tolerations"] = had
		}
		code, text := ask(h, "/mutate", reviewOf("CREATE", namespace, pod, nil))
		var a review
		if err := json.Unmarshal([]byte(text), &a); err != nil || code != 200 {
			t.Fatalf("code %d, %v: %s", code, err, text)
		}
		if !a.Response.Allowed {
			if !strings.Contains(text, "but its nodeSelector has example.com/pool=web") {
				t.Fatalf("%s", text)
			}
			return
		}
		after := decoded(t, pod)
		if a.Response.Patch != nil {
			after = applied(t, pod, a.Response.Patch)
		}
		again := reviewOf("CREATE", namespace, after, nil)
		if _, text := ask(h, "/mutate", again); !strings.HasSuffix(text, `"response":{"uid":"u","allowed":true}}`) {
			t.Fatalf("again: %s", text)
		}
		has := tolerationsOf(t, after)
		for _, key := range append(keys[1:], "other") {
			for _, value := range []string{"", "ml", "4"} {
				taint := taints.Taint{Key: key, Value: value, Effect: taints.NoExecute}
				i, tolerated := taints.Compile(had).Match(taint)
				if j, _ := taints.Compile(has).Match(taint); tolerated && !has[j].Equal(had[i]) {
					t.Fatalf("%v: %v before, %v afterwards", taint, had[i], has[j])
				}
			}
		}
		if _, text := ask(h, "/validate", again); len(had) == 0 && !strings.Contains(text, `"allowed":true`) {
			t.Fatalf("what it is given: %s", text)
		}
	})
}

// What admission of a live Kubernetes made of 108 pods' tolerations, the DaemonSet
// controller's part restated. PodTolerationRestriction drops tolerations of the pod
// that others cover, which this webhook leaves: the pod tolerates the same.
func TestRecordedDefaults(t *testing.T) {
	requests := map[string]map[string]string{
		"BestEffort": {},
		"Burstable":  {"cpu": "1"},
		"Guaranteed": {"cpu": "1", "memory": "1Gi"},
	}
	dropped := 0
	for i, answer := range recorded.Defaults(t) {
		resources := map[string]any{"limits": requests[answer.QOS], "requests": map[string]string{}}
		for name, quantity := range requests[answer.QOS] {
			resources["requests"].(map[string]string)[name] = quantity
		}
		for _, name := range answer.Extended {
			resources["requests"].(map[string]string)[name] = "1"
		}
		tolerations := answer.Given
		if answer.DaemonSet {
			tolerations = taints.AddDaemonSetDefaults(tolerations, taints.DaemonSetPod{HostNetwork: answer.HostNetwork})
		}
		pod := newPod(map[string]any{
			"tolerations": tolerations,
			"containers":  []any{map[string]any{"resources": resources}},
		})
		after, _ := mutated(t, &Policy{}, "default", pod)
		got := tolerationsOf(t, after)
		rest, before := answer.Got, dropped
		for _, u := range got {
			if len(rest) > 0 && cmp.Equal(rest[0], u) {
				rest = rest[1:]
				continue
			}
			dropped = before + 1
			covers := func(v taints.Toleration) bool { return tolerationset.Covers(v, u, taints.Options{}) }
			if answer.QOS == "BestEffort" || !slices.ContainsFunc(answer.Got, covers) {
				t.Errorf("pod %d, %+v: got %v", i, answer, u)
			}
		}
		if len(rest) > 0 {
			t.Errorf("pod %d, %+v: %v are missing in %v", i, answer, rest, got)
		}
	}
	if dropped != 14 {
		t.Errorf("%d pods with something dropped, want 14", dropped)
	}
}
