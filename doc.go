// Package taints is Kubernetes' model of taints and tolerations for any scheduler, operator or webhook: a taint on a node
// repels pods, a toleration on a pod lets it through, and what is left over takes effect. The package gives exactly the
// answers of Kubernetes 1.36, without its modules, and allocates nothing on the way.
//
// # The model
//
// A node carries taints, a [Taint] each: a key, an optional value and an effect, written "dedicated=ml:NoSchedule". A pod
// carries tolerations, a [Toleration] each: a key, an operator, a value, an effect and tolerationSeconds, written
// "dedicated=ml:NoSchedule" or "nvidia.com/gpu:NoSchedule op=Exists". Both have the fields and the JSON of k8s.io/api, so
// they decode from a Kubernetes object as it is.
//
// A toleration tolerates a taint when all three hold:
//
//   - its effect is empty or the taint's,
//   - its key is empty or the taint's,
//   - its operator is Exists; or Equal, or none, and the values are equal; or Lt or Gt, and the taint's value is a
//     smaller or greater integer than the toleration's.
//
// A taint that no toleration of the pod tolerates takes effect:
//
//   - NoSchedule: the pod is not placed on the node; if it runs there, it stays.
//   - PreferNoSchedule: the pod is placed elsewhere if possible.
//   - NoExecute: the pod is not placed on the node; if it runs there, it leaves at once. If it tolerates the taint for a
//     time only, it leaves when its tolerationSeconds are over.
//
// What people get wrong: the empty value of Equal matches only an empty value, not all; a toleration allows a node and
// does not attract to it; of several tolerations that match a NoExecute taint, the first in the list sets the time.
//
// # Where to start
//
// A scheduler compiles a pod's tolerations once and filters nodes with the result:
//
//	m := taints.Compile(pod.Tolerations)
//	for _, node := range nodes {
//		if v := m.Filter(node.Taints); v.Schedulable() {
//			feasible, soft = append(feasible, node), append(soft, v.PreferNoSchedule)
//		}
//	}
//	scores := taints.NormalizeScores(nil, soft, 100)
//
// One with many nodes keeps them in an [Index] instead, which answers for all of them at once, in time that does not grow with
// them. For a single question the one-shot functions need no Matcher: [Filter], [FindUntolerated], [Untolerated],
// [Toleration.Tolerates]. [Explain] and [Summarize] say why a pod does not fit.
//
// A controller asks [Evict] when a pod leaves, holds the answers in an [EvictionQueue], and does not evict faster than a
// [DisruptionPolicy] lets it. It keeps a node's taints in step with its conditions with [ReconcileConditions], or with a
// template's with [Reconcile].
//
// An admission webhook calls [Merge] and [AddDefaults], [AddExtendedResources] and their like, then [ValidateTolerations] and
// [Allowed]. [Lint] finds what is valid and odd. People write taints for [ParseTaint], and changes of taints, as for kubectl
// taint, for [ParseChanges]; [Changes.Apply] makes them.
//
// # What holds everywhere
//
// Functions are total: invalid input never matches by accident, never panics (except in the Must functions) and is never
// logged. Whether it is valid is for the Validate functions, which accept exactly what an API server accepts and report every fault with its field and
// what would be right. Nothing here starts a goroutine, reads a clock or keeps state; a time is always a parameter.
// Functions may be called from many goroutines at once, as long as nobody writes to their arguments meanwhile; a
// [Matcher] holds copies and has no such condition, and an [Index] may be asked while it is updated; only an [EvictionQueue]
// wants a mutex. Matching, filtering, eviction and successful validation allocate nothing.
//
// Where Kubernetes has a bug, the package does what is right, and the function's comment says so: [Evict] on seconds that
// overflow, [ValidateTolerations] on the field named in an error, [Merge] on tolerations that a default covers.
package taints
