// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/lifecycle"
	"github.com/seed-0529bac1/taints/tolerationset"
)

// resources are what a machine has and a pod asks for.
type resources struct {
	cpu    int64 // in thousandths of a CPU
	memory int64 // in MiB
}

// holds reports whether there is room for the request.
func (r resources) holds(request resources) bool {
	return r.cpu >= request.cpu && r.memory >= request.memory
}

func (r resources) minus(request resources) resources {
	return resources{r.cpu - request.cpu, r.memory - request.memory}
}

func (r resources) cpus() float64 { return float64(r.cpu) / 1000 }

func (r resources) gib() float64 { return float64(r.memory) / 1024 }

// A pool is a group of like machines. In its taints, RISK stands for a number from
// 1 to 20 and TENANT for the name of a tenant.
type pool struct {
	name   string
	share  int // of 100 nodes
	size   resources
	taints []string
}

// pools are all tainted: an untainted one would be feasible for every pod, as
// tolerations admit pods and do not attract them. Where a cluster has such
// nodes, pods that are to run elsewhere need a node selector beside their
// toleration.
var pools = []pool{
	{"general", 55, resources{16_000, 64 << 10}, []string{"example.com/pool=general:NoSchedule"}},
	{
		"old", 10,
		resources{16_000, 64 << 10},
		[]string{"example.com/pool=general:NoSchedule", "example.com/old:PreferNoSchedule"},
	},
	{
		"spot", 15,
		resources{16_000, 64 << 10},
		[]string{"example.com/spot-risk=RISK:NoSchedule", "example.com/spot:PreferNoSchedule"},
	},
	{"gpu", 5, resources{32_000, 256 << 10}, []string{"nvidia.com/gpu=present:NoSchedule"}},
	{"tenants", 15, resources{16_000, 64 << 10}, []string{"example.com/tenant=TENANT:NoSchedule"}},
}

// A kind is a group of like pods. In their tolerations TENANT stands for the name
// of a tenant.
type kind struct {
	name        string
	namespace   string
	share       int // of 100 pods
	request     resources
	tolerations []string
}

var kinds = []kind{
	{"web", "apps", 45, resources{500, 1 << 10}, nil},
	{"cron", "apps", 10, resources{250, 512}, []string{"example.com/old op=Exists"}},
	{"api", "apps", 10, resources{1_000, 2 << 10}, []string{"example.com/spot-risk=5:NoSchedule op=Lt"}},
	{"batch", "batch", 15, resources{2_000, 4 << 10}, []string{"example.com/spot-risk:NoSchedule op=Exists"}},
	{"gpu", "ml", 5, resources{4_000, 32 << 10}, []string{"nvidia.com/gpu:NoSchedule op=Exists"}},
	{"tenant", "tenants", 11, resources{1_000, 4 << 10}, []string{"example.com/tenant=TENANT:NoSchedule"}},
	{"giant", "tenants", 1, resources{64_000, 512 << 10}, []string{"example.com/tenant=TENANT:NoSchedule"}},
	{"typo", "ml", 3, resources{4_000, 32 << 10}, []string{"nvidia.com/gpu=presnt:NoSchedule"}},
}

// namespaceDefaults are what every pod of a namespace tolerates.
var namespaceDefaults = map[string][]taints.Toleration{
	"apps": {taints.MustParseToleration("example.com/pool=general:NoSchedule")},
}

// A trouble keeps pods off a node for a while.
type trouble struct {
	name   string
	taints []taints.Taint
}

var troubles = []trouble{
	{"cordoned", lifecycle.ConditionTaints(lifecycle.NodeState{Unschedulable: true})},
	{"not ready", readyTaints("False")},
	{"unreachable", readyTaints("Unknown")},
}

// readyTaints returns the taints that the node-lifecycle controller gives to a
// node whose Ready condition has the status.
func readyTaints(status string) []taints.Taint {
	return lifecycle.ConditionTaints(lifecycle.NodeState{
		Conditions: []lifecycle.Condition{{Type: "Ready", Status: status}},
	})
}

type node struct {
	pool   *pool
	free   resources
	own    []taints.Taint // those of its pool
	taints []taints.Taint // its own, and those of its trouble, if any
}

func (n *node) isTroubled() bool { return len(n.taints) > len(n.own) }

// newNodes returns n nodes of all pools, in random order.
func newNodes(n int, rng *rand.Rand) []node {
	nodes := make([]node, n)
	for i := range nodes {
		p := &pools[pick(i*100/n, func(i int) int { return pools[i].share })]
		own := p.nodeTaints(1+i%20, i%tenants(n))
		nodes[i] = node{pool: p, free: p.size, own: own, taints: own}
	}
	rng.Shuffle(n, func(i, j int) { nodes[i], nodes[j] = nodes[j], nodes[i] })
	return nodes
}

func (p *pool) nodeTaints(risk, tenant int) []taints.Taint {
	var list []taints.Taint
	for _, s := range p.taints {
		s = strings.ReplaceAll(s, "RISK", fmt.Sprint(risk))
		list = append(list, taints.MustParseTaint(strings.ReplaceAll(s, "TENANT", tenantName(tenant))))
	}
	return list
}

// tenants returns how many tenants a cluster of n nodes has.
func tenants(n int) int { return (n + 99) / 100 }

func tenantName(tenant int) string { return fmt.Sprintf("t%d", tenant) }

// A pod is one to be placed.
type pod struct {
	kind        *kind
	tolerations []taints.Toleration
}

// newPod returns a pod of a random kind in a cluster of n nodes.
func newPod(n int, rng *rand.Rand) *pod {
	k := &kinds[pick(rng.IntN(100), func(i int) int { return kinds[i].share })]
	tenant := tenantName(rng.IntN(tenants(n)))
	var list []taints.Toleration
	for _, s := range k.tolerations {
		list = append(list, taints.MustParseToleration(strings.ReplaceAll(s, "TENANT", tenant)))
	}
	return &pod{k, admit(k.namespace, list)}
}

// admit returns the tolerations as they are after admission, which is what a
// scheduler sees: with the defaults of the namespace
// (PodTolerationRestriction), and with five minutes on a node that fails
// (DefaultTolerationSeconds). The latter does not let new pods onto such a
// node, which has a NoSchedule taint too.
func admit(namespace string, list []taints.Toleration) []taints.Toleration {
	return taints.AddDefaults(tolerationset.Merge(list, namespaceDefaults[namespace], taints.Options{}), taints.DefaultSeconds{})
}

// pick returns the index of the share into which the percentile falls, from 0 to
// 99. The shares add up to 100.
func pick(percentile int, share func(int) int) int {
	i := 0
	for ; percentile >= share(i); i++ {
		percentile -= share(i)
	}
	return i
}
