// SPDX-License-Identifier: Apache-2.0

// Package lifecycle helps controllers evict pods and taint nodes. It provides the
// queue of pending evictions, the taints that follow from a node's conditions, and
// the rate at which nodes may be tainted when many fail. The results are Kubernetes',
// unless a comment says otherwise.
//
// # Evictions
//
// A controller passes the result of [taints.EvictionOf] to a [Queue] whenever it looks
// at a pod, sleeps until the next deadline, and evicts the pods that are due:
//
//	if pod.DeletionTimestamp == nil { // or Update schedules what is already being deleted
//		queue.Update(pod.UID, taints.EvictionOf(node.Taints, pod.Tolerations, time.Now()))
//	}
//	...
//	for {
//		mu.Lock()
//		for uid := range queue.PopDue(time.Now()) {
//			go evict(uid) // if it fails, it locks mu, calls Retry and looks again
//		}
//		next, ok := queue.Next()
//		mu.Unlock()
//		... // wait for next, if ok, or for an update
//	}
//
// The first look at a taint sets the deadline, and a later taint does not move it, as
// in Kubernetes, where every pod gets its full time again after a restart.
//
// For deadlines that follow the taints of the moment and survive a restart, combine
// [taints.EvictionPolicy.FromTimeAdded] with [Queue.NewestWins]. Then every NoExecute
// taint needs a TimeAdded. "kubectl taint" does not set it, so set it to the time at
// which the controller first saw the taint.
//
// # Conditions
//
// A node-lifecycle controller makes a node's taints follow its conditions and
// whether it is cordoned:
//
//	rules := lifecycle.DefaultConditionRules()
//	...
//	changes := rules.Reconcile(node.Taints, state, time.Now())
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
