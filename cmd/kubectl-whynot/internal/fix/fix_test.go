// SPDX-License-Identifier: Apache-2.0

package fix

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/manifest"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/remedy"
)

func TestLabels(t *testing.T) {
	for _, tc := range []struct {
		relations []relation
		want      string
	}{
		{[]relation{together}, "Fix"},
		{[]relation{together, together}, "Fix, step 1 of 2|Fix, step 2 of 2"},
		{[]relation{enough, also, enough}, "Fix, one of 2|And then|Fix, one of 2"},
		{[]relation{together, instead}, "Fix|Or instead"},
		{[]relation{together, together, instead}, "Fix, step 1 of 2|Fix, step 2 of 2|Or instead of step 2"},
	} {
		var steps []Step
		for _, r := range tc.relations {
			steps = append(steps, Step{Relation: r, Replaces: map[relation]int{instead: 1}[r]})
		}
		if got := strings.Join(Labels(steps), "|"); got != tc.want {
			t.Errorf("%q: %q, want %q", tc.relations, got, tc.want)
		}
	}
}

// A command is shown once, and steps without one are not repeated.
func TestOnce(t *testing.T) {
	steps := []Step{{Text: "a", Command: "x"}, {Text: "b"}, {Text: "c", Command: "y"}, {Text: "d"}, {Text: "e", Command: "x"}}
	var repeated string
	for _, s := range Once(steps) {
		if s.IsRepeated {
			repeated += s.Text
		}
	}
	if repeated != "e" || steps[4].IsRepeated {
		t.Errorf("%q is repeated", repeated)
	}
}

const objects = `kind: Node
metadata: {name: cordoned, annotations: {ANNOTATION}}
spec: {unschedulable: true}
status: {conditions: [{type: Ready, status: "READY"}]}
---
kind: Pod
metadata: {name: p, ownerReferences: [{apiVersion: apps/v1, kind: OWNER, name: x, controller: true}]}
`

// guided returns pod p of the objects.
func guided(t *testing.T, annotation, ready, owner string) Pods {
	t.Helper()
	text := strings.NewReplacer("ANNOTATION", annotation, "READY", ready, "OWNER", owner).Replace(objects)
	c := cluster.New(cluster.Filter{})
	if err := manifest.Read("x", strings.NewReader(text), c.Decode); err != nil {
		t.Fatal(err)
	}
	c.Finish()
	x := NewGuide(c, Kubectl{Connection: []string{"--context", "c"}}, time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)).Pods(c.Pods[0])
	x.Names = []string{"p"}
	return x
}

// TestNodeSteps has what speaks against the uncordon of a node, and what to do.
func TestNodeSteps(t *testing.T) {
	for _, tc := range []struct{ annotation, ready, want, command string }{
		{"", "True", "if the maintenance of node cordoned is over, uncordon it", "kubectl --context c uncordon cordoned"},
		{"", "False", "repair node cordoned, which is cordoned and not Ready: to uncordon it alone is not enough", "kubectl --context c describe node cordoned"},
		{`example.com/in-maintenance: "true"`, "True", "find out who has node cordoned and ends that, before anybody uncordons it: its annotation " +
			"example.com/in-maintenance=true. managedFields name the client that cordoned", "kubectl --context c get node cordoned -o yaml --show-managed-fields"},
		{"machineconfiguration.openshift.io/state: Working", "True", "wait until OpenShift's Machine Config Operator uncordons node cordoned, which has the annotation " +
			"machineconfiguration.openshift.io/state", "kubectl --context c describe node cordoned"},
	} {
		x := guided(t, tc.annotation, tc.ready, "ReplicaSet")
		steps := x.NodeSteps(x.Stays([]int{0}, []taints.Taint{cluster.Cordon}))
		if len(steps) != 1 || steps[0].Text != tc.want || steps[0].Command != tc.command {
			t.Errorf("%s, Ready=%s: %+v", tc.annotation, tc.ready, steps)
		}
	}
}

// TestSteps has the owner of a pod, and the beginnings of the commands that give it a
// toleration.
func TestSteps(t *testing.T) {
	for owner, want := range map[string][]string{
		"ReplicaSet":  {"kubectl --context c -n default patch replicaset x --type=json", "kubectl --context c -n default delete pod p"},
		"StatefulSet": {"kubectl --context c -n default patch statefulset x --type=json", "kubectl --context c -n default delete pod p"},
		"Rollout":     {"kubectl --context c -n default patch pod p --type=json", ""},
	} {
		x := guided(t, "", "True", owner)
		steps := x.Steps("", []remedy.Entry{{Toleration: taints.Toleration{Key: "k", Operator: taints.OpExists}}})
		if !slices.EqualFunc(steps, want, func(s Step, start string) bool { return strings.HasPrefix(s.Command, start) }) {
			t.Errorf("%s: %+v", owner, steps)
		}
	}
}
