// SPDX-License-Identifier: Apache-2.0

package cowvector

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-0529bac1/taints/internal/shrink"
)

// audit checks the pages of the vector, and returns them.
func audit[T any](fatalf func(string, ...any), v *Vector[T]) map[*page[T]]bool {
	if (v.root == nil) != (v.len <= 1) {
		fatalf("a vector of %d with the root %v", v.len, v.root)
	}
	if v.len != 1 && !reflect.ValueOf(v.only).IsZero() {
		fatalf("a vector of %d keeps %v", v.len, v.only)
	}
	pages, left := make(map[*page[T]]bool), v.len
	var visit func(p *page[T], level int)
	visit = func(p *page[T], level int) {
		pages[p] = true
		auditList(fatalf, p.items)
		auditList(fatalf, p.pages)
		if want := min(left, pageSize); level == 0 && (p.pages != nil || len(p.items) != want) {
			fatalf("a page has %d items and %d pages, want %d items", len(p.items), len(p.pages), want)
		}
		if level > 0 && p.items != nil {
			fatalf("a page of pages has items")
		}
		left -= len(p.items)
		for _, next := range p.pages {
			visit(next, level-1)
		}
	}
	want := 0
	if v.root != nil {
		visit(v.root, levels(v.len))
		for n := v.len; n > 1; want += n {
			n = (n + pageSize - 1) / pageSize
		}
		if left != 0 {
			fatalf("%d items are missing", left)
		}
	}
	if len(pages) != want {
		fatalf("%d items have %d pages, want %d", v.len, len(pages), want)
	}
	return pages
}

// auditList checks the capacity of a list and the memory behind its end.
func auditList[T any](fatalf func(string, ...any), list []T) {
	if cap(list) > max(shrink.Few, shrink.Sparse*(len(list)+1)) {
		fatalf("a list of %d has room for %d", len(list), cap(list))
	}
	for _, item := range list[len(list):cap(list)] {
		if !reflect.ValueOf(item).IsZero() {
			fatalf("a forgotten slot keeps %v", item)
		}
	}
}

// A snapshot is a vector with the items that it must always have.
type snapshot struct {
	Vector[*int]
	want []*int
}

func (s *snapshot) check(t *rapid.T) {
	audit(t.Fatalf, &s.Vector)
	var each, paged []*int
	s.Each(func(p *int) bool { each = append(each, p); return true })
	s.Pages(func(page []*int) bool { paged = append(paged, page...); return true })
	first := new(int)
	appended := s.AppendTo([]*int{first})
	if s.Len() != len(s.want) || !slices.Equal(each, s.want) || !slices.Equal(paged, s.want) ||
		appended[0] != first || !slices.Equal(appended[1:], s.want) {
		t.Fatalf("a vector of %d items has %d, %d in pages, %d to append, want %d, or others",
			s.Len(), len(each), len(paged), len(appended)-1, len(s.want))
	}
	for _, i := range []int{0, len(s.want) / 2, len(s.want) - 1} {
		if i >= 0 && i < len(s.want) && s.At(i) != s.want[i] {
			t.Fatalf("item %d is another one", i)
		}
	}
	if one, ok := s.One(); ok != (len(s.want) == 1) || ok && one != s.want[0] {
		t.Fatalf("of %d items, one alone: %v", len(s.want), ok)
	}
}

// A Vector behaves like a slice, and a copy of it does not change.
func TestVectorIsASlice(t *testing.T) {
	small := rapid.IntRange(1, 2*pageSize)
	many := rapid.OneOf(small, small, small, rapid.IntRange(1, pageSize*pageSize+2*pageSize))
	rapid.Check(t, func(t *rapid.T) {
		var v snapshot
		var version uint64
		var snapshots []snapshot
		t.Repeat(map[string]func(*rapid.T){
			"push": func(t *rapid.T) {
				for range many.Draw(t, "many") {
					p := new(int)
					v.Push(p, version)
					v.want = append(v.want, p)
				}
			},
			"pop": func(t *rapid.T) {
				for range min(many.Draw(t, "many"), len(v.want)) {
					last := len(v.want) - 1
					if v.Pop(version) != v.want[last] {
						t.Fatal("Pop returned another item")
					}
					v.want = v.want[:last]
				}
			},
			"write": func(t *rapid.T) {
				if len(v.want) > 0 {
					i, p := rapid.IntRange(0, len(v.want)-1).Draw(t, "i"), new(int)
					*v.Mutable(i, version) = p
					v.want[i] = p
				}
			},
			"snapshot": func(t *rapid.T) {
				snapshots = append(snapshots[max(0, len(snapshots)-2):], snapshot{v.Vector, slices.Clone(v.want)})
				version++
			},
			"early end": func(t *rapid.T) {
				if len(v.want) == 0 {
					return
				}
				n, end := 0, rapid.IntRange(1, len(v.want)).Draw(t, "end")
				if v.Each(func(*int) bool { n++; return n < end }) || n != end {
					t.Fatalf("%d of %d items, want %d", n, len(v.want), end)
				}
				if v.Pages(func([]*int) bool { return false }) {
					t.Fatalf("an early end of %d items goes through", len(v.want))
				}
			},
			"": func(t *rapid.T) {
				v.check(t)
				for i := range snapshots {
					snapshots[i].check(t)
				}
			},
		})
	})
}

// A Vector of three or more levels has only the pages that it needs, with room
// in proportion to their items, while it grows and while it shrinks. The pages
// are its own or those of a snapshot.
func TestPages(t *testing.T) {
	const most = 3*pageSize*pageSize + 2
	near := func(n int) bool { return n < 70 || n%(16*pageSize) < 2 }
	for _, perVersion := range []int{1, 100, 10 * most} {
		var v Vector[int]
		calls := 0
		version := func() uint64 { calls++; return uint64(calls / perVersion) }
		for i := range most {
			if v.Push(i, version()); near(v.len) {
				audit(t.Fatalf, &v)
			}
		}
		for i := most - 1; i >= 0; i-- {
			if got := v.Pop(version()); got != i {
				t.Fatalf("Pop returned %d, want %d", got, i)
			}
			if near(v.len) {
				audit(t.Fatalf, &v)
			}
		}
		if !v.Pages(func([]int) bool { return false }) || !v.Each(func(int) bool { return false }) {
			t.Error("a loop over nothing has an early end")
		}
	}
}

// A Vector of given items has these items, even if there is only one.
func TestOf(t *testing.T) {
	for n := range 4 {
		want := []int{1, 2, 3}[:n]
		v := Of(want)
		var got []int
		v.Each(func(i int) bool { got = append(got, i); return true })
		if _, one := v.One(); one || !slices.Equal(got, want) || !slices.Equal(v.AppendTo(nil), want) || v.Len() != n {
			t.Errorf("%v, want %v; one item alone: %v", got, want, one)
		}
	}
}

// A write of the same version modifies its pages. A new version copies only the
// pages on the way to an item.
func TestCopiesOnlyTheWay(t *testing.T) {
	var v Vector[int]
	for i := range pageSize*pageSize + 1 {
		v.Push(i, 1)
	}
	for _, c := range []struct {
		name  string
		write func()
		want  int
	}{
		{"a write of the same version", func() { *v.Mutable(pageSize*3+1, 1)++ }, 0},
		{"a write of another version", func() { *v.Mutable(pageSize*3+1, 2)++ }, 3},
		{"one more of it", func() { *v.Mutable(pageSize*3+1, 2)++ }, 0},
		{"one to a neighbor", func() { *v.Mutable(0, 2)++ }, 1},
		{"one to the last page", func() { *v.Mutable(pageSize*pageSize, 2)++ }, 2},
		{"a push", func() { v.Push(0, 3) }, 3},
		{"a pop", func() { v.Pop(4) }, 3},
		{"a pop of the last page", func() { v.Pop(4) }, 0},
	} {
		before, added := audit(t.Fatalf, &v), 0
		c.write()
		for p := range audit(t.Fatalf, &v) {
			if !before[p] {
				added++
			}
		}
		if added != c.want {
			t.Errorf("%s makes %d pages, want %d", c.name, added, c.want)
		}
	}
}

// A new page belongs to the version that makes it, and is not copied immediately.
func TestNewPagesAreOwned(t *testing.T) {
	build := func(version uint64) float64 {
		return testing.AllocsPerRun(5, func() {
			var v Vector[int]
			for i := range pageSize*pageSize + 1 {
				v.Push(i, version)
			}
		})
	}
	// Other allocations of the program count too, so only the minimum is exact.
	zero, one := min(build(0), build(0), build(0)), min(build(1), build(1), build(1))
	if zero != one {
		t.Errorf("%v allocations in version 0, %v in version 1", zero, one)
	}
}
