// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"iter"
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

// A Chooser finds the nodes that match node selectors and required node
// affinities.
type Chooser struct {
	Cluster *Cluster
	Groups  []*Group
	labels  map[string]map[string][]int // the nodes by label, sorted by name; nil until needed
	all     []Share                     // of all nodes; nil until needed
}

// Choose returns the shares that match the profile, in the order of the groups.
// Callers must not change them.
func (c *Chooser) Choose(p *Profile) []Share {
	if len(p.Selector) == 0 && p.Required == nil {
		if c.all == nil {
			for _, g := range c.Groups {
				c.all = append(c.all, Share{g, g.Nodes})
			}
		}
		return c.all
	}
	var shares []Share
	matching := make(map[*Group][]int)
	for i := range c.candidates(p) {
		n := &c.Cluster.Nodes[i]
		if ok, err := p.affinity.Match(n.Node); ok && err == nil {
			matching[n.Group] = append(matching[n.Group], i)
		}
	}
	for _, g := range c.Groups {
		if nodes := matching[g]; len(nodes) > 0 {
			shares = append(shares, Share{g, nodes})
		}
	}
	return shares
}

// Matching returns the number of matching nodes in each group.
func (c *Chooser) Matching(p *Profile) map[*Group]int {
	nodes := make(map[*Group]int)
	for _, s := range c.Choose(p) {
		nodes[s.Group] = len(s.Nodes)
	}
	return nodes
}

// candidates returns a small set of nodes, sorted by name, that includes all
// nodes that match the profile.
func (c *Chooser) candidates(p *Profile) iter.Seq[int] {
	if names, pinned := namedNodes(p.Required); pinned {
		var nodes []int
		for _, name := range names {
			if i, ok := c.Cluster.NodeAt[name]; ok {
				nodes = append(nodes, i)
			}
		}
		slices.Sort(nodes)
		return slices.Values(slices.Compact(nodes))
	}
	if len(p.Selector) > 0 {
		return slices.Values(c.rarest(p.Selector))
	}
	return func(yield func(int) bool) {
		for i := range c.Cluster.Nodes {
			if !yield(i) {
				return
			}
		}
	}
}

// rarest returns the nodes with the rarest label of the selector.
func (c *Chooser) rarest(selector map[string]string) []int {
	c.index()
	var fewest []int
	first := true
	for key, value := range selector {
		if nodes := c.labels[key][value]; first || len(nodes) < len(fewest) {
			fewest, first = nodes, false
		}
	}
	return fewest
}

func (c *Chooser) index() {
	if c.labels != nil {
		return
	}
	c.labels = make(map[string]map[string][]int)
	for i := range c.Cluster.Nodes {
		for key, value := range c.Cluster.Nodes[i].Labels {
			if c.labels[key] == nil {
				c.labels[key] = make(map[string][]int)
			}
			c.labels[key][value] = append(c.labels[key][value], i)
		}
	}
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
func (l SimilarLabel) String() string { return l.key + "=" + l.value }

// Missing returns the required labels that no node has, and the labels that may
// be meant instead.
func (c *Chooser) Missing(p *Profile) (absent []string, similar []SimilarLabel) {
	c.index()
	for _, r := range p.wanted() {
		hasValue := func(value string) bool { return len(c.labels[r.Key][value]) > 0 }
		if slices.ContainsFunc(r.Values, hasValue) || len(r.Values) == 0 && len(c.labels[r.Key]) > 0 {
			continue
		}
		absent = append(absent, wantedText(r))
		if list := c.similar(r); len(list) <= 3 {
			similar = append(similar, list...)
		}
	}
	return absent, similar
}

func wantedText(r corev1.NodeSelectorRequirement) string {
	if len(r.Values) == 1 {
		return r.Key + "=" + r.Values[0]
	}
	return say.RequirementText(r)
}

// similar returns the existing labels that may be meant: those with a misspelled
// value of the key, with the only value of the key, or with a misspelled key.
func (c *Chooser) similar(r corev1.NodeSelectorRequirement) []SimilarLabel {
	var list []SimilarLabel
	add := func(key, value string, isMeant bool) {
		list = append(list, SimilarLabel{key, value, len(c.labels[key][value]), isMeant})
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
			if len(r.Values) == 0 || slices.Contains(r.Values, have) {
				add(key, have, true)
				break
			}
		}
	}
	return list
}

// WithoutPrefix returns the part of the key after the slash.
func WithoutPrefix(key string) string { return key[strings.LastIndexByte(key, '/')+1:] }

// AbsentNodes returns the nodes that the affinity names, if none of them exists.
func (c *Chooser) AbsentNodes(p *Profile) []string {
	names, _ := namedNodes(p.Required)
	for _, name := range names {
		if _, ok := c.Cluster.NodeAt[name]; ok {
			return nil
		}
	}
	return names
}

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
// resources that the profile requests, and says so. A node has a resource if it
// is allocatable there or, where that is not known of any node, if a taint has
// its name. If no node has a resource, it does not matter.
func (c *Chooser) WithResources(p *Profile, shares []Share) (list []Share, text string) {
	has := func(n *Node, resource string) bool { return slices.Contains(n.resources, resource) }
	isTainted := func(n *Node, resource string) bool {
		return slices.ContainsFunc(n.Taints, func(t taints.Taint) bool { return t.Key == resource })
	}
	var names []string
	for _, resource := range p.resources {
		test := has
		any := func(n Node) bool { return test(&n, resource) }
		if !slices.ContainsFunc(c.Cluster.Nodes, any) {
			if test = isTainted; !slices.ContainsFunc(c.Cluster.Nodes, any) {
				continue
			}
		}
		names, list = append(names, resource), nil
		for _, s := range shares {
			nodes := slices.DeleteFunc(slices.Clone(s.Nodes), func(i int) bool { return !test(&c.Cluster.Nodes[i], resource) })
			if len(nodes) > 0 {
				list = append(list, Share{s.Group, nodes})
			}
		}
		shares = list
	}
	total := 0
	for _, s := range list {
		total += len(s.Nodes)
	}
	verb := " have "
	if total == 1 {
		verb = " has "
	}
	return list, "only " + say.Count(total, "node") + verb + say.Joined(names)
}
