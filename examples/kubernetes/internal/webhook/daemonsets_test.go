// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"encoding/json"
	"net/http"
	"testing"
)

const controllerUser = "system:serviceaccount:kube-system:daemon-set-controller"

// Pods that the DaemonSet controller makes may tolerate anything, and are sent
// nowhere: each is for one node.
func TestExemptDaemonSets(t *testing.T) {
	owner := func(apiVersion, kind string, controller any) []any {
		return []any{map[string]any{
			"apiVersion": apiVersion,
			"kind":       kind,
			"name":       "agent",
			"uid":        "u",
			"controller": controller,
		}}
	}
	set := owner("apps/v1", "DaemonSet", true)
	for _, test := range []struct {
		name, operation, user string
		owners                []any
		exempt                bool
	}{
		{"by its controller", "CREATE", controllerUser, set, true},
		{"by the controllers as one", "CREATE", "system:kube-controller-manager", set, true},
		{"by somebody who says so", "CREATE", "jane", set, false},
		{"of nobody", "CREATE", controllerUser, nil, false},
		{"of something else", "CREATE", "system:kube-controller-manager", owner("apps/v1", "ReplicaSet", true), false},
		{
			"of a stranger's DaemonSet", "CREATE", "system:kube-controller-manager",
			owner("example.com/v1", "DaemonSet", true), false,
		},
		{"not as its controller", "CREATE", controllerUser, owner("apps/v1", "DaemonSet", nil), false},
		{"an update", "UPDATE", controllerUser, set, false},
	} {
		for _, exempts := range []bool{true, false} {
			policy := testPolicy(t)
			policy.Rules.exemptDaemonSets = exempts
			pod := tolerating("op=Exists")
			pod["metadata"] = map[string]any{"generateName": "agent-", "ownerReferences": test.owners}
			var old any
			if test.operation == "UPDATE" {
				old = newPod(map[string]any{})
			}
			var review map[string]any
			if err := json.Unmarshal(reviewOf(test.operation, "ml", pod, old), &review); err != nil {
				t.Fatal(err)
			}
			review["request"].(map[string]any)["userInfo"] = map[string]any{"username": test.user}
			body, err := json.Marshal(review)
			if err != nil {
				t.Fatal(err)
			}
			want := test.exempt && exempts
			r := mustAsk(t, handler(policy), "/validate", body)
			if r.Allowed != want || !want && r.Status.Code != http.StatusForbidden {
				t.Errorf("%s, rules %v: %+v", test.name, exempts, r)
			}
			if test.operation == "CREATE" {
				if r := mustAsk(t, handler(policy), "/mutate", body); (r.Patch == nil) != want {
					t.Errorf("%s, rules %v: patch %s", test.name, exempts, r.Patch)
				}
			}
		}
	}
}
