package taints

import "math/bits"

// A vector is a list in a tree of pages. A copy of it stays as it is while the
// vector goes on to change, as long as the version is another one after the copy
// is made: a page belongs to the version in which it was made, and one of an
// earlier version is copied before it is written to.
type vector[T any] struct {
	root   *page[T]
	len    int
	levels int // of pages above those with items
}

// A page has the items, or else the pages, whose indexes share the upper bits.
type page[T any] struct {
	version uint64
	items   []T
	pages   []*page[T]
}

// The number of items or pages in a page, as a power of two: small enough to
// copy and large enough to loop over, see BenchmarkIndex.
const pageBits, pageSize = 6, 1 << 6

// vectorOf returns a vector of the items, which are not to be changed.
func vectorOf[T any](items []T) vector[T] {
	return vector[T]{root: &page[T]{items: items}, len: len(items)}
}

// mutable returns p if the version owns it, and otherwise a copy that it owns.
func (p *page[T]) mutable(version uint64) *page[T] {
	if p.version == version {
		return p
	}
	return &page[T]{version, roomy(p.items), roomy(p.pages)}
}

// below returns the page at index i of p, which the version owns too then.
func (p *page[T]) below(i int, version uint64) *page[T] {
	next := p.pages[i].mutable(version)
	p.pages[i] = next
	return next
}

// push appends the item.
func (v *vector[T]) push(item T, version uint64) {
	switch {
	case v.root == nil:
		v.root = &page[T]{version: version}
	case v.len == pageSize<<(pageBits*v.levels):
		v.root = &page[T]{version: version, pages: []*page[T]{v.root}}
		v.levels++
	}
	p := v.root.mutable(version)
	v.root = p
	for level := v.levels; level > 0; level-- {
		i := v.len >> (pageBits * level) % pageSize
		if i == len(p.pages) {
			p.pages = append(p.pages, &page[T]{version: version})
		}
		p = p.below(i, version)
	}
	p.items = append(p.items, item)
	v.len++
}

// pop takes out the last item and returns it.
func (v *vector[T]) pop(version uint64) T {
	v.len--
	item := v.root.at(v.len, v.levels)
	v.root = v.root.cut(v.len, v.levels, version)
	for ; v.levels > 0 && v.len <= pageSize<<(pageBits*(v.levels-1)); v.levels-- {
		v.root = v.root.pages[0]
	}
	return item
}

// cut returns p without the item at index i, which is its last, and nil if
// nothing is left.
func (p *page[T]) cut(i, level int, version uint64) *page[T] {
	if i&(pageSize<<(pageBits*level)-1) == 0 {
		return nil
	}
	p = p.mutable(version)
	if level == 0 {
		p.items = withoutLast(p.items)
		return p
	}
	last := len(p.pages) - 1
	if next := p.pages[last].cut(i, level-1, version); next != nil {
		p.pages[last] = next
	} else {
		p.pages = withoutLast(p.pages)
	}
	return p
}

// at returns the item at index i.
func (v *vector[T]) at(i int) T { return v.root.at(i, v.levels) }

func (p *page[T]) at(i, level int) T {
	for ; level > 0; level-- {
		p = p.pages[i>>(pageBits*level)%pageSize]
	}
	return p.items[i%pageSize]
}

// mutable returns the item at index i, to be written to before the version ends.
func (v *vector[T]) mutable(i int, version uint64) *T {
	p := v.root.mutable(version)
	v.root = p
	for level := v.levels; level > 0; level-- {
		p = p.below(i>>(pageBits*level)%pageSize, version)
	}
	return &p.items[i%pageSize]
}

// pages calls f with the items page by page until it returns false, and reports
// whether it never did.
func (v *vector[T]) pages(f func([]T) bool) bool { return v.root == nil || v.root.visit(f) }

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

// each is pages for each item.
func (v *vector[T]) each(f func(T) bool) bool {
	return v.pages(func(items []T) bool {
		for _, item := range items {
			if !f(item) {
				return false
			}
		}
		return true
	})
}

// appendTo appends the items to dst.
func (v *vector[T]) appendTo(dst []T) []T {
	if v.root == nil {
		return dst
	}
	return v.root.appendTo(dst)
}

func (p *page[T]) appendTo(dst []T) []T {
	dst = append(dst, p.items...)
	for _, below := range p.pages {
		dst = below.appendTo(dst)
	}
	return dst
}

// roomy returns a copy of the list of a page with room for one item more, if a
// page may have one more.
func roomy[T any](list []T) []T {
	if list == nil {
		return nil
	}
	return append(make([]T, 0, min(pageSize, 1<<bits.Len(uint(len(list))))), list...)
}
