// The program needs a root whose taints and tolerations have more fields, and prints
// what views of another layout answer.
package main

import (
	"fmt"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/kube"
	corev1 "k8s.io/api/core/v1"
)

func main() {
	node := []corev1.Taint{{Key: "dedicated", Value: "ml", Effect: corev1.TaintEffectNoSchedule}}
	ours := kube.Taints(node)
	ours[0].Later = []string{"what the root knows, and kube does not"}
	_ = []any{taints.Toleration{}.Later, taints.Options{}.Later, taints.Eviction{}.Later, taints.EvictionPolicy{}.Later}

	same, changed := kube.Apply(node, taints.Changes{})
	fmt.Println(len(ours), len(kube.CoreTaints(ours)), kube.Taints(nil) == nil, &same[0] == &node[0])
	fmt.Println(changed)
}
