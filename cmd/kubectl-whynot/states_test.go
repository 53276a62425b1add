// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/diagnosis"
)

// The README has the table of taints.
func TestReadmeTaints(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "| Taints | Nodes are | Set by | Removed by | Within |\n|---|---|---|---|---|\n")
	table, _, _ := strings.Cut(rest, "\n\n")
	var rows []string
	for _, k := range diagnosis.KnownTaints {
		within := ""
		switch {
		case k.Within%time.Hour == 0 && k.Within > 0:
			within = fmt.Sprint(int(k.Within.Hours()), "h")
		case k.Within > 0:
			within = fmt.Sprint(int(k.Within.Minutes()), "m")
		}
		keys := say.Each(k.Keys, func(key string) string { return "`" + key + "`" })
		rows = append(rows, fmt.Sprintf("| %s | %s | %s | %s | %s |", strings.Join(keys, ", "), k.State, k.SetBy, k.RemovedBy, within))
	}
	if diff := cmp.Diff(strings.Join(rows, "\n"), table); diff != "" {
		t.Errorf("(-table +README):\n%s", diff)
	}
}

// Keys that projects use have the right state.
func TestKnown(t *testing.T) {
	for state, list := range map[string]string{
		"unschedulable":           "node.kubernetes.io/unschedulable",
		"unhealthy":               "node.kubernetes.io/not-ready node.kubernetes.io/disk-pressure node.cloudprovider.kubernetes.io/shutdown",
		"fenced":                  "node.kubernetes.io/out-of-service=nodeshutdown medik8s.io/remediation=self-node-remediation",
		"in maintenance":          "kubevirt.io/drain medik8s.io/drain medik8s.io/other baremetal.cluster.gke.io/maintenance maintenance example.com/drain",
		"being removed":           "ToBeDeletedByClusterAutoscaler=1 karpenter.sh/disrupted karpenter.sh/disruption=x aws-node-termination-handler/spot-itn=e",
		"for their own pods only": "eks.amazonaws.com/compute-type=fargate",
		"starting": "node.cilium.io/agent-not-ready disk.csi.azure.com/agent-not-ready a.b/agent-not-ready cni-not-ready " +
			"node.gardener.cloud/critical-components-not-ready readiness.k8s.io/Network x/uninitialized node.cloudprovider.kubernetes.io/uninitialized",
		"": "not-ready-yet uninitialized/a a/not-readyx dedicated=fargate eks.amazonaws.com/compute-type=auto virtual-kubelet.io/provider=azure raindrain " +
			"maintenance-window medik8s.io karpenter.sh/nodepool node.kubernetes.io/other",
	} {
		for text := range strings.FieldsSeq(list) {
			key, value, _ := strings.Cut(text, "=")
			if got := string(diagnosis.Known(taints.Taint{Key: key, Value: value}).State); got != state {
				t.Errorf("%s: %q, want %q", text, got, state)
			}
		}
	}
}
