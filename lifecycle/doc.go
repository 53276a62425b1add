// SPDX-License-Identifier: Apache-2.0

// Package lifecycle has what controllers of nodes and evictions need in addition to
// package taints: the queue of pending evictions, the taints that follow from a
// node's conditions, and the rate at which nodes may be tainted when many fail. The
// results are those of Kubernetes, unless a comment says otherwise.
//
// # Evictions
//
// A controller keeps the results of [taints.EvictionOf] in a [Queue], sleeps until
// the next deadline, and evicts the pods that are due:
//
//	for {
//		mu.Lock()
//		for pod := range queue.PopDue(time.Now()) {
//			go evict(pod)
//		}
//		next, ok := queue.Next()
//		mu.Unlock()
//		... // wait for next, if ok, or for an update
//	}
//
// A later evaluation of a pod affects its pending eviction. With [Queue.KeepTimers]
// the first one counts, as in Kubernetes, where every pod has its full time again
// after a restart. With [taints.EvictionPolicy.FromTimeAdded] each one has the same
// deadline, unless the taint has no TimeAdded, as those of "kubectl taint". With
// neither, each one postpones the deadline.
//
// # Conditions
//
// A node-lifecycle controller makes a node's taints follow its conditions and
// whether it is cordoned:
//
//	changes := lifecycle.ReconcileConditions(node.Taints, state, time.Now())
//	node.Taints, changed = changes.Apply(node.Taints)
//
// A controller for other conditions, such as one that keeps pods away until a driver
// is ready, uses [ConditionRules].
//
// # Disruption
//
// If most nodes of a zone fail at once, the zone is probably cut off and its pods
// still run. A [DisruptionPolicy] says how many nodes may then be tainted each
// second.
//
// The guarantees of package taints hold, except that a [Queue] is not safe for
// concurrent use.
package lifecycle
