// SPDX-License-Identifier: Apache-2.0

package taints

import (
	"cmp"
	"math"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A vector is a slice, and a copy of it stays as it is.
func TestVector(t *testing.T) {
	type snapshot struct {
		copy vector[*int]
		want []*int
	}
	check := func(t *rapid.T, v *vector[*int], want []*int) {
		a := audit{}
		auditVector(&a, v)
		var got []*int
		v.each(func(p *int) bool { got = append(got, p); return true })
		if !slices.Equal(got, want) || !slices.Equal(v.appendTo(nil), want) {
			t.Fatalf("a vector of %d items has %d, want %d, or others", v.len, len(got), len(want))
		}
		for _, i := range []int{0, len(want) / 2, len(want) - 1} {
			if i >= 0 && i < len(want) && v.at(i) != want[i] {
				t.Fatalf("item %d is another one", i)
			}
		}
	}
	small := rapid.IntRange(1, 2*pageSize)
	many := rapid.OneOf(small, small, small, rapid.IntRange(1, pageSize*pageSize+2*pageSize))
	rapid.Check(t, func(t *rapid.T) {
		var v vector[*int]
		var want []*int
		var version uint64
		var snapshots []snapshot
		t.Repeat(map[string]func(*rapid.T){
			"push": func(t *rapid.T) {
				for range many.Draw(t, "many") {
					p := new(int)
					v.push(p, version)
					want = append(want, p)
				}
			},
			"pop": func(t *rapid.T) {
				for range min(many.Draw(t, "many"), len(want)) {
					if got := v.pop(version); got != want[len(want)-1] {
						t.Fatalf("pop returned another item")
					}
					want = want[:len(want)-1]
				}
			},
			"write": func(t *rapid.T) {
				if len(want) > 0 {
					i, p := rapid.IntRange(0, len(want)-1).Draw(t, "i"), new(int)
					*v.mutable(i, version) = p
					want[i] = p
				}
			},
			"snapshot": func(t *rapid.T) {
				snapshots = append(snapshots[max(0, len(snapshots)-2):], snapshot{v, slices.Clone(want)})
				version++
			},
			"early end": func(t *rapid.T) {
				if len(want) == 0 {
					return
				}
				n, end := 0, rapid.IntRange(1, len(want)).Draw(t, "end")
				if v.each(func(*int) bool { n++; return n < end }) || n != end {
					t.Fatalf("%d of %d items, want %d", n, len(want), end)
				}
				if v.pages(func([]*int) bool { return false }) {
					t.Fatalf("an early end of %d items goes through", len(want))
				}
			},
			"": func(t *rapid.T) {
				check(t, &v, want)
				for i := range snapshots {
					check(t, &snapshots[i].copy, snapshots[i].want)
				}
			},
		})
	})
}

// A vector has a page for 64 items, one for 64 pages, and so on, and no more, while
// it grows and while it gets shorter.
func TestVectorPages(t *testing.T) {
	const most = 3*64*64 + 2
	var v vector[int]
	check := func() {
		want := 0
		for pages := v.len; pages > 1; want += pages {
			pages = (pages + 63) / 64
		}
		a := audit{}
		auditVector(&a, &v)
		if a.sizes.Pages != want {
			t.Fatalf("%d items have %d pages, want %d", v.len, a.sizes.Pages, want)
		}
	}
	near := func(n int) bool { return n < 70 || n%64 < 2 || n%64 == 63 }
	for i := range most {
		v.push(i, 1)
		if near(v.len) {
			check()
		}
	}
	for i := most - 1; i >= 0; i-- {
		if got := v.pop(1); got != i {
			t.Fatalf("pop returned %d, want %d", got, i)
		}
		if near(v.len) {
			check()
		}
	}
	if !v.pages(func([]int) bool { return false }) || !v.each(func(int) bool { return false }) {
		t.Error("a loop over nothing has an early end")
	}
}

// A vector of items to loop over has these items, one too.
func TestVectorOf(t *testing.T) {
	for n := range 4 {
		want := make([]int, n)
		for i := range want {
			want[i] = i + 1
		}
		v := vectorOf(want)
		var got, paged []int
		v.each(func(i int) bool { got = append(got, i); return true })
		v.pages(func(page []int) bool { paged = append(paged, page...); return true })
		if !slices.Equal(got, want) || !slices.Equal(paged, want) || !slices.Equal(v.appendTo(nil), want) {
			t.Errorf("%v, in pages %v, want %v", got, paged, want)
		}
	}
}

// A new page belongs to the version that makes it, and is not copied at once.
func TestVectorNewPagesAreOwned(t *testing.T) {
	build := func(version uint64) float64 {
		return testing.AllocsPerRun(5, func() {
			var v vector[int]
			for i := range 64*64 + 1 {
				v.push(i, version)
			}
		})
	}
	// What else the program allocates meanwhile counts too, so the least is exact.
	zero, one := min(build(0), build(0), build(0)), min(build(1), build(1), build(1))
	if zero != one {
		t.Errorf("%v allocations in version 0, %v in version 1", zero, one)
	}
}

// A version that goes on writes to its pages, and one that begins copies the pages
// on the way to an item and no others.
func TestVectorCopiesTheWay(t *testing.T) {
	var v vector[int]
	for i := range pageSize*pageSize + 1 {
		v.push(i, 1)
	}
	pages := func() map[*page[int]]bool {
		all := make(map[*page[int]]bool)
		var visit func(p *page[int])
		visit = func(p *page[int]) {
			all[p] = true
			for _, below := range p.pages {
				visit(below)
			}
		}
		visit(v.root)
		return all
	}
	added := func(write func()) int {
		before, n := pages(), 0
		write()
		for p := range pages() {
			if !before[p] {
				n++
			}
		}
		return n
	}
	for _, c := range []struct {
		name    string
		version uint64
		want    int
	}{{"the same version", 1, 0}, {"another version", 2, 3}, {"that version", 2, 0}} {
		if got := added(func() { *v.mutable(pageSize*3+1, c.version)++ }); got != c.want {
			t.Errorf("%s: a write makes %d pages, want %d", c.name, got, c.want)
		}
	}
	if got := added(func() { *v.mutable(0, 2)++ }); got != 1 {
		t.Errorf("a write to a neighbor makes %d pages, want 1", got)
	}
	if got := added(func() { v.push(0, 3) }); got != 3 {
		t.Errorf("a push makes %d pages, want 3", got)
	}
}

// A numberTree finds the numbers of a range, in order, whatever they are and however
// they come, and is no deeper than a number has bits.
func TestNumberTree(t *testing.T) {
	edges := []int64{
		math.MinInt64, math.MinInt64 + 1, -2, -1, 0, 1, 2, 3, 4, 7, 8, 1 << 40, math.MaxInt64 - 1, math.MaxInt64,
	}
	number := rapid.OneOf(rapid.SampledFrom(edges), rapid.Int64Range(-100, 100), rapid.Int64())
	rapid.Check(t, func(t *rapid.T) {
		var tree numberTree
		model := make(map[int64]*anchor)
		for range rapid.IntRange(0, 200).Draw(t, "updates") {
			n := number.Draw(t, "number")
			if model[n] == nil {
				model[n] = new(anchor)
				tree.insert(ordered(n), model[n])
				continue
			}
			tree.remove(ordered(n))
			delete(model, n)
		}
		leaves, _ := auditNumbers(&audit{}, tree.root, 0, math.MaxUint64)
		if leaves != len(model) {
			t.Fatalf("%d numbers, want %d", leaves, len(model))
		}
		low, high := number.Draw(t, "low"), number.Draw(t, "high")
		var want []int64
		for n := range model {
			if low <= n && n <= high {
				want = append(want, n)
			}
		}
		slices.Sort(want)
		s := search{left: math.MaxInt32}
		got := s.between(tree.root, ordered(low), ordered(high), nil)
		if !slices.EqualFunc(got, want, func(a *anchor, n int64) bool { return a == model[n] }) {
			t.Fatalf("from %d to %d are %d of %v, want %v", low, high, len(got), model, want)
		}
		if most := 2*len(want) + 2*64 + 1; math.MaxInt32-s.left > most+anchorSteps*len(want) {
			t.Fatalf("%d steps for %d numbers", math.MaxInt32-s.left, len(want))
		}
		if math.MaxInt32-s.left < (1+anchorSteps)*len(want) {
			t.Fatalf("no more than %d steps for %d numbers", math.MaxInt32-s.left, len(want))
		}
		s = search{left: rapid.IntRange(0, 50).Draw(t, "left")}
		if got := s.between(tree.root, ordered(low), ordered(high), nil); s.left >= 0 && len(got) != len(want) ||
			s.left < -1-anchorSteps {
			t.Fatalf("%d of %d numbers with %d steps left", len(got), len(want), s.left)
		}
		for n := range model {
			tree.remove(ordered(n))
		}
		if tree.root != nil {
			t.Fatal("an empty tree keeps a branch")
		}
	})
	for name, next := range map[string]func(i int) int64{
		"rising":  func(i int) int64 { return int64(i) },
		"falling": func(i int) int64 { return int64(-i) },
		"powers":  func(i int) int64 { return 1 << (i % 63) << (i / 63 % 2) },
		"far":     func(i int) int64 { return int64(i) << 40 },
	} {
		var tree numberTree
		seen := make(map[int64]bool)
		for i := range 5000 {
			if n := next(i); !seen[n] {
				seen[n] = true
				tree.insert(ordered(n), new(anchor))
			}
		}
		if leaves, depth := auditNumbers(&audit{}, tree.root, 0, math.MaxUint64); leaves != len(seen) ||
			depth > 64 {
			t.Errorf("%s: %d numbers, %d deep", name, leaves, depth)
		}
	}
}

// A table is a map whose room follows its entries.
func TestTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var table table[int, int]
		model := make(map[int]int)
		for range rapid.IntRange(1, 20).Draw(t, "rounds") {
			first, n := rapid.IntRange(0, 100).Draw(t, "first"), rapid.IntRange(0, 300).Draw(t, "n")
			put := rapid.Bool().Draw(t, "put")
			for i := first; i < first+n; i++ {
				if put {
					table.set(i, n)
					model[i] = n
					continue
				}
				table.delete(i)
				delete(model, i)
				if table.most > max(fewSlots, sparse*(len(model)+1)) {
					t.Fatalf("room for %d, with %d entries", table.most, len(model))
				}
			}
			if len(table.entries) != len(model) || table.most < len(model) {
				t.Fatalf("%d entries, %d at most, want %d", len(table.entries), table.most, len(model))
			}
			for i, want := range model {
				if table.entries[i] != want {
					t.Fatalf("entry %d is %d, want %d", i, table.entries[i], want)
				}
			}
		}
	})
	// A map of Go keeps its room, so deleting must have made another one.
	var big table[int, int]
	for i := range 1000 {
		big.set(i, i)
	}
	maps := []map[int]int{big.entries} // held, so that each has its own address
	for i := range 1000 {
		big.delete(i)
		if reflect.ValueOf(big.entries).Pointer() != reflect.ValueOf(maps[len(maps)-1]).Pointer() {
			maps = append(maps, big.entries)
		}
	}
	if made := len(maps) - 1; made < 3 || made > 6 {
		t.Errorf("deleting 1000 entries made %d maps", made)
	}
}

// Lists give room back, and forget what was in it.
func TestWithoutLast(t *testing.T) {
	list := make([]*int, 0, 1024)
	for range 1024 {
		list = append(list, new(int))
	}
	whole := list
	moved := 0
	for len(list) > 0 {
		last := list[len(list)-1]
		list = withoutAt(list, len(list)/2, func(p *int) {
			moved++
			if p != last {
				t.Fatal("another element is announced")
			}
		})
		if cap(list) > max(fewSlots, sparse*(len(list)+1)) {
			t.Fatalf("room for %d, with %d elements", cap(list), len(list))
		}
		if i := len(list); i < cap(list) && list[:i+1][i] != nil {
			t.Fatal("a forgotten slot keeps its element")
		}
	}
	if moved != 1024 || whole[1023] != nil {
		t.Errorf("%d elements were moved", moved)
	}
}

// Maps and lists move to less room exactly when there was room for more than eight
// and fewer than a quarter of that are left.
func TestRoomIsGivenBack(t *testing.T) {
	moves := func(room, left int) bool { return room > 8 && left < room/4 }
	for n := range 130 {
		var entries table[int, int]
		list := make([]int, n)
		for i := range n {
			entries.set(i, i)
			list[i] = i
		}
		most, room := n, n
		for left := n - 1; left >= 0; left-- {
			before := entries.entries
			entries.delete(left)
			moved := reflect.ValueOf(entries.entries).Pointer() != reflect.ValueOf(before).Pointer()
			if moved != moves(most, left) {
				t.Fatalf("a map for %d with %d left is another: %v", most, left, moved)
			}
			if moved {
				most = left
			}
			if entries.most != most || len(entries.entries) != left {
				t.Fatalf("a map for %d with %d entries, want %d with %d",
					entries.most, len(entries.entries), most, left)
			}
			if list = withoutLast(list); moves(room, left) {
				room = 2 * left
			}
			if cap(list) != room || len(list) != left {
				t.Fatalf("a list for %d with %d elements, want %d with %d", cap(list), len(list), room, left)
			}
			for i := range left {
				if list[i] != i || entries.entries[i] != i {
					t.Fatalf("element %d is %d, entry %d is %d", i, list[i], i, entries.entries[i])
				}
			}
		}
	}
}

// Each anchor comes once, in the order in which they were made.
func TestDistinct(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		orders := rapid.SliceOf(rapid.Uint64Range(0, 20)).Draw(t, "orders")
		all := make([]anchor, 21)
		var list []*anchor
		for _, o := range orders {
			all[o].order = o
			list = append(list, &all[o])
		}
		slices.Sort(orders)
		got := distinct(list)
		same := func(a *anchor, o uint64) bool { return cmp.Compare(a.order, o) == 0 }
		if !slices.EqualFunc(got, slices.Compact(orders), same) {
			t.Fatalf("%d anchors of %v", len(got), orders)
		}
	})
}
