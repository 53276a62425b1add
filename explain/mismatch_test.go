// SPDX-License-Identifier: Apache-2.0

package explain_test

import (
	"testing"

	"github.com/seed-0529bac1/taints/explain"
)

func TestNames(t *testing.T) {
	for i, name := range []string{
		"MismatchNone", "MismatchEffect", "MismatchKey", "MismatchValue", "MismatchOperator", "MismatchNoComparison",
		"MismatchThreshold", "MismatchNothing", "MismatchNotInteger", "MismatchTooLarge", "MismatchTooSmall", "Mismatch(11)",
	} {
		m := explain.Mismatch(i)
		if text, err := m.MarshalText(); string(text) != name || m.String() != name || err != nil {
			t.Errorf("%v is written as %s, %v, want %s", m, text, err, name)
		}
	}
	for i, name := range []string{"HintNone", "HintLetterCase", "HintSpelling", "HintEmptyValue", "HintOtherKey", "Hint(5)"} {
		h := explain.Hint(i)
		if text, err := h.MarshalText(); string(text) != name || h.String() != name || err != nil {
			t.Errorf("%v is written as %s, %v, want %s", h, text, err, name)
		}
	}
}
