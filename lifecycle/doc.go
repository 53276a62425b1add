// SPDX-License-Identifier: Apache-2.0

// Package lifecycle implements what controllers of nodes and evictions need in
// addition to package taints: the queue of pending evictions, the taints that
// follow from a node's conditions, and the rate at which nodes may be tainted when
// many fail. The results match Kubernetes, except where a comment says otherwise.
//
// # Evictions
//
// A controller that evicts pods calls [taints.EvictionOf] to compute when a pod
// leaves, and keeps the results in a [Queue]. It sleeps until the next deadline
// and evicts the pods that are due:
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
// A controller that evaluates its pods repeatedly, or restarts, chooses how a later
// evaluation affects a pending eviction. With [Queue.KeepTimers] the first one
// counts, as in Kubernetes, where every pod has its full time again after a
// restart. With [taints.EvictionPolicy.FromTimeAdded] every evaluation computes the
// same deadline for a taint with a TimeAdded, even after a restart. Otherwise, each
// evaluation postpones the deadline: set KeepTimers too if taints may have no
// TimeAdded, as those of "kubectl taint".
//
// # Conditions
//
// A node-lifecycle controller keeps a node's taints up to date with its
// conditions and with whether it is cordoned:
//
//	changes := lifecycle.ReconcileConditions(node.Taints, state, time.Now())
//	node.Taints, changed = changes.Apply(node.Taints)
//
// This follows Kubernetes' rules. A controller for other conditions, such as one
// that keeps pods away until a driver is ready, uses [ConditionRules]. So does a
// controller that adds NoExecute taints at a limited rate: it reconciles the
// rules with NoExecute separately.
//
// # Disruption
//
// If most nodes of a zone fail at once, the zone is probably cut off and its
// pods still run. A [DisruptionPolicy] specifies how many nodes may then be
// tainted each second.
//
// # Guarantees
//
// Functions and methods accept any input and never panic, except where a comment
// says so or if the receiver is a nil pointer. They start no goroutines and do not
// read the clock. They are safe for concurrent use, except for the methods of a
// [Queue].
package lifecycle
