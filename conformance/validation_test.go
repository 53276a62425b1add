// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/conformance/internal/convert"
	"github.com/seed-0529bac1/taints/conformance/internal/gated"
	"github.com/seed-0529bac1/taints/conformance/internal/linked"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	podutil "k8s.io/kubernetes/pkg/api/pod"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/apis/core/validation"
	"pgregory.net/rapid"
)

// places is a set of places at fault, such as "[2].value", and "" for the whole list.
type places map[string]bool

func (p places) String() string { return fmt.Sprintf("%q", slices.Sorted(maps.Keys(p))) }

// kubernetesPlaces returns the places that Kubernetes finds at fault under the path.
// For a bad value of a toleration Kubernetes names the operator, unless that is Lt
// or Gt; this is put right here.
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

// libraryPlaces returns the places that the library finds at fault.
func libraryPlaces(t *rapid.T, err error) places {
	p := places{}
	if err == nil {
		return p
	}
	var all *taints.ErrorList
	if !errors.As(err, &all) || len(all.Errors) == 0 {
		t.Fatalf("error without faults: %v", err)
	}
	for _, f := range all.Errors {
		p[place(f)] = true
	}
	return p
}

// place returns where the fault is in the list that is validated. What the old
// list had has no place there.
func place(f *taints.FieldError) string {
	s := ""
	if f.List != "" && f.List != "old" {
		s = fmt.Sprintf("[%d]", f.Index)
	}
	if f.Field != "" {
		s += "." + f.Field
	}
	return s
}

func samePlaces(t *rapid.T, name string, got error, want places) {
	if p := libraryPlaces(t, got); !maps.Equal(p, want) {
		t.Fatalf("%s finds fault with %v, Kubernetes with %v", name, p, want)
	}
}

// pod returns a pod that is valid but for its tolerations.
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
			Tolerations:                   convert.Each(tolerations, convert.ToCoreToleration),
		},
	}
}

// createOptions are those that an API server derives for the creation of the
// pod, from the feature gate as it is set.
func createOptions(p *core.Pod) validation.PodValidationOptions {
	return podutil.GetValidationOptionsFromPodSpecAndMeta(&p.Spec, nil, &p.ObjectMeta, nil)
}

// updateOptions are those that it derives for an update, from the gate and from
// what the old pod has already.
func updateOptions(after, before *core.Pod) validation.PodValidationOptions {
	return podutil.GetValidationOptionsFromPodSpecAndMeta(&after.Spec, &before.Spec,
		&after.ObjectMeta, &before.ObjectMeta)
}

func TestValidateTolerations(t *testing.T) {
	path := field.NewPath("tolerations")
	for _, mode := range modes {
		gated.Set(t, mode.comparison)
		rapid.Check(t, func(t *rapid.T) {
			list := drawTolerations(t)
			ours, p := convert.Each(list, convert.FromToleration), pod(list)
			faults := gated.ValidateTolerations(p.Spec.Tolerations, path, createOptions(p))
			want := kubernetesPlaces(faults, path.String())
			samePlaces(t, "Options.ValidateTolerations", mode.options.ValidateTolerations(ours), want)
			if !mode.comparison {
				return
			}
			samePlaces(t, "ValidateTolerations", taints.ValidateTolerations(ours), want)
			for i := range ours {
				faults := gated.ValidateTolerations(p.Spec.Tolerations[i:i+1], path, createOptions(p))
				want := kubernetesPlaces(faults, path.String()+"[0]")
				samePlaces(t, "Toleration.Validate", ours[i].Validate(), want)
			}
		})
	}
}

func TestValidateNodeTaints(t *testing.T) {
	path := field.NewPath("taints")
	rapid.Check(t, func(t *rapid.T) {
		marks := drawTaints(t)
		if rapid.IntRange(0, 9).Draw(t, "long") == 9 {
			marks = draws(t, "taints", 100, drawTaint)
		}
		ours, theirs := convert.Each(marks, convert.FromTaint), convert.Each(marks, convert.ToCoreTaint)
		want := kubernetesPlaces(linked.ValidateNodeTaints(theirs, path), path.String())
		samePlaces(t, "ValidateTaints", taints.ValidateTaints(ours), want)
		for i := range ours {
			want := kubernetesPlaces(linked.ValidateNodeTaints(theirs[i:i+1], path), path.String()+"[0]")
			samePlaces(t, "Taint.Validate", ours[i].Validate(), want)
		}
	})
}

// drawUpdate returns tolerations and what became of them. An API server without
// the feature gate has stored no Lt and Gt; see TestDifferenceUpdateWithoutGate.
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
			from, to := pod(before), pod(after)
			theirs := validation.ValidatePodUpdate(to, from, updateOptions(to, from))
			got := mode.options.ValidateTolerationsUpdate(
				convert.Each(before, convert.FromToleration), convert.Each(after, convert.FromToleration),
			)
			if (got == nil) != (len(theirs) == 0) {
				t.Fatalf("ValidateTolerationsUpdate = %v, Kubernetes %v", got, theirs)
			}
			samePlaces(t, "Options.ValidateTolerationsUpdate", got, kubernetesPlaces(theirs, path))
		})
	}
}

// Kubernetes 1.34 does not know Lt and Gt. Later versions allow what is there
// already, with the gate off too, and so does the library.
func TestDifferenceUpdateWithoutGate(t *testing.T) {
	list := []corev1.Toleration{{Key: "a", Operator: opLt, Value: "5", Effect: "NoSchedule"}}
	if gated.Comparison {
		gated.Set(t, false)
	}
	theirs := validation.ValidatePodUpdate(pod(list), pod(list), updateOptions(pod(list), pod(list)))
	same(t, "Kubernetes allows", len(theirs) == 0, gated.Comparison)
	ours := convert.Each(list, convert.FromToleration)
	same(t, "library", taints.Options{NoComparison: true}.ValidateTolerationsUpdate(ours, ours), nil)
}
