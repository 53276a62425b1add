// SPDX-License-Identifier: Apache-2.0

package main

import (
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints/cmd/internal/lists"
)

// TestForms has what all outputs of the report say, those for people and those for
// programs.
func TestForms(t *testing.T) {
	const (
		ready     = "node b1 Ready=True"
		silent    = "node a1 Ready=Unknown node.kubernetes.io/unreachable:NoExecute@01:23"
		waiting   = "pod p of Job/w node.kubernetes.io/unreachable:NoExecute op=Exists for 300s"
		preempts  = `{kind: Pod, metadata: {name: p}, status: {nominatedNodeName: a1, conditions: [{type: PodScheduled, status: "False", message: "0/1 nodes are available: 1 Insufficient cpu."}]}}`
		tooLarge  = `{apiVersion: apps/v1, kind: Deployment, metadata: {name: d}, spec: {template: {spec: {containers: [{name: c, resources: {requests: {cpu: "64"}}}]}}}}`
		rejected  = `{kind: Pod, metadata: {name: p}, spec: {nodeName: a1}, status: {phase: Failed, reason: OutOfcpu, message: "Node didn't have enough resource: cpu"}}`
		untainted = "node a1 Ready=True node.kubernetes.io/unschedulable:NoSchedule"
	)
	for _, tc := range []struct {
		lines      []string
		args       string
		text, data string // that people and programs get
	}{
		{
			[]string{untainted, "pod p"},
			"", // which the preview of the command agrees with
			"Remove node.kubernetes.io/unschedulable:NoSchedule from node a1: the node is not cordoned, so Kubernetes' node-lifecycle controller does it within seconds if it runs",
			"kubectl taint nodes a1 node.kubernetes.io/unschedulable:NoSchedule-",
		},
		{
			[]string{"node a1 Ready=True node.kubernetes.io/not-ready:NoSchedule", "pod p"},
			"",
			"Remove node.kubernetes.io/not-ready:NoSchedule from node a1: the node's condition Ready is True,",
			"kubectl taint nodes a1 node.kubernetes.io/not-ready:NoSchedule-",
		},
		{[]string{"node a1 Ready=True cordoned", "pod p"}, "", "If the maintenance of node a1 is over, uncordon it", "kubectl uncordon a1"},
		{
			[]string{silent, ready, "pod p on a1 of Job/w node.kubernetes.io/unreachable:NoExecute op=Exists for 300s"},
			"",
			"will be evicted at 2026-11-21T01:28:00Z (in 4m); Terminating lasts until the kubelet answers or the node is deleted", "hangs: true",
		},
		{
			[]string{silent + " node.kubernetes.io/out-of-service:NoSchedule", ready, strings.Replace(waiting, " of", " on a1 of", 1)},
			"",
			"will be evicted at 2026-11-21T01:28:00Z (in 4m) ", "outcome: leaves",
		},
		{
			[]string{"node a1 Ready=True k:NoExecute@01:23", "pod p on a1 of DaemonSet/d k:NoExecute op=Exists for 300s"},
			"",
			"(in 4m); the DaemonSet makes a new one there, which leaves again", "madeAgain: true",
		},
		{
			[]string{"node a1 Ready=True node.kubernetes.io/unreachable:NoExecute@01:23", strings.Replace(waiting, " of", " on a1 of", 1)},
			"",
			"op=Exists for 300s (Kubernetes removes it within seconds: the node's condition Ready is True)", `Kubernetes removes it within seconds: the node''s condition Ready is True`,
		},
		{[]string{"node a1", preempts}, "", "he scheduler has nominated node a1, and waits for the pods of lower priority that it preempts there to leave", "nominatedNodes: - a1"},
		{[]string{"node a1", rejected}, "p", `its phase is Failed, its status says "OutOfcpu: Node didn't have enough resource: cpu"`, "its phase is Failed, its status says"},
		{[]string{"node a1", tooLarge}, "", "that taints and node affinity allow", "kind: schedulable"},
	} {
		input := objectsOf(lists.Each(tc.lines, previewed))
		outputs := map[string]string{"text": tc.text, "wide": tc.text, "html": tc.text, "yaml": tc.data}
		for output, want := range outputs {
			args := append([]string{"-f", "-", "-o", output}, strings.Fields(tc.args)...)
			got := oneLine(html.UnescapeString(regexp.MustCompile(`<[^>]+>`).ReplaceAllString(mustRun(t, input, args...), " ")))
			isCounted := output == "html" && strings.Contains(got, "1 pod on these nodes stays") // the page does not say why
			if !strings.Contains(got, want) && !isCounted {
				t.Errorf("%s, %s lacks %q: %s", tc.lines, output, want, got)
			}
		}
	}
}
