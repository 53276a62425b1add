// SPDX-License-Identifier: Apache-2.0

// Package cluster holds the nodes and pods of the input, and finds the nodes that
// match the pods.
package cluster

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/say"
	"github.com/seed-0529bac1/taints/kube"
)

// A Cluster is the part of the nodes and pods in the input that matters.
type Cluster struct {
	Nodes     []Node   // sorted by name after Finish
	Groups    []*Group // of the nodes, after Finish
	Pods      []*Pod
	templates []*Pod // pods that workloads would create
	Only      Filter
	Namespace string // of objects without one
	Asked     string // the name of the requested pod, in any namespace
	NodeAt    map[string]int
	PodNamed  map[PodName]*Pod
	Others    map[string]int // objects that are neither nodes, pods nor workloads, by kind
	Objects   int            // read so far

	labels   map[string]map[string]int // number of nodes by label, after Finish
	profiles map[string]*Profile
}

// A Filter selects pods.
type Filter struct {
	Namespace string          // empty: all
	Labels    labels.Selector // nil: all
}

// String returns the filter as command-line flags.
func (f Filter) String() string {
	var words []string
	if f.Namespace != "" {
		words = append(words, "-n "+f.Namespace)
	}
	if f.Labels != nil && !f.Labels.Empty() {
		words = append(words, "-l "+f.Labels.String())
	}
	return strings.Join(words, " ")
}

func (f Filter) matches(namespace string, set map[string]string) bool {
	return (f.Namespace == "" || f.Namespace == namespace) && (f.Labels == nil || f.Labels.Matches(labels.Set(set)))
}

// A Node is a node with its taints.
type Node struct {
	*corev1.Node // only with name and labels
	Taints       []taints.Taint
	Own          []taints.Taint // those of the object; Taints also has that of a cordoned node
	Cordoned     bool
	Group        *Group
	resources    []string // extended resources that are allocatable
}

// A Pod is a pod, or one that a workload would create.
type Pod struct {
	PodName
	Node     string    // empty: none
	Arrived  time.Time // when it was assigned to the node; zero: unknown
	Phase    corev1.PodPhase
	Deleting bool
	Template bool // it does not exist: a workload in the input would create it
	Owner    Owner
	*Profile

	// Of a pending pod.
	Gates     []string // scheduling gates
	Message   string   // of the scheduler
	Scheduler string   // empty: the default one
}

// A PodName is the full name of a pod.
type PodName = types.NamespacedName

// ComparePodNames compares by namespace, then by name.
func ComparePodNames(a, b PodName) int {
	return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
}

// An Owner is the controller of a pod. The zero owner means none.
type Owner struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
	// Deployment is the Deployment that owns a ReplicaSet.
	Deployment string `json:"deployment,omitempty"`
}

// ownerOf returns the controller of the pod.
func ownerOf(o *metav1.ObjectMeta) Owner {
	r := metav1.GetControllerOfNoCopy(o)
	if r == nil {
		return Owner{}
	}
	w := Owner{Kind: r.Kind, Name: r.Name}
	if hash := o.Labels["pod-template-hash"]; r.Kind == "ReplicaSet" && hash != "" {
		if name, ok := strings.CutSuffix(r.Name, "-"+hash); ok {
			w.Deployment = name
		}
	}
	return w
}

// Template returns the kind and name of the object with the pod's template.
func (o Owner) Template() (kind, name string) {
	if o.Deployment != "" {
		return "Deployment", o.Deployment
	}
	return o.Kind, o.Name
}

// OwnerName names the object with the pod's template, or the pod itself.
func (p *Pod) OwnerName() string {
	if p.Owner == (Owner{}) {
		return "Pod " + p.String()
	}
	kind, name := p.Owner.Template()
	return kind + " " + p.Namespace + "/" + name
}

// A Profile determines where a pod can run. Pods with equal profiles share one.
type Profile struct {
	Selector    map[string]string
	Required    *corev1.NodeSelector // required node affinity; nil: none
	Invalid     error                // of the required node affinity
	affinity    nodeaffinity.RequiredNodeAffinity
	Tolerations []taints.Toleration
	Matcher     *taints.Matcher
	resources   []string // extended resources that it requests
	Family      *Profile // the same, without resources and the names of nodes in the affinity
}

// New returns an empty cluster for the pods that match the filter.
func New(only Filter) *Cluster {
	return &Cluster{
		Only: only, Namespace: cmp.Or(only.Namespace, metav1.NamespaceDefault),
		NodeAt: make(map[string]int), PodNamed: make(map[PodName]*Pod), Others: make(map[string]int),
		labels: make(map[string]map[string]int), profiles: make(map[string]*Profile),
	}
}

var errNoName = errors.New("metadata.name is missing")

// ForgetNodes removes the nodes, to list them again.
func (c *Cluster) ForgetNodes() {
	c.Nodes = nil
	clear(c.NodeAt)
}

// ForgetPods removes the pods, to list them again.
func (c *Cluster) ForgetPods() {
	c.Pods = nil
	clear(c.PodNamed)
}

// AddNode adds a node.
func (c *Cluster) AddNode(n *corev1.Node) error {
	if n.Name == "" {
		return errNoName
	}
	if _, ok := c.NodeAt[n.Name]; ok {
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
	own := list
	if n.Spec.Unschedulable {
		list = withCordon(list)
	}
	c.NodeAt[n.Name] = len(c.Nodes)
	c.Nodes = append(c.Nodes, Node{
		Node:      &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: n.Name, Labels: n.Labels}},
		Taints:    list,
		Own:       own,
		Cordoned:  n.Spec.Unschedulable,
		resources: extended(n.Status.Allocatable),
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

// AddPod adds a pod if it matches the filter.
func (c *Cluster) AddPod(o *corev1.Pod) error {
	if o.Name == "" {
		return errNoName
	}
	p := &Pod{
		PodName:  PodName{Namespace: cmp.Or(o.Namespace, c.Namespace), Name: o.Name},
		Node:     o.Spec.NodeName,
		Phase:    o.Status.Phase,
		Deleting: o.DeletionTimestamp != nil,
		Owner:    ownerOf(&o.ObjectMeta),
	}
	if !c.Only.matches(p.Namespace, o.Labels) {
		return nil
	}
	if c.PodNamed[p.PodName] != nil {
		return errors.New("there are two pods with this name")
	}
	p.Profile = c.profileOf(&o.Spec, p.IsPending() || p.Name == c.Asked)
	if p.IsPending() {
		p.wait(&o.Spec)
		p.Message = scheduled(&o.Status, corev1.ConditionFalse).Message
	} else {
		p.Arrived = arrival(&o.Status)
	}
	c.PodNamed[p.PodName] = p
	c.Pods = append(c.Pods, p)
	return nil
}

// addTemplate adds the pod that a workload would create. It only counts a
// workload that creates none.
func (c *Cluster) addTemplate(kind string, o *workload) error {
	if o.Name == "" {
		return errNoName
	}
	if why := o.createsNone(kind); why != "" {
		c.Others[kind+" "+why]++
		return nil
	}
	template := &o.Spec.Template
	if kind == "CronJob" {
		template = &o.Spec.JobTemplate.Spec.Template
	}
	spec := &template.Spec
	if kind == "DaemonSet" {
		var more []string
		if spec.HostNetwork {
			more = append(more, taints.NodeNetworkUnavailable)
		}
		spec.Tolerations = kube.CoreTolerations(taints.AddDaemonSetDefaults(kube.Tolerations(spec.Tolerations), more...))
	}
	namespace := cmp.Or(o.Namespace, c.Namespace)
	if !c.Only.matches(namespace, template.Labels) {
		return nil
	}
	p := &Pod{
		PodName: PodName{Namespace: namespace, Name: strings.ToLower(kind) + "/" + o.Name}, Owner: Owner{Kind: kind, Name: o.Name},
		Template: true, Profile: c.profileOf(spec, true),
	}
	p.wait(spec)
	c.templates = append(c.templates, p)
	return nil
}

// wait sets the information about a pending pod.
func (p *Pod) wait(s *corev1.PodSpec) {
	p.Gates = say.Each(s.SchedulingGates, func(g corev1.PodSchedulingGate) string { return g.Name })
	if s.SchedulerName != corev1.DefaultSchedulerName {
		p.Scheduler = s.SchedulerName
	}
}

// Finish sorts and groups the nodes, and adds the pods of the templates from
// which no pod in the input was created.
func (c *Cluster) Finish() {
	slices.SortFunc(c.Nodes, func(a, b Node) int { return strings.Compare(a.Name, b.Name) })
	for i := range c.Nodes {
		c.NodeAt[c.Nodes[i].Name] = i
	}
	c.group()
	made := make(map[string]bool)
	for _, p := range c.Pods {
		made[p.OwnerName()] = true
	}
	for _, p := range c.templates {
		if !made[p.OwnerName()] {
			c.PodNamed[p.PodName] = p
			c.Pods = append(c.Pods, p)
		}
	}
	c.templates = nil
}

// profileOf returns the profile of the pod's spec. It keeps the nodes that an
// affinity names, as the DaemonSet controller does, only if withNames is set.
// Otherwise there would be a profile for each pod.
func (c *Cluster) profileOf(s *corev1.PodSpec, withNames bool) *Profile {
	var required *corev1.NodeSelector
	if s.Affinity != nil && s.Affinity.NodeAffinity != nil {
		required = s.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	}
	if _, pinned := namedNodes(required); pinned && !withNames {
		required = withoutNames(required)
	}
	var requested []string
	if withNames {
		for _, container := range slices.Concat(s.InitContainers, s.Containers) {
			requested = slices.Concat(requested, extended(container.Resources.Requests), extended(container.Resources.Limits))
		}
		slices.Sort(requested)
	}
	return c.profile(s.NodeSelector, required, s.Tolerations, slices.Compact(requested))
}

// extended returns the extended resources of the list, sorted.
func extended(list corev1.ResourceList) []string {
	var names []string
	for name, quantity := range list {
		s := string(name)
		if strings.Contains(s, "/") && !strings.Contains(s, "kubernetes.io/") && !strings.HasPrefix(s, "requests.") && !quantity.IsZero() {
			names = append(names, s)
		}
	}
	slices.Sort(names)
	return names
}

// profile returns the profile that equal pods share.
func (c *Cluster) profile(
	selector map[string]string, required *corev1.NodeSelector, list []corev1.Toleration, resources []string,
) *Profile {
	o := corev1.Pod{Spec: corev1.PodSpec{NodeSelector: selector, Tolerations: list}}
	if required != nil {
		o.Spec.Affinity = &corev1.Affinity{
			NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: required},
		}
	}
	spec, _ := o.Spec.Marshal() // never fails for a spec
	key := string(spec) + "\x00" + strings.Join(resources, "\x00")
	if p, ok := c.profiles[key]; ok {
		return p
	}
	p := &Profile{
		Selector: selector, Required: required, affinity: nodeaffinity.GetRequiredNodeAffinity(&o),
		Tolerations: kube.Tolerations(list), resources: resources,
	}
	if required != nil {
		_, p.Invalid = nodeaffinity.NewNodeSelector(required)
	}
	c.profiles[key] = p
	if _, pinned := namedNodes(required); pinned {
		p.Family = c.profile(selector, withoutNames(required), list, nil)
	} else if len(resources) > 0 {
		p.Family = c.profile(selector, required, list, nil)
	} else {
		p.Family, p.Matcher = p, taints.Compile(p.Tolerations)
	}
	p.Matcher = p.Family.Matcher
	return p
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
		r.NodeSelectorTerms = append(r.NodeSelectorTerms, corev1.NodeSelectorTerm{MatchExpressions: term.MatchExpressions})
	}
	return r
}

// arrival returns when a pod was scheduled to its node or, if that is not known,
// when the kubelet accepted it. It is zero if neither is known.
func arrival(s *corev1.PodStatus) time.Time {
	if c := scheduled(s, corev1.ConditionTrue); !c.LastTransitionTime.IsZero() {
		return c.LastTransitionTime.Time
	}
	if s.StartTime != nil {
		return s.StartTime.Time
	}
	return time.Time{}
}

// scheduled returns the condition PodScheduled if it has the status, or else none.
func scheduled(s *corev1.PodStatus, status corev1.ConditionStatus) corev1.PodCondition {
	for _, c := range s.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == status {
			return c
		}
	}
	return corev1.PodCondition{}
}

// IsPending reports whether the pod is waiting for a node.
func (p *Pod) IsPending() bool {
	return p.Node == "" && (p.Phase == corev1.PodPending || p.Phase == "") && !p.Deleting
}

// IsFinished reports whether the pod has finished and cannot be evicted.
func (p *Pod) IsFinished() bool { return p.Phase == corev1.PodSucceeded || p.Phase == corev1.PodFailed }

// Find returns the full name of the pod. A name without a namespace means the
// default namespace or, if that has no such pod, the only pod with this name. The
// name of a workload means one of its pods, if possible a pending one.
func (c *Cluster) Find(name, namespace string) (PodName, error) {
	full := PodName{Namespace: cmp.Or(namespace, c.Namespace), Name: name}
	if c.PodNamed[full] != nil {
		return full, nil
	}
	var found, longer []string
	var made []PodName // from the workload
	for _, p := range c.Pods {
		kind, owner := p.Owner.Template()
		switch {
		case p.Namespace == full.Namespace && !p.Template && strings.ToLower(kind)+"/"+owner == name:
			made = append(made, p.PodName)
			if p.IsPending() {
				return p.PodName, nil
			}
		case namespace != "" && p.Namespace != namespace:
		case p.Name == name, p.Template && p.Owner.Name == name:
			full = p.PodName
			found = append(found, p.Namespace)
		case strings.HasPrefix(p.Name, name):
			longer = append(longer, p.String())
		}
	}
	switch {
	case len(made) > 0:
		return made[0], nil
	case len(found) == 1:
		return full, nil
	case len(found) > 1:
		slices.Sort(found)
		return full, fmt.Errorf("namespaces %s have a pod %s; use -n to choose one", say.Joined(found), name)
	}
	text := "pod " + name + " not found"
	if filter := c.Only.String(); filter != "" {
		text += " with " + filter
	}
	if len(longer) > 0 {
		slices.Sort(longer)
		text += "; did you mean " + strings.Join(longer[:min(len(longer), 3)], ", ") + "?"
	}
	return full, errors.New(text)
}

// WhyNoPods returns the reason why there are no pods, or "" if there are pods.
func (c *Cluster) WhyNoPods() string {
	switch {
	case len(c.Pods) > 0:
		return ""
	case c.Only.String() != "":
		return "no pods match " + c.Only.String()
	}
	return "there are no pods"
}
