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

// What becomes of existing pods with a new template differs between controllers.
// Nothing is deleted where the pod can be kept.
func TestAdvice(t *testing.T) {
	const rule = "An existing pod's tolerations can be added to, not replaced: add this to the pod"
	const job = " need the same, because its pod template can be changed only while the Job is suspended."
	for _, tc := range []struct{ kind, name, hash, want string }{
		{"ReplicaSet", "web-5d9f", "5d9f", ", or make the change in the pod template of Deployment web."},
		{
			"ReplicaSet", "web", "",
			", or make the change in the pod template of ReplicaSet web, or of what owns it. " +
				"A change there is for new pods only: then delete the pod.",
		},
		{
			"ReplicationController", "old", "",
			", or make the change in the pod template of ReplicationController old. " +
				"A change there is for new pods only: then delete the pod.",
		},
		{
			"StatefulSet", "db", "",
			", or make the change in the pod template of StatefulSet db. " +
				"If a change there does not replace the pod, delete it.",
		},
		{
			"DaemonSet", "agent", "",
			", or make the change in the pod template of DaemonSet agent. " +
				"If a change there does not replace the pod, delete it.",
		},
		{"Job", "load", "", ". Further pods of Job load" + job},
		{
			"Job", "load-29395680", "",
			". Further pods of Job load-29395680" + job +
				" If CronJob load made it, make the change there too, for the next Jobs.",
		},
		{"Job", "load-2939568x", "", ". Further pods of Job load-2939568x" + job},
		{"Job", "29395680", "", ". Further pods of Job 29395680" + job},
		{"Workflow", "wf", "", ", and make the change in what Workflow wf makes its pods from."},
	} {
		for _, mistake := range []string{"team=ML", "other=ML"} {
			p := ownedPod(tc.kind, tc.name, tc.hash, tol(mistake))
			got := mustRun(t, list(nodeJSON("n", "", "team=ml:NoSchedule"), p), "p")
			_, text, _ := strings.Cut(strings.Join(strings.Fields(got), " "), rule)
			if text, _, _ = strings.Cut(text, " 3. What keeps"); text != tc.want {
				t.Errorf("%s %s: got %s\nwant %s", tc.kind, tc.name, text, tc.want)
			}
		}
	}
}

// The affinity of a pod that runs counts where the pod is asked about, and that
// of a DaemonSet's pod names its node.
func TestVerdictsOnPinnedPods(t *testing.T) {
	running := strings.Replace(pinned("n1"), `"spec":{`, `"spec":{"nodeName":"n1",`, 1)
	deleting := strings.Replace(pinned("n1"), `"metadata":{`, `"metadata":{"deletionTimestamp":"2026-11-21T01:22:27Z",`, 1)
	for _, p := range []string{running, deleting, pinned("n1")} {
		nodes := []string{nodeJSON("n1", ""), nodeJSON("n2", "", "x:NoSchedule"), nodeJSON("n3", "")}
		r := mustReport(t, list(append(nodes, p)...), "agent-n1")
		in, away := r.Groups[0].ForPod, r.Groups[1].ForPod
		if in.Verdict != letsIn || in.Selected != 1 || away.Verdict != notSelected || away.Selected != 0 {
			t.Errorf("%s: got %+v, %+v", p, in, away)
		}
	}
}

// What -n and -l leave out is not said to be nowhere.
func TestFilteredPods(t *testing.T) {
	input := list(nodeJSON("a", "", "m:NoExecute"), podJSON("p", "a", ""),
		`{"kind":"Pod","metadata":{"namespace":"e","name":"q"}}`)
	text := mustRun(t, input, "-n", "e")
	for _, want := range []string{
		"Only pods that match -n e.\n", "None of these pods runs on a node with NoExecute taints.\n",
		"Pods are those that match -n e and run there;",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the text lacks %q: %s", want, text)
		}
	}
	if page := mustRun(t, input, "-n", "e", "-o", "html"); !strings.Contains(page, " Only pods that match -n e.</p>") {
		t.Errorf("got the page %s", page)
	}
	if r := mustReport(t, input, "-n", "e"); r.Filter != "-n e" {
		t.Errorf("the filter is %q", r.Filter)
	}
	if text := mustRun(t, input); strings.Contains(text, "match") {
		t.Errorf("no filter: %s", text)
	}
}

// TestNotEvaluated asks what a pod has that may keep it off nodes, whatever their taints.
func TestNotEvaluated(t *testing.T) {
	for spec, want := range map[string]string{
		`{"initContainers":[{"resources":{"requests":{"cpu":"1"}}}]}`: "resource requests",
		`{"containers":[{"resources":{"limits":{"cpu":"1"}}}]}`:       "",
		`{"resources":{"requests":{"cpu":"1"}}}`:                      "resource requests",
		`{"overhead":{"cpu":"1"}}`:                                    "resource requests",
		`{"initContainers":[{"ports":[{"hostPort":80}]}]}`:            "host ports",
		`{"volumes":[{"awsElasticBlockStore":{"volumeID":"v"}}]}`:     "volumes that not every node can take",
		`{"volumes":[{"csi":{"driver":"d"}},{"configMap":{"a":1}}]}`:  "volumes that not every node can take",
		`{"volumes":[{"configMap":{"name":"c"}}]}`:                    "",
		`{"volumes":[{"ephemeral":{"volumeClaimTemplate":{}}}]}`:      "volume claims",
		`{"schedulerName":"default-scheduler"}`:                       "",
		`{"schedulerName":"batch"}`:                                   "the scheduler batch",
	} {
		p := `{"kind":"Pod","metadata":{"name":"p"},"spec":` + spec + `}`
		got := strings.Join(mustReport(t, list(nodeJSON("n", ""), p)).Pending[0].NotEvaluated, ", ")
		if got != want {
			t.Errorf("%s: got %q, want %q", spec, got, want)
		}
	}
}

// No name of an object makes lines of its own.
func TestNamesWithLineFeeds(t *testing.T) {
	const name = `p\n\nAll pods are fine.`
	input := list(nodeJSON("n", "", "k:NoExecute"),
		`{"kind":"Pod","metadata":{"name":"`+name+`"},"spec":{"nodeName":"n"}}`,
		`{"kind":"Pod","metadata":{"name":"`+name+`2"}}`)
	for _, args := range [][]string{nil, {"-v"}} {
		if text := mustRun(t, input, args...); strings.Contains(text, "\nAll pods are fine.") {
			t.Errorf("%q: %s", args, text)
		}
	}
}
