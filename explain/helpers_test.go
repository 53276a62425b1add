// SPDX-License-Identifier: Apache-2.0

package explain_test

import (
	"iter"
	"slices"
	"testing"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/explain"
	"github.com/seed-0529bac1/taints/internal/enumtest"
)

var enums = []enumtest.Enum{
	enumtest.New("Mismatch",
		[]explain.Mismatch{
			explain.MismatchNone, explain.MismatchEffect, explain.MismatchKey, explain.MismatchValue,
			explain.MismatchOperator, explain.MismatchNoComparison, explain.MismatchThreshold,
			explain.MismatchNothing, explain.MismatchNotInteger, explain.MismatchTooLarge, explain.MismatchTooSmall,
		},
		"MismatchNone", "MismatchEffect", "MismatchKey", "MismatchValue",
		"MismatchOperator", "MismatchNoComparison", "MismatchThreshold",
		"MismatchNothing", "MismatchNotInteger", "MismatchTooLarge", "MismatchTooSmall"),
	enumtest.New("Hint",
		[]explain.Hint{
			explain.HintNone, explain.HintLetterCase, explain.HintSpelling, explain.HintEmptyValue, explain.HintOtherKey,
		},
		"HintNone", "HintLetterCase", "HintSpelling", "HintEmptyValue", "HintOtherKey"),
}

func TestEnums(t *testing.T) {
	for _, e := range enums {
		e.Check(t)
	}
}

func parseTaints(specs ...string) []taints.Taint {
	var list []taints.Taint
	for _, spec := range specs {
		list = append(list, taints.MustParseTaint(spec))
	}
	return list
}

func parseTolerations(specs ...string) []taints.Toleration {
	var list []taints.Toleration
	for _, spec := range specs {
		list = append(list, taints.MustParseToleration(spec))
	}
	return list
}

// node explains one taint for the tolerations.
func node(taint taints.Taint, list ...taints.Toleration) explain.Reason {
	return explain.Node(taints.Compile(list), []taints.Taint{taint})[0]
}

// each yields the list of taints of each node.
func each(nodes ...[]taints.Taint) iter.Seq[[]taints.Taint] { return slices.Values(nodes) }
