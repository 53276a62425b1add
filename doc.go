// SPDX-License-Identifier: Apache-2.0

// Package taints implements the taints and tolerations of Kubernetes for any
// scheduler, operator or webhook. A taint on a node repels pods, a toleration on
// a pod lets it through, and what is not tolerated takes effect.
//
// The zero [Options] answer as Kubernetes does with its taint feature gates on,
// so the comparison operators Lt and Gt work. In a default cluster they are off:
// Options{NoComparison: true} answers as that does. Where a function differs from
// Kubernetes on purpose, its comment says so.
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
// [Match], [FindUntolerated], [Untolerated], [Filter] and [EvictionOf] are
// package functions, which answer under the zero Options. The methods of Options
// of the same names answer under the options, and those of [Matcher] for
// tolerations that were compiled. All three give the same answers under the same
// options. To ask once, there is no need to compile.
//
// [EvictionOf] returns when a running pod leaves a node, and an [EvictionPolicy]
// changes which tolerations and taints count, and since when. A controller
// changes a node's taints with [Changes.Apply] or [Changes.Ensure]; [Reconcile]
// and [ReconcileOwned] compute the changes. A webhook calls [AddDefaults] and the
// other Add functions to give a pod what Kubernetes would, and
// [ValidateTolerations] to refuse what an API server would.
//
// Other packages build on this one:
//
//   - nodeindex finds the feasible nodes of a whole cluster.
//   - explain says why a taint is not tolerated, for messages.
//   - tolerationset compares, merges, minimizes and lints tolerations.
//   - lifecycle has pending evictions, taints by condition and zone disruption.
//   - The modules kube and dra work on the types of k8s.io/api.
//
// # Guarantees
//
// Every function accepts any input, invalid, zero and nil values included, and
// answers by the rules above. None panics, except the Must functions and methods
// on a receiver that is a nil pointer, where the comment does not say what they
// return. Only the Validate, Parse and UnmarshalText functions and ApplyStrict
// refuse input: whole, with errors that name the field and say what would be
// right.
//
// Unless a comment says otherwise, functions neither modify nor retain their
// arguments, except that results share strings with them. They start no
// goroutines, read no clock and keep no global state; times are parameters. They
// are safe for concurrent use.
//
// Matching, filtering and eviction times do not allocate. Nor do the Validate
// functions if they succeed, for lists of the usual length, and the functions
// that parse a single taint or identity. Comments name exceptions.
//
// Results and errors have no hidden fields: they can be compared, and come back
// whole from JSON. If an index is returned with a bool, it is -1 if the bool is
// false. In a result, an index that does not apply is zero.
//
// A question about a list of taints takes time in proportion to the number of
// taints times that of tolerations, of which a Matcher usually skips most that
// have another key. The time that other functions take grows in proportion to
// their input, up to a logarithm, except where a comment says otherwise.
//
// Answers for input that is valid do not change. What is invalid today, such as
// an unknown operator or effect, may get a meaning in a minor release, as it does
// in Kubernetes. A rule that Kubernetes changes comes as an option.
package taints
