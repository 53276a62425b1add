// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/lists"
	"github.com/seed-0529bac1/taints/cmd/internal/managers"
	"github.com/seed-0529bac1/taints/cmd/internal/names"
	"github.com/seed-0529bac1/taints/cmd/internal/purpose"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/kube"
	"github.com/seed-0529bac1/taints/lifecycle"
)

// Deleted returns those of the nodes that are deleted, or whose Machine or NodeClaim is, or
// the others.
func (c *Cluster) Deleted(nodes []int, isDeleted bool) []int {
	return slices.DeleteFunc(slices.Clone(nodes), func(i int) bool { return isDeleted != (c.Nodes[i].Deleted != nil) })
}

// setMachines sets what the Machine or NodeClaim of the node says of it.
func (n *Node) setMachines(list []*provisioner) {
	isToRepair := func(c metav1.Condition) bool {
		return (c.Type == "HealthCheckSucceeded" || c.Type == "OwnerRemediated") && c.Status == metav1.ConditionFalse
	}
	for _, m := range list {
		switch n.Machine = m.name; {
		case m.DeletionTimestamp != nil:
			n.Hold.Add(m.name + " has it, and is being deleted")
			if n.Deleted == nil {
				n.Deleted, n.Maker, n.Holdup = &m.DeletionTimestamp.Time, m.name, m.holdup()
			}
		case slices.ContainsFunc(m.Status.Conditions, isToRepair):
			n.Hold.Add(m.name + " has it, and waits for its repair")
		}
	}
}

// holdFor notes a pod that runs on a cordoned node and has its name in its own, as that of a Job
// that upgrades the node, or of kubectl debug.
func (c *Cluster) holdFor(p *Pod) {
	i, isKnown := c.NodeAt[p.Node]
	isOfNode := p.Owner.Kind == "Job" || *p.Owner == (Owner{})
	if isKnown && c.Nodes[i].IsCordoned && isOfNode && !p.IsFinished() && strings.Contains("-"+p.Name+"-", "-"+p.Node+"-") {
		c.Nodes[i].Hold.Add("pod " + p.String() + " runs for it")
	}
}

// A Node is a node with its taints. Those of its state have that of a cordon, after Finish.
type Node struct {
	*corev1.Node // only with name, labels and the time it was made
	purpose.NodeState
	Own        []taints.Taint
	Group      *Group           // after Finish
	Machine    string           // or NodeClaim that it is of; empty: not known
	Says       string           // what a condition says of why it is not ready, or has no network
	Holdup     string           // what its Machine, which is deleted, says of that
	cordonedAt time.Time        // zero: not known
	resources  map[string]int64 // allocatable extended resources, also of 0
	homeOf     []*Profile       // what findHomes finds
	pools      []member         // without a taint, after Finish
	conditions []lifecycle.Condition
	inferred   bool // the conditions are
	noneReady  bool // neither this node nor another one is, after Finish
}

// IsForeign reports whether the node does not run what is made for Linux, or for Windows, or
// has no kubelet of its own.
func (n *Node) IsForeign(forWindows bool) bool {
	return n.IsVirtual() || n.Labels[corev1.LabelOSStable] == "windows" && !forWindows
}

// Offers reports whether the node has some of the extended resource.
func (n *Node) Offers(resource string) bool { return n.resources[resource] > 0 }

// IsVirtual reports whether something else than a kubelet acts for the node.
func (n *Node) IsVirtual() bool {
	isVirtual := func(t taints.Taint) bool {
		return strings.Contains(t.Key, "virtual-kubelet") || strings.Contains(t.Key, "virtual-node") || purpose.StateOf(t) == purpose.Virtual
	}
	return n.Labels["type"] == "virtual-kubelet" || n.Labels["type"] == "kwok" || slices.ContainsFunc(n.Own, isVirtual)
}

// AddNode adds a node.
func (c *Cluster) AddNode(n *corev1.Node) error {
	if err := names.CheckObject(&n.ObjectMeta); err != nil {
		return err
	}
	list := kube.Taints(n.Spec.Taints)
	for i := range list {
		if list[i].Key == "" {
			return fmt.Errorf("spec.taints[%d].key is missing", i)
		}
		if at := list[i].TimeAdded; at != nil {
			if *at = at.UTC(); at.Year() > 9999 {
				return fmt.Errorf("spec.taints[%d].timeAdded is after the year 9999", i)
			}
		}
	}
	added := Node{
		Node: &corev1.Node{ObjectMeta: metav1.ObjectMeta{
			Name: n.Name, Labels: n.Labels, CreationTimestamp: n.CreationTimestamp,
		}},
		NodeState: purpose.NodeState{
			Made: n.CreationTimestamp.Time, Finalizers: n.Finalizers, IsCordoned: n.Spec.Unschedulable, Annotated: purpose.AnnotationOf(n.Annotations),
		},
		Own: list, resources: extended(n.Status.Allocatable),
	}
	if name := cmp.Or(n.Annotations["machine.openshift.io/machine"], n.Annotations["cluster.x-k8s.io/machine"]); name != "" {
		added.Machine = "Machine " + path.Base(name) // OpenShift's has a namespace
	}
	if n.DeletionTimestamp != nil {
		added.Deleted = &n.DeletionTimestamp.Time
	}
	if last := managers.LastWrite(n.ManagedFields, "spec", "taints"); !purpose.IsSetter(last.By) {
		added.Wrote = last
	}
	for _, o := range n.Status.Conditions {
		isBad := o.Type == corev1.NodeReady && o.Status == corev1.ConditionFalse || o.Type == corev1.NodeNetworkUnavailable && o.Status == corev1.ConditionTrue
		if message := strings.Join(strings.Fields(o.Message), " "); isBad && message != "" {
			added.Says = "condition " + string(o.Type) + " says: " + say.Shortened(message)
		}
	}
	conditions := lists.Each(n.Status.Conditions, func(c corev1.NodeCondition) lifecycle.Condition { return condition(c.Type, c.Status) })
	added.Wrong = purpose.Wrong(conditions)
	hasState := func(t taints.Taint) bool { return purpose.StateOf(t) != purpose.None }
	if added.IsCordoned || slices.ContainsFunc(list, hasState) {
		added.Hold = purpose.HoldOf(&n.ObjectMeta, added.Wrong)
		added.cordonedAt = managers.LastWrite(n.ManagedFields, "spec", "unschedulable").At
	}
	for _, t := range list {
		c.addNamed(t, n.Name, purpose.Named(t, conditions))
	}
	added.setConditions(conditions)
	c.AddVersion(n.Status.NodeInfo.KubeletVersion)
	added.Stale = added.Corrections(time.Time{}).Remove
	if at, ok := c.NodeAt[n.Name]; ok {
		return checkTwins(added, c.Nodes[at])
	}
	c.NodeAt[n.Name], c.Nodes = len(c.Nodes), append(c.Nodes, added)
	return nil
}

// addNamed adds the conditions of a node that its taint names.
func (c *Cluster) addNamed(t taints.Taint, node string, named []lifecycle.Condition) {
	wrong, before := purpose.Wrong(named), c.Faults[t.ID()]
	switch {
	case len(named) == 0:
	case len(wrong) == 0:
		c.partly.Insert(t.ID())
	case strings.HasPrefix(before, wrong[0]+" on "):
		c.Faults[t.ID()] = strings.TrimSuffix(before, " and others") + " and others"
	default:
		c.Faults[t.ID()] = wrong[0] + " on " + node
	}
}

// With returns a finished cluster in which some nodes have other taints of their own,
// or are cordoned or not. Both clusters share their pods and profiles.
func (c *Cluster) With(changed map[int]Node) *Cluster {
	d := *c
	d.Nodes = slices.Clone(c.Nodes)
	for i, n := range changed {
		d.Nodes[i] = n
	}
	d.group()
	return &d
}

// A Group is the nodes with the same taints, regardless of order and times.
type Group struct {
	Taints  []taints.Taint `json:"taints"` // sorted, without TimeAdded
	Members []int          `json:"-"`      // the nodes, in order of name
}

// group groups the nodes, largest group first, and collects their labels.
func (c *Cluster) group() {
	byTaints := make(map[string]*Group)
	c.Groups, c.labels = nil, make(map[string]sets.Set[string])
	for i := range c.Nodes {
		n := &c.Nodes[i]
		n.AddCordon()
		list := Distinct(lists.Each(n.Taints, func(t taints.Taint) taints.Taint {
			t.TimeAdded = nil
			return t
		}))
		if n.Group = byTaints[TextOf(list)]; n.Group == nil {
			n.Group = &Group{Taints: list}
			byTaints[TextOf(list)], c.Groups = n.Group, append(c.Groups, n.Group)
		}
		n.Group.Members = append(n.Group.Members, i)
		for key, value := range n.Labels {
			if c.labels[key] == nil {
				c.labels[key] = sets.New[string]()
			}
			c.labels[key].Insert(value)
		}
	}
	slices.SortStableFunc(c.Groups, func(a, b *Group) int { return len(b.Members) - len(a.Members) })
}

// TextOf returns a text that is equal only for equal lists.
func TextOf(list []taints.Taint) string {
	var b strings.Builder
	for _, t := range list {
		b.WriteString(t.Key + "\x00" + t.Value + "\x00" + string(t.Effect) + "\x00\n")
	}
	return b.String()
}

// Distinct sorts the taints and removes duplicates.
func Distinct(list []taints.Taint) []taints.Taint {
	slices.SortFunc(list, taints.Taint.Compare)
	return slices.CompactFunc(list, taints.Taint.Equal)
}

// KeyOf returns what tells taints without a time apart, for maps.
func KeyOf(t taints.Taint) [3]string { return [3]string{t.Key, t.Value, string(t.Effect)} }

// Cordon is the taint with which the scheduler represents a cordoned node.
var Cordon = taints.Taint{Key: taints.NodeUnschedulable, Effect: taints.NoSchedule}

var conditionRules = lifecycle.DefaultConditionRules()

// setConditions sets the conditions, which determine some taints. If the input lacks
// Ready, which every node has, it has none: then they are those that the taints show.
func (n *Node) setConditions(list []lifecycle.Condition) {
	isReady := func(c lifecycle.Condition) bool { return c.Type == string(corev1.NodeReady) }
	if n.inferred = !slices.ContainsFunc(list, isReady); !n.inferred {
		n.conditions = list
		n.IsReady = slices.Contains(list, condition(corev1.NodeReady, corev1.ConditionTrue))
		n.MayBeReady = n.IsReady
		return
	}
	for _, rule := range conditionRules {
		if _, has := taints.FindTaint(n.Own, rule.Taint.ID()); has {
			n.conditions = append(n.conditions, lifecycle.Condition{Type: rule.Type, Status: rule.Status})
		}
	}
	n.conditions, n.MayBeReady = append(n.conditions, condition(corev1.NodeReady, corev1.ConditionTrue)), true
}

// Corrections returns the changes that Kubernetes' node-lifecycle controller makes to
// the node's taints: those that follow from a condition or a cordon are its own.
func (n *Node) Corrections(now time.Time) taints.Changes {
	return conditionRules.Reconcile(n.Own, lifecycle.NodeState{Conditions: n.conditions, Unschedulable: n.IsCordoned}, now)
}

// Next returns what Kubernetes makes of the node within seconds, one after the other: it
// removes NoExecute taints that are not for its condition, after it has added those that are.
func (n *Node) Next(now time.Time) []*Node {
	isStale := func(t taints.Taint) bool { return t.Effect == taints.NoExecute && slices.Contains(n.Stale, t.ID()) }
	if !slices.ContainsFunc(n.Taints, isStale) {
		return nil
	}
	both, lasting := *n, *n
	both.Taints = slices.Clone(n.Taints)
	for _, t := range n.Corrections(now).Add {
		if t.Effect == taints.NoExecute {
			both.Taints = append(both.Taints, t)
		}
	}
	lasting.Taints = slices.DeleteFunc(slices.Clone(both.Taints), isStale)
	return []*Node{&both, &lasting}
}

// StateFor describes the state of the node that determines whether it has the taint.
func (n *Node) StateFor(id taints.TaintID) string {
	rule := conditionRules[slices.IndexFunc(conditionRules, func(r lifecycle.ConditionRule) bool { return r.Taint.ID() == id })]
	at := slices.IndexFunc(n.conditions, func(c lifecycle.Condition) bool { return c.Type == rule.Type })
	text := "the node has no condition " + rule.Type
	switch {
	case id == Cordon.ID() && n.IsCordoned:
		return "the node is cordoned"
	case id == Cordon.ID():
		return "the node is not cordoned"
	case at >= 0:
		text = "the node's condition " + rule.Type + " is " + n.conditions[at].Status
	}
	if n.inferred {
		text += ", by its taints, as the input lacks its conditions"
	}
	return text
}

// IsSilent reports whether the kubelet does not answer. Pods that are deleted then
// stay until it does, unless a taint says that the node is out of service.
func (n *Node) IsSilent() bool {
	return !HasKey(n.Own, corev1.TaintNodeOutOfService) && slices.Contains(n.conditions, condition(corev1.NodeReady, corev1.ConditionUnknown))
}

// IsBroken reports whether the kubelet says that the node is not ready.
func (n *Node) IsBroken() bool {
	return slices.Contains(n.conditions, condition(corev1.NodeReady, corev1.ConditionFalse))
}

// IsControlPlane reports whether the node has a label of nodes on which etcd, or what takes its
// place, may run.
func (n *Node) IsControlPlane() bool {
	return slices.ContainsFunc([]string{
		"node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/controlplane", "node-role.kubernetes.io/master", "node-role.kubernetes.io/etcd",
		"node.kubernetes.io/microk8s-controlplane",
	}, func(key string) bool { _, has := n.Labels[key]; return has })
}

func condition(name corev1.NodeConditionType, status corev1.ConditionStatus) lifecycle.Condition {
	return lifecycle.Condition{Type: string(name), Status: string(status)}
}

// AddCordon sets the node's taints from its own and its cordon.
func (n *Node) AddCordon() {
	n.Taints = slices.Clip(n.Own)
	if at, has := taints.FindTaint(n.Own, Cordon.ID()); n.IsCordoned && !(has && n.Own[at].Value == "") {
		cordon := Cordon
		if !n.cordonedAt.IsZero() {
			cordon.TimeAdded = &n.cordonedAt
		}
		n.Taints = append(n.Taints, cordon)
	}
}

// HasKey reports whether a taint of the list has the key, whatever its effect.
func HasKey(list []taints.Taint, key string) bool {
	return slices.ContainsFunc(list, func(t taints.Taint) bool { return t.Key == key })
}

// Spares reports whether the taint is one of nodes that are not ready, and no node is:
// Kubernetes' node-lifecycle controller then stops evictions for that.
func (n *Node) Spares(t taints.Taint) bool {
	return n.noneReady && t.Effect == taints.NoExecute && (t.Key == taints.NodeNotReady || t.Key == taints.NodeUnreachable)
}

// Evicting returns the taints without those that the node spares its pods.
func (n *Node) Evicting() []taints.Taint {
	return slices.DeleteFunc(slices.Clone(n.Taints), n.Spares)
}

// stopEvictions sets whether no node is ready. Some do not count in that.
func (c *Cluster) stopEvictions() {
	isReady := func(n Node) bool {
		_, isLeftOut := n.Labels["node.kubernetes.io/exclude-disruption"]
		return !isLeftOut && !n.IsSilent() && n.MayBeReady
	}
	isAny := slices.ContainsFunc(c.Nodes, isReady)
	for i := range c.Nodes {
		c.Nodes[i].noneReady = !isAny
	}
}
