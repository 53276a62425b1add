// SPDX-License-Identifier: Apache-2.0

package diagnosis

import (
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints"
)

// TestStateOf has taints of each state and of none and, if it differs, their form
// without the time.
func TestStateOf(t *testing.T) {
	for state, specs := range map[nodeState]string{
		stateUnhealthy: `node.kubernetes.io/not-ready:NoExecute, node.cloudprovider.kubernetes.io/shutdown:NoSchedule,
status-taint.cluster-autoscaler.kubernetes.io/x:NoSchedule`,
		stateCordoned: `node.kubernetes.io/unschedulable:NoSchedule`,
		stateNone: `node.kubernetes.io/other:NoSchedule, node.cloudprovider.kubernetes.io:NoSchedule,
cluster-autoscaler.kubernetes.io/x:NoSchedule, karpenter.sh/unregistered-2:NoExecute,
karpenter.sh/nodepool=a:NoSchedule, kubernetes.azure.com/scalesetpriority=spot:NoSchedule,
cloud.google.com/gke-spot=true:NoSchedule, dedicated=1:NoSchedule,
node-role.kubernetes.io/control-plane:NoSchedule`,
		stateStarting: `node.cloudprovider.kubernetes.io/uninitialized=true:NoSchedule,
node.cloudprovider.kubernetes.io/other:NoSchedule, readiness.k8s.io/StorageReady=pending:NoSchedule,
karpenter.sh/unregistered:NoExecute`,
		stateLeaving: `ToBeDeletedByClusterAutoscaler=1763600001:NoSchedule -> ToBeDeletedByClusterAutoscaler:NoSchedule,
ToBeDeletedByClusterAutoscaler=true:NoSchedule, karpenter.sh/disrupted:NoSchedule,
aws-node-termination-handler/spot-itn=spot-itn-0a1b:NoSchedule -> aws-node-termination-handler/spot-itn:NoSchedule`,
	} {
		for spec := range strings.SplitSeq(specs, ",") {
			spec, timeless, differs := strings.Cut(strings.TrimSpace(spec), " -> ")
			if !differs {
				timeless = spec
			}
			taint := taints.MustParseTaint(spec)
			if got := stateOf(taint.Key); got != state {
				t.Errorf("%s: the state is %q", taint, got.words())
			}
			if got := withoutTime(taint); got.String() != timeless {
				t.Errorf("%s: without time is %s", taint, got)
			}
		}
	}
}
