// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"errors"
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
	tols := taints.AddDefaults(kube.Tolerations(pod.Spec.Tolerations), taints.DefaultSeconds{})
	pod.Spec.Tolerations = kube.CoreTolerations(tols)

	for _, t := range pod.Spec.Tolerations {
		fmt.Println(t.Key, t.Operator, t.Effect, *t.TolerationSeconds)
	}
	// Output:
	// node.kubernetes.io/not-ready Exists NoExecute 300
	// node.kubernetes.io/unreachable Exists NoExecute 300
}

// A node that runs out of memory is tainted.
func ExampleCoreTaints() {
	var node corev1.Node
	pressure := taints.Taint{Key: taints.NodeMemoryPressure, Effect: taints.NoSchedule}
	node.Spec.Taints = kube.CoreTaints(append(kube.Taints(node.Spec.Taints), pressure))

	fmt.Println(node.Spec.Taints[0].ToString())
	// Output: node.kubernetes.io/memory-pressure:NoSchedule
}

// A node's taint is converted to get its identity.
func ExampleTaint() {
	taint := corev1.Taint{Key: "dedicated", Value: "ml", Effect: corev1.TaintEffectNoSchedule}
	fmt.Println(kube.Taint(taint).ID())
	// Output: dedicated:NoSchedule
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
	started := taints.Removal(taints.Taint{Key: "example.com/starting", Effect: taints.NoExecute})
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
	started := taints.Removal(taints.Taint{Key: "example.com/starting"}) // with any effect

	after, _ := kube.Apply(node.Spec.Taints, started)
	fmt.Printf("%s\n", kube.TaintsPatch(node, after))
	node.Spec.Taints = after
	fmt.Println(kube.TaintsPatch(node, after) == nil)
	// Output:
	// {"metadata":{"resourceVersion":"7"},"spec":{"taints":[]}}
	// true
}

// A machine's taint is added to its node, but a value that another client has
// changed since then is kept.
func ExampleEnsure() {
	node := []corev1.Taint{{Key: "tier", Value: "gold", Effect: corev1.TaintEffectNoSchedule}}
	machine := []corev1.Taint{{Key: "tier", Value: "silver", Effect: corev1.TaintEffectNoSchedule}}
	after, changed := kube.Ensure(node, taints.Changes{Add: kube.Taints(machine)})
	fmt.Println(after[0].Value, changed)
	// Output: gold false
}

// Check for the error of "kubectl taint nodes gpu-1 dedicated=db:NoSchedule".
func ExampleApplyStrict() {
	node := []corev1.Taint{{Key: "dedicated", Value: "ml", Effect: corev1.TaintEffectNoSchedule}}
	changes, err := taints.ParseChanges("dedicated=db:NoSchedule")
	if err != nil {
		panic(err)
	}
	_, err = kube.ApplyStrict(node, changes, false)
	fmt.Println(errors.Is(err, taints.ErrExists))
	// Output: true
}
