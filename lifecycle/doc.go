// Package lifecycle has what controllers of nodes and evictions need beside
// package taints: the queue of pending evictions, the taints that follow from a
// node's conditions, and the rate at which nodes may be tainted when many fail.
// The answers are those of Kubernetes 1.36.
//
// # Evictions
//
// A controller that evicts pods asks [taints.EvictionOf] when a pod leaves, and
// keeps the answers in a [Queue]. It sleeps until the next deadline and evicts
// what is due:
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
// A controller that looks at its pods again and again, or restarts, chooses what
// a later look means. With [taints.EvictionPolicy.FromTimeAdded] the deadline
// counts from when the taint was added, so every look leads to the same one:
// most controllers want this. With [Queue.KeepTimers] the first look counts, as
// in Kubernetes, which gives every pod its full time again after a restart. With
// neither, a deadline that counts from the time of the look moves on with each.
//
// # Conditions
//
// A node-lifecycle controller keeps a node's taints in step with its conditions
// and its cordon:
//
//	changes := lifecycle.ReconcileConditions(node.Taints, state, time.Now())
//	node.Taints, changed = changes.Apply(node.Taints)
//
// These are Kubernetes' rules. A controller with conditions of its own, such as
// one that keeps pods away until a driver is ready, writes [ConditionRules].
//
// # Disruption
//
// When most nodes of a zone fail at once it is likely that the zone is cut off,
// and its pods still run. A [DisruptionPolicy] says how many nodes may then be
// tainted each second.
//
// # Everywhere
//
// Nothing in this package reads a clock or starts a goroutine; a time is always
// a parameter. Functions accept any input and never panic on it. They may be
// called by many goroutines at once, except the methods of a Queue.
package lifecycle
