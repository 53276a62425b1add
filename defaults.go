package taints

import (
	"slices"
	"strings"
)

// DefaultTolerationSeconds is how long a pod that says nothing else stays on a
// node that is not ready or unreachable. It is the default of the API server's
// flags --default-not-ready-toleration-seconds and
// --default-unreachable-toleration-seconds.
const DefaultTolerationSeconds int64 = 300

// DefaultSeconds are the settings of [AddDefaults]. Nil stands for
// [DefaultTolerationSeconds]. The numbers are copied.
type DefaultSeconds struct {
	NotReady    *int64 `json:"notReady,omitempty"`
	Unreachable *int64 `json:"unreachable,omitempty"`
}

// AddDefaults adds what the DefaultTolerationSeconds admission plugin gives to
// every pod: tolerations of [NodeNotReady] and [NodeUnreachable], in this order,
// with Exists, NoExecute and the seconds. One is left out if a toleration of that
// key or of no key has the effect NoExecute or none, whatever its operator and
// value.
//
// Like all Add functions it returns tols itself if nothing is missing, and
// otherwise a new list: that of tols, and then what was missing. Adding again
// adds nothing. The list shares the TolerationSeconds of tols.
func AddDefaults(tols []Toleration, seconds DefaultSeconds) []Toleration {
	tols = addDefault(tols, NodeNotReady, seconds.NotReady)
	return addDefault(tols, NodeUnreachable, seconds.Unreachable)
}

func addDefault(tols []Toleration, key string, seconds *int64) []Toleration {
	for i := range tols {
		t := &tols[i]
		if (t.Key == key || t.Key == "") && (t.Effect == NoExecute || t.Effect == "") {
			return tols
		}
	}
	s := DefaultTolerationSeconds
	if seconds != nil {
		s = *seconds
	}
	return append(slices.Clip(tols), Toleration{Key: key, Operator: OpExists, Effect: NoExecute, TolerationSeconds: &s})
}

// A DaemonSetPod is what [AddDaemonSetDefaults] asks of a DaemonSet's pod.
type DaemonSetPod struct {
	// HostNetwork is the pod's spec.hostNetwork.
	HostNetwork bool `json:"hostNetwork,omitempty"`
}

// AddDaemonSetDefaults adds the tolerations that the DaemonSet controller gives
// to its pods, so that they run where nobody else does: [NodeNotReady] and
// [NodeUnreachable] with NoExecute, forever; [NodeDiskPressure],
// [NodeMemoryPressure], [NodePIDPressure] and [NodeUnschedulable] with
// NoSchedule; and [NodeNetworkUnavailable] with NoSchedule on the host's network.
//
// As in Kubernetes, a toleration of the same key, operator, value and effect that
// has seconds loses them, in its place, and a broader toleration does not keep
// one from being added. Otherwise it is like [AddDefaults].
func AddDaemonSetDefaults(tols []Toleration, pod DaemonSetPod) []Toleration {
	return addForever(tols, daemonSetTaints(pod))
}

// daemonSetTaints returns the taints that the pods of a DaemonSet tolerate.
func daemonSetTaints(pod DaemonSetPod) []TaintID {
	ids := []TaintID{
		{NodeNotReady, NoExecute},
		{NodeUnreachable, NoExecute},
		{NodeDiskPressure, NoSchedule},
		{NodeMemoryPressure, NoSchedule},
		{NodePIDPressure, NoSchedule},
		{NodeUnschedulable, NoSchedule},
		{NodeNetworkUnavailable, NoSchedule},
	}
	if !pod.HostNetwork {
		ids = ids[:len(ids)-1]
	}
	return ids
}

// addForever adds tolerations of the taints with Exists and without seconds, or
// takes the seconds from those that are there (AddOrUpdateTolerationInPodSpec in
// Kubernetes). No identity may repeat.
func addForever(tols []Toleration, taints []TaintID) []Toleration {
	ids := make([]Taint, len(taints))
	for i, id := range taints {
		ids[i] = Taint{Key: id.Key, Effect: id.Effect}
	}
	wanted, there := placesOf(ids), make([]bool, len(ids))
	list, owned := tols, false
	for i := range tols {
		t := &tols[i]
		if t.Operator != OpExists || t.Value != "" {
			continue
		}
		at := wanted.first(ids, TaintID{t.Key, t.Effect})
		if at < 0 {
			continue
		}
		there[at] = true
		if t.TolerationSeconds != nil {
			if !owned {
				list, owned = slices.Clone(tols), true
			}
			list[i].TolerationSeconds = nil
		}
	}
	var missing []Toleration
	for i, id := range taints {
		if !there[i] {
			missing = append(missing, Toleration{Key: id.Key, Operator: OpExists, Effect: id.Effect})
		}
	}
	return append(slices.Clip(list), missing...)
}

// AddExtendedResources adds what the ExtendedResourceToleration admission plugin
// gives to a pod that asks for extended resources, such as GPUs: for each name
// that [IsExtendedResourceName] accepts a toleration of that key with Exists and
// NoSchedule, sorted by name. Other names are passed over, so all of a pod's
// requests can be given. Otherwise it is like [AddDaemonSetDefaults].
func AddExtendedResources(tols []Toleration, names ...string) []Toleration {
	sorted := slices.Clone(names)
	slices.Sort(sorted)
	var taints []TaintID
	for _, name := range slices.Compact(sorted) {
		if IsExtendedResourceName(name) {
			taints = append(taints, TaintID{name, NoSchedule})
		}
	}
	return addForever(tols, taints)
}

// IsExtendedResourceName reports whether the name is that of an extended
// resource, as Kubernetes has it: fully qualified, as in "nvidia.com/gpu",
// without "kubernetes.io/" anywhere, without "requests." at its beginning, and
// still a valid key with "requests." put before it.
func IsExtendedResourceName(name string) bool {
	const requests = "requests."
	domain, _, qualified := cut(name, '/')
	if !qualified || strings.Contains(name, "kubernetes.io/") || strings.HasPrefix(name, requests) {
		return false
	}
	return checkKey(name) == noProblem && len(requests)+len(domain) <= maxPrefix
}

// AddMemoryPressure adds what the PodTolerationRestriction admission plugin gives
// to every pod whose QoS class is not BestEffort: a toleration of
// [NodeMemoryPressure] with Exists and NoSchedule, by the rules of [Merge]. The
// plugin also drops tolerations of the pod that others cover.
func AddMemoryPressure(tols []Toleration) []Toleration {
	return Merge(tols, []Toleration{{Key: NodeMemoryPressure, Operator: OpExists, Effect: NoSchedule}})
}
