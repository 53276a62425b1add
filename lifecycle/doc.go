// SPDX-License-Identifier: Apache-2.0

// Package lifecycle implements what controllers of nodes and evictions need
// beside package taints: the queue of pending evictions, the taints that follow
// from a node's conditions, and the rate at which nodes may be tainted when many
// fail. The answers are those of Kubernetes, except where a comment says otherwise.
//
// # Evictions
//
// A controller that evicts pods calls [taints.EvictionOf] to learn when a pod
// leaves, and keeps the results in a [Queue]. It sleeps until the next deadline
// and evicts what is due:
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
// A controller that evaluates its pods repeatedly, or restarts, must choose what
// a later evaluation does to a pending eviction. With [Queue.KeepTimers] the
// first evaluation counts, as in Kubernetes, where every pod has its full time
// again after a restart. With [taints.EvictionPolicy.FromTimeAdded] the seconds
// count from when the taint was added, so every evaluation finds the same
// deadline, also after a restart; its comment says what to do about taints that
// are older than the pod's stay or have no time. With neither, each evaluation
// postpones the deadline.
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
// that keeps pods away until a driver is ready, uses [ConditionRules].
//
// # Disruption
//
// If most nodes of a zone fail at once, the zone is probably cut off and its pods
// still run. A [DisruptionPolicy] says how many nodes may then be tainted each
// second.
//
// # Guarantees
//
// Functions and methods accept any input and never panic, except where a comment
// says so and if the receiver is a nil pointer. They start no goroutines and read
// no clock; times are parameters. They are safe for concurrent use, except the
// methods of a [Queue].
package lifecycle
