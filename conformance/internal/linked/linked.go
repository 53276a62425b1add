// Package linked runs unexported functions of Kubernetes, as they stand there. It rests on go:linkname, which the linker
// allows for anything outside the standard library.
package linked

import (
	"time"
	_ "unsafe" // for go:linkname

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubectl/pkg/describe"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/apis/core/validation"
	_ "k8s.io/kubernetes/pkg/controller/tainteviction"
)

// MinTolerationTime is the taint-eviction controller's: how long a pod stays that uses the tolerations, 0 for not at all
// and negative for ever.
//
//go:linkname MinTolerationTime k8s.io/kubernetes/pkg/controller/tainteviction.getMinTolerationTime
func MinTolerationTime(tolerations []corev1.Toleration) time.Duration

// ValidateOnlyAddedTolerations is what the API server checks a pod's tolerations with when the pod is updated.
//
//go:linkname ValidateOnlyAddedTolerations k8s.io/kubernetes/pkg/apis/core/validation.validateOnlyAddedTolerations
func ValidateOnlyAddedTolerations(newTolerations, oldTolerations []core.Toleration, fldPath *field.Path, opts validation.PodValidationOptions) field.ErrorList

// ValidateNodeTaints is what the API server checks a node's taints with.
//
//go:linkname ValidateNodeTaints k8s.io/kubernetes/pkg/apis/core/validation.validateNodeTaints
func ValidateNodeTaints(taints []core.Taint, fldPath *field.Path) field.ErrorList

// PrintTolerations is how "kubectl describe pod" prints tolerations.
//
//go:linkname PrintTolerations k8s.io/kubectl/pkg/describe.printTolerationsMultilineWithIndent
func PrintTolerations(w describe.PrefixWriter, initialIndent, title, innerIndent string, tolerations []corev1.Toleration)
