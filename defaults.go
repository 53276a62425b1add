package taints

import (
	"slices"
	"strings"
	"time"
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
	return addForever(tols, daemonSetTaints(hostNetwork))
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

// addForever adds tolerations of the taints with Exists and without seconds, or takes the seconds from those that are there
// (AddOrUpdateTolerationInPodSpec in Kubernetes).
func addForever(tols []Toleration, taints []TaintID) []Toleration {
	list, owned := tols, false
	own := func() {
		if !owned {
			list, owned = append(make([]Toleration, 0, len(tols)+len(taints)), tols...), true
		}
	}
	for _, id := range taints {
		found := false
		for i := range list {
			if t := &list[i]; t.Key != id.Key || t.Effect != id.Effect || t.Operator != OpExists || t.Value != "" {
				continue
			}
			found = true
			if list[i].TolerationSeconds != nil {
				own()
				list[i].TolerationSeconds = nil
			}
		}
		if !found {
			own()
			list = append(list, Toleration{Key: id.Key, Operator: OpExists, Effect: id.Effect})
		}
	}
	return list
}

// AddExtendedResources adds what the ExtendedResourceToleration admission plugin gives to a pod that requests extended
// resources, such as GPUs: for each name that [IsExtendedResourceName] accepts a toleration of the key of that name with
// Exists and NoSchedule, sorted by name. Other names and repeated ones are passed over, so all of a pod's requests can be
// given; names is not written to. Otherwise it is like [AddDaemonSetDefaults].
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

// A Condition is what counts of one of a node's conditions. It decodes from an element of a Node's status.conditions. The
// types that have a taint are Ready, MemoryPressure, DiskPressure, PIDPressure and NetworkUnavailable; a status is True,
// False or Unknown. Any other text stands for a condition without a taint. It is comparable.
type Condition struct {
	Type   string `json:"type"`
	Status string `json:"status"`
}

// ConditionTaints returns the taints that the node-lifecycle controller keeps on a node with the conditions and, as
// spec.unschedulable, the cordon:
//
//	Ready False              NodeNotReady             NoSchedule and NoExecute
//	Ready Unknown            NodeUnreachable          NoSchedule and NoExecute
//	MemoryPressure True      NodeMemoryPressure       NoSchedule
//	DiskPressure True        NodeDiskPressure         NoSchedule
//	PIDPressure True         NodePIDPressure          NoSchedule
//	NetworkUnavailable True  NodeNetworkUnavailable   NoSchedule
//	unschedulable            NodeUnschedulable        NoSchedule
//
// Those with NoSchedule come in the order of the conditions, then that of the cordon, then that with NoExecute. Each
// comes once, without a value or a TimeAdded. A condition that is missing, or has another type or status, has no taint:
// the controller itself sets Ready to Unknown on a node whose kubelet is silent, and this function does not.
//
// A node has at most one condition of a type, so NodeNotReady and NodeUnreachable exclude each other. Where a list
// repeats one nonetheless, each has its NoSchedule taint, and the first Ready decides about NoExecute, as in Kubernetes.
func ConditionTaints(conditions []Condition, unschedulable bool) []Taint {
	var taints []Taint
	for _, c := range conditions {
		taints = append(taints, Taint{Key: c.taintKey(), Effect: NoSchedule})
	}
	if unschedulable {
		taints = append(taints, Taint{Key: NodeUnschedulable, Effect: NoSchedule})
	}
	taints = append(taints, Taint{Key: readiness(conditions).taintKey(), Effect: NoExecute})
	return slices.DeleteFunc(firsts(taints), func(t Taint) bool { return t.Key == "" })
}

// taintKey returns the key of the condition's taint, and "" where it has none.
func (c Condition) taintKey() string {
	switch c {
	case Condition{"Ready", "False"}:
		return NodeNotReady
	case Condition{"Ready", "Unknown"}:
		return NodeUnreachable
	case Condition{"MemoryPressure", "True"}:
		return NodeMemoryPressure
	case Condition{"DiskPressure", "True"}:
		return NodeDiskPressure
	case Condition{"PIDPressure", "True"}:
		return NodePIDPressure
	case Condition{"NetworkUnavailable", "True"}:
		return NodeNetworkUnavailable
	}
	return ""
}

// readiness returns the first condition of type Ready, and the zero Condition where there is none.
func readiness(conditions []Condition) Condition {
	for _, c := range conditions {
		if c.Type == "Ready" {
			return c
		}
	}
	return Condition{}
}

// ReconcileConditions returns what the node-lifecycle controller does to a node's current taints so that they follow its
// conditions: those of [ConditionTaints] that are missing are added, and those of the conditions' taints that are there
// and should not be are removed. A taint is there when one of its key and effect is, under whatever value; it stays as it
// is. What is added has now as its TimeAdded, in UTC and cut to whole seconds, as Kubernetes stores it.
//
// The conditions' taints are those of the keys in the table of ConditionTaints with NoSchedule, and NodeNotReady and
// NodeUnreachable with NoExecute. All others, such as these keys with other effects, are a person's or another
// controller's and are left alone. So are the two with NoExecute while nothing is known about Ready, that is, while the
// condition is missing or its status none of the three; their pods are not evicted, nor saved, by a gap.
//
// The controller adds the NoExecute taints of a zone no faster than its eviction rate and its disruption allow; here they
// come at once, last in Add. Otherwise the changes are like those of [Reconcile]; with the same arguments, they are empty
// once they are applied.
func ReconcileConditions(current []Taint, conditions []Condition, unschedulable bool, now time.Time) Changes {
	now = now.UTC().Truncate(time.Second)
	wanted := ConditionTaints(conditions, unschedulable)
	for i := range wanted {
		wanted[i].TimeAdded = &now
		if at := find(current, wanted[i].ID()); at >= 0 {
			wanted[i] = current[at]
		}
	}
	ready := readiness(conditions).Status
	evicts := ready == "True" || ready == "False" || ready == "Unknown"
	owned := slices.DeleteFunc(slices.Clone(current), func(t Taint) bool { return !followsConditions(t.ID(), evicts) })
	return Reconcile(current, owned, wanted)
}

// followsConditions reports whether the taint of the identity follows the node's conditions; one with NoExecute does where
// evicts says so.
func followsConditions(id TaintID, evicts bool) bool {
	switch id.Key {
	case NodeNotReady, NodeUnreachable:
		return id.Effect == NoSchedule || id.Effect == NoExecute && evicts
	case NodeMemoryPressure, NodeDiskPressure, NodePIDPressure, NodeNetworkUnavailable, NodeUnschedulable:
		return id.Effect == NoSchedule
	}
	return false
}
