package tolerations

import (
	"github.com/seed-0529bac1/taints"
	api "k8s.io/kubernetes/pkg/apis/core"
	"owntests.example/coreview"
)

// VerifyAgainstWhitelist allows everything where the list is empty.
func VerifyAgainstWhitelist(tolerations, whitelist []api.Toleration) bool {
	return len(whitelist) == 0 || taints.ValidateAllowed(coreview.Tolerations(tolerations), coreview.Tolerations(whitelist)) == nil
}

func MergeTolerations(first, second []api.Toleration) []api.Toleration {
	return coreview.CoreTolerations(taints.Minimize(taints.Merge(coreview.Tolerations(first), coreview.Tolerations(second))))
}

func isSuperset(ss, t api.Toleration) bool {
	return taints.Options{}.Covers(coreview.Toleration(ss), coreview.Toleration(t))
}
