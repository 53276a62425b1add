// SPDX-License-Identifier: Apache-2.0

package nodeindex

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/test"
)

// Nodes are in one group if, and only if, they have the same taints in the same order.
// Each of these lists is of another group, although some look alike when written in a row.
func TestListsAreToldApart(t *testing.T) {
	lists := [][]taints.Taint{
		nil,
		{{}},
		{{}, {}},
		{{Key: "a"}},
		{{Value: "a"}},
		{{Effect: "a"}},
		{{Key: "ab"}},
		{{Key: "a", Value: "b"}},
		{{Key: "a", Effect: "b"}},
		{{Value: "a", Effect: "b"}},
		{{Key: "a"}, {Key: "b"}},
		{{Key: "b"}, {Key: "a"}},
		{{Key: "a", Value: "1:"}},
		{{Key: "1:a"}},
		{{Key: "20000000000"}},
		{{Key: "1", Value: "00"}, {}, {}, {}},
		{{Key: "19x" + strings.Repeat("09", 8)}},
		{{Key: "9", Value: "x"}, {}, {}, {}},
	}
	var x Index[int]
	for i, list := range lists {
		x.Set(i, list)
		x.Set(-i, list)
	}
	var groups [][]taints.Taint
	for list, nodes := range x.Groups() {
		if nodes != 2 && len(list) > 0 {
			t.Errorf("%d nodes have %+v, want 2", nodes, list)
		}
		groups = append(groups, list)
	}
	if len(groups) != len(lists) {
		t.Errorf("%d groups, want %d: %+v", len(groups), len(lists), groups)
	}
}

// The last element takes the place of one that is cut. A list that becomes short
// releases its memory, at most each time its length has halved.
func TestCut(t *testing.T) {
	list := strings.Split("abcde", "")
	for _, tc := range []struct {
		at          int
		moved, left string
	}{
		{1, "e", "aecd"},
		{3, "d", "aec"},
		{0, "c", "ce"},
		{0, "e", "e"},
		{0, "e", ""},
	} {
		moved := ""
		list = cut(list, tc.at, func(s string) { moved = s })
		if got := strings.Join(list, ""); got != tc.left || moved != tc.moved {
			t.Errorf("%q is left, and %q moved, want %q and %q", got, moved, tc.left, tc.moved)
		}
	}
	list = slices.Repeat([]string{"x"}, 1000)
	for reallocated := 0; len(list) > 1; {
		first := &list[0]
		list = cut(list, 0, func(string) {})
		if &list[0] != first {
			reallocated++
		}
		if reallocated > 10 || cap(list) > 8+4*len(list) {
			t.Fatalf("a list of %d has room for %d, after %d reallocations", len(list), cap(list), reallocated)
		}
		if forgotten := list[len(list):cap(list)]; slices.Contains(forgotten, "x") {
			t.Fatalf("behind a list of %d is %q", len(list), forgotten)
		}
	}
}

// A query visits few groups if the pod tolerates few taints, and never more than there
// are. A search counts what it does, so that it gives up before a loop is faster.
func TestGroupsThatAQueryVisits(t *testing.T) {
	const few, all = 20, math.MaxInt
	long := strings.Repeat("k", 100_000)
	cluster := newModeled()
	for i := range 2000 {
		cluster.set(t, i, append(test.Taints("soft:PreferNoSchedule"), own(i)...))
		cluster.set(t, 2000+i, append(test.Taints("old:NoSchedule"), hard("rack", i%10), hard("serial", i)))
		cluster.set(t, 4000+i, append(test.Taints("zone=a:NoSchedule"), taints.Taint{Key: "soft", Value: strconv.Itoa(i)}))
	}
	cluster.set(t, 6000, nil)
	cluster.set(t, 6001, test.Taints("soft:PreferNoSchedule"))
	for i := range 6 { // of which some leave
		cluster.set(t, 6002+i, []taints.Taint{hard("score", i)})
	}
	for _, i := range []int{1, 3, 5, 0} {
		cluster.delete(t, 6002+i)
	}
	cluster.set(t, 6008, test.Taints("score=8:NoExecute"))
	manyValues, manyKeys := make([]taints.Toleration, 200), make([]taints.Toleration, 200)
	for i := range manyValues {
		manyValues[i] = taints.Toleration{Key: "tenant", Value: strconv.Itoa(10_000 + i)}
		manyKeys[i] = exists(long[:60] + strconv.Itoa(i))
	}
	for _, tc := range []struct {
		name string
		m    *taints.Matcher
		most int
	}{
		{"nothing", nil, few},
		{"one tenant", compile("tenant=7"), few},
		{"some tenants", compile("tenant=7", "tenant=8:NoSchedule", "tenant=9"), few},
		{"the same tenants again", compile("tenant=9", "tenant=7", "tenant=8:NoSchedule", "tenant=7", "tenant=9", "tenant=8"), few},
		{"one tenant, with another effect", compile("tenant=7:NoExecute"), few},
		{"a taint that no node has", compile("gpu op=Exists", "tenant=x"), few},
		{"scores", compile("score=9 op=Lt"), few},
		{"every score", compile("score op=Exists"), few},
		{"no number", taints.Compile([]taints.Toleration{{Key: "score", Operator: taints.OpLt, Value: "x"}}), few},
		{"an unknown operator", taints.Compile([]taints.Toleration{{Operator: "NoSuchOperator"}}), few},
		{"what each of many nodes has, with what few have", compile("old op=Exists", "rack op=Exists"), few},
		{"that of one node", compile("old op=Exists", "rack op=Exists", "serial=5"), few},
		{"twenty long keys", taints.Compile(manyKeys[:20]), few},

		{"every tenant", compile("tenant op=Exists"), all},
		{"tenants in a range", compile("tenant=5 op=Gt"), all},
		{"what is the only hard taint of many lists", compile("zone=a"), all},
		{"every key", compile("op=Exists"), all},
		{"every key with a value", taints.Compile([]taints.Toleration{{Value: "7"}}), all},
		{"a wildcard", taints.Options{KeyWildcards: true}.Compile([]taints.Toleration{exists("ten*")}), all},
		{"many values that no node has", taints.Compile(manyValues), all},
		{"many keys that no node has", taints.Compile(manyKeys), all},
		{"a key as long as the cluster", taints.Compile([]taints.Toleration{exists(long)}), all},
		{"a value as long as the cluster", taints.Compile([]taints.Toleration{{Key: "tenant", Value: long}}), all},
	} {
		if n, groups := cluster.visited(tc.m), len(cluster.all); n > min(tc.most, groups) {
			t.Errorf("%s: visits %d of %d groups", tc.name, n, groups)
		}
		checkPrice(t, cluster, tc.m)
		cluster.check(t, tc.m)
	}
	// Lists without a hard taint may be many.
	soft := newModeled()
	for i := range 2000 {
		soft.set(t, i, []taints.Taint{{Key: "soft", Value: strconv.Itoa(i), Effect: taints.PreferNoSchedule}})
		soft.set(t, 2000+i, own(i))
	}
	if n := soft.visited(nil); n > len(soft.all) {
		t.Errorf("visits %d of %d groups", n, len(soft.all))
	}
	checkPrice(t, soft, nil)
	soft.check(t, nil)
}

// checkPrice checks that a search that does not give up costs at least one for each
// toleration and for each 100 bytes of it, beside the price of the groups.
func checkPrice(t *testing.T, x *modeled, m *taints.Matcher) {
	t.Helper()
	files, left := x.search(m, nil)
	if left < 0 {
		return
	}
	least := 0
	for toleration := range m.Tolerations() {
		least += 1 + (len(toleration.Key)+len(toleration.Value))/100
	}
	for _, f := range files {
		least += groupPrice * len(f.groups)
	}
	if price := len(x.all) - left; price < least {
		t.Errorf("a search of %d files costs %d, want at least %d", len(files), price, least)
	}
}

// A list that has a common taint and rare ones is found by a rare one, in any order.
func TestARareTaintLeadsToAList(t *testing.T) {
	for _, order := range [][]int{{0, 1, 2}, {1, 0, 2}, {1, 2, 0}, {2, 1, 0}} {
		var x Index[int]
		for i := range 3000 { // all taints are known when the lists come
			common := []taints.Taint{hard("all", 0), hard("one-in-ten", i%10), hard("one-in-hundred", i%100)}
			x.Set(-1-i, common[i%3:i%3+1])
			x.Set(i, []taints.Taint{common[order[0]], common[order[1]], common[order[2]], {Key: "soft", Value: strconv.Itoa(i)}})
		}
		if n := x.visited(compile("all op=Exists", "one-in-ten op=Exists")); n > len(x.all)/6 {
			t.Errorf("in the order %v a query that finds nothing visits %d of %d groups", order, n, len(x.all))
		}
	}
}
