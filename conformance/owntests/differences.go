// SPDX-License-Identifier: Apache-2.0

package main

// A difference is the reason why a test fails with the library on purpose.
type difference struct {
	errs   int // lines of the test that report an error: a test may have many cases
	reason string
}

const (
	wording = "the detail of the error is in other words (TestDifferenceWording)"
	numeric = "k8s.io/kubernetes/pkg/apis/core/validation TestNumericTolerationsWithFeatureGate/"
	machine = "sigs.k8s.io/cluster-api/core/reconcilers/machine Test_propagateMachineTaintsToNode/"
)

// differences are documented in the README of the conformance module. Those from
// Kubernetes have a test there. The keys are package and test.
var differences = map[string]difference{
	"k8s.io/kubectl/pkg/cmd/taint TestReorganizeTaints": {
		1, "an added taint comes last, but kubectl puts it first (TestDifferenceOrderOfTaints)",
	},

	"k8s.io/kubernetes/pkg/util/taints TestTaintSetDiff/shared_taints_with_the_same_key_effect_different_value": {
		1, "a value that changed is a change (TestDifferenceChangedValue)",
	},

	"k8s.io/kubernetes/pkg/util/tolerations TestMergeTolerations/merge_all": {
		1, "what the pod has is kept where a default covers it (TestDifferenceMerge)",
	},
	"k8s.io/kubernetes/pkg/util/tolerations TestFuzzed/MergeTolerations": {
		1, "what the pod has is kept where a default covers it (TestDifferenceMerge)",
	},

	numeric + "Gt_operator_with_decimal_value_and_feature_gate_enabled":                               {1, wording},
	numeric + "Gt_operator_with_empty_value_and_feature_gate_enabled":                                 {1, wording},
	numeric + "Gt_operator_with_just_minus_sign_and_feature_gate_enabled":                             {1, wording},
	numeric + "Gt_operator_with_leading_zeros_and_feature_gate_enabled_(invalid_-_strict_validation)": {1, wording},
	numeric + "Gt_operator_with_non-numeric_value_and_feature_gate_enabled":                           {1, wording},
	numeric + "Gt_operator_with_overflow_value_and_feature_gate_enabled":                              {1, wording},
	numeric + "Gt_operator_with_plus_sign_and_feature_gate_enabled_(invalid_-_strict_validation)":     {1, wording},
	numeric + "Gt_operator_with_space_in_value_and_feature_gate_enabled":                              {1, wording},

	"k8s.io/kubernetes/pkg/apis/core/validation TestValidatePod/value_must_be_empty_when_`operator`_is_'Exists'": {
		1, "the field is value, where Kubernetes names operator (TestDifferenceFieldOfError)",
	},

	machine + "no_taints_set,_no_taints_to_set,_cleans_up_empty_annotation": {
		1, "a nil list from which nothing is removed stays nil, where Cluster API makes it empty",
	},
}
