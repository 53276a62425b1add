// The program does what an operator does with taints: it asks whether a pod fits
// on a node, puts taints on the node and takes them off, and validates what a user
// wrote.
package main

import (
	"fmt"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/kube"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func main() {
	node := []corev1.Taint{{Key: "example.com/starting", Effect: corev1.TaintEffectNoSchedule}}
	pod := []corev1.Toleration{{Key: "dedicated", Operator: corev1.TolerationOpExists}}
	m := taints.Compile(kube.Tolerations(pod))
	fmt.Println(m.Filter(kube.Taints(node)).AllTolerated())

	node, changed := kube.Apply(node, taints.Changes{Remove: []taints.TaintID{kube.Taint(node[0]).ID()}})
	node, ensured := kube.Ensure(node, taints.Changes{Add: []taints.Taint{taints.Must(taints.ParseTaint("dedicated=ml:NoExecute"))}})
	fmt.Println(m.Filter(kube.Taints(node)).AllTolerated(), changed, ensured)

	node[0].Effect = "Never"
	fmt.Println(kube.FieldErrors(taints.ValidateTaints(kube.Taints(node)), field.NewPath("spec", "taints")))
}
