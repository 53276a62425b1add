// SPDX-License-Identifier: Apache-2.0

package nodeindex

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/test"
)

// A list has a text that no other list has: each field follows its length.
func TestText(t *testing.T) {
	list := []taints.Taint{{Key: "a:", Effect: "1:"}, {Value: "é", Effect: "NoSchedule"}}
	equal(t, "text", string(appendText([]byte("x"), list)), "x2:a:0:2:1:0:2:é10:NoSchedule")
}

// A list is reallocated only if it is less than a quarter of what it was.
func TestCut(t *testing.T) {
	list := strings.Split("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN", "")
	first := &list[0]
	for len(list) > 10 {
		moved := ""
		last := list[len(list)-1]
		if list = cut(list, 3, func(s string) { moved = s }); moved != last || list[3] != last {
			t.Errorf("%q is moved, and %q is there, want %q", moved, list[3], last)
		}
	}
	if &list[0] != first {
		t.Error("a list of a quarter is reallocated")
	}
	if list = cut(list, 0, func(string) {}); &list[0] == first || cap(list) > 20 {
		t.Errorf("a list of %d has room for %d", len(list), cap(list))
	}
}

// The taint that all nodes have may come first or last in the list: a group is
// filed under the taint with the fewest groups.
func TestFilesAreSmall(t *testing.T) {
	m := compile("old op=Exists", "zone op=Exists")
	for _, reverse := range []bool{false, true} {
		var x Index[int]
		for i := range 3000 {
			list := append(test.Taints("old:NoSchedule"), hard("zone", i%10), hard("own", i))
			if reverse {
				slices.Reverse(list)
			}
			x.Set(i, list)
		}
		files, left := x.search(m, nil)
		groups := 0
		for _, f := range files {
			groups += len(f.groups)
		}
		if left < 0 || groups > 20 {
			t.Errorf("%d groups to find that nothing is tolerated", groups)
		}
	}
	// This also holds if each taint has a file.
	var x Index[string]
	for _, list := range [][]taints.Taint{
		test.Taints("a:NoSchedule"), test.Taints("b:NoSchedule"), test.Taints("c:NoSchedule"),
		test.Taints("a:NoSchedule", "a:NoSchedule"), test.Taints("c:NoSchedule", "c:NoSchedule"),
	} {
		x.Set(fmt.Sprint(list), list)
	}
	for i, list := range [][]taints.Taint{
		test.Taints("a:NoSchedule", "b:NoSchedule", "c:NoSchedule"),
		test.Taints("b:NoSchedule", "a:NoSchedule", "c:NoSchedule"),
		test.Taints("c:NoSchedule", "a:NoSchedule", "b:NoSchedule"),
	} {
		name := strconv.Itoa(i)
		x.Set(name, list)
		if key := x.places[name].group.file.key; key != "b" {
			t.Errorf("%v is filed under %q", list, key)
		}
		x.Delete(name)
	}
}

// A search has the price that the comment of lookupPrice says, and pays if that
// is at most the number of groups.
func TestSearchPrice(t *testing.T) {
	x, long := newModeled(), strings.Repeat("k", 100)
	for i, list := range [][]taints.Taint{
		{hard("zone", 1)},
		{hard("zone", 2)},
		{hard("zone", 2), hard("zone", 2)},
		{hard("score", 5)},
		{hard("score", 7)},
		{{Key: long, Value: long, Effect: taints.NoSchedule}},
		nil,
		test.Taints("soft:PreferNoSchedule"),
	} {
		x.set(t, i, list)
	}
	cases := []struct {
		list  []taints.Toleration
		price int // besides that of the two groups without a taint that repels
	}{
		{nil, 0},
		{[]taints.Toleration{exists("gpu"), {Key: "gpu"}, {Key: "gpu", Operator: taints.OpLt, Value: "1"}}, 3 * 128},
		{[]taints.Toleration{{Key: "zone"}, {Key: "zone", Value: "3"}, {Key: "zone", Operator: "In"}}, 3 * 128},
		{[]taints.Toleration{{Key: "zone", Value: "1"}}, 128 + 128 + 4},
		{[]taints.Toleration{{Key: "zone", Value: "2"}}, 128 + 128 + 2*4},
		{[]taints.Toleration{{Key: "zone", Value: "1", Effect: taints.PreferNoSchedule}}, 128 + 128 + 4},
		{[]taints.Toleration{exists("zone")}, 128 + 2*128 + 3*4},
		{[]taints.Toleration{exists("zone"), exists("gpu"), {Key: "zone", Value: "1"}}, 3*128 + 3*128 + 4*4},
		{[]taints.Toleration{{Key: "score", Operator: taints.OpGt, Value: "9"}}, 128 + 2*128 + 2*4},
		{[]taints.Toleration{{Key: "score", Operator: taints.OpGt, Value: "x"}}, 128},
		{[]taints.Toleration{exists(long)}, 128 + 100/8 + 128 + 4},
		{[]taints.Toleration{{Key: long, Value: long}}, 128 + 200/8 + 128 + 4},
		{[]taints.Toleration{{Key: long, Value: long[8:]}}, 128 + 192/8},
		{[]taints.Toleration{{Key: long, Value: long[9:]}}, 128 + 191/8},
		{[]taints.Toleration{{Operator: "In"}, {Operator: taints.OpLt, Value: "x"}}, 2 * 128},
	}
	for groups := len(x.model); groups < 900; groups++ {
		for _, c := range cases {
			m := taints.Compile(c.list)
			want := groups - c.price - 2*groupPrice
			files, left := x.search(m, nil)
			if left != want && (left >= 0 || want >= 0) {
				t.Fatalf("%v among %d groups: %d left, want %d", c.list, groups, left, want)
			}
			if left < 0 && c.price > 0 && files != nil {
				t.Fatalf("%v among %d groups: the search does not end when %d are left", c.list, groups, left)
			}
			if groups%128 == 0 || left == 0 {
				x.check(t, m)
			}
		}
		for _, m := range []*taints.Matcher{
			taints.Compile([]taints.Toleration{{Value: "2"}}),
			taints.Options{KeyWildcards: true}.Compile([]taints.Toleration{{Key: "zone", Value: "1"}, exists("z*")}),
		} {
			if _, left := x.search(m, nil); left >= 0 {
				t.Fatalf("a search for several keys leaves %d of %d groups", left, groups)
			}
		}
		x.set(t, groups, []taints.Taint{hard("filler", groups)})
	}
	// A key of too many files is left alone: not even the first of them is looked at.
	if _, left := x.search(taints.Compile([]taints.Toleration{exists("filler")}), nil); left != -1 {
		t.Errorf("a search that visits no file leaves %d, want -1", left)
	}
}
