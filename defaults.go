// SPDX-License-Identifier: Apache-2.0

package taints

import (
	"slices"
	"strings"

	"github.com/seed-0529bac1/taints/internal/lookup"
)

// DefaultTolerationSeconds are the API server's flags --default-not-ready-toleration-seconds
// and --default-unreachable-toleration-seconds. Nil means 300, as there.
type DefaultTolerationSeconds struct {
	NotReady    *int64 `json:"notReady,omitempty"`
	Unreachable *int64 `json:"unreachable,omitempty"`
}

// AddDefaultTolerations adds the tolerations that the DefaultTolerationSeconds admission
// plugin gives to every pod: of [NodeNotReady] and [NodeUnreachable], in this
// order, with Exists, NoExecute and the seconds. It does not add one if a
// toleration with that key, or without a key, has the effect NoExecute or none,
// whatever its operator and value. Like all Add functions, it returns tolerations
// itself if nothing changes, and otherwise a new list with the missing ones at the
// end, which shares the TolerationSeconds of tolerations.
func AddDefaultTolerations(tolerations []Toleration, seconds DefaultTolerationSeconds) []Toleration {
	tolerations = addDefault(tolerations, NodeNotReady, seconds.NotReady)
	return addDefault(tolerations, NodeUnreachable, seconds.Unreachable)
}

func addDefault(tolerations []Toleration, key string, seconds *int64) []Toleration {
	for i := range tolerations {
		t := &tolerations[i]
		if (t.Key == key || t.Key == "") && (t.Effect == NoExecute || t.Effect == "") {
			return tolerations
		}
	}
	s := int64(300)
	if seconds != nil {
		s = *seconds
	}
	added := Toleration{Key: key, Operator: OpExists, Effect: NoExecute, TolerationSeconds: &s}
	return append(slices.Clip(tolerations), added)
}

// A DaemonSetPod is what [AddDaemonSetTolerations] needs to know of a pod.
type DaemonSetPod struct {
	// HostNetwork is the pod's spec.hostNetwork.
	HostNetwork bool `json:"hostNetwork,omitempty"`
}

// AddDaemonSetTolerations adds the tolerations that the DaemonSet controller gives
// to its pods (AddOrUpdateDaemonPodTolerations in Kubernetes): of [NodeNotReady]
// and [NodeUnreachable] with NoExecute, forever, and of [NodeDiskPressure],
// [NodeMemoryPressure], [NodePIDPressure], [NodeUnschedulable] and, for a pod on
// the host's network, [NodeNetworkUnavailable] with NoSchedule. All have the
// operator Exists. As in Kubernetes, a toleration with the same [TolerationID] stays
// in its place and loses its seconds, and each other one is added even if a broader
// one covers it.
func AddDaemonSetTolerations(tolerations []Toleration, pod DaemonSetPod) []Toleration {
	ids := []TaintID{
		{NodeNotReady, NoExecute},
		{NodeUnreachable, NoExecute},
		{NodeDiskPressure, NoSchedule},
		{NodeMemoryPressure, NoSchedule},
		{NodePIDPressure, NoSchedule},
		{NodeUnschedulable, NoSchedule},
	}
	if pod.HostNetwork {
		ids = append(ids, TaintID{NodeNetworkUnavailable, NoSchedule})
	}
	return addForever(tolerations, ids)
}

// addForever adds tolerations of the taints, which are distinct, with Exists and
// without seconds, or removes the seconds of those that are present
// (AddOrUpdateTolerationInPodSpec in Kubernetes).
func addForever(tolerations []Toleration, ids []TaintID) []Toleration {
	wanted := lookup.FirstOf(ids, lookup.Self)
	present := make([]bool, len(ids))
	list, copied := tolerations, false
	for i := range tolerations {
		t := &tolerations[i]
		at := wanted.Find(TaintID{t.Key, t.Effect})
		if at < 0 || t.ID() != (TolerationID{Key: t.Key, Operator: OpExists, Effect: t.Effect}) {
			continue
		}
		present[at] = true
		if t.TolerationSeconds != nil {
			if !copied {
				list, copied = slices.Clone(tolerations), true
			}
			list[i].TolerationSeconds = nil
		}
	}
	var missing []Toleration
	for i, id := range ids {
		if !present[i] {
			missing = append(missing, Toleration{Key: id.Key, Operator: OpExists, Effect: id.Effect})
		}
	}
	if missing == nil {
		return list
	}
	return append(slices.Clip(list), missing...)
}

// AddExtendedResourceTolerations adds the tolerations that the ExtendedResourceToleration
// admission plugin gives to a pod that requests extended resources, such as
// GPUs: for each a toleration with the name as its key, Exists and NoSchedule, sorted
// by name. One that is present loses its seconds. Names may be all of a pod's
// requests. That of an extended resource (IsExtendedResourceName in Kubernetes) has
// a '/', has no "kubernetes.io/" anywhere, does not begin with "requests.", and is a
// valid key even with "requests." as a prefix.
func AddExtendedResourceTolerations(tolerations []Toleration, names ...string) []Toleration {
	sorted := slices.Clone(names)
	slices.Sort(sorted)
	var taints []TaintID
	for _, name := range slices.Compact(sorted) {
		if isExtendedResource(name) {
			taints = append(taints, TaintID{name, NoSchedule})
		}
	}
	return addForever(tolerations, taints)
}

// isExtendedResource is Kubernetes' IsExtendedResourceName.
func isExtendedResource(name string) bool {
	const requests = "requests."
	domain, _, qualified := strings.Cut(name, "/")
	if !qualified || strings.Contains(name, "kubernetes.io/") || strings.HasPrefix(name, requests) {
		return false
	}
	return checkKey(name) == noProblem && len(requests)+len(domain) <= maxPrefix
}

// AddMemoryPressureToleration adds the toleration that the PodTolerationRestriction
// admission plugin gives to every pod whose QoS class is not BestEffort: of
// [NodeMemoryPressure] with Exists and NoSchedule. It does not add one if a
// toleration with that key, or without a key, has the effect NoSchedule or none
// and the operator Exists. Unlike the plugin, it keeps all tolerations of the pod.
//
// The class is that of the status. A new pod has none there: it is BestEffort if its
// pod-level requests and limits of CPU and memory, or without pod-level resources
// those of all containers and init containers, are zero or not set.
func AddMemoryPressureToleration(tolerations []Toleration) []Toleration {
	added := Toleration{Key: NodeMemoryPressure, Operator: OpExists, Effect: NoSchedule}
	for i := range tolerations {
		t := &tolerations[i]
		if (t.Key == added.Key || t.Key == "") && (t.Effect == added.Effect || t.Effect == "") &&
			t.Operator == OpExists {
			return tolerations
		}
	}
	return append(slices.Clip(tolerations), added)
}
