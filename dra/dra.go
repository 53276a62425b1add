// SPDX-License-Identifier: Apache-2.0

// Package dra lets package taints work on the device taints and tolerations of
// Kubernetes' Dynamic Resource Allocation. It converts them to the types of
// package taints and back without copying them, and provides the rules by which
// Kubernetes matches them and evicts pods.
//
// # Matching
//
// A device is not allocated for a request that does not tolerate its taints with
// the effects of [taints.HardEffects], under [Options]:
//
//	list, tolerations := dra.Taints(device.Taints), dra.Tolerations(request.Tolerations)
//	_, found := dra.Options().On(tolerations).FindUntolerated(list, taints.HardEffects)
//
// A taint with the effect None, or one that Kubernetes does not know for devices,
// such as PreferNoSchedule, does nothing. A [taints.Verdict] includes these taints,
// but its Schedulable method ignores them.
//
// # Eviction
//
// A NoExecute taint evicts the pods that use the device, under [Policy]:
//
//	m := dra.Options().Compile(dra.NoExecuteTolerations(result.Tolerations))
//	e := dra.Policy().EvictionOf(m, dra.Taints(device.Taints), now)
//
// Here result is the result for the device in the claim's status.allocation. A pod
// with several devices leaves at the earliest deadline.
//
// Use [NoExecuteTolerations] for Kubernetes up to 1.37, and [Tolerations] in its place
// from 1.38 on. The API always said that a toleration without an effect matches all
// effects. Until 1.38 it lets a device be allocated but does not keep the pod.
//
//   - A taint that no toleration matches evicts now.
//   - A matching toleration without seconds wins. If there is none, the shortest
//     wins. Negative seconds are zero.
//   - Seconds run from the taint's TimeAdded, which the API server sets if the
//     driver does not. So a deadline may be in the past.
//
// Three results differ from Kubernetes' device-taint-eviction controller:
//
//   - More than 9223372036 seconds overflow there, and not here.
//   - A taint without a TimeAdded, which the API server never stores, evicts no pod
//     there if it is not tolerated, and crashes the controller if it is. Here its
//     seconds run from the time of observation.
//   - A taint with a TimeAdded in the future that is not tolerated, or tolerated for
//     no time, evicts at that time there, and now here.
//
// # Views
//
// [Taints], [Tolerations], [DeviceTaints] and [DeviceTolerations] return a view: a
// slice of another type over the same memory, so that a write to one is a write to
// the other. [Taint], [Toleration], [DeviceTaint] and [DeviceToleration] convert a
// single value. They accept any input and do not allocate. The comment of package
// github.com/seed-0529bac1/taints/kube says under Views what holds for length,
// capacity, concurrency and JSON, and under Versions when a view is a copy; it is the
// same here.
//
// The functions of package taints that validate, lint, parse and add defaults
// follow the rules for nodes. Kubernetes applies different rules to devices: the
// effect None is valid and PreferNoSchedule is not.
//
// # Versions
//
// The comment of package kube says under Versions what each version of this module
// works with, and when its views are copies. The first version of k8s.io/api here is
// the first with resource/v1.
//
//	dra     taints           k8s.io/api            Kubernetes
//	v1.0    v1.0 and later   v0.34.0 to v0.37.2    1.34 to 1.37
package dra

import (
	"slices"

	"github.com/seed-0529bac1/taints"
	resourceapi "k8s.io/api/resource/v1"
)

// Options returns the options for devices, whose only operators are Exists and
// Equal.
func Options() taints.Options { return taints.Options{NoComparison: true} }

// Policy returns the policy of Kubernetes' device-taint-eviction controller.
func Policy() taints.EvictionPolicy {
	return taints.EvictionPolicy{
		ForDevices:    true,
		FromTimeAdded: true,
	}
}

// NoExecuteTolerations returns the tolerations with the effect NoExecute, in order. They
// alone decide about an eviction up to Kubernetes 1.37. From 1.38 on, those without an
// effect decide too, and one asks [Tolerations]. It returns a view of the list if it
// leaves out none, and otherwise a new list that shares the TolerationSeconds.
func NoExecuteTolerations(list []resourceapi.DeviceToleration) []taints.Toleration {
	view := Tolerations(list)
	if !slices.ContainsFunc(view, ignored) {
		return view
	}
	return slices.DeleteFunc(slices.Clone(view), ignored)
}

// ignored reports whether the toleration does not decide about an eviction.
func ignored(t taints.Toleration) bool { return t.Effect != taints.NoExecute }
