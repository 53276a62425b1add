// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"fmt"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/kube"
	"github.com/seed-0529bac1/taints/lifecycle"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// A node is filtered for a pod, both as the API server returned them.
func ExampleTaints() {
	node := corev1.Node{Spec: corev1.NodeSpec{Taints: []corev1.Taint{
		{Key: "dedicated", Value: "ml", Effect: corev1.TaintEffectNoSchedule},
		{Key: "spot", Effect: corev1.TaintEffectPreferNoSchedule},
	}}}
	pod := corev1.Pod{Spec: corev1.PodSpec{Tolerations: []corev1.Toleration{
		{Key: "dedicated", Value: "ml", Effect: corev1.TaintEffectNoSchedule},
	}}}

	verdict := taints.Filter(kube.Taints(node.Spec.Taints), kube.Tolerations(pod.Spec.Tolerations))
	fmt.Println(verdict.Schedulable(), verdict.Avoid())
	// Output: true true
}

// A pod gets the tolerations that the API server gives to every pod.
func ExampleCoreTolerations() {
	var pod corev1.Pod
	tols := taints.AddDefaults(kube.Tolerations(pod.Spec.Tolerations), taints.DefaultSeconds{})
	pod.Spec.Tolerations = kube.CoreTolerations(tols)

	for _, t := range pod.Spec.Tolerations {
		fmt.Println(t.Key, t.Operator, t.Effect, *t.TolerationSeconds)
	}
	// Output:
	// node.kubernetes.io/not-ready Exists NoExecute 300
	// node.kubernetes.io/unreachable Exists NoExecute 300
}

// A node that runs out of memory is marked.
func ExampleCoreTaints() {
	var node corev1.Node
	pressure := taints.Taint{Key: taints.NodeMemoryPressure, Effect: taints.NoSchedule}
	node.Spec.Taints = kube.CoreTaints(append(kube.Taints(node.Spec.Taints), pressure))

	fmt.Println(node.Spec.Taints[0].ToString())
	// Output: node.kubernetes.io/memory-pressure:NoSchedule
}

// The tolerations of a pod decide when it leaves a node.
func ExampleTolerations() {
	pod := corev1.Pod{Spec: corev1.PodSpec{
		Tolerations: []corev1.Toleration{{Operator: corev1.TolerationOpExists}},
	}}
	m := taints.Compile(kube.Tolerations(pod.Spec.Tolerations))

	unreachable := corev1.Taint{
		Key:    corev1.TaintNodeUnreachable,
		Effect: corev1.TaintEffectNoExecute,
	}
	fmt.Println(m.Filter(kube.Taints([]corev1.Taint{unreachable})).Evicts())
	// Output: false
}

// One of a pod's tolerations is held against one of a node's taints.
func ExampleToleration() {
	toleration := corev1.Toleration{Key: "dedicated", Value: "ml"}
	taint := corev1.Taint{Key: "dedicated", Value: "web", Effect: corev1.TaintEffectNoSchedule}

	fmt.Println(kube.Toleration(&toleration).Mismatch(*kube.Taint(&taint)))
	// Output: MismatchValue
}

// A text becomes a taint of a node.
func ExampleCoreTaint() {
	taint := taints.MustParseTaint("dedicated=ml:NoSchedule")
	var node corev1.Node
	node.Spec.Taints = append(node.Spec.Taints, *kube.CoreTaint(&taint))

	fmt.Println(node.Spec.Taints[0].Key, node.Spec.Taints[0].Effect)
	// Output: dedicated NoSchedule
}

// One of a node's taints is identified.
func ExampleTaint() {
	taint := corev1.Taint{Key: "dedicated", Value: "ml", Effect: corev1.TaintEffectNoSchedule}
	fmt.Println(kube.Taint(&taint).ID())
	// Output: dedicated:NoSchedule
}

// A text becomes a toleration of a pod.
func ExampleCoreToleration() {
	toleration := taints.MustParseToleration("dedicated op=Exists")
	var pod corev1.Pod
	pod.Spec.Tolerations = append(pod.Spec.Tolerations, *kube.CoreToleration(&toleration))

	fmt.Println(pod.Spec.Tolerations[0].Key, pod.Spec.Tolerations[0].Operator)
	// Output: dedicated Exists
}

// A node whose kubelet is silent is marked as unreachable.
func ExampleNodeState() {
	node := corev1.Node{Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{
		{Type: corev1.NodeReady, Status: corev1.ConditionUnknown, Reason: "NodeStatusUnknown"},
	}}}

	now := time.Date(2026, 11, 21, 1, 24, 15, 0, time.UTC)
	changes := lifecycle.ReconcileConditions(kube.Taints(node.Spec.Taints), kube.NodeState(&node), now)
	list, _ := changes.Apply(kube.Taints(node.Spec.Taints))
	node.Spec.Taints = kube.CoreTaints(list)

	for _, taint := range node.Spec.Taints {
		fmt.Println(taint.ToString(), taint.TimeAdded)
	}
	// Output:
	// node.kubernetes.io/unreachable:NoSchedule 2026-11-21 01:24:15 +0000 UTC
	// node.kubernetes.io/unreachable:NoExecute 2026-11-21 01:24:15 +0000 UTC
}

// A driver is missing on a node until a condition says that it is there.
func ExampleNodeConditions() {
	missing := taints.Taint{Key: "example.com/driver", Effect: taints.NoSchedule}
	rules := lifecycle.ConditionRules{{Type: "example.com/DriverReady", Status: "False", Taint: missing}}
	conditions := []corev1.NodeCondition{{Type: "example.com/DriverReady", Status: corev1.ConditionFalse}}

	fmt.Println(rules.ConditionTaints(lifecycle.NodeState{Conditions: kube.NodeConditions(conditions)}))
	// Output: [example.com/driver:NoSchedule]
}

// A webhook reports what is wrong with a node's taints.
func ExampleFieldErrors() {
	list := []corev1.Taint{
		{Key: "dedicated", Value: "ml", Effect: "NoScedule"},
		{Effect: corev1.TaintEffectNoExecute},
	}
	for _, err := range kube.FieldErrors(
		taints.ValidateTaints(kube.Taints(list)), field.NewPath("spec", "taints"),
	) {
		fmt.Println(err)
	}
	// Output:
	// spec.taints[0].effect: Unsupported value: "NoScedule": must be NoSchedule, PreferNoSchedule or NoExecute
	// spec.taints[1].key: Required value: a taint needs a key
}
