package utils

import (
	"context"
	"slices"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/kube"
	v1 "k8s.io/api/core/v1"
)

func TolerationsTolerateTaint(_ context.Context, tolerations []v1.Toleration, taint *v1.Taint) bool {
	_, ok := taints.Match(kube.Taint(*taint), kube.Tolerations(tolerations))
	return ok
}

func TolerationsTolerateTaintsWithFilter(_ context.Context, tolerations []v1.Toleration, list []v1.Taint, applyFilter taintsFilterFunc) bool {
	for i := range taints.Untolerated(kube.Taints(list), kube.Tolerations(tolerations), taints.AllEffects) {
		if applyFilter == nil || applyFilter(&list[i]) {
			return false
		}
	}
	return true
}

func uniqueSortTolerations(tolerations []v1.Toleration) []v1.Toleration {
	list := slices.Clone(kube.Tolerations(tolerations))
	slices.SortFunc(list, taints.Toleration.Compare)
	sameID := func(a, b taints.Toleration) bool { return a.ID() == b.ID() }
	return kube.CoreTolerations(slices.CompactFunc(list, sameID))
}

func TolerationsEqual(t1, t2 []v1.Toleration) bool {
	sameID := func(a, b v1.Toleration) bool { return kube.Toleration(a).ID() == kube.Toleration(b).ID() }
	return slices.EqualFunc(uniqueSortTolerations(t1), uniqueSortTolerations(t2), sameID)
}
