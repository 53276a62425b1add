// SPDX-License-Identifier: Apache-2.0

package explain_test

import (
	"testing"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/explain"
)

var mismatches = []string{
	"MismatchNone", "MismatchEffect", "MismatchKey", "MismatchValue", "MismatchOperator",
	"MismatchNoComparison", "MismatchThreshold", "MismatchNothing", "MismatchNotInteger",
	"MismatchTooLarge", "MismatchTooSmall",
}

func TestTexts(t *testing.T) {
	for i, name := range mismatches {
		m := explain.Mismatch(i)
		text, err := m.MarshalText()
		var got explain.Mismatch
		if m.String() != name || string(text) != name || err != nil || got.UnmarshalText(text) != nil || got != m {
			t.Errorf("%d: %v, %s, %v, %v, want %s", i, m, text, err, got, name)
		}
	}
	for i, name := range []string{"HintNone", "HintLetterCase", "HintSpelling", "HintEmptyValue", "HintOtherKey"} {
		h := explain.Hint(i)
		text, err := h.MarshalText()
		var got explain.Hint
		if h.String() != name || string(text) != name || err != nil || got.UnmarshalText(text) != nil || got != h {
			t.Errorf("%d: %v, %s, %v, %v, want %s", i, h, text, err, got, name)
		}
	}
	m, h := explain.MismatchKey, explain.HintSpelling
	if m.UnmarshalText([]byte("HintNone")) == nil || h.UnmarshalText([]byte("MismatchNone")) == nil ||
		m != explain.MismatchKey || h != explain.HintSpelling {
		t.Errorf("other names are read as %v and %v", m, h)
	}
	if m, h := explain.Mismatch(11).String(), explain.Hint(5).String(); m != "Mismatch(11)" || h != "Hint(5)" {
		t.Errorf("unknown numbers are %s and %s", m, h)
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
