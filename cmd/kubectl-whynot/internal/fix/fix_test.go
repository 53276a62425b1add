// SPDX-License-Identifier: Apache-2.0

package fix

import (
	"strings"
	"testing"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/cases"
	"github.com/seed-0529bac1/taints/cmd/internal/manifest"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/remedy"
)

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

// TestNodeSteps has the condition Ready of a cordoned node, and an annotation. What speaks
// against its uncordon is in what to do.
func TestNodeSteps(t *testing.T) {
	cases.Run(t, "testdata/node-steps.txt", func(t *testing.T, lines []string) []string {
		ready, annotation, _ := strings.Cut(lines[0], " ")
		x := guided(t, annotation, ready, "ReplicaSet")
		return linesOf(x.NodeSteps(x.Stays([]int{0}, []taints.Taint{cluster.Cordon})))
	})
}

// TestSteps has the kind of a pod's owner, and how the pod gets a toleration.
func TestSteps(t *testing.T) {
	cases.Run(t, "testdata/steps.txt", func(t *testing.T, lines []string) []string {
		x := guided(t, "", "True", lines[0])
		return linesOf(x.Steps("", []remedy.Entry{{Toleration: taints.Toleration{Key: "k", Operator: taints.OpExists}}}))
	})
}

func linesOf(steps []Step) (lines []string) {
	for _, s := range steps {
		lines = append(lines, s.Text)
		if s.Command != "" {
			lines = append(lines, s.Command)
		}
	}
	return lines
}
