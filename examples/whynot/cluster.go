// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/examples/internal/labels"
)

// A cluster is the input.
type cluster struct {
	nodes   []node // in order of name, once all is read
	pods    []pod
	only    filter
	asked   string // the name of the pod that the question is about, in any namespace
	hidden  int    // pods that the filter keeps out
	nodeAt  map[string]int
	podAt   map[podName]int
	others  map[string]int // objects that are neither, by kind
	objects int            // read so far

	profiles map[string]*profile
	matchers map[string]*taints.Matcher
	texts    map[string]string   // one of each, which all share
	raw      map[string]*profile // by what the JSON says
	lists    map[string][]taints.Toleration
	owners   map[owner]*owner
}

type node struct {
	name   string
	labels map[string]string
	taints []taints.Taint
	group  *nodeGroup
}

type pod struct {
	podName
	node     string    // empty: not placed
	arrived  time.Time // when it came to the node; zero: not known
	phase    string
	deleting bool
	owner    *owner // nil: none
	*waiting        // nil unless it is pending
	*profile
}

// waiting is what counts for a pod that waits for the scheduler.
type waiting struct {
	gated   bool     // by scheduling gates
	unseen  []string // what it asks for that is not evaluated here
	message string   // of the scheduler
}

type podName struct{ namespace, name string }

// String returns namespace/name.
func (n podName) String() string { return n.namespace + "/" + n.name }

// An owner is the controller of a pod.
type owner struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
	// Deployment is the one that a ReplicaSet belongs to.
	Deployment string `json:"deployment,omitempty"`
}

// template returns the kind and name of the object that has the pod's template.
func (o *owner) template() (kind, name string) {
	if o.Deployment != "" {
		return "Deployment", o.Deployment
	}
	return o.Kind, o.Name
}

// A profile is what decides where a pod can go. Pods with equal ones share it.
type profile struct {
	selector    map[string]string
	affinity    labels.Terms // required; nil: none
	tolerations []taints.Toleration
	matcher     *taints.Matcher
	family      *profile // the same without the only nodes that the affinity names; itself where it names none
}

// newCluster returns one for the nodes and pods that the filter lets through.
func newCluster(only filter) *cluster {
	return &cluster{
		only:     only,
		nodeAt:   make(map[string]int),
		podAt:    make(map[podName]int),
		others:   make(map[string]int),
		profiles: make(map[string]*profile),
		matchers: make(map[string]*taints.Matcher),
		texts:    make(map[string]string),
		raw:      make(map[string]*profile),
		lists:    make(map[string][]taints.Toleration),
		owners:   make(map[owner]*owner),
	}
}

// addNode adds a node, or replaces the one of the same name.
func (c *cluster) addNode(n node) { c.nodes = put(c.nodes, c.nodeAt, n.name, n) }

// addPod adds a pod, or replaces the one of the same name.
func (c *cluster) addPod(p pod) { c.pods = put(c.pods, c.podAt, p.podName, p) }

// put returns the list with v, in place of what has the same name, if anything.
func put[K comparable, V any](list []V, at map[K]int, name K, v V) []V {
	if i, ok := at[name]; ok {
		list[i] = v
		return list
	}
	at[name] = len(list)
	return append(list, v)
}

// finish brings the nodes in order and forgets what is only needed while reading.
func (c *cluster) finish() {
	slices.SortFunc(c.nodes, func(a, b node) int { return strings.Compare(a.name, b.name) })
	for i := range c.nodes {
		c.nodeAt[c.nodes[i].name] = i
	}
	c.texts, c.raw, c.lists, c.owners = nil, nil, nil, nil
}

// text returns the bytes as a string that equal ones share.
func (c *cluster) text(b []byte) string {
	if s, ok := c.texts[string(b)]; ok {
		return s
	}
	s := string(b)
	c.texts[s] = s
	return s
}

// profile returns the one that equal pods share.
func (c *cluster) profile(selector map[string]string, affinity labels.Terms, tolerations []taints.Toleration) *profile {
	if len(selector) == 0 {
		selector = nil
	}
	if len(tolerations) == 0 {
		tolerations = nil
	}
	key := keyOf(selector, affinity, tolerations)
	p, ok := c.profiles[key]
	if ok {
		return p
	}
	p = &profile{selector: selector, affinity: affinity, tolerations: tolerations, matcher: c.matcher(tolerations)}
	c.profiles[key] = p
	p.family = p
	if names, isPinned := affinity.Names(); isPinned && len(names) > 0 {
		p.family = c.profile(selector, affinity.WithoutFields(), tolerations)
	}
	return p
}

// keyOf returns a text that is equal for equal values only, which are such that
// they always encode.
func keyOf(values ...any) string {
	key, _ := json.Marshal(values)
	return string(key)
}

// matcher returns the one that pods with equal tolerations share.
func (c *cluster) matcher(tolerations []taints.Toleration) *taints.Matcher {
	key := keyOf(tolerations)
	m, ok := c.matchers[key]
	if !ok {
		m = taints.Compile(tolerations)
		c.matchers[key] = m
	}
	return m
}

// contents says how many objects of which kind there are.
func (c *cluster) contents() string {
	words := []string{count(len(c.nodes), "node"), count(len(c.pods), "pod")}
	if len(c.others) > 0 {
		words = append(words, ignored(c.others))
	}
	return strings.Join(words, ", ")
}

// whyNoPods says why there are no pods, without a full stop, empty if there are.
func (c *cluster) whyNoPods(input string) string {
	switch {
	case len(c.pods) > 0:
		return ""
	case input == inputCluster && c.only.String() != "":
		return "No pod of the cluster matches " + c.only.String()
	case c.hidden == 1:
		return "The only pod in the input does not match " + c.only.String()
	case c.hidden > 1:
		return fmt.Sprintf("None of the %d pods in the input matches %s", c.hidden, c.only)
	}
	return "There are no pods in the input"
}

// ignored names the kinds of the objects that are neither nodes nor pods.
func ignored(others map[string]int) string {
	total := 0
	var kinds []string
	for _, kind := range slices.Sorted(maps.Keys(others)) {
		total += others[kind]
		kinds = append(kinds, fmt.Sprintf("%d %s", others[kind], kind))
	}
	if len(kinds) > 5 {
		kinds = append(kinds[:5], "…")
	}
	return fmt.Sprintf("%s ignored (%s)", count(total, "other object"), strings.Join(kinds, ", "))
}

// isPending reports whether the pod waits for the scheduler.
func (p *pod) isPending() bool {
	return p.node == "" && (p.phase == "Pending" || p.phase == "") && !p.deleting
}

// isFinished reports whether the pod's containers are done, so that nothing is
// left to evict.
func (p *pod) isFinished() bool { return p.phase == "Succeeded" || p.phase == "Failed" }

// count returns the number and the noun, in the plural if need be.
func count(n int, noun string) string {
	return plural(n, noun, noun+"s")
}

// plural returns the number and what it is of.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
