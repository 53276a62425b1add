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
		var got explain.Mismatch
		text, _ := m.MarshalText()
		if known := got.UnmarshalText(text) == nil; string(text) != name || m.String() != name || known != (i < 11) || known && got != m {
			t.Errorf("%v is written as %s and read as %v, want %s", m, text, got, name)
		}
	}
	for i, name := range []string{"HintNone", "HintLetterCase", "HintSpelling", "HintEmptyValue", "HintOtherKey", "Hint(5)"} {
		h := explain.Hint(i)
		var got explain.Hint
		text, _ := h.MarshalText()
		if known := got.UnmarshalText(text) == nil; string(text) != name || h.String() != name || known != (i < 5) || known && got != h {
			t.Errorf("%v is written as %s and read as %v, want %s", h, text, got, name)
		}
	}
}
