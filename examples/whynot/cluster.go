package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-0529bac1/taints"
)

// A cluster is the input.
type cluster struct {
	nodes   []node
	pods    []pod
	nodeAt  map[string]int
	podAt   map[podName]int
	others  map[string]int // objects that are neither, by kind
	objects int            // read so far

	profiles map[string]*profile
}

type node struct {
	name   string
	labels map[string]string
	taints []taints.Taint
	group  *nodeGroup
}

type pod struct {
	podName
	node     string // empty: not placed
	phase    string
	deleting bool
	owner    owner
	unseen   []string // what the pod asks for beside node selector and tolerations
	message  string   // of the scheduler
	*profile
}

type podName struct{ namespace, name string }

func (n podName) String() string { return n.namespace + "/" + n.name }

// An owner is the controller of a pod, zero if it has none.
type owner struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
	// Deployment is the one that a ReplicaSet belongs to.
	Deployment string `json:"deployment,omitempty"`
}

// A profile is what decides where a pod can go. Pods with equal ones share it.
type profile struct {
	selector    map[string]string
	tolerations []taints.Toleration
	matcher     *taints.Matcher
}

func newCluster() *cluster {
	return &cluster{
		nodeAt:   make(map[string]int),
		podAt:    make(map[podName]int),
		others:   make(map[string]int),
		profiles: make(map[string]*profile),
	}
}

// addNode adds a node, or replaces the one of the same name.
func (c *cluster) addNode(o *object) {
	n := node{name: o.Metadata.Name, labels: o.Metadata.Labels, taints: o.Spec.Taints.list}
	if o.Spec.Unschedulable {
		n.taints = withCordon(n.taints)
	}
	if i, ok := c.nodeAt[n.name]; ok {
		c.nodes[i] = n
		return
	}
	c.nodeAt[n.name] = len(c.nodes)
	c.nodes = append(c.nodes, n)
}

// withCordon adds the taint that spec.unschedulable means to the scheduler, if it is not there.
func withCordon(list []taints.Taint) []taints.Taint {
	cordon := taints.Taint{Key: taints.NodeUnschedulable, Effect: taints.NoSchedule}
	isCordon := func(t taints.Taint) bool { return t.ID() == cordon.ID() }
	if slices.ContainsFunc(list, isCordon) {
		return list
	}
	return append(list, cordon)
}

// addPod adds a pod, or replaces the one of the same name.
func (c *cluster) addPod(o *object) {
	p := pod{
		podName:  podName{o.Metadata.Namespace, o.Metadata.Name},
		node:     o.Spec.NodeName,
		phase:    o.Status.Phase,
		deleting: bool(o.Metadata.DeletionTimestamp),
		owner:    ownerOf(&o.Metadata),
		profile:  c.profile(o.Spec.NodeSelector, o.Spec.Tolerations),
	}
	if p.namespace == "" {
		p.namespace = "default"
	}
	if p.isPending() {
		p.unseen = unseen(&o.Spec)
		p.message = schedulerMessage(&o.Status)
	}
	if i, ok := c.podAt[p.podName]; ok {
		c.pods[i] = p
		return
	}
	c.podAt[p.podName] = len(c.pods)
	c.pods = append(c.pods, p)
}

// profile returns the one that equal pods share.
func (c *cluster) profile(selector map[string]string, tolerations []taints.Toleration) *profile {
	if len(tolerations) == 0 {
		tolerations = nil
	}
	if len(selector) == 0 {
		selector = nil
	}
	key, _ := json.Marshal([]any{selector, tolerations}) // text and numbers, which always encode
	p, ok := c.profiles[string(key)]
	if !ok {
		p = &profile{selector, tolerations, taints.Compile(tolerations)}
		c.profiles[string(key)] = p
	}
	return p
}

func (c *cluster) addOther(kind string) { c.others[kind]++ }

// contents says how many objects of which kind there are.
func (c *cluster) contents() string {
	words := []string{count(len(c.nodes), "node"), count(len(c.pods), "pod")}
	if len(c.others) > 0 {
		words = append(words, ignored(c.others))
	}
	return strings.Join(words, ", ")
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

// isFinished reports whether the pod's containers are done, so that nothing is left to evict.
func (p *pod) isFinished() bool { return p.phase == "Succeeded" || p.phase == "Failed" }

func ownerOf(m *metadata) owner {
	for _, ref := range m.OwnerReferences {
		if !ref.Controller {
			continue
		}
		o := owner{Kind: ref.Kind, Name: ref.Name}
		if hash := m.Labels["pod-template-hash"]; ref.Kind == "ReplicaSet" && hash != "" {
			o.Deployment, _ = strings.CutSuffix(ref.Name, "-"+hash)
		}
		if o.Deployment == o.Name {
			o.Deployment = ""
		}
		return o
	}
	return owner{}
}

// unseen names what else the pod asks for.
func unseen(s *spec) []string {
	words := []string{}
	add := func(p present, word string) {
		if p {
			words = append(words, word)
		}
	}
	add(s.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution, "node affinity")
	add(s.Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution, "pod affinity")
	add(s.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution, "pod anti-affinity")
	add(s.TopologySpreadConstraints, "topology spread constraints")
	add(s.SchedulingGates, "scheduling gates")
	return words
}

// schedulerMessage returns why the scheduler did not place the pod, empty if it has not said.
func schedulerMessage(s *status) string {
	for _, c := range s.Conditions {
		if c.Type == "PodScheduled" && c.Status == "False" {
			return c.Message
		}
	}
	return ""
}

// count returns the number and the noun, in the plural if need be.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
