// SPDX-License-Identifier: Apache-2.0

package tolerationset_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/tolerationset"
)

// checkSame checks the result of Same, and that it is the same without shortcuts.
func checkSame(t *testing.T, o taints.Options, a, b []taints.Toleration, want bool) {
	t.Helper()
	for _, lists := range [...][2][]taints.Toleration{{a, b}, {b, a}} {
		got := tolerationset.Same(lists[0], lists[1], o)
		compared, _ := tolerationset.SameResults(lists[0], lists[1], o)
		if got != want || compared != want {
			t.Fatalf("under %+v %v and %v are the same: %v, and %v without shortcuts, want %v",
				o, lists[0], lists[1], got, compared, want)
		}
	}
}

// What lists of three tolerations in TestBruteSame do not show. Tolerations of other
// keys before and between them change nothing.
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
		// The first that matches sets the time, as long as it matches.
		{
			[]string{"a=5:NoExecute op=Lt for 1s", "a=9:NoExecute op=Lt for 2s", "a:NoExecute op=Exists for 3s"},
			[]string{"a=5:NoExecute op=Lt for 1s", "a=9:NoExecute op=Lt for 2s", "a=8:NoExecute op=Gt for 3s", "a:NoExecute op=Exists for 3s"},
			true,
		},
		{
			[]string{"a=5:NoExecute op=Lt for 1s", "a:NoExecute op=Exists for 3s", "a=9:NoExecute op=Lt for 2s"},
			[]string{"a=5:NoExecute op=Lt for 1s", "a=9:NoExecute op=Lt for 2s", "a:NoExecute op=Exists for 3s"},
			false,
		},
		{
			[]string{"a=5:NoExecute op=Gt for 5s", "a:NoExecute op=Exists for 9s"},
			[]string{"a=9223372036854775807:NoExecute for 5s", "a=5:NoExecute op=Gt for 5s", "a:NoExecute op=Exists for 9s"},
			true,
		},
		// A "*" is a wildcard here.
		{[]string{"a* op=Exists"}, []string{"a* op=Exists", "b op=Exists"}, false},
		{[]string{"a/* op=Exists"}, []string{"a/* op=Exists", "a/b op=Exists"}, true},
		{[]string{"a/* op=Exists"}, []string{"a/b* op=Exists"}, false},
		{[]string{"* op=Exists"}, []string{"op=Exists"}, true},
	} {
		a, b := parse(t, tc.a...), parse(t, tc.b...)
		wild := taints.Options{KeyWildcards: true}
		for _, gap := range []int{0, 1, 70} {
			checkSame(t, wild, spread(a, gap), spread(b, gap), tc.want)
		}
		checkSame(t, wild, a, b, tc.want)
	}
	// No text is beyond what Exists matches.
	for _, text := range []string{"~", "~~", "\x7f", "é", "\xff"} {
		for _, gap := range []int{0, 1, 70} {
			last := toleration("a", taints.OpEqual, text)
			both, one := spread([]taints.Toleration{exists("a"), last}, gap), spread([]taints.Toleration{exists("a")}, gap)
			checkSame(t, taints.Options{}, both, one, true)
		}
	}
	for n := range 20 {
		list := listOf(n, func(i int) taints.Toleration { return exists(string(rune('a' + i))) })
		reversed := slices.Clone(list)
		slices.Reverse(reversed)
		checkSame(t, taints.Options{}, list, reversed, true)
	}
}

// spread returns the list with tolerations of other keys: as many as gap before each
// of its tolerations, and 140 before these.
func spread(list []taints.Toleration, gap int) (long []taints.Toleration) {
	pad := func(n int) {
		for range n {
			long = append(long, exists("other-"+strconv.Itoa(len(long)%140)))
		}
	}
	pad(140)
	for i := range list {
		pad(gap)
		long = append(long, list[i])
	}
	return long
}

// The steps grow at most with the square of the tolerations.
func TestSameSteps(t *testing.T) {
	effect := func(i int) taints.Effect { return taints.Effect(strconv.Itoa(i)) }
	most, n := 0, 300
	for name, at := range map[string]func(i int) taints.Toleration{
		"own keys": func(i int) taints.Toleration { return exists(strconv.Itoa(i)) },
		"ranges of a key with own effects": func(i int) taints.Toleration {
			return taints.Toleration{Key: "k", Operator: "Gt", Value: strconv.Itoa(i), Effect: effect(i)}
		},
		"own times and own keys": func(i int) taints.Toleration {
			return [...]taints.Toleration{{Operator: "Exists", TolerationSeconds: seconds(int64(i))}, exists(strconv.Itoa(i))}[i%2]
		},
		"keys, effects and times": func(i int) taints.Toleration {
			return [...]taints.Toleration{
				toleration(strconv.Itoa(i), "Gt", strconv.Itoa(i)),
				{Operator: "Lt", Value: strconv.Itoa(i), TolerationSeconds: seconds(int64(i)), Effect: "NoExecute"},
				{Operator: "Gt", Value: strconv.Itoa(i), Effect: effect(i)},
			}[i%3]
		},
		"prefixes of prefixes": func(i int) taints.Toleration { return toleration(strings.Repeat("k", i)+"*", "Lt", strconv.Itoa(i)) },
	} {
		list := listOf(n, at)
		same, steps := tolerationset.SameResults(list, slices.Clone(list), taints.Options{KeyWildcards: true})
		if !same || steps > 12*n*n {
			t.Errorf("%s: %d steps for two times %d tolerations, and the same: %v", name, steps, n, same)
		}
		most = max(most, steps)
	}
	if most != 12*n*n {
		t.Errorf("at most %d steps", most)
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
	checkSame(t, wild, []taints.Toleration{exists("x"), exists("x\x00*"), exists("x\xff*")}, star, false)
	checkSame(t, wild, append(behind("x\x00"), exists("x\x00"), exists("x")), star, false)
	for _, c := range []byte{0, 1, 'a', 255} {
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

// Compares each list with its other orders, and with fewer or repeated entries.
func TestBruteSame(t *testing.T) {
	n := 0
	eachList(t, func(o taints.Options, list []bruteToleration) {
		if n++; n%29 > 0 { // so many are enough
			return
		}
		lists := [][]bruteToleration{list[1:], list[:1], {list[0], list[0]}, {list[1], list[0]}}
		if len(list) > 2 {
			a, b, c := list[0], list[1], list[2]
			lists = append(lists, []bruteToleration{b, c, a}, []bruteToleration{c, a, b}, []bruteToleration{c, b, a})
		}
		for _, other := range lists {
			checkSame(t, o, tolerationsOf(list), tolerationsOf(other), same(list, other))
		}
	})
}
