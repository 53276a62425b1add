// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"testing"

	"github.com/seed-0529bac1/taints"
)

func TestReconcile(t *testing.T) {
	for _, tc := range []struct {
		name, current, old, new string
		want                    string
	}{
		{"nothing at all", "", "", "", ""},
		{"a first template", "b:x", "", "a=ml:x", "a=ml:x"},
		{"done already", "b:x a=ml:x", "", "a=ml:x", ""},
		{"unchanged", "a=ml:x", "a=ml:x", "a=ml:x", ""},
		{"another value", "a=ml:x", "a=ml:x", "a=db:x", "a=db:x"},
		{"another effect", "a=ml:x", "a=ml:x", "a=ml:y", "a=ml:y a:x-"},
		{"taken off", "b:x a=ml:x", "a=ml:x", "", "a:x-"},
		{"taken off, and gone already", "b:x", "a=ml:x", "", ""},
		{"taken off, but changed by another", "a=theirs:x", "a=ml:x", "", ""},
		{"wanted, but changed by another", "a=theirs:x", "a=ml:x", "a=ml:x", "a=ml:x"},
		{"wanted, but removed by another", "", "a=ml:x", "a=ml:x", "a=ml:x"},
		{"put there by another", "a=ml:x", "", "", ""},
		{"order", "b:x a:x", "a:x b:x", "d:x c:x", "d:x c:x a:x- b:x-"},
		{"the first of two counts", "a=1:x a=2:x", "a=1:x a=2:x", "", "a:x-"},
		{"the first of two counts, not removed", "a=1:x a=2:x", "a=2:x a=1:x", "", ""},
		{"the first of two counts, added", "a=1:x", "", "a=2:x a=1:x", "a=2:x"},
		{"the first of two counts, there", "a=2:x a=1:x", "", "a=1:x", "a=1:x"},
		{"without an effect", "a: a:x b:", "a: b:", "b=x:", "b=x: a:-"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := taints.Reconcile(listOf(tc.current), listOf(tc.old), listOf(tc.new)).String()
			if got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}
