// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/diagnosis"
)

// Random dumps are evaluated a second time, as Kubernetes' scheduler does, by plain loops
// over their objects. No command does harm, and each does what it promises.
func TestRandomDumps(t *testing.T) {
	rows, seenCommands := keyRows(t), make(map[string]int)
	for seed := range uint64(200) {
		d := newDump(seed, rows)
		input := d.String()
		r := mustReport(t, input)
		seen := 0
		for _, x := range r.Pending {
			if !strings.Contains(x.Pods[0], "/") {
				d.checkPending(t, x)
				seen += len(x.Pods)
			}
		}
		if seen != d.pending {
			t.Errorf("%d of %d pending pods", seen, d.pending)
		}
		for _, m := range regexp.MustCompile(`kubectl (?:-n \S+ )?(uncordon|\w+ \w+)`).FindAllStringSubmatch(mustJSON(r), -1) {
			seenCommands[m[1]]++
		}
		checkFixes(t, input)
		checkFixes(t, input, "preview", "uncordon", "n0")
		if t.Failed() {
			t.Fatalf("seed %d: %s", seed, input)
		}
	}
	for _, command := range []string{"uncordon", "patch deployment", "patch pod", "delete node", "taint nodes", "describe node"} {
		if seenCommands[command] < 5 {
			t.Errorf("%s: %d times of %v", command, seenCommands[command], seenCommands)
		}
	}
}

// A dump is random nodes, pods and workloads.
type dump struct {
	*rand.Rand
	nodes   []*corev1.Node
	pods    map[string]*corev1.Pod // by full name
	objects []any
	pending int
	rows    []keyRow
}

func (d *dump) String() string {
	var items []string
	for _, o := range d.objects {
		items = append(items, mustJSON(o))
	}
	return list(items...)
}

// one returns one of the words.
func (d *dump) one(words ...string) string { return words[d.IntN(len(words))] }

func newDump(seed uint64, rows []keyRow) *dump {
	d := &dump{Rand: rand.New(rand.NewPCG(seed, 1)), pods: make(map[string]*corev1.Pod), rows: rows}
	for i := range 1 + d.IntN(6) {
		n := &corev1.Node{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Node"}}
		n.Name, n.Labels = fmt.Sprint("n", i), map[string]string{"pool": d.one("a", "b")}
		for range d.IntN(3) {
			key, value := d.one("k", "team", "zulu", "node.kubernetes.io/not-ready", "node.kubernetes.io/unschedulable"), d.one("", "v", "w")
			if k := d.rows[d.IntN(len(d.rows))]; d.IntN(3) == 0 {
				key, value = k.Key, k.Value
			}
			n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{
				Key: key, Value: value, Effect: corev1.TaintEffect(d.one("NoSchedule", "NoSchedule", "NoExecute", "PreferNoSchedule")),
				TimeAdded: new(metav1.NewTime(testNow.Add(-time.Duration(d.IntN(500)) * time.Second))),
			})
		}
		n.Spec.Unschedulable = d.IntN(4) == 0
		if d.IntN(2) == 0 {
			n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionStatus(d.one("True", "False", "Unknown"))}}
		}
		d.addEvidence(n)
		d.nodes, d.objects = append(d.nodes, n), append(d.objects, n)
	}
	for i := range 1 + d.IntN(5) {
		d.addWorkload(i)
	}
	return d
}

// addEvidence adds what says who has the node, what is wrong with it, and what its taints
// are for.
func (d *dump) addEvidence(n *corev1.Node) {
	n.Annotations, n.Labels[corev1.LabelTopologyZone] = make(map[string]string), d.one("a", "b")
	for _, key := range []string{"node-role.kubernetes.io/control-plane", "zulu"} {
		if d.IntN(6) == 0 {
			n.Labels[key] = "v"
		}
	}
	if d.IntN(6) == 0 {
		n.Annotations[d.one("example.com/quarantined", "example.com/note")] = "true"
	}
	if n.Status.Conditions != nil {
		n.Status.Conditions = append(n.Status.Conditions, corev1.NodeCondition{
			Type: corev1.NodeConditionType(d.one("MemoryPressure", "GpuXidError", "Zulu")), Status: corev1.ConditionStatus(d.one("False", "False", "True")),
		})
	}
	if n.Spec.Unschedulable {
		n.ManagedFields = []metav1.ManagedFieldsEntry{{
			Manager: d.one("kubectl", "kubectl", "nvsentinel"), Time: new(metav1.NewTime(testNow.Add(-time.Hour))), FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:unschedulable":{}}}`),
		}}
	}
	list := map[string]any{d.one("taints", "startupTaints"): []corev1.Taint{{Key: "zulu", Effect: "NoSchedule"}}}
	switch d.IntN(12) {
	case 0:
		d.objects = append(d.objects, map[string]any{
			"kind": d.one("Machine", "NodeClaim"), "metadata": map[string]string{"name": "m-" + n.Name, "deletionTimestamp": "2026-11-21T01:00:00Z"}, "status": map[string]string{"nodeName": n.Name},
		})
	case 1:
		d.objects = append(d.objects, map[string]any{"kind": "NodePool", "metadata": map[string]string{"name": "np-" + n.Name}, "spec": map[string]any{"template": map[string]any{"spec": list}}})
	}
}

// addWorkload adds a workload of some kind, which may be in the input, and its pods.
func (d *dump) addWorkload(i int) {
	kind, name := d.one("", "Deployment", "StatefulSet", "DaemonSet", "Job", "Rollout"), fmt.Sprint("w", i)
	spec := corev1.PodSpec{Tolerations: d.tolerations()}
	if d.IntN(2) == 0 {
		spec.NodeSelector = map[string]string{"pool": d.one("a", "b", "c")}
	}
	owner := metav1.OwnerReference{Kind: kind, Name: name, Controller: new(true)}
	labels := map[string]string{}
	if kind == "Deployment" || kind == "Rollout" {
		owner.Kind, owner.Name = "ReplicaSet", name+"-5d"
		if labels["pod-template-hash"] = "5d"; kind == "Rollout" {
			labels = nil
			d.objects = append(d.objects, map[string]any{
				"apiVersion": "apps/v1", "kind": "ReplicaSet", "spec": map[string]any{"template": map[string]any{"spec": spec}},
				"metadata": metav1.ObjectMeta{Name: owner.Name, OwnerReferences: []metav1.OwnerReference{{Kind: "Rollout", Name: name, Controller: new(true)}}},
			})
		}
	}
	template := spec.Tolerations
	if d.IntN(3) == 0 { // it was changed
		template = d.tolerations()
	}
	if d.IntN(2) == 0 && (kind == "Deployment" || kind == "StatefulSet" || kind == "DaemonSet") {
		inTemplate := spec
		inTemplate.Tolerations = template
		d.objects = append(d.objects, map[string]any{
			"apiVersion": "apps/v1", "kind": kind, "metadata": metav1.ObjectMeta{Name: name},
			"spec": map[string]any{
				"paused": kind == "Deployment" && d.IntN(3) == 0, "template": map[string]any{"spec": inTemplate},
				"updateStrategy": map[string]any{"type": d.one("RollingUpdate", "OnDelete")},
			},
		})
	}
	for k := range 1 + d.IntN(4) {
		p := &corev1.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, Spec: *spec.DeepCopy()}
		p.Name, p.Namespace, p.Labels = fmt.Sprint(name, "-", k), "default", labels
		if kind != "" {
			p.OwnerReferences = []metav1.OwnerReference{owner}
		}
		node := d.nodes[d.IntN(len(d.nodes))].Name
		if kind == "DaemonSet" {
			field := corev1.NodeSelectorRequirement{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{node}}
			p.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
				NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchFields: []corev1.NodeSelectorRequirement{field}}},
			}}}
			for _, key := range []string{"not-ready:NoExecute", "unreachable:NoExecute", "disk-pressure:NoSchedule", "memory-pressure:NoSchedule", "pid-pressure:NoSchedule", "unschedulable:NoSchedule"} {
				name, effect, _ := strings.Cut(key, ":")
				p.Spec.Tolerations = append(p.Spec.Tolerations, corev1.Toleration{Key: "node.kubernetes.io/" + name, Operator: "Exists", Effect: corev1.TaintEffect(effect)})
			}
		}
		if kind != "DaemonSet" && d.IntN(2) == 0 { // admission adds it
			seconds := int64(300)
			p.Spec.Tolerations = append(p.Spec.Tolerations, corev1.Toleration{
				Key: "node.kubernetes.io/not-ready", Operator: "Exists", Effect: "NoExecute", TolerationSeconds: &seconds,
			})
		}
		if d.IntN(3) == 0 {
			p.Spec.NodeName, p.Status.Phase = node, corev1.PodRunning
			if d.IntN(3) == 0 {
				p.DeletionTimestamp = new(metav1.NewTime(testNow.Add(-time.Hour)))
			}
		} else {
			d.pending++
		}
		d.pods["default/"+p.Name] = p
		d.objects = append(d.objects, p)
	}
}

func (d *dump) tolerations() []corev1.Toleration {
	var list []corev1.Toleration
	for range d.IntN(3) {
		t := corev1.Toleration{
			Key: d.one("k", "team", "Team"), Operator: corev1.TolerationOperator(d.one("", "Equal", "Exists")),
			Effect: corev1.TaintEffect(d.one("", "NoSchedule", "NoExecute")),
		}
		if t.Operator != "Exists" {
			t.Value = d.one("", "v", "V", "w")
		}
		if t.Effect == "NoExecute" {
			if seconds := int64(d.IntN(400)); seconds > 50 {
				t.TolerationSeconds = &seconds
			}
		}
		list = append(list, t)
	}
	return list
}

// tolerates returns the first toleration of the taint, as Kubernetes finds it.
func tolerates(list []corev1.Toleration, t corev1.Taint) *corev1.Toleration {
	for i, o := range list {
		isEffect, isKey := o.Effect == "" || o.Effect == t.Effect, o.Key == "" || o.Key == t.Key
		if isEffect && isKey && (o.Operator == "Exists" || o.Value == t.Value && o.Key != "") {
			return &list[i]
		}
	}
	return nil
}

// reasonFor returns why Kubernetes' scheduler does not choose the node, or "".
func reasonFor(p *corev1.Pod, n *corev1.Node) string {
	cordon := corev1.Taint{Key: "node.kubernetes.io/unschedulable", Effect: "NoSchedule"}
	matches, _ := nodeaffinity.GetRequiredNodeAffinity(p).Match(n)
	isTolerated := func(t corev1.Taint) bool {
		return t.Effect == "PreferNoSchedule" || tolerates(p.Spec.Tolerations, t) != nil
	}
	if a := p.Spec.Affinity; a != nil {
		names := a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms[0].MatchFields[0].Values
		if !slices.Contains(names, n.Name) {
			return "node(s) didn't satisfy plugin(s) [NodeAffinity]"
		}
	}
	switch {
	case n.Spec.Unschedulable && !isTolerated(cordon):
		return "node(s) were unschedulable"
	case slices.ContainsFunc(n.Spec.Taints, func(t corev1.Taint) bool { return !isTolerated(t) }):
		return "node(s) had untolerated taint(s)"
	case !matches:
		return "node(s) didn't match Pod's node affinity/selector"
	}
	return ""
}

// checkPending compares the counts of nodes.
func (d *dump) checkPending(t *testing.T, x *diagnosis.Pending) {
	t.Helper()
	feasible, matching := make(map[string]bool), make(map[string]bool)
	for _, name := range x.Pods {
		p := d.pods[x.Namespace+"/"+name]
		counts := make(map[string]int)
		for _, n := range d.nodes {
			why := reasonFor(p, n)
			if counts[why]++; why == "" {
				feasible[n.Name] = true
			}
			if ok, _ := nodeaffinity.GetRequiredNodeAffinity(p).Match(n); ok {
				matching[n.Name] = true
			}
		}
		var words []string
		for why, n := range counts {
			if why != "" {
				words = append(words, fmt.Sprint(n, " ", why))
			}
		}
		slices.Sort(words)
		message := fmt.Sprintf("0/%d nodes are available: %s.", len(d.nodes), strings.Join(words, ", "))
		got := oneLine(mustRun(t, d.String(), "-f", "-", "-n", x.Namespace, name))
		if counts[""] == 0 && !strings.Contains(got, message) {
			t.Errorf("%s: no %q: %s", name, message, got)
		}
	}
	if x.Feasible != len(feasible) || x.Matching != len(matching) {
		t.Errorf("%s: %d feasible and %d matching nodes, want %v and %v", x.Pods, x.Feasible, x.Matching, feasible, matching)
	}
}
