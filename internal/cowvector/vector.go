// SPDX-License-Identifier: Apache-2.0

// Package cowvector provides a list whose copies are snapshots: later writes to
// the list are made to copies of its pages.
package cowvector

import (
	"math/bits"
	"slices"

	"github.com/seed-0529bac1/taints/internal/shrink"
)

// A Vector is a list in a tree of pages. A copy of a Vector does not change
// with it if the version changes after the copy is made: each page belongs to
// the version that made it, and a page of an earlier version is copied before
// it is modified. The zero Vector is empty.
type Vector[T any] struct {
	only [1]T     // the item, if there is one
	root *page[T] // nil if there is at most one item
	len  int
}

// Len returns the number of items.
func (v *Vector[T]) Len() int { return v.len }

// A page holds the items, or the pages, whose indexes share the upper bits.
type page[T any] struct {
	version uint64
	items   []T
	pages   []*page[T]
}

// The number of items or pages in a page, as a power of two: small enough to copy
// and large enough to loop over (package nodeindex: BenchmarkQueries).
const pageBits, pageSize = 6, 1 << 6

// levels returns the number of levels above the pages with the items.
func levels(items int) int { return (bits.Len(uint(items-1)) - 1) / pageBits }

// Of returns a Vector of the items, only for loops.
func Of[T any](items []T) Vector[T] {
	return Vector[T]{root: &page[T]{items: items}, len: len(items)}
}

// mutable returns p if the version owns it, and otherwise a copy that it owns.
func (p *page[T]) mutable(version uint64) *page[T] {
	if p.version == version {
		return p
	}
	return &page[T]{version, roomy(p.items), roomy(p.pages)}
}

// below returns the page at index i of p, copied if the version does not own it.
func (p *page[T]) below(i int, version uint64) *page[T] {
	next := p.pages[i].mutable(version)
	p.pages[i] = next
	return next
}

// Push appends the item.
func (v *Vector[T]) Push(item T, version uint64) {
	i := v.len
	v.len++
	switch {
	case i == 0:
		v.only[0] = item
		return
	case i == 1:
		v.root = &page[T]{version: version, items: []T{v.only[0]}}
		clear(v.only[:])
	case levels(i) < levels(v.len):
		v.root = &page[T]{version: version, pages: []*page[T]{v.root}}
	}
	p := v.root.mutable(version)
	v.root = p
	for level := levels(v.len); level > 0; level-- {
		at := i >> (pageBits * level) % pageSize
		if at == len(p.pages) {
			p.pages = append(p.pages, &page[T]{version: version})
		}
		p = p.below(at, version)
	}
	p.items = append(p.items, item)
}

// Pop removes the last item and returns it.
func (v *Vector[T]) Pop(version uint64) T {
	i, level := v.len-1, levels(v.len)
	item := v.At(i)
	v.len--
	switch {
	case i == 0:
		clear(v.only[:])
		return item
	case i == 1:
		v.only[0], v.root = v.At(0), nil
		return item
	}
	v.root = v.root.cut(i, level, version)
	if levels(i) < level {
		v.root = v.root.pages[0]
	}
	return item
}

// cut returns p without its last item, the one at index i, or nil if nothing is
// left.
func (p *page[T]) cut(i, level int, version uint64) *page[T] {
	if i&(pageSize<<(pageBits*level)-1) == 0 {
		return nil
	}
	p = p.mutable(version)
	if level == 0 {
		p.items = shrink.Last(p.items)
		return p
	}
	last := len(p.pages) - 1
	if next := p.pages[last].cut(i, level-1, version); next != nil {
		p.pages[last] = next
	} else {
		p.pages = shrink.Last(p.pages)
	}
	return p
}

// One returns the item if there is only one. It always returns false after [Of].
func (v *Vector[T]) One() (item T, ok bool) {
	return v.only[0], v.len == 1 && v.root == nil
}

// At returns the item at index i.
func (v *Vector[T]) At(i int) T {
	if v.root == nil {
		return v.only[i]
	}
	p := v.root
	for level := levels(v.len); level > 0; level-- {
		p = p.pages[i>>(pageBits*level)%pageSize]
	}
	return p.items[i%pageSize]
}

// Mutable returns the item at index i, which may be written to until the version
// changes.
func (v *Vector[T]) Mutable(i int, version uint64) *T {
	if v.root == nil {
		return &v.only[i]
	}
	p := v.root.mutable(version)
	v.root = p
	for level := levels(v.len); level > 0; level-- {
		p = p.below(i>>(pageBits*level)%pageSize, version)
	}
	return &p.items[i%pageSize]
}

// Pages calls f with the items of each page until f returns false, and reports
// whether f never returned false.
func (v *Vector[T]) Pages(f func([]T) bool) bool {
	switch {
	case v.len == 0:
		return true
	case v.root == nil:
		only := v.only // so that v does not escape to the heap
		return f(only[:])
	}
	return v.root.visit(f)
}

func (p *page[T]) visit(f func([]T) bool) bool {
	if p.pages == nil {
		return f(p.items)
	}
	for _, below := range p.pages {
		if !below.visit(f) {
			return false
		}
	}
	return true
}

// Each is like Pages, but calls f with each item.
func (v *Vector[T]) Each(f func(T) bool) bool {
	if v.len == 1 && v.root == nil {
		return f(v.only[0])
	}
	return v.Pages(func(items []T) bool {
		for _, item := range items {
			if !f(item) {
				return false
			}
		}
		return true
	})
}

// AppendTo appends the items to dst and returns the extended slice.
func (v *Vector[T]) AppendTo(dst []T) []T {
	if v.root == nil {
		return append(dst, v.only[:v.len]...)
	}
	return v.root.appendTo(slices.Grow(dst, v.len))
}

func (p *page[T]) appendTo(dst []T) []T {
	dst = append(dst, p.items...)
	for _, below := range p.pages {
		dst = below.appendTo(dst)
	}
	return dst
}

// roomy returns a copy of the list of a page with room for one more item, if a
// page may have one more.
func roomy[T any](list []T) []T {
	if list == nil {
		return nil
	}
	return append(make([]T, 0, min(pageSize, 1<<bits.Len(uint(len(list))))), list...)
}
