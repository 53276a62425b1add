// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"testing"

	"github.com/go-json-experiment/json"
)

// TestObject has objects, why they create no pods, and whether the status says that all
// pods run, and that they have the template of now.
func TestObject(t *testing.T) {
	for _, tc := range []struct {
		kind, text, none   string
		isReady, isUpdated bool
	}{
		{"Deployment", `{"spec":{"replicas":0}}`, "(0 replicas)", true, false},
		{"Deployment", `{"spec":{"replicas":2},"status":{"readyReplicas":2,"updatedReplicas":1,"replicas":2}}`, "", true, false},
		{"Deployment", `{"spec":{"replicas":2},"status":{"readyReplicas":1,"updatedReplicas":2,"replicas":2}}`, "", false, true},
		{"Deployment", `{"metadata":{"generation":2},"spec":{"replicas":2},"status":{"observedGeneration":1,"readyReplicas":2,"updatedReplicas":2,"replicas":2}}`, "", false, false},
		{"DaemonSet", `{"status":{"observedGeneration":1}}`, "", true, false},
		{"DaemonSet", `{"status":{"numberReady":1,"desiredNumberScheduled":2,"updatedNumberScheduled":2,"currentNumberScheduled":2}}`, "", false, true},
		{"DaemonSet", `{}`, "", false, false},
		{"Job", `{"spec":{"suspend":true}}`, "(suspended)", false, false},
		{"Job", `{"spec":{"parallelism":0}}`, "(parallelism 0)", true, false},
		{"Job", `{"status":{"ready":1,"conditions":[{"type":"Complete","status":"True"}]}}`, "(ended)", true, false},
		{"Job", `{"status":{"conditions":[{"type":"Complete","status":"False"}]}}`, "", false, false},
		{"CronJob", `{"spec":{"jobTemplate":{"spec":{"parallelism":0}}}}`, "(parallelism 0)", false, false},
		{"CronJob", `{"status":{"lastSuccessfulTime":"2026-11-26T12:03:00Z"}}`, "", true, false},
	} {
		var o Object
		if err := json.Unmarshal([]byte(tc.text), &o); err != nil {
			t.Fatal(err)
		}
		if none, isReady, isUpdated := o.CreatesNone(tc.kind), o.IsReady(tc.kind), o.IsUpdated(); none != tc.none || isReady != tc.isReady || isUpdated != tc.isUpdated {
			t.Errorf("%s %s: %q %v %v, want %q %v %v", tc.kind, tc.text, none, isReady, isUpdated, tc.none, tc.isReady, tc.isUpdated)
		}
	}
}
