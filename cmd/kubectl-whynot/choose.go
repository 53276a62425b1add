// SPDX-License-Identifier: Apache-2.0

package main

import (
	"iter"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// A share is the part of a group of nodes that matches a profile.
type share struct {
	group *nodeGroup
	nodes []int // not empty, sorted by name
}

// A chooser finds the nodes that match node selectors and required node
// affinities.
type chooser struct {
	cluster *cluster
	groups  []*nodeGroup
	labels  map[string]map[string][]int // the nodes by label, sorted by name; nil until needed
	all     []share                     // of all nodes; nil until needed
}

// choose returns the shares that match the profile, in the order of the groups.
// Callers must not change them.
func (c *chooser) choose(p *profile) []share {
	if len(p.selector) == 0 && p.required == nil {
		if c.all == nil {
			for _, g := range c.groups {
				c.all = append(c.all, share{g, g.nodes})
			}
		}
		return c.all
	}
	var shares []share
	matching := make(map[*nodeGroup][]int)
	for i := range c.candidates(p) {
		n := &c.cluster.nodes[i]
		if ok, err := p.affinity.Match(n.Node); ok && err == nil {
			matching[n.group] = append(matching[n.group], i)
		}
	}
	for _, g := range c.groups {
		if nodes := matching[g]; len(nodes) > 0 {
			shares = append(shares, share{g, nodes})
		}
	}
	return shares
}

// matching returns the number of matching nodes in each group.
func (c *chooser) matching(p *profile) map[*nodeGroup]int {
	nodes := make(map[*nodeGroup]int)
	for _, s := range c.choose(p) {
		nodes[s.group] = len(s.nodes)
	}
	return nodes
}

// candidates returns a small set of nodes, sorted by name, that includes all
// nodes that match the profile.
func (c *chooser) candidates(p *profile) iter.Seq[int] {
	if names, pinned := namedNodes(p.required); pinned {
		var nodes []int
		for _, name := range names {
			if i, ok := c.cluster.nodeAt[name]; ok {
				nodes = append(nodes, i)
			}
		}
		slices.Sort(nodes)
		return slices.Values(slices.Compact(nodes))
	}
	if len(p.selector) > 0 {
		return slices.Values(c.rarest(p.selector))
	}
	return func(yield func(int) bool) {
		for i := range c.cluster.nodes {
			if !yield(i) {
				return
			}
		}
	}
}

// rarest returns the nodes with the rarest label of the selector.
func (c *chooser) rarest(selector map[string]string) []int {
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

func (c *chooser) index() {
	if c.labels != nil {
		return
	}
	c.labels = make(map[string]map[string][]int)
	for i := range c.cluster.nodes {
		for key, value := range c.cluster.nodes[i].Labels {
			if c.labels[key] == nil {
				c.labels[key] = make(map[string][]int)
			}
			c.labels[key][value] = append(c.labels[key][value], i)
		}
	}
}

// wanted returns the labels that the profile requires: those of its node
// selector and those of an affinity that has only one term.
func (p *profile) wanted() []corev1.NodeSelectorRequirement {
	var list []corev1.NodeSelectorRequirement
	for _, key := range sortedKeys(p.selector) {
		list = append(list, corev1.NodeSelectorRequirement{
			Key: key, Operator: corev1.NodeSelectorOpIn, Values: []string{p.selector[key]},
		})
	}
	if p.required != nil && len(p.required.NodeSelectorTerms) == 1 {
		for _, r := range p.required.NodeSelectorTerms[0].MatchExpressions {
			if r.Operator == corev1.NodeSelectorOpIn || r.Operator == corev1.NodeSelectorOpExists {
				list = append(list, r)
			}
		}
	}
	return list
}

// A similarLabel is an existing label that a missing one may have been meant to be.
type similarLabel struct {
	key, value string
	nodes      int
}

// String returns key=value.
func (l similarLabel) String() string { return l.key + "=" + l.value }

// missing returns the required labels that no node has, and the labels that may
// be meant instead.
func (c *chooser) missing(p *profile) (absent []string, similar []similarLabel) {
	c.index()
	for _, r := range p.wanted() {
		hasValue := func(value string) bool { return len(c.labels[r.Key][value]) > 0 }
		if slices.ContainsFunc(r.Values, hasValue) || len(r.Values) == 0 && len(c.labels[r.Key]) > 0 {
			continue
		}
		absent = append(absent, wantedText(r))
		if key, value, ok := c.similar(r); ok {
			similar = append(similar, similarLabel{key, value, len(c.labels[key][value])})
		}
	}
	return absent, similar
}

func wantedText(r corev1.NodeSelectorRequirement) string {
	if len(r.Values) == 1 {
		return r.Key + "=" + r.Values[0]
	}
	return requirementText(r)
}

// similar returns an existing label that may be meant: one with a similar value
// of the key, with the only value of the key, or with a similar key.
func (c *chooser) similar(r corev1.NodeSelectorRequirement) (key, value string, ok bool) {
	least := 0
	for _, have := range sortedKeys(c.labels[r.Key]) {
		for _, want := range r.Values {
			if d, close := misspelling(want, have); close && (!ok || d < least) {
				value, least, ok = have, d, true
			}
		}
	}
	if ok {
		return r.Key, value, true
	}
	if values := sortedKeys(c.labels[r.Key]); len(values) == 1 {
		return r.Key, values[0], true
	}
	for _, key := range sortedKeys(c.labels) {
		_, isClose := misspelling(r.Key, key)
		if key == r.Key || !isClose && withoutPrefix(key) != withoutPrefix(r.Key) {
			continue
		}
		for _, have := range sortedKeys(c.labels[key]) {
			if len(r.Values) == 0 || slices.Contains(r.Values, have) {
				return key, have, true
			}
		}
	}
	return "", "", false
}

// withoutPrefix returns the part of the key after the slash.
func withoutPrefix(key string) string { return key[strings.LastIndexByte(key, '/')+1:] }

// absentNodes returns the nodes that the affinity names, if none of them exists.
func (c *chooser) absentNodes(p *profile) []string {
	names, _ := namedNodes(p.required)
	for _, name := range names {
		if _, ok := c.cluster.nodeAt[name]; ok {
			return nil
		}
	}
	return names
}
