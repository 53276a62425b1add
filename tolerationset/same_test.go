// SPDX-License-Identifier: Apache-2.0

package tolerationset_test

import (
	"slices"
	"testing"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/tolerationset"
)

// checkSame checks the result of Same, and also that of the comparison of
// results, which Same skips if it can.
func checkSame(t fataler, o taints.Options, a, b []taints.Toleration, want bool) {
	t.Helper()
	for _, lists := range [...][2][]taints.Toleration{{a, b}, {b, a}} {
		got := tolerationset.Same(lists[0], lists[1], o)
		compared := tolerationset.SameResults(lists[0], lists[1], o)
		if got != want || compared != want {
			t.Fatalf("under %+v %v and %v are the same: %v, and %v by their answers, want %v",
				o, lists[0], lists[1], got, compared, want)
		}
	}
}

// What lists of three tolerations in TestBruteSame do not show.
func TestSame(t *testing.T) {
	for _, tc := range []struct {
		a, b []string
		want bool
	}{
		// There are more effects, values and keys than the named ones.
		{[]string{"a:NoSchedule", "a:PreferNoSchedule", "a:NoExecute"}, []string{"a"}, false},
		{[]string{"a=1", "a=5 op=Lt", "a=4 op=Gt"}, []string{"a op=Exists"}, false},
		{[]string{"a op=Exists", "b op=Exists"}, []string{"op=Exists"}, false},
		// Ranges of integers may be combined in different ways.
		{[]string{"a=5 op=Lt", "a=4 op=Gt"}, []string{"a=9 op=Lt", "a=-9 op=Gt"}, true},
		{[]string{"a=5 op=Lt", "a=5 op=Gt"}, []string{"a=9 op=Lt", "a=-9 op=Gt"}, false},
		{[]string{"a=5 op=Lt", "a=5 op=Gt", "a=5"}, []string{"a=9 op=Lt", "a=-9 op=Gt"}, true},
		// A toleration for one effect may matter only at a value that no other matches.
		{[]string{"a=5 op=Lt", "a=2:NoSchedule op=Gt"}, []string{"a=5 op=Lt"}, false},
		{[]string{"a=8", "a=5 op=Lt", "a=8:NoSchedule op=Lt"}, []string{"a=8", "a=5 op=Lt"}, false},
		{[]string{"a:NoExecute for 0s"}, []string{"a:NoExecute for -1s"}, true},
		{[]string{"a:NoExecute for 0s"}, []string{"a:NoExecute for 1s"}, false},
		// A "*" is a wildcard here.
		{[]string{"a* op=Exists"}, []string{"a* op=Exists", "b op=Exists"}, false},
		{[]string{"a/* op=Exists"}, []string{"a/* op=Exists", "a/b op=Exists"}, true},
		{[]string{"a/* op=Exists"}, []string{"a/b* op=Exists"}, false},
		{[]string{"* op=Exists"}, []string{"op=Exists"}, true},
	} {
		checkSame(t, taints.Options{KeyWildcards: true}, parse(t, tc.a...), parse(t, tc.b...), tc.want)
	}
	for n := range 20 {
		list := listOf(n, func(i int) taints.Toleration { return exists(string(rune('a' + i))) })
		reversed := slices.Clone(list)
		slices.Reverse(reversed)
		checkSame(t, taints.Options{}, list, reversed, true)
	}
}

// The keys with a prefix are the prefix itself and the keys with each next
// byte, at any depth.
func TestSameBehindPrefixes(t *testing.T) {
	wild := taints.Options{KeyWildcards: true}
	star := []taints.Toleration{exists("x*")}
	behind := func(prefix string, but ...byte) (list []taints.Toleration) {
		for b := range 256 {
			if !slices.Contains(but, byte(b)) {
				list = append(list, exists(prefix+string([]byte{byte(b)})+"*"))
			}
		}
		return list
	}
	checkSame(t, wild, []taints.Toleration{exists("\xff*")}, []taints.Toleration{exists("*")}, false)
	checkSame(t, wild, behind("x"), star, false)
	checkSame(t, wild, append(behind("x"), exists("x")), star, true)
	for _, c := range []byte{0, 'a', 255} {
		next := "x" + string([]byte{c})
		but := append(behind("x", c), exists("x"))
		checkSame(t, wild, but, star, false)
		checkSame(t, wild, append(but, exists(next)), star, false)
		checkSame(t, wild, append(but, exists(next+"z*")), star, false)
		deep := append(but, behind(next)...)
		checkSame(t, wild, deep, star, false)
		checkSame(t, wild, append(deep, exists(next)), star, true)
	}
}

func listOf(n int, at func(i int) taints.Toleration) []taints.Toleration {
	list := make([]taints.Toleration, n)
	for i := range list {
		list[i] = at(i)
	}
	return list
}
