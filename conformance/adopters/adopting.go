// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"

	"github.com/awslabs/operatorpkg/serrors"
	"github.com/samber/lo"
	"go.uber.org/multierr"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/karpenter/pkg/scheduling"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/kube"
)

// known are Karpenter's taints that go away.
var known = taints.Options{KeyWildcards: true}.Compile(
	taints.TolerationsFor(kube.Taints(scheduling.KnownEphemeralTaints)...),
	taints.TolerationsFor(lo.Map(scheduling.KnownEphemeralTaintKeyPrefixes, func(prefix string, _ int) taints.Taint { return taints.Taint{Key: prefix + "*"} })...),
)

// toleratesPod is the function of docs/adopting.md.
func toleratesPod(node []corev1.Taint, pod []corev1.Toleration) (errs error) {
	for _, t := range taints.Untolerated(kube.Taints(node), kube.Tolerations(pod), taints.AllEffects) {
		errs = multierr.Append(errs, serrors.Wrap(fmt.Errorf("did not tolerate taint"), "taint", t.String()))
	}
	return errs
}

// tolerationsEqual is the function of docs/adopting.md.
func tolerationsEqual(a, b []corev1.Toleration) bool {
	return slices.EqualFunc(unique(a), unique(b), sameID)
}

func unique(list []corev1.Toleration) []taints.Toleration {
	sorted := slices.Clone(kube.Tolerations(list))
	slices.SortFunc(sorted, taints.Toleration.Compare)
	return slices.CompactFunc(sorted, sameID)
}

func sameID(t, u taints.Toleration) bool { return t.ID() == u.ID() }
