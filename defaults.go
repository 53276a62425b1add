// SPDX-License-Identifier: Apache-2.0

package taints

import (
	"slices"
	"strings"

	"github.com/seed-0529bac1/taints/internal/lookup"
)

// DefaultTolerationSeconds are the API server's flags
// --default-not-ready-toleration-seconds and --default-unreachable-toleration-seconds.
// Nil means 300, as there.
type DefaultTolerationSeconds struct {
	NotReady    *int64 `json:"notReady,omitempty"`
	Unreachable *int64 `json:"unreachable,omitempty"`
}

// AddDefaultTolerations adds what the DefaultTolerationSeconds plugin adds to every
// pod: tolerations of [NodeNotReady] and [NodeUnreachable] with Exists, NoExecute and
// the given seconds. It skips a key for which the pod already has a toleration, by
// that key or by an empty one, of NoExecute or of every effect.
//
// Like all Add functions, it returns tolerations itself if nothing changes, and
// otherwise a new list with the missing ones at the end. Both share TolerationSeconds.
// Some also remove seconds: compare the lists with [Toleration.Equal], not by length.
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
// to its pods (AddOrUpdateDaemonPodTolerations in Kubernetes), all with Exists and
// without seconds:
//
//   - [NodeNotReady] and [NodeUnreachable] with NoExecute,
//   - [NodeDiskPressure], [NodeMemoryPressure], [NodePIDPressure] and
//     [NodeUnschedulable] with NoSchedule, and
//   - [NodeNetworkUnavailable] with NoSchedule for a pod on the host's network.
//
// As in Kubernetes, a present one loses its seconds, and a missing one is added even
// if a broader one covers it.
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

// AddExtendedResourceTolerations adds the tolerations that the
// ExtendedResourceToleration plugin gives to a pod that requests extended resources,
// such as GPUs: of each name as the key, with Exists and NoSchedule, sorted by name.
// A present one loses its seconds.
//
// Pass all names that the pod requests, as module kube's RequestedResources returns
// them. Other resources than extended ones are ignored.
func AddExtendedResourceTolerations(tolerations []Toleration, names ...string) []Toleration {
	var taints []TaintID
	for _, name := range slices.Compact(slices.Sorted(slices.Values(names))) {
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
// plugin gives to every pod whose QoS class is not BestEffort: of
// [NodeMemoryPressure] with Exists and NoSchedule. It skips a pod with an Exists
// toleration of that key or of every key, and of NoSchedule or of every effect. Unlike
// the plugin, it keeps all tolerations of the pod.
//
// Module kube's IsBestEffort says what the class of a new pod is.
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
