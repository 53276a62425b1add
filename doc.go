// Package taints is Kubernetes' model of taints and tolerations for any
// scheduler, operator or webhook. A taint on a node repels pods, a toleration on
// a pod lets it through, and what is not tolerated takes effect.
//
// The answers are those of Kubernetes, under the zero [Options] with its taint
// feature gates on. A cluster as it is installed has the comparison operators Lt
// and Gt off; Options{NoComparison: true} is its rule. Where Kubernetes has a
// bug, the package does what is right, and the function's comment says so.
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
//   - its effect is empty or the taint's, and
//   - its key is empty or the taint's, and
//   - its operator is Exists; or Equal, or none, and the values are equal; or Lt
//     or Gt, and the taint's value is a smaller or greater integer than the
//     toleration's.
//
// A taint that no toleration of the pod tolerates takes effect:
//
//   - NoSchedule: the pod is not placed on the node.
//   - PreferNoSchedule: the pod is placed on another node if possible.
//   - NoExecute: the pod is not placed on the node, and leaves it at once if it
//     runs there. If it tolerates the taint for a time, it leaves then.
//
// An empty value matches only an empty value, not every value. A toleration lets
// a pod onto a node and does not attract it. Of several tolerations that match a
// NoExecute taint, the first in the list sets the time.
//
// # Choosing a function
//
// Most callers should use [Compile], once for a pod, and [Matcher.Filter], for
// every node:
//
//	m := taints.Compile(pod.Tolerations)
//	for _, node := range nodes {
//		if v := m.Filter(node.Taints); v.Schedulable() {
//			feasible, soft = append(feasible, node), append(soft, v.PreferNoSchedule)
//		}
//	}
//	scores := taints.NormalizeScores(nil, soft, 100)
//
// A question about taints and tolerations is a package function, which answers
// under the zero Options: [Match], [FindUntolerated], [Untolerated], [Filter],
// [EvictionOf], [Explain], [Summarize]. The method of Options of the same name
// answers under options, and the method of [Matcher] for tolerations that were
// compiled. All answer alike. A question that is asked once needs no Matcher.
//
// A scheduler with many nodes keeps them in an [Index], which answers for all of
// them at once.
//
// # Eviction
//
// [EvictionOf] returns when a running pod leaves a node. An [EvictionPolicy]
// changes which toleration and which taints count, and from when. Package
// lifecycle has the queue of pending evictions, the taints that follow a node's
// conditions, and how fast nodes may be tainted when many fail.
//
// A controller changes a node's taints with [Changes]: [Changes.Apply] makes sure
// that taints are there or gone, and [Diff], [Reconcile] and [ReconcileOwned]
// compute what to do. [ParseChanges] and [Changes.ApplyStrict] are "kubectl
// taint".
//
// # Admission
//
// A webhook calls [AddDefaults], [AddDaemonSetDefaults], [AddExtendedResources],
// [AddMemoryPressure] and [Merge] to give a pod what Kubernetes would, and
// [ValidateTolerations], [ValidateTolerationsUpdate] and [ValidateAllowed] to
// refuse what an API server or a namespace would. [Lint] finds what is valid and
// probably not meant.
//
// # Explaining
//
// [Explain] says for each taint which toleration matches it, or which comes
// closest and why it fails, and [Summarize] says it over many nodes, in the manner
// of the kube-scheduler. Their results print, have JSON, and can be redacted.
//
// # Guarantees
//
// Every function takes any input, invalid, zero and nil values included, and
// answers by the rules above; none panics, except the Must functions. Only the
// Validate and Parse functions refuse what is invalid, with typed errors that
// name the field and what would be right; nothing is then half done.
//
// Functions do not write to their arguments and keep nothing of them, except that
// results share strings with them, and where a comment says so. They start no
// goroutine, read no clock and keep no state; times are parameters. They may be
// called from several goroutines at once, and a Matcher or an Index may be shared.
//
// Matching, filtering, eviction times, and validation and parsing that succeed
// allocate nothing, except where a comment says so. Functions that return a list
// or a text allocate that; functions named Append write to the slice they are
// given.
//
// An index in a list comes with a bool. Where the bool is false, the index is -1.
//
// The work that input causes grows with its length, up to a logarithm, except
// where a comment says that it grows with a square.
package taints
