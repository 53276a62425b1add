// SPDX-License-Identifier: Apache-2.0

package explain_test

import (
	"testing"

	"github.com/seed-0529bac1/taints"
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
		if string(text) != name || m.String() != name || i < 11 && (got.UnmarshalText(text) != nil || got != m) {
			t.Errorf("%v is written as %s and read as %v, want %s", m, text, got, name)
		}
	}
	for i, name := range []string{"HintNone", "HintLetterCase", "HintSpelling", "HintEmptyValue", "HintOtherKey", "Hint(5)"} {
		h := explain.Hint(i)
		var got explain.Hint
		text, _ := h.MarshalText()
		if string(text) != name || h.String() != name || i < 5 && (got.UnmarshalText(text) != nil || got != h) {
			t.Errorf("%v is written as %s and read as %v, want %s", h, text, got, name)
		}
	}
}

func TestUnmarshalTextRefusesOtherNames(t *testing.T) {
	m, h := explain.MismatchKey, explain.HintSpelling
	if m.UnmarshalText([]byte("HintNone")) == nil || h.UnmarshalText([]byte("MismatchNone")) == nil ||
		m != explain.MismatchKey || h != explain.HintSpelling {
		t.Errorf("other names are read as %v and %v", m, h)
	}
}

func TestMismatchOf(t *testing.T) {
	for _, tc := range []struct{ toleration, taint, want string }{
		{"gpu op=Exists", "gpu=a:NoSchedule", "MismatchNone"},
		{"gpu:NoExecute op=Exists", "disk:NoSchedule", "MismatchEffect"},
		{"gpu op=Exists", "disk:NoSchedule", "MismatchKey"},
		{"gpu=a", "disk=b:NoSchedule", "MismatchKey"},
		{"gpu=a", "gpu=b:NoSchedule", "MismatchValue"},
		{"gpu op=Exist", "gpu=b:NoSchedule", "MismatchOperator"},
		{"gpu=5 op=Lt", "gpu=5:NoSchedule", "MismatchTooLarge"},
		{"gpu* op=Exists", "gpu:NoSchedule", "MismatchKey"},
	} {
		list, _ := written(tc.toleration)
		if got := explain.MismatchOf(list[0], taints.MustParseTaint(tc.taint)); got.String() != tc.want {
			t.Errorf("%s, %s: %v, want %s", tc.toleration, tc.taint, got, tc.want)
		}
	}
}
