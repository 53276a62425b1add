// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestAudit(t *testing.T) {
	p := testPolicy(t)
	with := func(pod podMap, member, key, value string) podMap {
		part := "metadata"
		if member == "nodeSelector" {
			part = "spec"
		}
		pod[part].(map[string]any)[member] = map[string]any{key: value}
		return pod
	}
	agent := tolerating("op=Exists")
	agent["metadata"].(map[string]any)["ownerReferences"] = []any{
		map[string]any{"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "agent", "controller": true},
	}
	tests := []struct {
		name, namespace string
		pod             any
		want            []string
	}{
		{"nothing to say", "web", tolerating("spot"), nil},
		{"it would be given the node selector", "ml", tolerating("dedicated=ml"), nil},
		{"of a DaemonSet", "ml", with(agent, "nodeSelector", "example.com/pool", "cpu"), nil},
		{"two tolerations", "web", tolerating("spot", "dedicated=ml", "op=Exists"), []string{
			"tolerations[1]: dedicated=ml would be refused (not-allowed)",
			"tolerations[2]: op=Exists would be refused (not-allowed)",
		}},
		{
			"another pool", "ml", with(tolerating(), "nodeSelector", "example.com/pool", "cpu"),
			[]string{
				`would be refused: dedication "ml-nodes" sends the pod to nodes with example.com/pool=ml, but its nodeSelector has example.com/pool=cpu (dedication)`,
			},
		},
		{
			"another pool and a toleration", "ml", with(tolerating("web"), "nodeSelector", "example.com/pool", "cpu"),
			[]string{
				"tolerations[0]: web would be refused (not-allowed)",
				`would be refused: dedication "ml-nodes" sends the pod to nodes with example.com/pool=ml, but its nodeSelector has example.com/pool=cpu (dedication)`,
			},
		},
		{
			"invalid", "web", newPod(map[string]any{"tolerations": []any{
				map[string]any{"key": "spot", "operator": "Exists", "value": "a"},
			}}),
			[]string{
				`would be refused: spec.tolerations[0].value: "a" is invalid: must be empty, as the operator matches every value (invalid)`,
			},
		},
		{
			"no pod", "web",
			map[string]any{"kind": "Node", "apiVersion": "v1"},
			[]string{`would be refused: object is not a Pod of v1: its kind is "Node", its apiVersion "v1"; object.spec is missing (unreadable)`},
		},
	}
	for _, test := range tests {
		text, err := json.Marshal(test.pod)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, p.Audit(test.namespace, text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
	if got := p.Audit("web", []byte("{")); len(got) != 1 {
		t.Errorf("no JSON: %q", got)
	}
}

// The audit has something to say exactly where the webhooks refuse the pod.
func TestAuditIsWhatTheWebhooksDo(outer *testing.T) {
	p := testPolicy(outer)
	h := handler(p)
	rapid.Check(outer, func(t *rapid.T) {
		pod := tolerating(rapid.SliceOfN(rapid.SampledFrom([]string{
			"spot", "dedicated=ml", "dedicated=web", "op=Exists", "node.kubernetes.io/memory-pressure:NoSchedule op=Exists",
			"nvidia.com/gpu op=Exists", "example.com/maintenance:NoExecute op=Exists for 9000s",
		}), 0, 3).Draw(t, "tolerations")...)
		spec := pod["spec"].(map[string]any)
		selector := rapid.MapOfN(rapid.SampledFrom([]string{"example.com/pool", "example.com/spot"}),
			rapid.SampledFrom([]string{"ml", "true", "cpu"}), 0, 2).Draw(t, "nodeSelector")
		if len(selector) > 0 {
			spec["nodeSelector"] = selector
		}
		if rapid.Bool().Draw(t, "batch") {
			pod["metadata"].(map[string]any)["labels"] = map[string]any{"workload": "batch"}
		}
		if rapid.Bool().Draw(t, "gpu") {
			spec["containers"] = []any{map[string]any{
				"name": "a", "resources": map[string]any{"requests": map[string]any{"nvidia.com/gpu": "1", "cpu": "1"}},
			}}
		}
		namespace := rapid.SampledFrom([]string{"ml", "web", "monitoring"}).Draw(t, "namespace")
		text, err := json.Marshal(pod)
		if err != nil {
			t.Fatal(err)
		}
		mutated := mustAsk(outer, h, "/mutate", reviewOf("CREATE", namespace, json.RawMessage(text), nil))
		refused := !mutated.Allowed
		if mutated.Allowed {
			var object any
			if err := json.Unmarshal(text, &object); err != nil {
				t.Fatal(err)
			}
			if mutated.Patch != nil {
				object = applied(t, object, mutated.Patch)
			}
			refused = !mustAsk(outer, h, "/validate", reviewOf("CREATE", namespace, object, nil)).Allowed
		}
		if got := p.Audit(namespace, text); (len(got) > 0) != refused {
			t.Fatalf("refused: %v, audit: %q", refused, got)
		}
	})
}
