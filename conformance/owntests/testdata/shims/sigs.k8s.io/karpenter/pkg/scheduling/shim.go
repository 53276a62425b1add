package scheduling

import (
	"fmt"

	"github.com/awslabs/operatorpkg/serrors"
	"github.com/samber/lo"
	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/kube"
	"go.uber.org/multierr"
	corev1 "k8s.io/api/core/v1"
)

// ephemeral matches the taints that are removed while a node initializes.
var ephemeral = taints.Options{KeyWildcards: true}.Compile(
	taints.TolerationsFor(kube.Taints(KnownEphemeralTaints)...),
	taints.TolerationsFor(lo.Map(KnownEphemeralTaintKeyPrefixes, func(prefix string, _ int) taints.Taint { return taints.Taint{Key: prefix + "*"} })...),
)

func IsKnownEphemeralTaint(taint *corev1.Taint) bool {
	if taint == nil {
		return false
	}
	_, ok := ephemeral.Match(kube.Taint(*taint))
	return ok
}

func (ts Taints) Tolerates(tolerations []corev1.Toleration) (errs error) {
	for _, t := range taints.Untolerated(kube.Taints(ts), kube.Tolerations(tolerations), taints.AllEffects) {
		errs = multierr.Append(errs, serrors.Wrap(fmt.Errorf("did not tolerate taint"), "taint", t.String()))
	}
	return errs
}

func (ts Taints) Merge(with Taints) Taints {
	merged, _ := kube.Ensure(ts, taints.Changes{Add: kube.Taints(with)})
	return merged
}
