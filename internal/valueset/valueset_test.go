// SPDX-License-Identifier: Apache-2.0

package valueset_test

import (
	"math"
	"slices"
	"testing"

	"github.com/seed-0529bac1/taints/internal/test/reference"
	"github.com/seed-0529bac1/taints/internal/valueset"
)

// universe has a value on each side of every distinction that the sets below
// can make.
var universe = []string{
	"", "v", "w", "05", "-0", "+5", "-", "5 ", "-9223372036854775809", "9223372036854775808",
	"-9223372036854775808", "-9223372036854775807", "-9223372036854775806", "-1", "0", "3", "4",
	"5", "6", "7", "9223372036854775805", "9223372036854775806", "9223372036854775807",
}

// sets returns sets of every kind.
func sets() []valueset.Set {
	all := []valueset.Set{{}, {Kind: valueset.All}}
	for _, value := range universe {
		all = append(all, valueset.Set{Kind: valueset.One, Text: value})
	}
	ends := []int64{math.MinInt64, math.MinInt64 + 1, 0, 4, 5, 6, math.MaxInt64 - 1, math.MaxInt64}
	for i, least := range ends {
		for _, most := range ends[i:] {
			all = append(all, valueset.Set{Kind: valueset.Integers, Least: least, Most: most})
		}
	}
	return all
}

// The results of Contains for each value determine those for sets, and the
// reference determines the results of Contains.
func TestSets(t *testing.T) {
	all := sets()
	for i := range all {
		s := &all[i]
		for _, value := range universe {
			n, ok := reference.Integer(value)
			want := s.Kind == valueset.All || s.Kind == valueset.One && s.Text == value ||
				s.Kind == valueset.Integers && ok && s.Least <= n.Int64() && n.Int64() <= s.Most
			if got := s.Contains(value); got != want {
				t.Errorf("%+v contains %q: %v, want %v", *s, value, got, want)
			}
		}
		for j := range all {
			u := &all[j]
			includes := !slices.ContainsFunc(universe, func(v string) bool { return u.Contains(v) && !s.Contains(v) })
			meets := slices.ContainsFunc(universe, func(v string) bool { return u.Contains(v) && s.Contains(v) })
			if s.Includes(u) != includes || s.Meets(u) != meets {
				t.Errorf("%+v includes %+v: %v, want %v; meets it: %v, want %v",
					*s, *u, s.Includes(u), includes, s.Meets(u), meets)
			}
		}
	}
}

func TestParseInteger(t *testing.T) {
	for _, s := range append([]string{
		"-10", "9081726354", "999999999999999999", "00", "-01", "1.0", "1e3", "0x1", "1_000", " 1", "1\n", "--1", "١", "1a", "/", ":", "1/", "1:", "-1/", "-1:",
		"18446744073709551616", "18446744073709551617", "9999999999999999999", "-9999999999999999999", "99999999999999999999",
	}, universe...) {
		n, ok := valueset.ParseInteger(s)
		want, wantOK := reference.Integer(s)
		if ok != wantOK || ok && n != want.Int64() {
			t.Errorf("%q is %d, %v, want %v, %v", s, n, ok, want, wantOK)
		}
	}
	parsed := false
	if n := testing.AllocsPerRun(10, func() { _, parsed = valueset.ParseInteger("9223372036854775808x") }); n > 0 || parsed {
		t.Errorf("%v allocations for what is no integer", n)
	}
}
