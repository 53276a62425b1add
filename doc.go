// SPDX-License-Identifier: Apache-2.0

// Package taints implements the taints and tolerations of Kubernetes for any
// scheduler, operator or webhook. A taint repels pods, a toleration lets a pod
// through, and a taint that is not tolerated takes effect.
//
// # Rules
//
// A node carries taints: a key, an optional value and an effect, written
// "dedicated=ml:NoSchedule". A pod carries tolerations: a key, an operator, a
// value, an effect and tolerationSeconds, written "dedicated=ml:NoSchedule" or
// "nvidia.com/gpu:NoSchedule op=Exists". Both decode from a Kubernetes object.
//
// A toleration tolerates a taint when its effect is empty or equal to the taint's,
// its key is empty or equal to the taint's, and its operator accepts the taint's
// value:
//
//	Exists           any value
//	Equal, or empty  the toleration's value
//	Lt               an integer less than the toleration's value
//	Gt               an integer greater than the toleration's value
//
// A taint that none of the pod's tolerations tolerates takes effect:
//
//   - NoSchedule: the pod is not placed on the node.
//   - PreferNoSchedule: the pod is placed on another node if possible.
//   - NoExecute: the pod is not placed on the node, and is evicted at once if it
//     runs there.
//
// A NoExecute taint that is tolerated for a time evicts the pod after that time.
// If several tolerations match the taint, the first in the list sets the time.
// An empty value matches only an empty value. A toleration does not attract a pod.
//
// Lt and Gt are behind a feature gate that is off by default. The functions match
// them. For a cluster with the gate off, use Options{NoComparison: true}.
//
// # Choosing a function
//
// Most callers should use [Compile], once for a pod, and [Matcher.Filter], for
// every node:
//
//	m := taints.Compile(pod.Tolerations)
//	for _, node := range nodes {
//		if v := m.Filter(node.Taints); v.Schedulable() {
//			feasible = append(feasible, node)
//		}
//	}
//
// To ask one question, call a function: [Match], [FindUntolerated], [Untolerated],
// [Filter] or [EvictionOf], or its method of [Options.On]. A controller changes taints
// with [Changes.Apply]; [Reconcile] returns the changes. A webhook adds tolerations
// with the Add functions and rejects invalid ones with [ValidateTolerations].
//
// Package nodeindex finds the feasible nodes of a whole cluster. Package explain
// says why a taint is not tolerated. Package tolerationset compares and checks
// tolerations. Package lifecycle helps controllers evict pods and taint nodes. The
// modules kube and dra work on the types of k8s.io/api.
//
// # Guarantees
//
// Every function accepts any input, including nil and invalid values. Only Must
// panics because of its input. Functions are safe for concurrent use, and neither
// modify nor keep their arguments, unless a comment says otherwise.
//
// Matching, filtering and eviction times do not allocate. If a function returns
// false, its index is -1. The JSON of a result cannot be unmarshaled.
//
// Answers for valid input do not change. Invalid input, such as an unknown operator,
// may get a meaning in a minor release. If Kubernetes changes a rule, an option
// selects the new one. [TaintID] and [TolerationID] stay comparable. Other structs
// keep their fields and may gain some, at the end: do not compare them with ==.
package taints
