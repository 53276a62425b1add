// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/lists"
	"github.com/seed-0529bac1/taints/cmd/internal/names"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
)

// A Share is the part of a group of nodes that matches a profile.
type Share struct {
	Group *Group
	Nodes []int // not empty, sorted by name
}

// Choose returns the shares that match the profile, in the order of the groups.
func (c *Cluster) Choose(p *Profile) []Share {
	matching := make(map[*Group][]int)
	for _, i := range c.Candidates(p) {
		if n := &c.Nodes[i]; n.Matches(p) {
			matching[n.Group] = append(matching[n.Group], i)
		}
	}
	var shares []Share
	for _, g := range c.Groups {
		if nodes := matching[g]; len(nodes) > 0 {
			shares = append(shares, Share{g, nodes})
		}
	}
	return shares
}

// Matches reports whether the node matches node selector and required node affinity.
func (n *Node) Matches(p *Profile) bool {
	ok, err := p.affinity.Match(n.Node)
	return ok && err == nil
}

// Candidates returns the nodes that the affinity names, or else all nodes.
func (c *Cluster) Candidates(p *Profile) (nodes []int) {
	names, pinned := namedNodes(p.Required)
	for _, name := range names {
		if i, ok := c.NodeAt[name]; ok {
			nodes = append(nodes, i)
		}
	}
	for i := 0; i < len(c.Nodes) && !pinned; i++ {
		nodes = append(nodes, i)
	}
	slices.Sort(nodes)
	return slices.Compact(nodes)
}

// wanted returns the labels that the profile requires: those of its node
// selector and those of an affinity that has only one term.
func (p *Profile) wanted() []corev1.NodeSelectorRequirement {
	list := lists.Each(slices.Sorted(maps.Keys(p.Selector)), func(key string) corev1.NodeSelectorRequirement {
		return corev1.NodeSelectorRequirement{Key: key, Operator: corev1.NodeSelectorOpIn, Values: []string{p.Selector[key]}}
	})
	if p.Required != nil && len(p.Required.NodeSelectorTerms) == 1 {
		for _, r := range p.Required.NodeSelectorTerms[0].MatchExpressions {
			if r.Operator == corev1.NodeSelectorOpIn || r.Operator == corev1.NodeSelectorOpExists {
				list = append(list, r)
			}
		}
	}
	return list
}

// Missing returns required labels that no node has, and those that may be meant.
func (c *Cluster) Missing(p *Profile) (absent, meant []string) {
	for _, r := range p.wanted() {
		if c.labels[r.Key].HasAny(r.Values...) || len(r.Values) == 0 && len(c.labels[r.Key]) > 0 {
			continue
		}
		text := requirementText(r)
		if len(r.Values) == 1 {
			text = labelText(r.Key, r.Values[0])
		}
		absent = append(absent, text)
		for _, key := range slices.Sorted(maps.Keys(c.labels)) {
			switch {
			case !names.IsSameWord(key, r.Key):
				continue
			case len(r.Values) == 0:
				meant = append(meant, key)
			}
			for _, value := range sets.List(c.labels[key]) {
				if slices.ContainsFunc(r.Values, func(want string) bool { return names.IsSameWord(want, value) }) {
					meant = append(meant, labelText(key, value))
				}
			}
		}
	}
	return absent, meant
}

// IsRejected reports whether the group has a taint that the pods do not tolerate.
func (p *Profile) IsRejected(g *Group) bool {
	_, found := p.Matcher.FindUntolerated(g.Taints, taints.HardEffects)
	return found
}

// WithResources returns the parts of the shares whose nodes have the extended
// resources that the profile requests, and says so. A node has what is allocatable
// there or, where no node says what is, a taint of the resource's name. A resource
// that no node has enough of does not matter, and lacks says so.
func (c *Cluster) WithResources(p *Profile, shares []Share) (list []Share, text string, lacks []string) {
	var names []string
	lacking := make(map[int]bool) // the nodes that lack one of the names
	for _, resource := range slices.Sorted(maps.Keys(p.resources)) {
		wanted, most, name := p.resources[resource], int64(-1), resource
		for _, n := range c.Nodes {
			if amount, ok := n.resources[resource]; ok {
				most = max(most, amount)
			}
		}
		if wanted > 1 {
			name = fmt.Sprintf("%d %s", wanted, resource)
		}
		has := func(n Node) bool { return n.resources[resource] >= wanted }
		switch {
		case most < 0:
			name = "a taint " + resource
			has = func(n Node) bool { return HasKey(n.Taints, resource) }
			if !slices.ContainsFunc(c.Nodes, has) {
				continue
			}
		case most < wanted:
			lacks = append(lacks, fmt.Sprintf("no node has %s; the most is %d", name, most))
			continue
		}
		names = append(names, name)
		for i, n := range c.Nodes {
			if !has(n) {
				lacking[i] = true
			}
		}
	}
	if len(names) == 0 {
		return nil, "", lacks
	}
	total := 0
	for _, s := range shares {
		nodes := slices.DeleteFunc(slices.Clone(s.Nodes), func(i int) bool { return lacking[i] })
		if len(nodes) > 0 {
			list, total = append(list, Share{s.Group, nodes}), total+len(nodes)
		}
	}
	text = "only " + say.Have(total, "node") + " " + say.Joined(names)
	if all := len(c.Nodes) - len(lacking); total < all {
		text = fmt.Sprintf("only %d of the %d nodes that have %s", total, all, say.Joined(names)) +
			say.For(total, " matches", " match") + " the pod's node selector and affinity"
	}
	return list, text, lacks
}

// Lacks returns a requested resource that one of the nodes that match has none of, or "".
func (c *Cluster) Lacks(p *Profile, nodes []int) string {
	for _, resource := range slices.Sorted(maps.Keys(p.resources)) {
		if slices.ContainsFunc(nodes, func(i int) bool { return c.Nodes[i].resources[resource] == 0 && c.Nodes[i].Matches(p) }) {
			return resource
		}
	}
	return ""
}
