// Package dra lets package taints work on the taints and tolerations of devices
// as they are, those of Kubernetes' Dynamic Resource Allocation. It views them as
// those of package taints, and the other way round, without copying, and has the
// rules by which Kubernetes matches them and evicts pods.
//
// # Matching
//
// A device's taints keep it from being allocated for a request that does not
// tolerate them. [taints.Hard] is the set of effects that do, under [Options]:
//
//	_, found := dra.Options().FindUntolerated(
//		dra.Taints(device.Taints), dra.Tolerations(request.Tolerations), taints.Hard)
//
// A taint of the effect None informs and does nothing, and so does one of an
// effect that Kubernetes does not know. PreferNoSchedule is among these for a
// device. A [taints.Verdict] counts them, and its Schedulable does not ask for
// them.
//
// # Eviction
//
// A NoExecute taint evicts the pods that use the device. [Policy] has the rules,
// and [EvictionTolerations] the tolerations that count:
//
//	e := dra.Policy().EvictionOf(
//		dra.Taints(device.Taints), dra.EvictionTolerations(result.Tolerations), now)
//
// Result is that of the device in the claim's status.allocation. A pod that uses
// several devices leaves at the earliest time of these.
//
//   - A taint that no toleration matches evicts now.
//   - A taint that a toleration without seconds matches is tolerated forever,
//     whatever else matches it. Otherwise the shortest seconds count, and
//     negative ones as zero.
//   - Seconds count from the taint's TimeAdded, which the API server sets where a
//     driver does not. So a deadline can be in the past.
//   - A toleration counts only if NoExecute is its effect. One without an effect
//     lets a device be allocated and then does not keep the pod, though
//     Kubernetes' API says that it matches all effects. With [Tolerations] in
//     place of EvictionTolerations it counts, and so do its seconds.
//
// Three answers are not those of Kubernetes' device-taint-eviction controller.
// There, more than 9223372036 seconds overflow; here nothing does. A taint
// without a TimeAdded, which the API server never stores, evicts nobody there
// when it is not tolerated and crashes the controller when it is; here it counts
// from the time of observation. A taint whose TimeAdded is in the future and that
// is tolerated for no time evicts then there, and now here.
//
// # Views
//
// [Taints], [Tolerations], [DeviceTaints] and [DeviceTolerations] return a slice
// of another type over the same memory. [Taint], [Toleration], [DeviceTaint] and
// [DeviceToleration] do the same for the pointer to a single one. They take any
// input, valid or not, and allocate nothing.
//
//   - Length and order are kept. Nil stays nil, and an empty list that is not
//     nil stays so.
//   - The capacity of a slice is its length. An append to it makes a new array
//     and never writes behind the end of the original, even where that has room.
//     The elements of the new array still share what TimeAdded and
//     TolerationSeconds point to.
//   - A write through one is a write to the other, what TimeAdded and
//     TolerationSeconds point to included. So a list that others read, such as
//     one from an informer's cache, must not be written to through its view
//     either.
//   - The view keeps the memory alive. Where the original is appended to,
//     resliced or assigned anew, the view keeps what it had.
//   - For concurrent use both are one memory: any number of readers, or one
//     writer.
//
// A view has the JSON of its own type. The two differ in TimeAdded alone.
// Kubernetes writes whole seconds in UTC, and null for the zero time, and reads
// into local time. A [time.Time] writes what it holds, and reads the zone that is
// written.
//
// The functions of package taints that validate, lint, parse and add defaults
// know the rules for nodes. For devices Kubernetes has others: the effect None is
// valid and PreferNoSchedule is not.
//
// # Versions
//
// The views rest on equal memory layouts, and the package does not compile where
// these differ. So a version of this module goes with a range of versions of
// k8s.io/api. It requires the first of them, which is the first that has
// resource/v1, and leaves a project that uses a later one, and its client-go,
// where they are.
//
//	dra     k8s.io/api            Kubernetes
//	v0.1    v0.34.0 to v0.37.2    1.34 to 1.37
package dra

import (
	"slices"
	"unsafe"

	"github.com/seed-0529bac1/taints"
	resourceapi "k8s.io/api/resource/v1"
)

// Options returns the options of matching for devices, which know the operators
// Exists and Equal alone.
func Options() taints.Options { return taints.Options{NoComparison: true} }

// Policy returns the policy of Kubernetes' device-taint-eviction controller,
// under [Options]. It is for tolerations of [EvictionTolerations].
func Policy() taints.EvictionPolicy {
	return taints.EvictionPolicy{
		Options:       Options(),
		Select:        taints.ForeverElseShortest,
		Effects:       taints.Evicting,
		FromTimeAdded: true,
	}
}

// EvictionTolerations returns the tolerations that count for an eviction: those
// that have NoExecute as their effect, in order. It returns a view of the list
// where that is all of them, and otherwise a new list.
func EvictionTolerations(list []resourceapi.DeviceToleration) []taints.Toleration {
	view := Tolerations(list)
	if !slices.ContainsFunc(view, spares) {
		return view
	}
	return slices.DeleteFunc(slices.Clone(view), spares)
}

// spares reports whether the toleration does not count for an eviction.
func spares(t taints.Toleration) bool { return t.Effect != taints.NoExecute }

// Taints returns a view of a device's taints for package taints.
func Taints(list []resourceapi.DeviceTaint) []taints.Taint {
	return unsafe.Slice(Taint(unsafe.SliceData(list)), len(list))
}

// DeviceTaints returns a view of taints for a device.
func DeviceTaints(list []taints.Taint) []resourceapi.DeviceTaint {
	return unsafe.Slice(DeviceTaint(unsafe.SliceData(list)), len(list))
}

// Tolerations returns a view of the tolerations of a request, or of an
// allocation result, for package taints.
func Tolerations(list []resourceapi.DeviceToleration) []taints.Toleration {
	return unsafe.Slice(Toleration(unsafe.SliceData(list)), len(list))
}

// DeviceTolerations returns a view of tolerations for a request.
func DeviceTolerations(list []taints.Toleration) []resourceapi.DeviceToleration {
	return unsafe.Slice(DeviceToleration(unsafe.SliceData(list)), len(list))
}

// Taint returns a view of one taint for package taints. Nil stays nil.
func Taint(t *resourceapi.DeviceTaint) *taints.Taint {
	return (*taints.Taint)(unsafe.Pointer(t))
}

// DeviceTaint returns a view of one taint for Kubernetes. Nil stays nil.
func DeviceTaint(t *taints.Taint) *resourceapi.DeviceTaint {
	return (*resourceapi.DeviceTaint)(unsafe.Pointer(t))
}

// Toleration returns a view of one toleration for package taints. Nil stays nil.
func Toleration(t *resourceapi.DeviceToleration) *taints.Toleration {
	return (*taints.Toleration)(unsafe.Pointer(t))
}

// DeviceToleration returns a view of one toleration for Kubernetes. Nil stays
// nil.
func DeviceToleration(t *taints.Toleration) *resourceapi.DeviceToleration {
	return (*resourceapi.DeviceToleration)(unsafe.Pointer(t))
}
