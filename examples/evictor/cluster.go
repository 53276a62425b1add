package main

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/seed-0529bac1/taints"
)

// heartbeat is how often a kubelet says that its node is there.
const heartbeat = 10 * time.Second

// A cluster is what the API server stores, and what its nodes are really like.
type cluster struct {
	zones []*zone
	nodes []*node
	watch func(n *node, changes taints.Changes) // is told of new taints
}

// A zone is the nodes that fail together.
type zone struct {
	name  string
	nodes []*node
	cuts  int // how many partitions cut it off now
}

type node struct {
	zone       int
	conditions []taints.Condition
	taints     []taints.Taint
	pods       []*pod

	lastBeat time.Time
	turn     int64 // the second of each ten in which its kubelet beats
	crashed  bool  // its kubelet is silent
	unwell   bool  // its kubelet says that it is not ready
}

type pod struct {
	node    *node
	matcher *taints.Matcher // of its tolerations; pods of a kind share it
}

// newCluster returns a cluster in which all is well.
func newCluster(o options, random *rand.Rand, now time.Time) *cluster {
	c := &cluster{}
	for i := range o.zones {
		c.zones = append(c.zones, &zone{name: zoneNames[i : i+1]})
	}
	agent := taints.Compile(taints.AddDaemonSetDefaults([]taints.Toleration{toleratesMaintenance(nil)}, false))
	for i := range o.nodes {
		n := &node{zone: i % o.zones, lastBeat: now, turn: random.Int64N(10), conditions: isReady("True")}
		n.add(agent)
		c.nodes = append(c.nodes, n)
		c.zones[n.zone].nodes = append(c.zones[n.zone].nodes, n)
	}
	kinds := podKinds()
	for range o.pods {
		kind := kinds[random.IntN(len(kinds))]
		c.nodes[random.IntN(o.nodes)].add(kind)
	}
	return c
}

// podKinds returns the tolerations of the pods. Most pods are as admission leaves them and stay for 300 seconds, one in
// seven is replaced sooner, and one in seven, such as a database, waits long for its node, even through a maintenance.
func podKinds() []*taints.Matcher {
	hurry, patience, maintenance := int64(30), int64(1800), int64(600)
	web := taints.Compile(taints.AddDefaults(nil, taints.Defaults{}))
	worker := taints.Compile(taints.AddDefaults(nil, taints.Defaults{NotReadySeconds: &hurry, UnreachableSeconds: &hurry}))
	database := taints.Compile(taints.AddDefaults([]taints.Toleration{toleratesMaintenance(&maintenance)},
		taints.Defaults{NotReadySeconds: &patience, UnreachableSeconds: &patience}))
	return []*taints.Matcher{web, web, web, web, web, worker, database}
}

const maintenanceKey = "example.com/maintenance"

// toleratesMaintenance tolerates a maintenance for so long, nil for ever.
func toleratesMaintenance(seconds *int64) taints.Toleration {
	return taints.Toleration{Key: maintenanceKey, Operator: taints.OpExists, Effect: taints.NoExecute, TolerationSeconds: seconds}
}

func (n *node) add(kind *taints.Matcher) { n.pods = append(n.pods, &pod{n, kind}) }

// remove deletes the pod.
func (p *pod) remove() {
	p.node.pods = slices.DeleteFunc(p.node.pods, func(q *pod) bool { return q == p })
}

// patch changes the taints of the node, unless there is nothing to change.
func (c *cluster) patch(n *node, changes taints.Changes) {
	if len(changes.Add)+len(changes.Remove) == 0 {
		return
	}
	list, err := changes.Apply(n.taints, false)
	if err != nil {
		panic(err) // the changes are for these very taints; a real API server may have others by now, and refuse
	}
	n.taints = list
	c.watch(n, changes)
}

// isReady returns the conditions of a node whose Ready has the status.
func isReady(status string) []taints.Condition {
	return []taints.Condition{{Type: "Ready", Status: status}}
}

// ready reports whether the API server has the node as ready.
func (n *node) ready() bool { return n.conditions[0].Status == "True" }

// beat lets those kubelets report whose turn it is.
func (c *cluster) beat(now time.Time) {
	for _, n := range c.nodes {
		if n.turn != now.Unix()%10 || n.crashed || c.zones[n.zone].cuts > 0 {
			continue
		}
		n.lastBeat, n.conditions = now, isReady("True")
		if n.unwell {
			n.conditions = isReady("False")
		}
	}
}

// nextBeat returns when the next kubelet may report.
func nextBeat(now time.Time) time.Time { return now.Truncate(time.Second).Add(time.Second) }
