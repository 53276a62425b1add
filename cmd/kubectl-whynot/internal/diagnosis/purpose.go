// SPDX-License-Identifier: Apache-2.0

package diagnosis

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/internal/states"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
)

// isForPool reports whether a taint of the nodes, which says no state, is known to mark a
// pool of nodes for some pods: by its words, by a resource or label of a node, because the
// pods ask for these nodes, or because other pods or the template of a pool name it.
func (a *analyst) isForPool(p *cluster.Profile, t taints.Taint, nodes []int) bool {
	_, part, isLong := strings.Cut(t.Key, "/")
	if !isLong {
		part = t.Key
	}
	for _, i := range nodes {
		n := &a.Nodes[i]
		value, hasKey := n.Labels[t.Key]
		if n.Offers(t.Key) || hasKey && (t.Value == "" || value == t.Value) || t.Value != "" && n.Labels[part] == t.Value {
			return true
		}
	}
	return states.IsPool(t) || len(p.Selector) > 0 || p.Required != nil || a.PoolTaints.Has(t.ID()) || a.namedKeys().Has(t.Key)
}

// namedKeys returns the keys that tolerations of pods on nodes and of templates name, except
// those of DaemonSets and of the nodes themselves.
func (a *analyst) namedKeys() sets.Set[string] {
	if a.named != nil {
		return a.named
	}
	a.named = sets.New[string]()
	seen := sets.New[*cluster.Profile]()
	for _, p := range a.All() {
		if p.Profile == nil || p.Node == "" && !p.Template || p.Owner.Kind == "DaemonSet" || p.Owner.Kind == "Node" || seen.Has(p.Profile) {
			continue
		}
		seen.Insert(p.Profile)
		for _, t := range p.Tolerations {
			if t.Key != "" && !isEverybodys(t) {
				a.named.Insert(t.Key)
			}
		}
	}
	return a.named
}

// askSteps returns what to find out about taints that may be for a state or for a pool.
func (x *Pending) askSteps(only *alternative) []Step {
	who, names := say.TaintsText(only.unknown), only.NodeNames
	text := "ask who set " + who + " on " + say.NamesOf(names, only.Nodes) + ": nothing in the input says what it is for. If it marks nodes for such pods, " +
		entriesText(only.Entries()) + "; if it marks a state of the node, that has to end"
	return []Step{x.question.onNodes(text, names, 3, "describe", "node")}
}
