// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/say"
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
		n := &c.Nodes[i]
		if ok, err := p.affinity.Match(n.Node); ok && err == nil {
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

// Candidates returns the nodes that the affinity names, as it does for each pod
// of a DaemonSet, or else all nodes.
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
	var list []corev1.NodeSelectorRequirement
	for _, key := range say.SortedKeys(p.Selector) {
		list = append(list, corev1.NodeSelectorRequirement{
			Key: key, Operator: corev1.NodeSelectorOpIn, Values: []string{p.Selector[key]},
		})
	}
	if p.Required != nil && len(p.Required.NodeSelectorTerms) == 1 {
		for _, r := range p.Required.NodeSelectorTerms[0].MatchExpressions {
			if r.Operator == corev1.NodeSelectorOpIn || r.Operator == corev1.NodeSelectorOpExists {
				list = append(list, r)
			}
		}
	}
	return list
}

// A SimilarLabel is an existing label that a missing one may have been meant to be.
type SimilarLabel struct {
	key, value string
	Nodes      int
	IsMeant    bool // not only the value that the nodes have
}

// String returns key=value.
func (l SimilarLabel) String() string { return say.LabelText(l.key, l.value) }

// Missing returns the required labels that no node has, and the labels that may
// be meant instead.
func (c *Cluster) Missing(p *Profile) (absent []string, similar []SimilarLabel) {
	for _, r := range p.wanted() {
		hasValue := func(value string) bool { return c.labels[r.Key][value] > 0 }
		if slices.ContainsFunc(r.Values, hasValue) || len(r.Values) == 0 && len(c.labels[r.Key]) > 0 {
			continue
		}
		text := say.RequirementText(r)
		if len(r.Values) == 1 {
			text = say.LabelText(r.Key, r.Values[0])
		}
		absent = append(absent, text)
		if list := c.similar(r); len(list) <= 3 {
			similar = append(similar, list...)
		}
	}
	return absent, similar
}

// similar returns the existing labels that may be meant: those with a misspelled
// value of the key, with the only value of the key, or with a misspelled key.
func (c *Cluster) similar(r corev1.NodeSelectorRequirement) []SimilarLabel {
	var list []SimilarLabel
	add := func(key, value string, isMeant bool) {
		list = append(list, SimilarLabel{key, value, c.labels[key][value], isMeant})
	}
	values := say.SortedKeys(c.labels[r.Key])
	for _, have := range values {
		if slices.ContainsFunc(r.Values, func(want string) bool { return say.IsSameWord(want, have) }) {
			add(r.Key, have, true)
		}
	}
	if len(list) == 0 && len(values) == 1 {
		add(r.Key, values[0], values[0] == "")
	}
	if len(list) > 0 {
		return list
	}
	for _, key := range say.SortedKeys(c.labels) {
		if key == r.Key || !say.IsSameWord(r.Key, key) && WithoutPrefix(key) != WithoutPrefix(r.Key) {
			continue
		}
		for _, have := range say.SortedKeys(c.labels[key]) {
			isWanted := func(want string) bool { return say.IsSameWord(want, have) }
			if len(r.Values) == 0 || slices.ContainsFunc(r.Values, isWanted) {
				add(key, have, true)
				break
			}
		}
	}
	return list
}

// WithoutPrefix returns the part of the key after the slash.
func WithoutPrefix(key string) string { return key[strings.LastIndexByte(key, '/')+1:] }

// Requirements names the node selector and the required node affinity.
func (p *Profile) Requirements() string {
	var words []string
	if len(p.Selector) > 0 {
		words = append(words, "node selector "+say.SelectorText(p.Selector))
	}
	if p.Required != nil {
		words = append(words, "required node affinity "+say.AffinityText(p.Required))
	}
	return say.Joined(words)
}

// IsRejected reports whether the group has a taint that the pods do not tolerate.
func (p *Profile) IsRejected(g *Group) bool {
	_, found := p.Matcher.FindUntolerated(g.Taints, taints.Hard)
	return found
}

// WithResources returns the parts of the shares whose nodes have the extended
// resources that the profile requests, and says so. A node has what is allocatable
// there or, where no node says what is, a taint of the resource's name. A resource
// that no node has enough of does not matter, and lacks says so.
func (c *Cluster) WithResources(p *Profile, shares []Share) (list []Share, text string, lacks []string) {
	var names []string
	hasAll := func(Node) bool { return true }
	for _, resource := range say.SortedKeys(p.resources) {
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
			has = func(n Node) bool { _, ok := taints.FindKey(n.Taints, resource); return ok }
			if !slices.ContainsFunc(c.Nodes, has) {
				continue
			}
		case most < wanted:
			lacks = append(lacks, fmt.Sprintf("no node has %s; the most is %d", name, most))
			continue
		}
		names = append(names, name)
		before := hasAll
		hasAll = func(n Node) bool { return before(n) && has(n) }
	}
	if len(names) == 0 {
		return nil, "", lacks
	}
	total := 0
	for _, s := range shares {
		nodes := slices.DeleteFunc(slices.Clone(s.Nodes), func(i int) bool { return !hasAll(c.Nodes[i]) })
		if len(nodes) > 0 {
			list, total = append(list, Share{s.Group, nodes}), total+len(nodes)
		}
	}
	all := len(slices.DeleteFunc(slices.Clone(c.Nodes), func(n Node) bool { return !hasAll(n) }))
	text = "only " + say.Have(total, "node") + " " + say.Joined(names)
	if total < all {
		text = fmt.Sprintf("only %d of the %d nodes that have %s", total, all, say.Joined(names)) +
			say.For(total, " matches", " match") + " the pod's node selector and affinity"
	}
	return list, text, lacks
}
