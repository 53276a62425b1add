// SPDX-License-Identifier: Apache-2.0

package fix

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/component-helpers/node/topology"

	"github.com/seed-0529bac1/taints/cmd/internal/lists"
	"github.com/seed-0529bac1/taints/cmd/internal/purpose"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/eviction"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/why"
)

// WaysOut returns what ends pods that stay Terminating on nodes that are not Ready.
func (g *Guide) WaysOut(list []*eviction.Eviction) []Step {
	pods := slices.DeleteFunc(slices.Clone(list), func(x *eviction.Eviction) bool { // they do, or soon will
		return !x.Hangs || x.Outcome != eviction.Deleting && (x.Outcome != eviction.Overdue || *x.InSeconds == 0)
	})
	repairs, outageOf, silent := g.outages(pods)
	answering := nodesOf(slices.DeleteFunc(slices.Clone(list), func(x *eviction.Eviction) bool {
		return !x.Of.Deleting || len(x.Of.Finalizers) > 0 || g.Now.Sub(x.Of.Ends) < time.Minute || !g.node(x.Node).IsBroken()
	}))
	if len(answering) > 0 {
		text := "repair " + named(answering) + ": the kubelet answers, and ends pods once what its condition Ready names works, as the container runtime"
		repairs = append(repairs, g.onNodes(text, answering, 3, "describe", "node"))
	}
	if pods = slices.DeleteFunc(pods, func(x *eviction.Eviction) bool { return outageOf(x) != "" }); len(pods) == 0 {
		return repairs
	}
	slices.SortStableFunc(pods, func(x, y *eviction.Eviction) int { // a StatefulSet waits for its pod, and a DaemonSet's belongs to the node
		x1, y1 := x.Of.Owner.Kind, y.Of.Owner.Kind
		return cmp.Or(lists.CompareBools(x1 != "StatefulSet", y1 != "StatefulSet"), lists.CompareBools(x1 == "DaemonSet", y1 == "DaemonSet"))
	})
	nodes := nodesOf(pods)
	steps := slices.Concat(g.waits(nodes), g.deletions(nodes, silent), []Step{
		g.onNodes("if you are sure that the machine is off, mark the node as out of service. Kubernetes then deletes its pods by force and detaches "+
			"their volumes. If the machine still writes to these, data is lost. Remove the taint when the node is back", nodes, why.MaxNames,
			"taint", "nodes", purpose.OutOfService+"=nodeshutdown:NoExecute"),
		g.step("delete a pod by force. Only the API server forgets it: its containers may still run, a StatefulSet makes another pod of the "+
			"same name beside them, and its volumes stay attached for minutes", 1, len(pods), "pod",
			"-n", pods[0].Of.Namespace, "delete", "pod", pods[0].Of.Name, "--force", "--grace-period=0"),
	})
	return append(repairs, OneOf(slices.Collect(slices.Chunk(steps, 1))...)...)
}

func nodesOf(list []*eviction.Eviction) []string {
	return sets.List(sets.New(lists.Each(list, func(x *eviction.Eviction) string { return x.Node })...))
}

// outages returns what to repair first where no node of the cluster answers, or none of the
// workers, or of a zone that has more than one, and which of these a pod is in, or "". There
// the machines may not have failed. It counts all nodes that do not answer.
func (g *Guide) outages(pods []*eviction.Eviction) (steps []Step, outageOf func(*eviction.Eviction) string, all int) {
	placesOf := func(n *cluster.Node) []string {
		places := []string{"node"}
		if !n.IsControlPlane() && !n.IsVirtual() {
			places = append(places, "worker")
		}
		if zone := topology.GetZoneKey(n.Node); zone != "" {
			places = append(places, "node of zone "+cmp.Or(n.Labels[corev1.LabelFailureDomainBetaZone], n.Labels[corev1.LabelTopologyZone]))
		}
		return places
	}
	nodes, silent := make(map[string]int), make(map[string]int)
	for i := range g.Nodes {
		for _, place := range placesOf(&g.Nodes[i]) {
			if nodes[place]++; g.Nodes[i].IsSilent() {
				silent[place]++
			}
		}
	}
	outageOf = func(x *eviction.Eviction) string {
		for _, place := range placesOf(g.node(x.Node)) {
			if nodes[place] == silent[place] && (place == "node" || nodes[place] > 1) {
				return place
			}
		}
		return ""
	}
	for _, same := range lists.Grouped(pods, outageOf) {
		place := outageOf(same[0])
		text := "repair the network or the control plane: no " + place + " answers, so that the machines may still run. " +
			"Delete no nodes there, and no pods by force"
		switch place {
		case "":
			continue
		case "node":
			text += ". While no node of the cluster answers, Kubernetes evicts no pods for that"
		}
		steps = append(steps, Step{Text: text})
	}
	return steps, outageOf, silent["node"]
}

func (g *Guide) node(name string) *cluster.Node { return &g.Nodes[g.NodeAt[name]] }

func named(nodes []string) string {
	return say.Noun(len(nodes), "node") + " " + say.NamesOf(nodes, len(nodes))
}

// waits returns what to wait for, or to look at, where something owns the nodes.
func (g *Guide) waits(nodes []string) (steps []Step) {
	wayOut := func(name string) string { return g.node(name).WayOut(g.Now) }
	for _, same := range lists.Grouped(nodes, wayOut) {
		text := words{"NODES": named(same), "ARE": say.For(len(same), "is", "are")}.in(wayOut(same[0]))
		switch {
		case text == "":
		case g.node(same[0]).Maker != "": // the node does not say it
			steps = append(steps, Step{Text: strings.TrimSuffix(text+". It says: "+g.node(same[0]).Holdup, ". It says: ")})
		default:
			steps = append(steps, g.onNodes(text, same, 1, "get", "node", "-o", "yaml"))
		}
	}
	return steps
}

// deletions returns what to know before the nodes are deleted. For those of the control plane,
// and machines, a command to paste would be too fast.
func (g *Guide) deletions(nodes []string, silent int) (steps []Step) {
	living := slices.DeleteFunc(slices.Clone(nodes), func(name string) bool {
		n := g.node(name)
		return n.Deleted != nil && (n.Maker == "" || !g.IsLate(g.NodeAt[name])) // its Machine deletes it soon
	})
	isMade := func(name string) bool { return g.node(name).Machine != "" && g.node(name).Deleted == nil }
	for _, same := range lists.Grouped(living, func(name string) [2]bool { return [2]bool{g.node(name).IsControlPlane(), isMade(name)} }) {
		first, text := "if the machine does not come back, ", "delete "+named(same)+". Kubernetes then deletes the pods there. "+
			"If the machine still runs, so do their containers, beside those of new pods"
		if isMade(same[0]) {
			makers := lists.Each(same, func(name string) string { return g.node(name).Machine })
			text = "delete " + say.Joined(say.FirstOf(makers, 3)) + ", and with that the machine, its disks and " + named(same) +
				". What owns it, as a MachineSet or NodePool, makes a new one. A MachineHealthCheck or Karpenter's node repair, where there is one, deletes it by itself"
		}
		if silent > 1 {
			text += fmt.Sprintf(". %d of %d nodes do not answer: if several stopped at once, look at the network first", silent, len(g.Nodes))
		}
		switch {
		case g.node(same[0]).IsControlPlane():
			steps = append(steps, Step{Text: named(same) + say.For(len(same), " is a control-plane node", " are control-plane nodes") + ": " + first +
				"first look at etcd's members. Its member there is not deleted with the node, except by some " +
				"distributions, and the others must keep their quorum. Then " + text})
		case isMade(same[0]):
			steps = append(steps, Step{Text: first + text})
		default:
			steps = append(steps, g.onNodes(first+text, same, why.MaxNames, "delete", "node"))
		}
	}
	return steps
}
