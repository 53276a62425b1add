// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints"
)

// Only a "*" at the end of a key is a wildcard. The fingerprint of "a/(" is that
// of the taint's key.
func TestKeyWildcards(t *testing.T) {
	taint := []taints.Taint{{Key: "a/h", Effect: taints.NoSchedule}}
	for key, want := range map[string]bool{
		"a/*": true, "a/h*": true, "a*": true, "*": true,
		"a/c*": false, "a/hc*": false, "a*h": false, "*/h": false, "**": false, "a/(": false, "a/+": false,
	} {
		list := []taints.Toleration{{Key: key, Operator: taints.OpExists}}
		if _, found := (taints.Options{KeyWildcards: true}).Compile(list).FindUntolerated(taint, taints.Hard); found == want {
			t.Errorf("%q matches: %v", key, !found)
		}
		if _, found := taints.FindUntolerated(taint, list, taints.Hard); !found {
			t.Errorf("%q matches without wildcards", key)
		}
	}
}

// Lt and Gt match only integers in canonical form. Every other form matches
// nothing, both in a taint and in a toleration.
func TestIntegerForms(t *testing.T) {
	valid := []string{
		"0", "1", "9", "10", "-1", "-10", "9223372036854775807", "-9223372036854775808",
		"999999999999999999",
	}
	invalid := []string{
		"", "-", "+", "+1", "-0", "00", "01", "007", "-01", "1.0", "1e3", "0x1",
		"1_000", " 1", "1 ", "1\n", "--1", "١", "1a", "a",
		"9223372036854775808", "-9223372036854775809", "18446744073709551616",
		"99999999999999999999", "-99999999999999999999",
		"9223372036854775809", "-9223372036854775810", "9999999999999999999",
		"-9999999999999999999", "18446744073709551617", strings.Repeat("9", 1000), "/", ":",
	}
	for i, form := range append(valid, invalid...) {
		ok := i < len(valid)
		for _, op := range []taints.Operator{taints.OpLt, taints.OpGt} {
			limit, taintLimit := "9223372036854775807", "-9223372036854775808"
			if op == taints.OpGt {
				limit, taintLimit = taintLimit, limit
			}
			asTaint := taints.Toleration{Operator: op, Value: limit}.Tolerates(taints.Taint{Key: "k", Value: form})
			asToleration := taints.Toleration{Operator: op, Value: form}.Tolerates(taints.Taint{
				Key:   "k",
				Value: taintLimit,
			})
			if asTaint != (ok && form != limit) || asToleration != (ok && form != taintLimit) {
				t.Errorf("%s %q: %v as the taint's value, %v as the toleration's; an integer: %v",
					op, form, asTaint, asToleration, ok)
			}
		}
	}
}
