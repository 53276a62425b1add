package v1

import (
	"errors"
	"slices"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/kube"
	"go.uber.org/multierr"
)

// validateTaints allows taints without an effect.
func (in *NodeClaimTemplateSpec) validateTaints() (errs error) {
	var list taints.ErrorList
	if !errors.As(taints.ValidateTaints(kube.Taints(slices.Concat(in.Taints, in.StartupTaints))), &list) {
		return nil
	}
	for _, f := range list {
		if f.Index >= len(in.Taints) {
			f.List, f.Index = "startupTaints", f.Index-len(in.Taints)
		}
		if f.Field != "effect" || f.Kind != taints.ErrRequired {
			errs = multierr.Append(errs, f)
		}
	}
	return errs
}
