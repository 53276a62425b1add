// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/lifecycle"
)

// heartbeat is how often a kubelet says that its node is there.
const heartbeat = 10 * time.Second

// A cluster is what the API server stores, and how the nodes really are.
type cluster struct {
	zones []*zone
	nodes []*node
	watch func(n *node, changes taints.Changes) // is called when taints have changed
}

// A zone is the nodes that fail together.
type zone struct {
	name  string
	nodes []*node
	cuts  int // how many partitions cut it off now
}

type node struct {
	zone   int
	state  lifecycle.NodeState
	taints []taints.Taint
	pods   []*pod

	lastBeat time.Time
	turn     int64 // the second of each ten in which its kubelet beats
	crashed  bool  // its kubelet is silent
	unwell   bool  // its kubelet says that it is not ready
}

type pod struct {
	node    *node
	kind    *kind
	evicted bool
}

// A kind is what pods of one template have in common.
type kind struct {
	tolerations []taints.Toleration
	matcher     *taints.Matcher // under the policy of the eviction controller
}

func newKind(policy taints.EvictionPolicy, tolerations []taints.Toleration) *kind {
	return &kind{tolerations, policy.Compile(tolerations)}
}

// newCluster returns a cluster in which all is well.
func newCluster(o options, random *rand.Rand, now time.Time) *cluster {
	c := &cluster{}
	for i := range o.zones {
		c.zones = append(c.zones, &zone{name: zoneNames[i : i+1]})
	}
	policy := o.evictionPolicy()
	agent := newKind(policy,
		taints.AddDaemonSetDefaults([]taints.Toleration{toleratesMaintenance(nil)}, taints.DaemonSetPod{}))
	for i := range o.nodes {
		n := &node{zone: i % o.zones, lastBeat: now, turn: random.Int64N(10), state: isReady("True")}
		n.add(agent)
		c.nodes = append(c.nodes, n)
		c.zones[n.zone].nodes = append(c.zones[n.zone].nodes, n)
	}
	kinds := podKinds(policy)
	for range o.pods {
		k := kinds[random.IntN(len(kinds))]
		c.nodes[random.IntN(o.nodes)].add(k)
	}
	return c
}

// podKinds returns the kinds of pods, the frequent one several times. Most pods
// are as admission leaves them and stay for 300 seconds, one in seven is
// replaced sooner, and one in seven, such as a database, waits long for its
// node, even through a maintenance.
func podKinds(policy taints.EvictionPolicy) []*kind {
	hurry, patience, maintenance := int64(30), int64(1800), int64(600)
	web := newKind(policy, taints.AddDefaults(nil, taints.DefaultSeconds{}))
	worker := newKind(policy, taints.AddDefaults(nil, taints.DefaultSeconds{NotReady: &hurry, Unreachable: &hurry}))
	database := newKind(policy, taints.AddDefaults([]taints.Toleration{toleratesMaintenance(&maintenance)},
		taints.DefaultSeconds{NotReady: &patience, Unreachable: &patience}))
	return []*kind{web, web, web, web, web, worker, database}
}

const maintenanceKey = "example.com/maintenance"

// toleratesMaintenance returns a toleration of a maintenance for the seconds, or
// forever if they are nil.
func toleratesMaintenance(seconds *int64) taints.Toleration {
	return taints.Toleration{
		Key:               maintenanceKey,
		Operator:          taints.OpExists,
		Effect:            taints.NoExecute,
		TolerationSeconds: seconds,
	}
}

func (n *node) add(k *kind) { n.pods = append(n.pods, &pod{node: n, kind: k}) }

// removeEvicted deletes the pods that were evicted.
func (n *node) removeEvicted() {
	n.pods = slices.DeleteFunc(n.pods, func(p *pod) bool { return p.evicted })
}

// patch makes the changes to the node's taints. Changes that make no difference
// reach nobody who watches, as with a real API server.
func (c *cluster) patch(n *node, changes taints.Changes) {
	list, changed := changes.Apply(n.taints)
	if !changed {
		return
	}
	n.taints = list
	c.watch(n, changes)
}

// zoneCounts returns how many nodes of each zone the API server has as ready.
func (c *cluster) zoneCounts() []lifecycle.Zone {
	counts := make([]lifecycle.Zone, len(c.zones))
	for _, n := range c.nodes {
		if n.ready() {
			counts[n.zone].Ready++
		} else {
			counts[n.zone].NotReady++
		}
	}
	return counts
}

// isReady returns the state of a node whose Ready condition has the status.
func isReady(status string) lifecycle.NodeState {
	return lifecycle.NodeState{Conditions: []lifecycle.Condition{{Type: "Ready", Status: status}}}
}

// ready reports whether the API server has the node as ready.
func (n *node) ready() bool { return n.state.Conditions[0].Status == "True" }

// beat lets the kubelets report whose turn it is.
func (c *cluster) beat(now time.Time) {
	for _, n := range c.nodes {
		if n.turn != now.Unix()%10 || n.crashed || c.zones[n.zone].cuts > 0 {
			continue
		}
		n.lastBeat, n.state = now, isReady("True")
		if n.unwell {
			n.state = isReady("False")
		}
	}
}

// nextBeat returns when the next kubelet may report.
func nextBeat(now time.Time) time.Time { return now.Truncate(time.Second).Add(time.Second) }
