// SPDX-License-Identifier: Apache-2.0

// Package taints implements the taints and tolerations of Kubernetes for any
// scheduler, operator or webhook. A taint on a node repels pods. A toleration on
// a pod lets the pod onto nodes with the taint. A taint that is not tolerated
// takes effect.
//
// # Rules
//
// A node carries taints: a key, an optional value and an effect, written
// "dedicated=ml:NoSchedule". A pod carries tolerations: a key, an operator, a
// value, an effect and tolerationSeconds, written "dedicated=ml:NoSchedule" or
// "nvidia.com/gpu:NoSchedule op=Exists". Both have the fields and the JSON of
// k8s.io/api, so they decode from a Kubernetes object.
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
// Lt and Gt need a feature gate that is off by default. Under the zero [Options],
// which the functions follow, they work. In a cluster with the gate off, that makes a
// difference only for a pod that has them: from a time when the gate was on, or in a
// list that no API server has checked. To match such a pod, and to validate as the
// cluster does, use Options{NoComparison: true}.
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
// [Filter] or [EvictionOf]. A [Matcher] has methods of the same names. For one
// question under other rules, ask [Options.On] or [EvictionPolicy.On].
//
// [EvictionOf] returns when a running pod leaves a node. A controller changes a
// node's taints with [Changes.Apply] or [Changes.Ensure]; [Reconcile] and
// [ReconcileOwned] return the changes. A webhook adds the tolerations that
// Kubernetes adds with [AddDefaultTolerations] and the other Add functions, and rejects those
// that an API server rejects with [ValidateTolerations].
//
// Package nodeindex finds the feasible nodes of a whole cluster, explain describes why
// a taint is not tolerated, tolerationset compares and checks tolerations, and
// lifecycle has pending evictions and taints by condition. The modules kube and dra
// work on the types of k8s.io/api.
//
// # Guarantees
//
// Every function accepts any input, including invalid and nil values. Three things
// panic: Must; a method of a nil pointer, unless its comment says otherwise; and,
// as in a map, an Index or Queue with an interface key that is not comparable. Only
// the Validate, Parse and UnmarshalText functions and ApplyStrict reject input, as
// a whole, with zero results.
//
// Unless a comment says otherwise, functions are safe for concurrent use, and
// neither modify nor retain their arguments, although results share strings with
// them. They start no goroutines, read no clock and keep no global state.
//
// Matching, filtering, eviction times and successful validation of lists of the
// usual length do not allocate. Matching takes time proportional to the taints times
// the tolerations, and other functions to their input, up to a logarithm, unless
// their comment says otherwise.
//
// The JSON of a result or [FieldError] is read back to an equal value, except for the
// monotonic clock and location name of a time, times without JSON, a TaintID whose
// key has a colon, and invalid UTF-8. If a function returns false, an index beside it
// is -1, and another value zero. In a result, an index that does not apply is zero.
//
// Answers for valid input do not change. Input that is invalid today, such as an
// unknown operator, may get a meaning in a minor release, as in Kubernetes. If
// Kubernetes changes a rule, an option selects the new one. [TaintID] and
// [TolerationID] stay comparable. Other structs may gain fields, including ones that
// make them incomparable: name the fields in literals, and compare with methods, not
// with ==.
package taints
