// SPDX-License-Identifier: Apache-2.0

// Package taints implements the taints and tolerations of Kubernetes for any
// scheduler, operator or webhook. A taint on a node repels pods, a toleration on
// a pod lets it through, and what is not tolerated takes effect.
//
// The zero [Options] answer as Kubernetes does with its taint feature gates on,
// so the comparison operators Lt and Gt work. In a default Kubernetes they are
// off: Options{NoComparison: true} answers as that does. Where a function differs
// from Kubernetes on purpose, its comment says so.
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
//			soft = append(soft, v.PreferNoSchedule)
//		}
//	}
//	scores := taints.NormalizeScores(nil, soft, 100)
//
// A question about taints and tolerations is a package function, which answers
// under the zero Options: [Match], [FindUntolerated], [Untolerated], [Filter],
// [EvictionOf], [Explain], [Summarize]. The method of Options of the same name
// answers under the options, and the method of [Matcher] for tolerations that
// were compiled. All three give the same answers under the same options. To ask
// once, there is no need to compile.
//
// A scheduler with many nodes should keep them in an [Index], which answers for
// all of them at once.
//
// # Eviction
//
// [EvictionOf] returns when a running pod leaves a node. An [EvictionPolicy]
// changes which tolerations and taints count, and since when. Package lifecycle
// has the queue of pending evictions, the taints that follow from a node's
// conditions, and the rate at which nodes may be tainted when many fail.
//
// A controller changes a node's taints with [Changes]: [Changes.Apply] makes sure
// that taints are present or absent, and [Diff], [Reconcile] and
// [ReconcileOwned] compute what to change. [ParseChanges] and
// [Changes.ApplyStrict] do what "kubectl taint" does.
//
// # Admission
//
// A webhook calls [AddDefaults], [AddDaemonSetDefaults], [AddExtendedResources],
// [AddMemoryPressure] and [Merge] to give a pod what Kubernetes would, and
// [ValidateTolerations], [ValidateTolerationsUpdate] and [ValidateAllowed] to
// refuse what an API server or a namespace would. [Lint] finds tolerations that
// are valid but probably not what their author meant.
//
// # Explaining
//
// [Explain] says for each taint which toleration matches it, or which one comes
// closest and why it does not match. [Summarize] does so for many nodes, in the
// style of the kube-scheduler's events. The results have String methods and
// JSON, and can be redacted.
//
// # Guarantees
//
// Every function accepts any input, invalid, zero and nil values included, and
// answers by the rules above. None panics, except the Must functions, an Index
// with node names that are not comparable, like a map, and an Index or an
// UnmarshalText method whose receiver is a nil pointer. Only the Validate, Parse
// and UnmarshalText functions and ApplyStrict refuse input, with typed errors that
// name the field and say what would be right.
//
// Unless a comment says otherwise, functions neither modify nor retain their
// arguments, except that results share strings with them. They start no
// goroutines, read no clock and keep no global state; times are parameters. They
// are safe for concurrent use, and so are the methods of a Matcher and an Index.
//
// Matching, filtering and eviction times do not allocate. Nor do the Validate
// functions if they succeed, for up to 64 entries in all their lists, and the
// functions that parse a single taint or identity. Comments name exceptions.
// Functions that return a list or a text allocate it, except that those with a
// parameter dst or b append to that.
//
// Later minor releases may add constants to an enumeration. An older release
// refuses to decode their names.
//
// An index into a list comes with a bool. If the bool is false, the index is -1.
//
// A question about a list of taints takes time in proportion to the number of
// taints times that of tolerations, of which a Matcher usually skips most that
// have another key. The time that other functions take grows in proportion to
// their input, up to a logarithm, except where a comment says otherwise.
package taints
