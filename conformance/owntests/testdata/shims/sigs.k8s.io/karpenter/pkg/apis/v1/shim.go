package v1

import (
	"errors"
	"slices"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/kube"
	"go.uber.org/multierr"
)

//owntests:removes validateTaintsField

// validateTaints allows taints without an effect.
func (in *NodeClaimTemplateSpec) validateTaints() (errs error) {
	err := taints.ValidateTaints(kube.Taints(slices.Concat(in.Taints, in.StartupTaints)))
	var list *taints.ErrorList
	if !errors.As(err, &list) {
		return err
	}
	permanent, startup := list.Split(len(in.Taints))
	for _, f := range startup.Errors {
		f.List = "startupTaints"
	}
	for _, f := range slices.Concat(permanent.Errors, startup.Errors) {
		if f.Field != "effect" || f.Kind != taints.ErrRequired {
			errs = multierr.Append(errs, f)
		}
	}
	return errs
}
