// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/kube"
)

// A cluster is the part of the nodes and pods in the input that matters.
type cluster struct {
	nodes     []node // sorted by name after finish
	pods      []pod
	templates []pod // pods that workloads would create
	only      filter
	asked     string // the name of the requested pod, in any namespace
	hidden    int    // number of pods that the filter leaves out
	nodeAt    map[string]int
	podAt     map[podName]int
	others    map[string]int // objects that are neither nodes, pods nor workloads, by kind
	objects   int            // read so far

	profiles map[string]*profile
	matchers map[string]*taints.Matcher
}

// A filter selects pods.
type filter struct {
	namespace string          // empty: all
	labels    labels.Selector // nil: all
}

// String returns the filter as command-line flags.
func (f filter) String() string {
	var words []string
	if f.namespace != "" {
		words = append(words, "-n "+f.namespace)
	}
	if f.labels != nil && !f.labels.Empty() {
		words = append(words, "-l "+f.labels.String())
	}
	return strings.Join(words, " ")
}

func (f filter) matches(namespace string, set map[string]string) bool {
	return (f.namespace == "" || f.namespace == namespace) && (f.labels == nil || f.labels.Matches(labels.Set(set)))
}

type node struct {
	*corev1.Node // only with name, labels and creation time
	taints       []taints.Taint
	group        *nodeGroup
}

type pod struct {
	podName
	node     string    // empty: none
	arrived  time.Time // when it was assigned to the node; zero: unknown
	phase    corev1.PodPhase
	deleting bool
	template bool // it does not exist: a workload in the input would create it
	owner    owner
	*waiting // nil unless it is pending
	*profile
}

// waiting is the information about a pod without a node.
type waiting struct {
	gated     bool
	unseen    []string // rules that are not evaluated
	message   string   // of the scheduler
	scheduler string   // empty: the default one
}

type podName struct{ namespace, name string }

// String returns namespace/name.
func (n podName) String() string { return n.namespace + "/" + n.name }

func comparePodNames(a, b podName) int {
	return cmp.Or(strings.Compare(a.namespace, b.namespace), strings.Compare(a.name, b.name))
}

// A profile determines where a pod can run. Pods with equal profiles share one.
type profile struct {
	selector    map[string]string
	required    *corev1.NodeSelector // required node affinity; nil: none
	invalid     error                // of the required node affinity
	affinity    nodeaffinity.RequiredNodeAffinity
	tolerations []taints.Toleration
	matcher     *taints.Matcher
	own         *ownTolerations // nil until needed
	family      *profile        // the same, without the names of nodes in the affinity
}

func newCluster(only filter) *cluster {
	return &cluster{
		only:     only,
		nodeAt:   make(map[string]int),
		podAt:    make(map[podName]int),
		others:   make(map[string]int),
		profiles: make(map[string]*profile),
		matchers: make(map[string]*taints.Matcher),
	}
}

var errNoName = errors.New("metadata.name is missing")

func (c *cluster) addNode(n *corev1.Node) error {
	if n.Name == "" {
		return errNoName
	}
	if _, ok := c.nodeAt[n.Name]; ok {
		return errors.New("there are two nodes with this name")
	}
	list := kube.Taints(n.Spec.Taints)
	for i := range list {
		if at := list[i].TimeAdded; at != nil {
			if *at = at.UTC(); at.Year() > 9999 {
				return fmt.Errorf("spec.taints[%d].timeAdded is after the year 9999", i)
			}
		}
	}
	if n.Spec.Unschedulable {
		list = withCordon(list)
	}
	c.nodeAt[n.Name] = len(c.nodes)
	c.nodes = append(c.nodes, node{
		Node: &corev1.Node{ObjectMeta: metav1.ObjectMeta{
			Name: n.Name, Labels: n.Labels, CreationTimestamp: n.CreationTimestamp,
		}},
		taints: list,
	})
	return nil
}

// withCordon adds the taint with which the scheduler represents a cordoned node.
// It has no value.
func withCordon(list []taints.Taint) []taints.Taint {
	cordon := taints.Taint{Key: taints.NodeUnschedulable, Effect: taints.NoSchedule}
	if i, found := taints.FindTaint(list, cordon.ID()); found && list[i].Value == "" {
		return list
	}
	return append(list, cordon)
}

// addPod adds a pod if it matches the filter.
func (c *cluster) addPod(o *corev1.Pod) error {
	if o.Name == "" {
		return errNoName
	}
	p := pod{
		podName:  podName{cmp.Or(o.Namespace, metav1.NamespaceDefault), o.Name},
		node:     o.Spec.NodeName,
		phase:    o.Status.Phase,
		deleting: o.DeletionTimestamp != nil,
		owner:    ownerOf(&o.ObjectMeta),
	}
	if !c.only.matches(p.namespace, o.Labels) {
		c.hidden++
		return nil
	}
	if _, ok := c.podAt[p.podName]; ok {
		return errors.New("there are two pods with this name")
	}
	p.profile = c.profileOf(&o.Spec, p.isPending() || p.name == c.asked)
	if p.isPending() {
		p.waiting = waitingOf(&o.Spec, schedulerMessage(&o.Status))
	} else {
		p.arrived = arrival(&o.Status)
	}
	c.podAt[p.podName] = len(c.pods)
	c.pods = append(c.pods, p)
	return nil
}

// addTemplate adds the pod that a workload would create.
func (c *cluster) addTemplate(kind string, o *metav1.ObjectMeta, template *corev1.PodTemplateSpec) error {
	if o.Name == "" {
		return errNoName
	}
	spec := &template.Spec
	if kind == "DaemonSet" {
		spec = spec.DeepCopy()
		daemon := taints.DaemonSetPod{HostNetwork: spec.HostNetwork}
		spec.Tolerations = kube.CoreTolerations(taints.AddDaemonSetDefaults(kube.Tolerations(spec.Tolerations), daemon))
	}
	namespace := cmp.Or(o.Namespace, c.only.namespace, metav1.NamespaceDefault)
	if !c.only.matches(namespace, template.Labels) {
		c.hidden++
		return nil
	}
	c.templates = append(c.templates, pod{
		podName:  podName{namespace, strings.ToLower(kind) + "/" + o.Name},
		owner:    owner{kind, o.Name, ""},
		template: true,
		profile:  c.profileOf(spec, true),
		waiting:  waitingOf(spec, ""),
	})
	return nil
}

func waitingOf(s *corev1.PodSpec, message string) *waiting {
	w := &waiting{gated: len(s.SchedulingGates) > 0, unseen: notEvaluatedOf(s), message: message}
	if s.SchedulerName != corev1.DefaultSchedulerName {
		w.scheduler = s.SchedulerName
	}
	return w
}

// finish sorts the nodes, and adds the pods of the templates from which no pod
// in the input was created.
func (c *cluster) finish() {
	slices.SortFunc(c.nodes, func(a, b node) int { return strings.Compare(a.Name, b.Name) })
	for i := range c.nodes {
		c.nodeAt[c.nodes[i].Name] = i
	}
	made := make(map[string]bool)
	for i := range c.pods {
		made[c.pods[i].ownerName()] = true
	}
	for _, p := range c.templates {
		if !made[p.ownerName()] {
			c.podAt[p.podName] = len(c.pods)
			c.pods = append(c.pods, p)
		}
	}
	c.templates = nil
}

// profileOf returns the profile of the pod's spec. It keeps the nodes that an
// affinity names, as the DaemonSet controller does, only if withNames is set.
// Otherwise there would be a profile for each pod.
func (c *cluster) profileOf(s *corev1.PodSpec, withNames bool) *profile {
	var required *corev1.NodeSelector
	if s.Affinity != nil && s.Affinity.NodeAffinity != nil {
		required = s.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	}
	if _, pinned := namedNodes(required); pinned && !withNames {
		required = withoutNames(required)
	}
	return c.profile(s.NodeSelector, required, s.Tolerations)
}

// profile returns the profile that equal pods share.
func (c *cluster) profile(selector map[string]string, required *corev1.NodeSelector, list []corev1.Toleration) *profile {
	o := corev1.Pod{Spec: corev1.PodSpec{NodeSelector: selector, Tolerations: list}}
	tolerationsKey := keyOf(&o.Spec)
	if required != nil {
		o.Spec.Affinity = &corev1.Affinity{
			NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: required},
		}
	}
	key := keyOf(&o.Spec)
	if p, ok := c.profiles[key]; ok {
		return p
	}
	p := &profile{
		selector: selector, required: required, affinity: nodeaffinity.GetRequiredNodeAffinity(&o),
		tolerations: kube.Tolerations(list), matcher: c.matchers[tolerationsKey],
	}
	if required != nil {
		_, p.invalid = nodeaffinity.NewNodeSelector(required)
	}
	if p.matcher == nil {
		p.matcher = taints.Compile(p.tolerations)
		c.matchers[tolerationsKey] = p.matcher
	}
	c.profiles[key] = p
	p.family = p
	if _, pinned := namedNodes(required); pinned {
		p.family = c.profile(selector, withoutNames(required), list)
	}
	return p
}

// keyOf returns a text that is equal only for equal specs.
func keyOf(s *corev1.PodSpec) string {
	b, _ := s.Marshal() // never fails for a spec
	return string(b)
}

// namedNodes returns the nodes that the terms of the affinity name. It reports
// whether each term names nodes.
func namedNodes(required *corev1.NodeSelector) (names []string, all bool) {
	if required == nil || len(required.NodeSelectorTerms) == 0 {
		return nil, false
	}
	for _, term := range required.NodeSelectorTerms {
		i := slices.IndexFunc(term.MatchFields, func(r corev1.NodeSelectorRequirement) bool {
			return r.Key == metav1.ObjectNameField && r.Operator == corev1.NodeSelectorOpIn
		})
		if i < 0 {
			return nil, false
		}
		names = append(names, term.MatchFields[i].Values...)
	}
	return names, true
}

// withoutNames returns the affinity without the nodes that its terms name, or
// nil if a term has no other requirements.
func withoutNames(required *corev1.NodeSelector) *corev1.NodeSelector {
	r := &corev1.NodeSelector{}
	for _, term := range required.NodeSelectorTerms {
		if len(term.MatchExpressions) == 0 {
			return nil
		}
		r.NodeSelectorTerms = append(r.NodeSelectorTerms,
			corev1.NodeSelectorTerm{MatchExpressions: term.MatchExpressions})
	}
	return r
}

// arrival returns when a pod was scheduled to its node or, if that is not known,
// when the kubelet accepted it. It is zero if neither is known.
func arrival(s *corev1.PodStatus) time.Time {
	for _, condition := range s.Conditions {
		isScheduled := condition.Type == corev1.PodScheduled && condition.Status == corev1.ConditionTrue
		if isScheduled && !condition.LastTransitionTime.IsZero() {
			return condition.LastTransitionTime.Time
		}
	}
	if s.StartTime != nil {
		return s.StartTime.Time
	}
	return time.Time{}
}

// schedulerMessage returns the scheduler's reason for not placing the pod.
func schedulerMessage(s *corev1.PodStatus) string {
	for _, condition := range s.Conditions {
		if condition.Type == corev1.PodScheduled && condition.Status == corev1.ConditionFalse {
			return condition.Message
		}
	}
	return ""
}

// isPending reports whether the pod is waiting for a node.
func (p *pod) isPending() bool {
	return p.node == "" && (p.phase == corev1.PodPending || p.phase == "") && !p.deleting
}

// isFinished reports whether the pod has finished and cannot be evicted.
func (p *pod) isFinished() bool { return p.phase == corev1.PodSucceeded || p.phase == corev1.PodFailed }

// contents describes the number of objects in the input.
func (c *cluster) contents() string {
	words := []string{count(len(c.nodes), "node"), count(len(c.pods)+len(c.templates), "pod")}
	for _, kind := range slices.Sorted(maps.Keys(c.others)) {
		words = append(words, fmt.Sprintf("%d %s", c.others[kind], kind))
	}
	return strings.Join(firstOf(words, 5), ", ")
}

// find returns the full name of the pod. A name without a namespace means the
// default namespace or, if that has no such pod, the only pod with this name.
func (c *cluster) find(name, namespace string) (podName, error) {
	full := podName{cmp.Or(namespace, metav1.NamespaceDefault), name}
	if _, ok := c.podAt[full]; ok {
		return full, nil
	}
	var found, similar []string
	for i := range c.pods {
		p := &c.pods[i]
		switch {
		case namespace != "" && p.namespace != namespace:
		case p.name == name, p.template && p.owner.Name == name:
			full = p.podName
			found = append(found, p.namespace)
		case isSimilar(name, p.name):
			similar = append(similar, p.String())
		}
	}
	switch {
	case len(found) == 1:
		return full, nil
	case len(found) > 1:
		slices.Sort(found)
		return full, fmt.Errorf("namespaces %s have a pod %s; use -n to choose one", joined(found), name)
	}
	text := "pod " + name + " not found"
	if filter := c.only.String(); filter != "" {
		text += " with " + filter
	}
	if len(similar) > 0 {
		slices.Sort(similar)
		text += "; did you mean " + strings.Join(similar[:min(len(similar), 3)], ", ") + "?"
	}
	return full, errors.New(text)
}

// isSimilar reports whether the names are similar, or have the same beginning up
// to the suffix that distinguishes the pods of an owner.
func isSimilar(want, have string) bool {
	family := func(name string) string { return name[:strings.LastIndexByte(name, '-')+1] }
	_, isClose := misspelling(want, have)
	return isClose || strings.HasPrefix(have, want) || family(want) != "" && family(want) == family(have)
}
