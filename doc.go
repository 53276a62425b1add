// SPDX-License-Identifier: Apache-2.0

// Package taints implements the taints and tolerations of Kubernetes for any
// scheduler, operator or webhook. A taint on a node repels pods. A toleration on
// a pod lets the pod onto nodes with the taint. A taint that is not tolerated
// takes effect.
//
// With the zero [Options], the answers are those of Kubernetes with its taint
// feature gates on, so the comparison operators Lt and Gt work. In a default
// cluster these gates are off. Options{NoComparison: true} gives the answers of
// such a cluster. Where a function differs from Kubernetes on purpose, its
// comment says so.
//
// # Rules
//
// A node carries taints: a key, an optional value and an effect, written
// "dedicated=ml:NoSchedule". A pod carries tolerations: a key, an operator, a
// value, an effect and tolerationSeconds, written "dedicated=ml:NoSchedule" or
// "nvidia.com/gpu:NoSchedule op=Exists". Both have the fields and the JSON of
// k8s.io/api, so they decode from a Kubernetes object.
//
// A toleration tolerates a taint when
//
//   - its effect is empty or equal to the taint's, and
//   - its key is empty or equal to the taint's, and
//   - its operator is Exists; or Equal, or empty, and the values are equal; or
//     Lt or Gt, and the taint's value is an integer less or greater than the
//     toleration's.
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
//
// An empty value matches only an empty value, not every value. A toleration lets
// a pod onto a node but does not attract it.
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
// [Match], [FindUntolerated], [Untolerated], [Tolerated], [Filter] and
// [EvictionOf] are package functions with the rules of the zero Options, for a
// single question. [Matcher] has methods of the same names, which are faster for
// many nodes. For other rules, compile with [Options.Compile] or
// [EvictionPolicy.Compile].
//
// [EvictionOf] returns when a running pod leaves a node. A controller changes a
// node's taints with [Changes.Apply] or [Changes.Ensure]; [Removal], [Reconcile]
// and [ReconcileOwned] return the changes. A webhook calls [AddDefaults] and the
// other Add functions to add the tolerations that Kubernetes adds, and
// [ValidateTolerations] to reject those that an API server rejects.
//
// Other packages build on this one:
//
//   - nodeindex finds the feasible nodes of a whole cluster, and scores them.
//   - explain describes why a taint is not tolerated, for messages.
//   - tolerationset compares, merges, minimizes and lints tolerations, and says
//     what an allow-list and an update allow.
//   - lifecycle has pending evictions, taints by condition and zone disruption.
//   - The modules kube and dra work on the types of k8s.io/api.
//
// # Guarantees
//
// Every function accepts any input, including invalid, zero and nil values, and
// follows the rules above. Only Must panics, and methods called on a nil
// pointer unless their comment says what they return; like a map, an Index or
// Queue also panics on an interface key that is not comparable. Only the Validate,
// Parse and UnmarshalText functions and ApplyStrict reject input. They reject it as
// a whole, with errors that name the field and say what would be right.
//
// Unless a comment says otherwise, functions neither modify nor retain their
// arguments, except that results share strings with arguments. They start no
// goroutines, read no clock and keep no global state; times are parameters. They
// are safe for concurrent use.
//
// Matching, filtering and eviction times do not allocate. Nor do the Validate
// functions if they succeed, for lists of the usual length, and the functions
// that parse a single taint. Compile, package explain and functions that return
// lists allocate.
//
// Results and errors have no hidden fields. Their JSON is read back to an equal
// value, except for what JSON does not hold: the monotonic clock reading and the
// location's name of a time, times outside the years 0 to 9999 or in zones with
// seconds, and a TaintID whose key has a colon. If an index is returned with a
// bool, it is -1 if the bool is false. In a result, an index that does not apply
// is zero.
//
// Matching a list of taints takes time proportional to the number of taints
// times the number of tolerations. A Matcher usually skips most tolerations that
// have another key. Unless a comment says otherwise, other functions take time
// proportional to the size of their input, up to a logarithmic factor.
//
// Answers for valid input do not change. Input that is invalid today, such as an
// unknown operator or effect, may get a meaning in a minor release, as it does in
// Kubernetes. If Kubernetes changes a rule, an option selects the new one.
package taints
