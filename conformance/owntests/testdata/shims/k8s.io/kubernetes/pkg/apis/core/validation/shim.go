package validation

import (
	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/kube"
	"github.com/seed-0529bac1/taints/tolerationset"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/apis/core"
	"owntests.example/coreview"
)

func ValidateTolerations(tolerations []core.Toleration, fldPath *field.Path, opts PodValidationOptions, _ ...ValidateTolerationsOption) field.ErrorList {
	options := taints.Options{NoComparison: !opts.AllowTaintTolerationComparisonOperators}
	return kube.FieldErrors(options.ValidateTolerations(coreview.Tolerations(tolerations)), fldPath)
}

func validateOnlyAddedTolerations(newTolerations, oldTolerations []core.Toleration, fldPath *field.Path, opts PodValidationOptions) field.ErrorList {
	options := taints.Options{NoComparison: !opts.AllowTaintTolerationComparisonOperators}
	return kube.FieldErrors(tolerationset.ValidateUpdate(coreview.Tolerations(oldTolerations), coreview.Tolerations(newTolerations), options), fldPath)
}

func validateNodeTaints(list []core.Taint, fldPath *field.Path) field.ErrorList {
	return kube.FieldErrors(taints.ValidateTaints(coreview.Taints(list)), fldPath)
}
