// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/lists"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/fix"
)

// A keyRow is a row of keys.tsv, which has taints of real clusters and projects.
type keyRow struct {
	taints.Taint
	isPool bool // it marks nodes for some pods, not a state of the node
}

func keyRows(t *testing.T) []keyRow {
	t.Helper()
	text, err := os.ReadFile("testdata/keys.tsv")
	if err != nil {
		t.Fatal(err)
	}
	_, rows, _ := strings.Cut(strings.TrimSpace(string(text)), "\n") // after the names of the columns
	return lists.Each(strings.Split(rows, "\n"), func(row string) keyRow {
		c := strings.Split(row, "\t")
		effect, _, _ := strings.Cut(cmp.Or(c[2], "NoSchedule"), ",")
		return keyRow{taints.Taint{Key: c[0], Value: c[1], Effect: taints.Effect(strings.TrimPrefix(effect, "Prefer"))}, c[3] == "pool"}
	})
}

// A cluster has one node, and a pod of a Deployment that waits for its taint. At least 95 %
// of the states are named, and of these and the others nearly none is tolerated. At least
// 97 % of the pools are.
func TestKeys(t *testing.T) {
	const pod = `{kind: Pod, metadata: {name: d-5d-x, labels: {pod-template-hash: 5d}, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: d-5d, controller: true}]}, ` +
		`status: {phase: Pending, conditions: [{type: PodScheduled, status: 'False', message: '0/1 nodes are available: 1 node(s) had untolerated taint(s).'}]}}`
	count := make(map[string]int)
	for _, k := range keyRows(t) {
		c := mustReport(t, objectsOf([]string{"node n " + k.String(), pod})).Causes[0]
		is := map[bool]string{true: "pool", false: "state"}[k.isPool]
		count[is]++
		if c.Kind == "node-state" {
			count[is+" named as state"]++
		}
		isTolerated := slices.ContainsFunc(c.Fix, func(s fix.Step) bool { return strings.Contains(s.Command, "/tolerations") })
		if isTolerated {
			count[is+" tolerated"]++
		}
		if (c.Kind == "node-state") == k.isPool || isTolerated != k.isPool {
			t.Logf("%s %s: %s", is, k, c.Fix[0].Text)
		}
	}
	t.Log(count)
	if states, pools := count["state"], count["pool"]; 100*count["state named as state"] < 95*states || 100*count["state tolerated"] > 2*states ||
		100*count["pool tolerated"] < 97*pools || states < 90 || pools < 80 {
		t.Error("too few are right")
	}
}
