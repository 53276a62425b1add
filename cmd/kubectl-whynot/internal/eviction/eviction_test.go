// SPDX-License-Identifier: Apache-2.0

package eviction

import (
	"strings"
	"testing"
	"time"

	"github.com/seed-0529bac1/taints/cmd/internal/manifest"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
)

// TestAll has what is special of a node, of its pod and its tolerations of taint k, and what
// happens to the pod at 12:00.
func TestAll(t *testing.T) {
	const noExecute = `"spec": {"taints": [{"key": "k", "effect": "NoExecute", "timeAdded": "2026-11-26T11:59:00Z"}]}`
	const silent = noExecute + `, "status": {"conditions": [{"type": "Ready", "status": "Unknown"}]}`
	const owned = `, "ownerReferences": [{"kind": "KIND", "name": "x", "controller": true}]`
	of := func(kind string) string { return strings.Replace(owned, "KIND", kind, 1) }
	for _, tc := range []struct{ node, metadata, toleration, status, want string }{
		{noExecute, "", "", "", "overdue at 2026-11-26T11:59:00Z (60s ago) nothing makes it again"},
		{noExecute, "", `, "tolerationSeconds": 300`, "", "leaves at 2026-11-26T12:04:00Z (in 4m) nothing makes it again"},
		{noExecute, "", " ", "", "stays"},
		{noExecute, of("ReplicaSet"), `, "tolerationSeconds": 300`, "", "leaves at 2026-11-26T12:04:00Z (in 4m) new ones may be put there again, and leave again"},
		{noExecute, of("DaemonSet"), `, "tolerationSeconds": 300`, "", "leaves at 2026-11-26T12:04:00Z (in 4m) the DaemonSet makes a new one there, which leaves again"},
		{noExecute, of("Node"), "", "", "stays it keeps running, and only its mirror is deleted and made again"},
		{noExecute, of("ReplicaSet"), "", `"phase": "Failed", "reason": "TaintToleration"`, "refused"},
		{silent, "", "", "", "overdue at 2026-11-26T11:59:00Z (60s ago) nothing makes it again, hangs"},
		{`"spec": {"taints": [{"key": "k", "effect": "NoSchedule"}]}`, "", "", "", ""},
	} {
		tolerations := ""
		if tc.toleration != "" {
			tolerations = `{"key": "k", "operator": "Exists", "effect": "NoExecute"` + strings.TrimSpace(tc.toleration) + "}"
		}
		c := cluster.New(cluster.Filter{})
		err := manifest.Read("x", strings.NewReader(`{"kind": "Node", "metadata": {"name": "n"}, `+tc.node+`}
			{"kind": "Pod", "metadata": {"name": "p"`+tc.metadata+`}, "spec": {"nodeName": "n", "tolerations": [`+tolerations+`]}, "status": {`+tc.status+`}}`), c.Decode)
		if err != nil {
			t.Fatal(err)
		}
		c.Finish()
		var got string
		for _, x := range All(c, c.Pods, time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)) {
			got = strings.Join(strings.Fields(x.Outcome+" "+When(x)+" "+x.Then), " ")
			if x.Hangs {
				got += ", hangs"
			}
		}
		if got != tc.want {
			t.Errorf("%+v:\n got %s\nwant %s", tc, got, tc.want)
		}
	}
}
