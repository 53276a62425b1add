// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"testing"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/reference"
)

// Every short key is matched as in the reference, beside another toleration and
// with wildcards or without, in both forms.
func TestMatchKeys(t *testing.T) {
	keys := []string{"", "*", "a", "a*", "b", "b*", "ab", "a**", "ab*", "abc", "xyz"}
	for _, o := range []taints.Options{{}, {KeyWildcards: true}} {
		for _, key := range keys {
			for _, other := range keys {
				list := []taints.Toleration{{Key: key, Operator: taints.OpExists}, {Key: other, Operator: taints.OpExists}}
				m := o.Compile(list)
				for _, of := range keys {
					taint, want := taints.Taint{Key: of, Effect: taints.NoSchedule}, -1
					if matches := reference.Matches(o, list, taint); len(matches) > 0 {
						want = matches[0]
					}
					if got, ok := m.Match(taint); got != want || ok != (want >= 0) {
						t.Errorf("under %+v, %q and %q of %q: %d, want %d", o, key, other, of, got, want)
					}
					if got, ok := taints.Match(taint, list); !o.KeyWildcards && (got != want || ok != (want >= 0)) {
						t.Errorf("%q and %q of %q: %d, want %d", key, other, of, got, want)
					}
				}
			}
		}
	}
}
