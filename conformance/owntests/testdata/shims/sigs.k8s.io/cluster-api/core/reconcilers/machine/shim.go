package machine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/kube"
	corev1 "k8s.io/api/core/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
)

func propagateMachineTaintsToNode(node *corev1.Node, machineTaints []clusterv1.MachineTaint) (bool, error) {
	annotation, initialized := node.Annotations[clusterv1.TaintsFromMachineAnnotation]
	owned, err := parseOwned(annotation)
	if err != nil {
		return false, err
	}
	var desired []taints.Taint
	var always []string
	for _, t := range machineTaints {
		taint := kube.Taint(convertMachineTaintToCoreV1Taint(t))
		if t.Propagation == clusterv1.MachineTaintPropagationAlways {
			always = append(always, taint.ID().String())
		} else if initialized { // no longer owned by the controller
			owned = slices.DeleteFunc(owned, func(id taints.TaintID) bool { return id == taint.ID() })
			continue
		}
		desired = append(desired, taint)
	}
	slices.Sort(always)
	always = slices.Compact(always)

	var changed bool
	node.Spec.Taints, changed = kube.Apply(node.Spec.Taints, taints.ReconcileOwned(kube.Taints(node.Spec.Taints), owned, desired))
	if now := strings.Join(always, ","); !initialized || now != annotation {
		if node.Annotations == nil {
			node.Annotations = map[string]string{}
		}
		node.Annotations[clusterv1.TaintsFromMachineAnnotation] = now
		changed = true
	}
	return changed, nil
}

func parseOwned(annotation string) (owned []taints.TaintID, err error) {
	for text := range strings.SplitSeq(annotation, ",") {
		if text == "" {
			continue
		}
		taint, err := taints.ParseTaint(text)
		if err != nil {
			return nil, fmt.Errorf("invalid taint format: %w", err)
		}
		owned = append(owned, taint.ID())
	}
	return owned, nil
}
