// SPDX-License-Identifier: Apache-2.0

package diagnosis

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
)

// A nodeState is what a taint says about its node. Pods need not tolerate the taints
// of a state: the node has to change.
type nodeState string

const (
	stateNone       nodeState = ""
	stateCordoned   nodeState = "unschedulable"
	stateUnhealthy  nodeState = "unhealthy"
	stateFenced     nodeState = "fenced"
	stateMaintained nodeState = "in maintenance"
	stateStarting   nodeState = "starting"
	stateLeaving    nodeState = "being removed"
	stateVirtual    nodeState = "for their own pods only"
)

// isFinal reports whether nodes of the state never take the pods.
func (s nodeState) isFinal() bool { return s == stateLeaving || s == stateVirtual }

// A KnownTaint says what taints with some keys mean, and who acts on them.
type KnownTaint struct {
	Keys      string // separated by spaces; "*" stands for any text, and a value follows "="
	State     nodeState
	SetBy     string
	RemovedBy string
	Within    time.Duration // how long the taint normally stays; 0: as long as its reason does
	Look      string        // at this, if it stays longer
}

// KnownTaints lists the taints of nodes' states, from Kubernetes and from common
// projects. The first entry that has a key applies, and steps are in this order.
var KnownTaints = []*KnownTaint{
	{"node.kubernetes.io/unschedulable", stateCordoned, "Kubernetes, on cordoned nodes", "kubectl uncordon", 0, ""},
	{"node.kubernetes.io/not-ready node.kubernetes.io/unreachable node.kubernetes.io/network-unavailable " +
		"node.kubernetes.io/memory-pressure node.kubernetes.io/disk-pressure node.kubernetes.io/pid-pressure",
		stateUnhealthy, "Kubernetes, for a condition of the node", "Kubernetes", 0, ""},
	{"node.kubernetes.io/out-of-disk node.alpha.kubernetes.io/notReady node.alpha.kubernetes.io/unreachable",
		stateUnhealthy, "Kubernetes before 1.16", whoSetIt, 0, ""},
	{"node.cloudprovider.kubernetes.io/shutdown", stateUnhealthy, cloudManager + ", if the machine is off", cloudManager, 0, ""},
	{"status-taint.cluster-autoscaler.kubernetes.io/*", stateUnhealthy, "what watches the node", "what watches the node", 0, ""},
	{outOfService, stateFenced, "an administrator or a fencing agent, if the machine is off", whoSetIt, 0, ""},
	{"medik8s.io/remediation", stateFenced, "Medik8s", "Medik8s", 30 * time.Minute, "the remediation of the node"},
	{"medik8s.io/*", stateMaintained, "the Node Maintenance Operator", "the Node Maintenance Operator", 0, ""},
	{"baremetal.cluster.gke.io/maintenance", stateMaintained, "Google Distributed Cloud", "Google Distributed Cloud", 0, ""},
	{"remediator.kubernetes.azure.com/unschedulable remediator.aks.microsoft.com/unschedulable",
		stateMaintained, "AKS, to repair the node", "AKS", time.Hour, "the events of the node"},
	{"kubevirt.io/drain *maintenance */drain", stateMaintained, "an administrator", whoSetIt, 0, ""},
	{"node.cloudprovider.kubernetes.io/uninitialized", stateStarting, "the kubelet", cloudManager, 5 * time.Minute, cloudManager},
	{"node.cluster.x-k8s.io/uninitialized", stateStarting, "Cluster API", "Cluster API", startup, "the Machine of the node"},
	{"readiness.k8s.io/*", stateStarting, "the Node Readiness Controller", "the Node Readiness Controller",
		startup, "the NodeReadinessRules and the conditions of the node"},
	{"karpenter.sh/unregistered", stateStarting, "Karpenter", "Karpenter", startup, "the NodeClaim of the node"},
	{"node.cilium.io/agent-not-ready", stateStarting, "Cilium, or what makes the node", "Cilium", startup, "Cilium's agent on the node, and its operator"},
	{"cni.istio.io/not-ready", stateStarting, "what makes the node", "Istio", startup, "Istio's CNI agent on the node"},
	{"*.csi.aws.com/agent-not-ready *.csi.azure.com/agent-not-ready",
		stateStarting, "what makes the node", "the storage driver", startup, "the storage driver's pod on the node"},
	{"*critical-components-not-ready", stateStarting, "Gardener", "Gardener", startup, "the critical pods on the node"},
	{"startup-taint.cluster-autoscaler.kubernetes.io/* ignore-taint.cluster-autoscaler.kubernetes.io/* node.cloudprovider.kubernetes.io/* " +
		"*not-ready *uninitialized", stateStarting, "what makes the node", "an agent on the node", startup, "the agent that removes the taint"},
	{"ToBeDeletedByClusterAutoscaler DeletionCandidateOfClusterAutoscaler",
		stateLeaving, "Cluster Autoscaler", "Cluster Autoscaler", 15 * time.Minute, "the log of Cluster Autoscaler"},
	{"karpenter.sh/disrupted karpenter.sh/disruption", stateLeaving, "Karpenter", "Karpenter",
		time.Hour, "the events of the node, and its pods with budgets or karpenter.sh/do-not-disrupt"},
	{nodeTerminationHandler + "*", stateLeaving, "the AWS node termination handler", "AWS, with the machine",
		30 * time.Minute, "the log of the AWS node termination handler"},
	{"cloud.google.com/impending-node-termination", stateLeaving, "GKE", "GKE, with the machine", 5 * time.Minute, "the machine"},
	{"autoscaling.cast.ai/draining", stateLeaving, "CAST AI", "CAST AI", time.Hour, "the pods of the node"},
	{"eks.amazonaws.com/compute-type=fargate", stateVirtual, "EKS, for the pod that it makes the node for", "nobody", 0, ""},
}

const (
	outOfService           = "node.kubernetes.io/out-of-service"
	nodeTerminationHandler = "aws-node-termination-handler/" // begins keys whose values name events

	cloudManager = "the cloud controller manager"
	whoSetIt     = "who set it" // by hand
	startup      = 15 * time.Minute
)

// A keyPattern is one of the keys of an entry, before and after its "*".
type keyPattern struct {
	start, end, value string
	isPattern         bool
	entry             *KnownTaint
}

var keyPatterns = func() (list []keyPattern) {
	for _, k := range KnownTaints {
		for text := range strings.FieldsSeq(k.Keys) {
			key, value, _ := strings.Cut(text, "=")
			start, end, isPattern := strings.Cut(key, "*")
			list = append(list, keyPattern{start, end, value, isPattern, k})
		}
	}
	return list
}()

// Known returns the entry for the taint, or nil.
func Known(t taints.Taint) *KnownTaint {
	for _, p := range keyPatterns {
		rest, isKey := strings.CutPrefix(t.Key, p.start)
		if isKey && (rest == p.end || p.isPattern && strings.HasSuffix(rest, p.end)) && (p.value == "" || p.value == t.Value) {
			return p.entry
		}
	}
	return nil
}

// WhoElse says who else sets or removes taints with the key, or "". What Kubernetes does
// depends on the nodes.
func WhoElse(key string) string {
	k := Known(taints.Taint{Key: key})
	switch {
	case key == outOfService:
		return "on nodes with this taint that are not ready, Kubernetes deletes Terminating pods by force and detaches their volumes. " +
			"Be sure that these nodes are off."
	case k == nil || k.RemovedBy == whoSetIt || strings.HasPrefix(k.SetBy, "Kubernetes"):
		return ""
	}
	text := "set by " + k.SetBy + ", and removed by " + k.RemovedBy
	if k.SetBy == k.RemovedBy {
		text = "set and removed by " + k.SetBy
	}
	if k.Within > 0 {
		text += ", normally within " + duration.HumanDuration(k.Within)
	}
	return text + "."
}

// stateOf returns the state of a node that has the taint.
func stateOf(t taints.Taint) nodeState {
	if k := Known(t); k != nil {
		return k.State
	}
	return stateNone
}

// statesText describes nodes with such taints.
func statesText(list []taints.Taint) string {
	var words []string
	for _, k := range KnownTaints {
		isOf := func(t taints.Taint) bool { return stateOf(t) == k.State }
		if word := string(k.State); !slices.Contains(words, word) && slices.ContainsFunc(list, isOf) {
			words = append(words, word)
		}
	}
	return say.Enumerate(words, "or")
}

// haveFinal reports whether nodes with these taints never take the pods.
func haveFinal(list []taints.Taint) bool {
	return slices.ContainsFunc(list, func(t taints.Taint) bool { return stateOf(t).isFinal() })
}

// withoutTime returns the taint without its time, and without a value that differs on
// each node.
func withoutTime(t taints.Taint) taints.Taint {
	t.TimeAdded = nil
	if _, isTime := timeIn(t); isTime || strings.HasPrefix(t.Key, nodeTerminationHandler) {
		t.Value = ""
	}
	return t
}

// timeIn returns the time in the value of a taint that Cluster Autoscaler sets.
func timeIn(t taints.Taint) (at time.Time, ok bool) {
	seconds, err := strconv.ParseInt(t.Value, 10, 64)
	return time.Unix(seconds, 0).UTC(), err == nil && stateOf(t) == stateLeaving
}
