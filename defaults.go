package taints

import (
	"slices"
	"strings"
)

// DefaultTolerationSeconds is how long a pod that says nothing else stays on a node that is not ready or unreachable: 300
// seconds, the default of the API server's flags --default-not-ready-toleration-seconds and
// --default-unreachable-toleration-seconds.
const DefaultTolerationSeconds int64 = 300

// Defaults are the settings of [AddDefaults]. The zero value is Kubernetes' default.
type Defaults struct {
	// NotReadySeconds is for the not-ready taint; nil means [DefaultTolerationSeconds]. It is copied, not retained.
	NotReadySeconds *int64
	// UnreachableSeconds is for the unreachable taint; nil means [DefaultTolerationSeconds]. It is copied, not retained.
	UnreachableSeconds *int64
}

// AddDefaults adds what the DefaultTolerationSeconds admission plugin gives to every pod: tolerations of
// [NodeNotReady] and [NodeUnreachable], in this order, with Exists, NoExecute and 300 seconds unless d says otherwise. One
// is left out when a toleration of that key or of no key has effect NoExecute or none, whatever its operator and value.
//
// Like all Add functions it returns tols itself when nothing is missing, and otherwise a new list: what tols has, in its
// order, and then what was missing. It never writes to the array behind tols; a TolerationSeconds that was there is
// carried over, one that is added is new. Adding twice adds nothing. Any list is accepted, nil too.
func AddDefaults(tols []Toleration, d Defaults) []Toleration {
	tols = addDefault(tols, NodeNotReady, d.NotReadySeconds)
	return addDefault(tols, NodeUnreachable, d.UnreachableSeconds)
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

// AddDaemonSetDefaults adds the tolerations that the DaemonSet controller gives to its pods, so that they run where nobody
// else does: [NodeNotReady] and [NodeUnreachable] with NoExecute for ever; [NodeDiskPressure], [NodeMemoryPressure],
// [NodePIDPressure] and [NodeUnschedulable] with NoSchedule; and [NodeNetworkUnavailable] with NoSchedule for pods on the
// host's network. A toleration of the same key, operator, value and effect that has seconds loses them, in its place, as in
// Kubernetes; a broader toleration does not keep one from being added. Otherwise it is like [AddDefaults].
func AddDaemonSetDefaults(tols []Toleration, hostNetwork bool) []Toleration {
	for _, id := range daemonSetTaints(hostNetwork) {
		tols = addForever(tols, id.Key, id.Effect)
	}
	return tols
}

// daemonSetTaints returns the taints that every pod of a DaemonSet tolerates.
func daemonSetTaints(hostNetwork bool) []TaintID {
	ids := []TaintID{
		{NodeNotReady, NoExecute},
		{NodeUnreachable, NoExecute},
		{NodeDiskPressure, NoSchedule},
		{NodeMemoryPressure, NoSchedule},
		{NodePIDPressure, NoSchedule},
		{NodeUnschedulable, NoSchedule},
		{NodeNetworkUnavailable, NoSchedule},
	}
	if !hostNetwork {
		ids = ids[:len(ids)-1]
	}
	return ids
}

// addForever adds a toleration with Exists and without seconds, or takes the seconds from those that are there
// (AddOrUpdateTolerationInPodSpec in Kubernetes).
func addForever(tols []Toleration, key string, effect Effect) []Toleration {
	found, copied := false, false
	for i := range tols {
		if t := &tols[i]; t.Key != key || t.Effect != effect || t.Operator != OpExists || t.Value != "" {
			continue
		}
		found = true
		if tols[i].TolerationSeconds == nil {
			continue
		}
		if !copied {
			tols, copied = slices.Clone(tols), true
		}
		tols[i].TolerationSeconds = nil
	}
	if found {
		return tols
	}
	return append(slices.Clip(tols), Toleration{Key: key, Operator: OpExists, Effect: effect})
}

// AddExtendedResources adds what the ExtendedResourceToleration admission plugin gives to a pod that requests extended
// resources, such as GPUs: for each name that [IsExtendedResourceName] accepts a toleration of the key of that name with
// Exists and NoSchedule, sorted by name. Other names and repeated ones are passed over, so all of a pod's requests can be
// given; names is not written to. Otherwise it is like [AddDaemonSetDefaults].
func AddExtendedResources(tols []Toleration, names ...string) []Toleration {
	sorted := slices.Clone(names)
	slices.Sort(sorted)
	for _, name := range slices.Compact(sorted) {
		if IsExtendedResourceName(name) {
			tols = addForever(tols, name, NoSchedule)
		}
	}
	return tols
}

// IsExtendedResourceName reports whether the name is that of an extended resource, as Kubernetes has it: fully qualified,
// as in "nvidia.com/gpu", without "kubernetes.io/" anywhere, without "requests." at its beginning, and still a valid key
// of at most 253 characters before the slash with "requests." put before it. Nothing is allocated.
func IsExtendedResourceName(name string) bool {
	const requests = "requests."
	domain, _, qualified := cut(name, '/')
	if !qualified || strings.Contains(name, "kubernetes.io/") || strings.HasPrefix(name, requests) {
		return false
	}
	return checkKey(name) == noProblem && len(requests)+len(domain) <= maxPrefix
}

// AddMemoryPressure adds what the PodTolerationRestriction admission plugin gives to every pod whose QoS class is not
// BestEffort: a toleration of [NodeMemoryPressure] with Exists and NoSchedule, unless the list has one that covers it, with
// Exists, that key or none, and NoSchedule or no effect. It is [Merge] with that one toleration. The plugin also drops
// tolerations of the pod that others cover, the one added among these others; this function does not.
func AddMemoryPressure(tols []Toleration) []Toleration {
	return Merge(tols, []Toleration{{Key: NodeMemoryPressure, Operator: OpExists, Effect: NoSchedule}})
}
