// SPDX-License-Identifier: Apache-2.0

package fix

import (
	"slices"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/remedy"
)

// writers names the clients that last wrote the taints of the nodes, as far as is known.
func (x *Pods) writers(nodes []int) string {
	var names []string
	for _, i := range nodes {
		if by := x.Nodes[i].TaintsBy; by != "" && !slices.Contains(names, by) {
			names = append(names, by)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return ". " + say.Joined(say.FirstOf(names, 3)) + " last wrote the taints there"
}

// Ask returns what to find out about taints that may be for a state or for a pool.
func (x *Pods) Ask(only *remedy.Alternative) []Step {
	startup := slices.DeleteFunc(slices.Clone(only.Unknown), func(t taints.Taint) bool { return x.Startup[t.ID()] == "" })
	if len(startup) > 0 {
		return []Step{x.onNodes("wait for "+say.TaintsText(startup)+" to go away from "+say.NamesOf(only.NodeNames, only.Nodes)+": "+
			x.Startup[startup[0].ID()]+" has it among its startupTaints, so that the "+say.Noun(only.Nodes, "node")+say.For(only.Nodes, " is", " are")+" starting",
			only.NodeNames, 3, "describe", "node")}
	}
	who, names := say.TaintsText(only.Unknown), only.NodeNames
	text := "ask who set " + who + " on " + say.NamesOf(names, only.Nodes) + ": nothing in the input says what it is for. If it marks nodes for such pods, " +
		entriesText(only.Entries()) + "; if it marks a state of the node, that has to end" + x.writers(only.At)
	return []Step{x.onNodes(text, names, 3, "describe", "node")}
}
