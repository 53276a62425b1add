// SPDX-License-Identifier: Apache-2.0

package keyset_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints/internal/keyset"
)

// keys returns all keys made of the letters a, b and "*", up to the length.
func keys(length int) []string {
	all := []string{""}
	for i := 0; len(all[i]) < length; i++ {
		all = append(all, all[i]+"a", all[i]+"b", all[i]+"*")
	}
	return all
}

// The sets have keys of up to two letters. The expected results follow from the
// results of Contains for all keys of up to three letters.
func TestSets(t *testing.T) {
	var sets []keyset.Set
	for _, key := range keys(2) {
		sets = append(sets, keyset.Set{Key: key}, keyset.Set{Key: key, Prefix: true})
	}
	universe := keys(3)
	for _, s := range sets {
		for _, key := range universe {
			want := key == s.Key || s.Prefix && strings.HasPrefix(key, s.Key)
			if got := s.Contains(key); got != want {
				t.Errorf("%+v contains %q: %v, want %v", s, key, got, want)
			}
		}
		for _, u := range sets {
			includes := !slices.ContainsFunc(universe, func(k string) bool { return u.Contains(k) && !s.Contains(k) })
			meets := slices.ContainsFunc(universe, func(k string) bool { return u.Contains(k) && s.Contains(k) })
			if s.Includes(u) != includes || s.Meets(u) != meets {
				t.Errorf("%+v includes %+v: %v, want %v; meets it: %v, want %v",
					s, u, s.Includes(u), includes, s.Meets(u), meets)
			}
		}
	}
}

func TestOf(t *testing.T) {
	for _, tc := range []struct {
		key       string
		plain, on keyset.Set
	}{
		{"", keyset.Set{"", true}, keyset.Set{"", true}},
		{"a", keyset.Set{"a", false}, keyset.Set{"a", false}},
		{"a*", keyset.Set{"a*", false}, keyset.Set{"a", true}},
		{"*", keyset.Set{"*", false}, keyset.Set{"", true}},
		{"a**", keyset.Set{"a**", false}, keyset.Set{"a*", true}},
		{"*a", keyset.Set{"*a", false}, keyset.Set{"*a", false}},
	} {
		if got := keyset.Of(tc.key, false); got != tc.plain {
			t.Errorf("%q is %+v, want %+v", tc.key, got, tc.plain)
		}
		if got := keyset.Of(tc.key, true); got != tc.on {
			t.Errorf("%q under wildcards is %+v, want %+v", tc.key, got, tc.on)
		}
	}
}
