// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/seed-0529bac1/taints/cmd/internal/say"
)

// A Pod is a pod, or one that a workload would create.
type Pod struct {
	PodName
	Node     string    // empty: none
	Arrived  time.Time // when it was assigned to the node; zero: unknown
	Phase    corev1.PodPhase
	Deleting bool
	Template bool // it does not exist: a workload in the input would create it
	Pinned   bool // to its node: its affinity names no other
	Owner    Owner
	*Profile
	*Wait
}

// A Wait is what is only known of a pod that is pending, or has finished.
type Wait struct {
	Gates     []string // scheduling gates
	Message   string   // of the scheduler, or of the status of a pod that has finished
	Scheduler string   // empty: the default one
	Nominated string   // the node that the scheduler intends for it; empty: none
	Failure   string   // why the workload cannot create it
}

var noWait = &Wait{} // of all other pods

// A PodName is the full name of a pod.
type PodName = types.NamespacedName

// ComparePodNames compares by namespace, then by name.
func ComparePodNames(a, b PodName) int {
	return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
}

// OwnerName names the object with the pod's template, or the pod itself.
func (p *Pod) OwnerName() string {
	switch {
	case p.Owner == (Owner{}):
		return "Pod " + p.String()
	case p.IsStatic():
		return "static pod " + p.String()
	}
	return p.Owner.fullName(p.Namespace)
}

// IsStatic reports whether a kubelet made the pod from a file or a URL. Then the pod
// in the API server, its mirror, is only a copy.
func (p *Pod) IsStatic() bool { return p.Owner.Kind == "Node" }

// AddPod adds a pod if it matches the filter.
func (c *Cluster) AddPod(o *corev1.Pod) error {
	if err := checkNames(&o.ObjectMeta); err != nil {
		return err
	}
	p := &Pod{
		PodName:  PodName{Namespace: cmp.Or(o.Namespace, c.Namespace), Name: o.Name},
		Node:     o.Spec.NodeName,
		Phase:    o.Status.Phase,
		Deleting: o.DeletionTimestamp != nil,
		Owner:    ownerOf(&o.ObjectMeta),
		Wait:     noWait,
	}
	if !c.Only.matches(p.Namespace, o.Labels) {
		c.leftOut = append(c.leftOut, p)
		return nil
	}
	if c.PodNamed[p.PodName] != nil {
		return errors.New("there are two pods with this name")
	}
	names, isPinned := namedNodes(requiredAffinity(&o.Spec))
	isOther := func(name string) bool { return name != p.Node }
	p.Pinned = isPinned && p.Node != "" && !slices.ContainsFunc(names, isOther)
	p.Profile = c.profileOf(&o.Spec, p.IsPending() || p.Name == c.Asked || isPinned && !p.Pinned)
	bound := corev1.ConditionTrue
	if p.IsPending() {
		bound = corev1.ConditionFalse
	}
	var scheduled corev1.PodCondition
	for _, c := range o.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == bound {
			scheduled = c
		}
	}
	switch {
	case p.IsPending():
		p.Wait = waitOf(&o.Spec)
		p.Message, p.Nominated = scheduled.Message, o.Status.NominatedNodeName
	case p.IsFinished(): // the kubelet may have rejected it
		p.Wait = &Wait{Message: say.Shortened(strings.Trim(o.Status.Reason+": "+o.Status.Message, ": "))}
	}
	// Without the condition, when the kubelet accepted it.
	p.Arrived = cmp.Or(scheduled.LastTransitionTime, ptr.Deref(o.Status.StartTime, metav1.Time{})).Time
	c.PodNamed[p.PodName] = p
	c.Pods = append(c.Pods, p)
	return nil
}

func waitOf(s *corev1.PodSpec) *Wait {
	w := &Wait{Gates: say.Each(s.SchedulingGates, func(g corev1.PodSchedulingGate) string { return g.Name })}
	if s.SchedulerName != corev1.DefaultSchedulerName {
		w.Scheduler = s.SchedulerName
	}
	return w
}

// IsPending reports whether the pod is waiting for a node.
func (p *Pod) IsPending() bool {
	return p.Node == "" && (p.Phase == corev1.PodPending || p.Phase == "") && !p.Deleting
}

// IsFinished reports whether the pod has finished and cannot be evicted.
func (p *Pod) IsFinished() bool { return p.Phase == corev1.PodSucceeded || p.Phase == corev1.PodFailed }
