// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"fmt"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/kube"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// A node is filtered for a pod. Both are in the form that the API server returns.
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

// A pod gets the tolerations that the API server adds to every pod.
func ExampleCoreTolerations() {
	var pod corev1.Pod
	tols := taints.AddDefaultTolerations(kube.Tolerations(pod.Spec.Tolerations), taints.DefaultTolerationSeconds{})
	pod.Spec.Tolerations = kube.CoreTolerations(tols)

	for _, t := range pod.Spec.Tolerations {
		fmt.Println(t.Key, t.Operator, t.Effect, *t.TolerationSeconds)
	}
	// Output:
	// node.kubernetes.io/not-ready Exists NoExecute 300
	// node.kubernetes.io/unreachable Exists NoExecute 300
}

// A webhook reports what is wrong with a node's taints.
func ExampleFieldErrors() {
	list := []corev1.Taint{{Key: "dedicated", Value: "ml", Effect: "NoScedule"}, {Effect: corev1.TaintEffectNoExecute}}
	for _, err := range kube.FieldErrors(taints.ValidateTaints(kube.Taints(list)), field.NewPath("spec", "taints")) {
		fmt.Println(err)
	}
	// Output:
	// spec.taints[0].effect: Unsupported value: "NoScedule": must be NoSchedule, PreferNoSchedule or NoExecute
	// spec.taints[1].key: Required value: a taint needs a key
}

// An operator removes a startup taint, and writes the node only if the taints
// have changed.
func ExampleApply() {
	node := corev1.Node{Spec: corev1.NodeSpec{Taints: []corev1.Taint{
		{Key: "example.com/starting", Effect: corev1.TaintEffectNoExecute},
	}}}
	started := taints.Changes{Remove: []taints.TaintID{{Key: "example.com/starting", Effect: taints.NoExecute}}}
	for range 2 {
		var changed bool
		node.Spec.Taints, changed = kube.Apply(node.Spec.Taints, started)
		fmt.Println(len(node.Spec.Taints), changed)
	}
	// Output:
	// 0 true
	// 0 false
}

// An operator writes the taints without losing those of other clients.
func ExampleTaintsPatch() {
	node := &corev1.Node{Spec: corev1.NodeSpec{Taints: []corev1.Taint{
		{Key: "example.com/starting", Effect: corev1.TaintEffectNoSchedule},
	}}}
	node.ResourceVersion = "7"
	started := taints.Changes{RemoveKeys: []string{"example.com/starting"}}

	after, _ := kube.Apply(node.Spec.Taints, started)
	fmt.Printf("%s\n", kube.TaintsPatch(node.ResourceVersion, node.Spec.Taints, after))
	node.Spec.Taints = after
	fmt.Println(kube.TaintsPatch(node.ResourceVersion, node.Spec.Taints, after) == nil)
	// Output:
	// {"metadata":{"resourceVersion":"7"},"spec":{"taints":[]}}
	// true
}
