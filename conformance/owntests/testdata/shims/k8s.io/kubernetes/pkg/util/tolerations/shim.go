package tolerations

import (
	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/tolerationset"
	api "k8s.io/kubernetes/pkg/apis/core"
	"owntests.example/coreview"
)

// VerifyAgainstWhitelist allows everything if the list is empty.
func VerifyAgainstWhitelist(tolerations, whitelist []api.Toleration) bool {
	return len(whitelist) == 0 || tolerationset.ValidateAllowed(coreview.Tolerations(tolerations), coreview.Tolerations(whitelist), taints.Options{}) == nil
}

func MergeTolerations(first, second []api.Toleration) []api.Toleration {
	merged := tolerationset.Merge(coreview.Tolerations(first), coreview.Tolerations(second), taints.Options{})
	return coreview.CoreTolerations(tolerationset.Minimize(merged, taints.Options{}))
}

func isSuperset(ss, t api.Toleration) bool {
	return tolerationset.Covers(coreview.Toleration(ss), coreview.Toleration(t), taints.Options{})
}
