// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/lists"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/kube"
)

// A world is the nodes and the pods of a store. What Kubernetes does with them is in plain
// loops, as a second opinion.
type world struct {
	nodes []*corev1.Node
	pods  []*corev1.Pod
}

func (s store) world(t *testing.T) *world {
	t.Helper()
	w := new(world)
	for _, o := range s {
		switch o.GetKind() {
		case "Node":
			w.nodes = append(w.nodes, new(nodeOf(t, o)))
		case "Pod":
			p := new(corev1.Pod)
			if err := json.Unmarshal([]byte(mustJSON(o)), p); err != nil {
				t.Fatal(err)
			}
			p.Namespace = cmp.Or(p.Namespace, metav1.NamespaceDefault)
			p.Status.Phase = cmp.Or(p.Status.Phase, corev1.PodPending)
			w.pods = append(w.pods, p)
		}
	}
	return w
}

// state returns the taints of each node, sorted, and whether it is cordoned.
func (w *world) state() map[string]string {
	all := make(map[string]string)
	for _, n := range w.nodes {
		all[n.Name] = fmt.Sprint(slices.Sorted(slices.Values(lists.Each(kube.Taints(n.Spec.Taints), say.Taint))), n.Spec.Unschedulable)
	}
	return all
}

// withoutCordon returns the taints without that of a cordon.
func withoutCordon(list []corev1.Taint) []corev1.Taint {
	return slices.DeleteFunc(slices.Clone(list), func(t corev1.Taint) bool {
		return t.Key == taints.NodeUnschedulable && t.Effect == corev1.TaintEffectNoSchedule
	})
}

// isKeptOff reports whether the pod does not tolerate one of the taints.
func isKeptOff(p *corev1.Pod, list ...corev1.Taint) bool {
	isHard := func(t *corev1.Taint) bool { return t.Effect != corev1.TaintEffectPreferNoSchedule }
	_, found := helpers.FindMatchingUntoleratedTaint(klog.Background(), list, p.Spec.Tolerations, isHard, false)
	return found
}

// reasonFor returns why Kubernetes' scheduler does not choose the node, or "".
func reasonFor(p *corev1.Pod, n *corev1.Node) string {
	matches, _ := nodeaffinity.GetRequiredNodeAffinity(p).Match(n)
	if a := p.Spec.Affinity; a != nil {
		isNamed := func(t corev1.NodeSelectorTerm) bool { return t.MatchFields[0].Values[0] == n.Name }
		if !slices.ContainsFunc(a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms, isNamed) {
			return "node(s) didn't satisfy plugin(s) [NodeAffinity]"
		}
	}
	switch {
	case n.Spec.Unschedulable && isKeptOff(p, corev1.Taint{Key: taints.NodeUnschedulable, Effect: corev1.TaintEffectNoSchedule}):
		return "node(s) were unschedulable"
	case isKeptOff(p, n.Spec.Taints...):
		return "node(s) had untolerated taint(s)"
	case !matches:
		return "node(s) didn't match Pod's node affinity/selector"
	}
	return ""
}

// keeps reports whether the node would take the pod, and keep it.
func keeps(p *corev1.Pod, n *corev1.Node) bool {
	return reasonFor(p, n) == "" && process(nil, n.Spec.Taints, p, testNow) == nil
}

// isAgain reports whether a new pod may be put on the node, and would leave it: the DaemonSet
// controller and the scheduler choose its affinity anew.
func isAgain(p *corev1.Pod, n *corev1.Node) bool {
	fresh := *p
	fresh.Spec.Affinity = nil
	return reasonFor(&fresh, n) == "" && !keeps(&fresh, n)
}

// isMirror reports whether the pod is the mirror of a static one.
func isMirror(p *corev1.Pod) bool {
	return metav1.HasAnnotation(p.ObjectMeta, corev1.MirrorPodAnnotationKey)
}

// settle is what Kubernetes' node-lifecycle controller does about taints that the nodes have
// got or lost since before, or about all of its taints.
func (s store) settle(t *testing.T, before *world, all bool) {
	t.Helper()
	for i, n := range s.world(t).nodes {
		old := before.nodes[i]
		for is, isWanted := range wantedBy(n, old) {
			isSame := func(t corev1.Taint) bool { return t.MatchTaint(&is) }
			had, has := slices.ContainsFunc(old.Spec.Taints, isSame), slices.ContainsFunc(n.Spec.Taints, isSame)
			switch {
			case !all && had == has:
			case has && !isWanted:
				n.Spec.Taints = slices.DeleteFunc(n.Spec.Taints, isSame)
			case !has && isWanted:
				is.TimeAdded = &metav1.Time{Time: testNow}
				n.Spec.Taints = append(n.Spec.Taints, is)
			}
		}
		writeNode(s.object("Node", "", n.Name), n)
	}
}

// conditionsOf returns the status of two conditions of the node. One without conditions is in the
// state that its taints have shown.
func conditionsOf(n, old *corev1.Node) (ready, pressure corev1.ConditionStatus) {
	ready, pressure = corev1.ConditionTrue, corev1.ConditionFalse
	for _, c := range n.Status.Conditions {
		switch c.Type {
		case corev1.NodeReady:
			ready = c.Status
		case corev1.NodeDiskPressure:
			pressure = c.Status
		}
	}
	for _, t := range old.Spec.Taints {
		switch {
		case n.Status.Conditions != nil, t.Effect == corev1.TaintEffectPreferNoSchedule:
		case t.Key == taints.NodeDiskPressure && t.Effect == corev1.TaintEffectNoSchedule:
			pressure = corev1.ConditionTrue
		case t.Key == taints.NodeNotReady:
			ready = corev1.ConditionFalse
		case t.Key == taints.NodeUnreachable:
			ready = corev1.ConditionUnknown
		}
	}
	return ready, pressure
}

// wantedBy returns the taints that the controller owns, and whether it wants them, as in
// doNoScheduleTaintingPass and processTaintBaseEviction.
func wantedBy(n, old *corev1.Node) map[corev1.Taint]bool {
	const schedule, execute = corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute
	ready, pressure := conditionsOf(n, old)
	return map[corev1.Taint]bool{
		{Key: taints.NodeUnschedulable, Effect: schedule}:      n.Spec.Unschedulable,
		{Key: taints.NodeDiskPressure, Effect: schedule}:       pressure == corev1.ConditionTrue,
		{Key: taints.NodeNetworkUnavailable, Effect: schedule}: false,
		{Key: taints.NodeNotReady, Effect: schedule}:           ready == corev1.ConditionFalse,
		{Key: taints.NodeNotReady, Effect: execute}:            ready == corev1.ConditionFalse,
		{Key: taints.NodeUnreachable, Effect: schedule}:        ready == corev1.ConditionUnknown,
		{Key: taints.NodeUnreachable, Effect: execute}:         ready == corev1.ConditionUnknown,
	}
}

// swapped returns what SwapNodeControllerTaint makes of the node's taints if it has a NoExecute
// taint for another condition: first with the taint that is wanted, and then without the other.
func swapped(n, old *corev1.Node) (both, lasting []corev1.Taint) {
	both = slices.Clone(n.Spec.Taints)
	for is, isWanted := range wantedBy(n, old) {
		isSame := func(t corev1.Taint) bool { return t.MatchTaint(&is) }
		if isWanted && is.Effect == corev1.TaintEffectNoExecute && !slices.ContainsFunc(both, isSame) {
			both = append(both, is)
		}
	}
	lasting = slices.DeleteFunc(slices.Clone(both), func(t corev1.Taint) bool {
		isWanted, isOwned := wantedBy(n, old)[corev1.Taint{Key: t.Key, Effect: t.Effect}]
		return isOwned && !isWanted && t.Effect == corev1.TaintEffectNoExecute
	})
	if len(lasting) == len(both) { // nothing is swapped
		return n.Spec.Taints, n.Spec.Taints
	}
	return both, lasting
}

// isSilent reports whether the kubelet of the node does not answer.
func isSilent(n, old *corev1.Node) bool {
	ready, _ := conditionsOf(n, old)
	isOut := func(t corev1.Taint) bool { return t.Key == corev1.TaintNodeOutOfService }
	return ready == corev1.ConditionUnknown && !slices.ContainsFunc(n.Spec.Taints, isOut)
}

// A timer is one of the taint-eviction controller.
type timer struct{ created, due time.Time }

// process is processPodOnNode of the taint-eviction controller.
func process(running *timer, list []corev1.Taint, p *corev1.Pod, at time.Time) *timer {
	if running != nil && !running.due.After(at) {
		return running // the pod is deleted
	}
	least, isForever := int64(0), true
	for _, t := range list {
		if t.Effect != corev1.TaintEffectNoExecute {
			continue
		}
		i := slices.IndexFunc(p.Spec.Tolerations, func(x corev1.Toleration) bool { return x.ToleratesTaint(klog.Background(), &t, false) })
		if i < 0 {
			return &timer{at, at}
		}
		if s := p.Spec.Tolerations[i].TolerationSeconds; s != nil && (isForever || *s < least) {
			least, isForever = max(*s, 0), false
		}
	}
	wait := time.Duration(least) * time.Second // may overflow, as in getMinTolerationTime
	switch {
	case isForever, least == math.MaxInt64, wait < 0:
		return nil
	case running != nil && running.created.Before(at):
		return running
	}
	return &timer{at, at.Add(wait)}
}

// timers returns the timer of the pod before its node is changed, and after it. The controller
// sees a taint when it is added, or when the pod arrives, and then what Kubernetes does within
// seconds.
func timers(p *corev1.Pod, old, requested, n *corev1.Node) (was, is *timer) {
	seenAt := func(t corev1.Taint) time.Time {
		at := testNow
		if t.TimeAdded != nil {
			at = t.TimeAdded.Time
		}
		if arrived := p.Status.StartTime; arrived != nil && arrived.After(at) {
			at = arrived.Time
		}
		return at
	}
	times := lists.Each(old.Spec.Taints, seenAt)
	slices.SortFunc(times, time.Time.Compare)
	for _, at := range times {
		seen := slices.DeleteFunc(slices.Clone(old.Spec.Taints), func(t corev1.Taint) bool { return seenAt(t).After(at) })
		was = process(was, seen, p, at)
	}
	later := func(running *timer, states ...[]corev1.Taint) *timer {
		for _, list := range states {
			if running == nil || running.due.After(testNow.Add(5*time.Second)) {
				running = process(running, list, p, testNow)
			}
		}
		return running
	}
	both, lasting := swapped(n, old)
	is = later(process(was, requested.Spec.Taints, p, testNow), n.Spec.Taints, both, lasting)
	both, lasting = swapped(old, old)
	return later(was, both, lasting), is
}

// workloadOf names the workload of a pod that has one.
func workloadOf(p *corev1.Pod) string {
	owner := metav1.GetControllerOfNoCopy(p)
	if owner == nil || isMirror(p) {
		return ""
	}
	group := strings.TrimSuffix(strings.TrimPrefix(owner.APIVersion, "apps/"), "v1")
	return strings.TrimSuffix(owner.Kind+"."+strings.TrimSuffix(group, "/"), ".") + " default/" + owner.Name
}
