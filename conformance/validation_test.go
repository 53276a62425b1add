// SPDX-License-Identifier: Apache-2.0

//go:build !staging

package conformance

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/conformance/internal/convert"
	"github.com/seed-0529bac1/taints/conformance/internal/gated"
	"github.com/seed-0529bac1/taints/conformance/internal/linked"
	"github.com/seed-0529bac1/taints/kube"
	"github.com/seed-0529bac1/taints/tolerationset"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	podutil "k8s.io/kubernetes/pkg/api/pod"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/apis/core/validation"
	"k8s.io/kubernetes/pkg/apis/node"
	nodevalidation "k8s.io/kubernetes/pkg/apis/node/validation"
	"pgregory.net/rapid"
)

// places is a set of places of errors: "[2].value", or "" for the whole list.
type places map[string]bool

// kubernetesPlaces returns the places with errors that Kubernetes reports under
// the path. For an invalid value of a toleration, Kubernetes names the operator,
// unless it is Lt or Gt. This function corrects that.
func kubernetesPlaces(list field.ErrorList, path string) places {
	p := places{}
	for _, err := range list {
		place, ok := strings.CutPrefix(err.Field, path)
		if !ok {
			continue
		}
		if element, ok := strings.CutSuffix(place, ".operator"); ok && err.Type == field.ErrorTypeInvalid &&
			!strings.HasPrefix(err.Detail, "operator must be Exists when `key` is empty") {
			place = element + ".value"
		}
		p[place] = true
	}
	return p
}

// samePlaces fails the test unless the library's error has errors in the places. A
// error of the old list has no place in the validated one.
func samePlaces(t *rapid.T, what string, got error, want places) {
	var all taints.ErrorList
	if got != nil && (!errors.As(got, &all) || len(all) == 0) {
		t.Fatalf("error without errors: %v", got)
	}
	p := places{}
	for _, f := range all {
		place := ""
		if f.List != "" && f.List != "old" {
			place = fmt.Sprintf("[%d]", f.Index)
		}
		if f.Field != "" {
			place += "." + f.Field
		}
		p[place] = true
	}
	same(t, what, p, want)
}

// pod returns a pod that is valid except possibly for its tolerations.
func pod(tolerations []corev1.Toleration) *core.Pod {
	grace := int64(30)
	return &core.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "pod", Namespace: "default", ResourceVersion: "1"},
		Spec: core.PodSpec{
			Containers: []core.Container{{
				Name:                     "c",
				Image:                    "i",
				ImagePullPolicy:          core.PullAlways,
				TerminationMessagePolicy: core.TerminationMessageReadFile,
			}},
			RestartPolicy:                 core.RestartPolicyAlways,
			DNSPolicy:                     core.DNSClusterFirst,
			TerminationGracePeriodSeconds: &grace,
			SecurityContext:               &core.PodSecurityContext{},
			Tolerations:                   convert.ToCoreTolerations(tolerations),
		},
	}
}

// createOptions returns the options that an API server derives for the creation
// of the pod from the current feature gate.
func createOptions(p *core.Pod) validation.PodValidationOptions {
	return podutil.GetValidationOptionsFromPodSpecAndMeta(&p.Spec, nil, &p.ObjectMeta, nil)
}

// validateUpdate returns the errors that an API server finds in an update, with the
// options that it derives from the gate and from the features of the old pod.
func validateUpdate(before, after []corev1.Toleration) field.ErrorList {
	from, to := pod(before), pod(after)
	return validation.ValidatePodUpdate(to, from, podutil.GetValidationOptionsFromPodSpecAndMeta(
		&to.Spec, &from.Spec, &to.ObjectMeta, &from.ObjectMeta,
	))
}

func TestValidateTolerations(t *testing.T) {
	path := field.NewPath("tolerations")
	for _, mode := range modes {
		gated.Set(t, mode.comparison)
		rapid.Check(t, func(t *rapid.T) {
			tolerations := drawTolerations(t)
			ours, p := kube.Tolerations(tolerations), pod(tolerations)
			errs := gated.ValidateTolerations(p.Spec.Tolerations, path, createOptions(p))
			want := kubernetesPlaces(errs, path.String())
			samePlaces(t, "Options.ValidateTolerations", mode.options.ValidateTolerations(ours), want)
			if !mode.comparison {
				return
			}
			samePlaces(t, "ValidateTolerations", taints.ValidateTolerations(kube.Tolerations(tolerations)), want)
			for i := range ours {
				errs := gated.ValidateTolerations(p.Spec.Tolerations[i:i+1], path, createOptions(p))
				want := kubernetesPlaces(errs, path.String()+"[0]")
				samePlaces(t, "Toleration.Validate", ours[i].Validate(), want)
			}
		})
	}
}

func TestValidateNodeTaints(t *testing.T) {
	path := field.NewPath("taints")
	rapid.Check(t, func(t *rapid.T) {
		list := drawTaints(t)
		if rapid.IntRange(0, 9).Draw(t, "long") == 9 {
			list = draws(t, "taints", 100, drawTaint)
		}
		ours, theirs := kube.Taints(list), convert.ToCoreTaints(list)
		want := kubernetesPlaces(linked.ValidateNodeTaints(theirs, path), path.String())
		samePlaces(t, "ValidateTaints", taints.ValidateTaints(kube.Taints(list)), want)
		for i := range ours {
			want := kubernetesPlaces(linked.ValidateNodeTaints(theirs[i:i+1], path), path.String()+"[0]")
			samePlaces(t, "Taint.Validate", ours[i].Validate(), want)
		}
	})
}

// drawUpdate returns tolerations before and after an update. An API server without
// the feature gate has no stored Lt or Gt. See TestDifferenceUpdateWithoutGate.
func drawUpdate(t *rapid.T) (before, after []corev1.Toleration) {
	before = drawTolerations(t)
	if !gated.Comparison {
		before = slices.DeleteFunc(before, func(t corev1.Toleration) bool {
			return t.Operator == opLt || t.Operator == opGt
		})
	}
	for _, toleration := range before {
		switch rapid.IntRange(0, 15).Draw(t, "change") {
		case 11, 12:
			toleration.TolerationSeconds = drawSeconds(t)
		case 13:
			toleration = drawToleration(t)
		case 14:
			continue
		case 15:
			operators := []string{"", "Equal"}
			toleration.Operator = corev1.TolerationOperator(rapid.SampledFrom(operators).Draw(t, "operator"))
		}
		after = append(after, toleration)
	}
	after = append(after, draws(t, "added", 2, drawToleration)...)
	if len(after) > 1 && rapid.Bool().Draw(t, "turned") {
		slices.Reverse(after)
	}
	return before, after
}

// TestValidatePodUpdate validates the update of a whole pod.
func TestValidatePodUpdate(t *testing.T) {
	const path = "spec.tolerations"
	for _, mode := range modes {
		gated.Set(t, mode.comparison)
		rapid.Check(t, func(t *rapid.T) {
			before, after := drawUpdate(t)
			theirs := validateUpdate(before, after)
			got := tolerationset.ValidateUpdate(kube.Tolerations(before), kube.Tolerations(after), mode.options)
			same(t, "ValidateUpdate succeeds", got == nil, len(theirs) == 0)
			samePlaces(t, "ValidateUpdate", got, kubernetesPlaces(theirs, path))
		})
	}
}

// Kubernetes 1.34 does not know Lt and Gt. Later versions allow existing ones
// even if the gate is off, and so does the library.
func TestDifferenceUpdateWithoutGate(t *testing.T) {
	list := []corev1.Toleration{{Key: "a", Operator: opLt, Value: "5", Effect: "NoSchedule"}}
	if gated.Comparison {
		gated.Set(t, false)
	}
	same(t, "Kubernetes allows", len(validateUpdate(list, list)) == 0, gated.Comparison)
	ours := kube.Tolerations(list)
	same(t, "library", tolerationset.ValidateUpdate(ours, ours, taints.Options{NoComparison: true}), nil)
}

// A RuntimeClass never allows Lt and Gt, whatever the gate, and no two tolerations
// that differ at most in their seconds.
func TestValidateRuntimeClass(t *testing.T) {
	path := "scheduling.tolerations"
	rapid.Check(t, func(t *rapid.T) {
		tolerations := drawTolerations(t)
		errs := nodevalidation.ValidateRuntimeClass(&node.RuntimeClass{
			ObjectMeta: metav1.ObjectMeta{Name: "class"},
			Handler:    "handler",
			Scheduling: &node.Scheduling{Tolerations: convert.ToCoreTolerations(tolerations)},
		})
		twice := func(err *field.Error) bool { return err.Type == field.ErrorTypeDuplicate }
		seen, repeated := map[corev1.Toleration]bool{}, false
		for _, toleration := range tolerations {
			toleration.TolerationSeconds = nil
			repeated = repeated || seen[toleration]
			seen[toleration] = true
		}
		same(t, "Kubernetes refuses a repeated toleration", slices.ContainsFunc(errs, twice), repeated)
		errs = slices.DeleteFunc(errs, twice)
		for _, err := range errs { // older versions repeat the name
			err.Field = strings.Replace(err.Field, path+".tolerations", path, 1)
		}
		want := kubernetesPlaces(errs, path)
		got := gateOff.ValidateTolerations(kube.Tolerations(tolerations))
		samePlaces(t, "Options.ValidateTolerations", got, want)
	})
}
