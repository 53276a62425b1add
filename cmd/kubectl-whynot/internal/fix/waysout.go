// SPDX-License-Identifier: Apache-2.0

package fix

import (
	"cmp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/seed-0529bac1/taints/cmd/internal/lists"
	"github.com/seed-0529bac1/taints/cmd/internal/purpose"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/eviction"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/why"
)

// outage reports whether no node of the cluster answers, or none of the pod's zone, which
// has more than one. Then the machines may not have failed. The zone begins with " of".
func outage(c *cluster.Cluster) (zone func(*eviction.Eviction) string, isOut func(*eviction.Eviction) bool) {
	nodes, silent := make(map[string]int), make(map[string]int) // by zone; "": of the cluster
	for i := range c.Nodes {
		for _, zone := range slices.Compact([]string{"", c.Nodes[i].Labels[corev1.LabelTopologyZone]}) {
			if nodes[zone]++; c.Nodes[i].IsSilent() {
				silent[zone]++
			}
		}
	}
	isOutOf := func(zone string) bool { return (zone == "" || nodes[zone] > 1) && nodes[zone] == silent[zone] }
	zoneOf := func(x *eviction.Eviction) string { return c.Nodes[c.NodeAt[x.Node]].Labels[corev1.LabelTopologyZone] }
	zone = func(x *eviction.Eviction) string {
		if isOutOf("") {
			return ""
		}
		return " of zone " + zoneOf(x)
	}
	return zone, func(x *eviction.Eviction) bool { return isOutOf("") || isOutOf(zoneOf(x)) }
}

// WaysOut returns what ends pods that stay Terminating on nodes that do not answer.
func (g *Guide) WaysOut(list []*eviction.Eviction) (steps []Step) {
	var pods []*eviction.Eviction
	for _, outcome := range []string{eviction.Overdue, eviction.Deleting} {
		same := slices.DeleteFunc(slices.Clone(list), func(x *eviction.Eviction) bool {
			return !x.Hangs || x.Outcome != outcome || outcome == eviction.Overdue && *x.InSeconds == 0
		})
		if len(same) > 0 {
			pods = same
		}
	}
	if len(pods) == 0 {
		return nil
	}
	zone, isOut := outage(g.Cluster)
	for _, same := range lists.Grouped(slices.DeleteFunc(slices.Clone(pods), func(x *eviction.Eviction) bool { return !isOut(x) }), zone) {
		text := "repair the network or the control plane: no node" + zone(same[0]) + " answers, so that the machines may still run. " +
			"Delete no nodes there, and no pods by force"
		if zone(same[0]) == "" {
			text += ". While no node of the cluster answers, Kubernetes evicts no pods for that"
		}
		steps = append(steps, Step{Text: text})
	}
	if pods = slices.DeleteFunc(slices.Clone(pods), isOut); len(pods) == 0 {
		return steps
	}
	slices.SortStableFunc(pods, func(x, y *eviction.Eviction) int { // a StatefulSet waits for its pod, and a DaemonSet's belongs to the node
		x1, y1 := x.Of.Owner.Kind, y.Of.Owner.Kind
		return cmp.Or(lists.CompareBools(x1 != "StatefulSet", y1 != "StatefulSet"), lists.CompareBools(x1 == "DaemonSet", y1 == "DaemonSet"))
	})
	nodes := sets.List(sets.New(lists.Each(pods, func(x *eviction.Eviction) string { return x.Node })...))
	named := func(nodes []string) string {
		return say.Noun(len(nodes), "node") + " " + say.NamesOf(nodes, len(nodes))
	}
	living := slices.DeleteFunc(slices.Clone(nodes), func(name string) bool { return g.Nodes[g.NodeAt[name]].DeletionTimestamp != nil })
	for _, same := range lists.Grouped(nodes, func(name string) string { return g.Nodes[g.NodeAt[name]].State().WayOut(g.Now) }) {
		if text := g.Nodes[g.NodeAt[same[0]]].State().WayOut(g.Now); text != "" {
			words := strings.NewReplacer("NODES", named(same), " ARE", say.For(len(same), " is", " are"))
			step := g.onNodes(words.Replace(text), same, 1, "get", "node", "-o", "yaml")
			if g.Nodes[g.NodeAt[same[0]]].State().Maker != "" { // the node does not say it
				step = Step{Text: step.Text}
			}
			steps = append(steps, step)
		}
	}
	isControl := func(name string) bool { return g.Nodes[g.NodeAt[name]].IsControlPlane() }
	for _, same := range lists.Grouped(living, isControl) {
		text := "if the machine does not come back, delete " + named(same) + ". Kubernetes then deletes the pods there. " +
			"If the machine still runs, so do their containers, beside those of new pods"
		if isControl(same[0]) {
			text = named(same) + say.For(len(same), " is a control-plane node", " are control-plane nodes") + ": if the machine does not come back, first look at " +
				"etcd's members. Its member there is not deleted with the node, except by some distributions, and the others must keep their quorum. Then " +
				strings.TrimPrefix(text, "if the machine does not come back, ")
			steps = append(steps, Step{Text: text}) // to paste a command is too fast
			continue
		}
		steps = append(steps, g.onNodes(text, same, why.MaxNames, "delete", "node"))
	}
	steps = append(steps,
		g.onNodes("if you are sure that the machine is off, mark the node as out of service. Kubernetes then deletes its pods by force and detaches "+
			"their volumes. If the machine still writes to these, data is lost. Remove the taint when the node is back", nodes, why.MaxNames,
			"taint", "nodes", purpose.OutOfService+"=nodeshutdown:NoExecute"),
		g.step("delete a pod by force. Only the API server forgets it: its containers may still run, a StatefulSet makes another pod of the "+
			"same name beside them, and its volumes stay attached for minutes", 1, len(pods), "pod",
			"-n", pods[0].Of.Namespace, "delete", "pod", pods[0].Of.Name, "--force", "--grace-period=0"),
	)
	return lists.Each(steps, func(s Step) Step { s.Relation = enough; return s })
}
