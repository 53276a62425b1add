// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints"
)

// ownedPod returns a pending Pod of a controller.
func ownedPod(kind, name, hash string, list ...taints.Toleration) string {
	return mustJSON(map[string]any{
		"apiVersion": "v1", "kind": "Pod",
		"metadata": map[string]any{
			"name": "p", "labels": map[string]any{"pod-template-hash": hash},
			"ownerReferences": []any{map[string]any{"kind": kind, "name": name, "controller": true}},
		},
		"spec": map[string]any{"tolerations": list},
	})
}

// What a new template means for existing pods differs between controllers.
func TestAdvice(t *testing.T) {
	const rule = "An existing pod's tolerations can only be added to: "
	for _, tc := range []struct{ kind, name, hash, correction, addition string }{
		{
			"ReplicaSet", "web-5d9f", "5d9f",
			"make the change in the pod template of Deployment web.",
			"add this to the pod, or in the pod template of Deployment web.",
		},
		{
			"ReplicaSet", "web", "",
			"make the change in the pod template of ReplicaSet web, or of what owns it. " +
				"A change there is for new pods only: then delete the pod.",
			"add this to the pod, or in the pod template of ReplicaSet web, or of what owns it. " +
				"A change there is for new pods only: then delete the pod.",
		},
		{
			"ReplicationController", "old", "",
			"make the change in the pod template of ReplicationController old. " +
				"A change there is for new pods only: then delete the pod.",
			"add this to the pod, or in the pod template of ReplicationController old. " +
				"A change there is for new pods only: then delete the pod.",
		},
		{
			"StatefulSet", "db", "",
			"make the change in the pod template of StatefulSet db. " +
				"If a change there does not replace the pod, delete it.",
			"add this to the pod, or in the pod template of StatefulSet db. " +
				"If a change there does not replace the pod, delete it.",
		},
		{
			"DaemonSet", "agent", "",
			"make the change in the pod template of DaemonSet agent. " +
				"If a change there does not replace the pod, delete it.",
			"add this to the pod, or in the pod template of DaemonSet agent. " +
				"If a change there does not replace the pod, delete it.",
		},
		{
			"Job", "load", "",
			"delete Job load and create it anew with the change, for a Job's pod template cannot be changed.",
			"add this to the pod, or delete Job load and create it anew with the change, " +
				"for a Job's pod template cannot be changed.",
		},
		{
			"Job", "load-29395680", "",
			"delete Job load-29395680 and create it anew with the change, for a Job's pod template cannot be changed. " +
				"If CronJob load made it, make the change there too, for the next Jobs.",
			"add this to the pod, or delete Job load-29395680 and create it anew with the change, " +
				"for a Job's pod template cannot be changed. " +
				"If CronJob load made it, make the change there too, for the next Jobs.",
		},
		{
			"Job", "load-2939568x", "",
			"delete Job load-2939568x and create it anew with the change, for a Job's pod template cannot be changed.",
			"add this to the pod, or delete Job load-2939568x and create it anew with the change, " +
				"for a Job's pod template cannot be changed.",
		},
		{
			"Job", "29395680", "",
			"delete Job 29395680 and create it anew with the change, for a Job's pod template cannot be changed.",
			"add this to the pod, or delete Job 29395680 and create it anew with the change, " +
				"for a Job's pod template cannot be changed.",
		},
	} {
		for mistake, want := range map[string]string{"team=ML": tc.correction, "": tc.addition} {
			var tolerations []taints.Toleration
			if mistake != "" {
				tolerations = append(tolerations, tol(mistake))
			}
			p := ownedPod(tc.kind, tc.name, tc.hash, tolerations...)
			got := mustRun(t, list(nodeJSON("n", "", "team=ml:NoSchedule"), p), "p")
			if text := strings.Join(strings.Fields(got), " "); !strings.Contains(text, rule+want+" ") {
				t.Errorf("%s %s: got %s\nwant %s", tc.kind, tc.name, got, want)
			}
		}
	}
}
