// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"slices"
)

// A site rewrites a place of the source so that one binary holds its mutants: the
// number that is chosen when the binary starts selects one, and without it the
// place does what it did.
type site struct {
	wraps   []wrap
	tokens  []edit // replacements of single tokens
	dropped string // why the site is left as it was: what the compiler said
}

// A wrap puts text before and behind a piece of source. Wraps nest as the syntax
// does, and of those around the same piece the first is the outermost.
type wrap struct {
	start, end int // offsets
	pre, post  string
}

// An edit replaces a piece of source.
type edit struct {
	start, end int // offsets
	text       string
}

// A region says which site wrote a piece of rewritten source.
type region struct {
	start, end int // offsets in the rewritten source
	site       *site
}

// insertion is a piece of text that goes in at an offset, or takes the place of
// what is there up to another.
type insertion struct {
	edit
	rank   [3]int // orders those of one offset
	closes int    // the region that begins or ends here
	opens  bool
}

// rewrite returns the source with all sites that are not dropped.
func rewrite(source []byte, sites []*site) ([]byte, []region) {
	var list []insertion
	var regions []region
	for _, s := range sites {
		if s.dropped != "" {
			continue
		}
		for _, t := range s.tokens {
			list = append(list, insertion{edit: t, rank: [3]int{3}, closes: -1})
		}
		for _, w := range s.wraps {
			n := len(regions)
			regions = append(regions, region{site: s})
			list = append(list,
				insertion{edit: edit{w.start, w.start, w.pre}, rank: opening(w, n), closes: n, opens: true},
				insertion{edit: edit{w.end, w.end, w.post}, rank: closing(w, n), closes: n})
		}
	}
	slices.SortStableFunc(list, func(a, b insertion) int {
		return cmp.Or(cmp.Compare(a.start, b.start), slices.Compare(a.rank[:], b.rank[:]))
	})
	return apply(source, list, regions), regions
}

// opening returns the rank of a wrap's beginning: behind what ends at the same
// offset, the outermost first. What is put between two pieces of source, around
// nothing, comes before all that opens.
func opening(w wrap, n int) [3]int {
	if w.start == w.end {
		return [3]int{1, 0, n}
	}
	return [3]int{2, -w.end, n}
}

// closing returns the rank of a wrap's end: the innermost first.
func closing(w wrap, n int) [3]int {
	if w.start == w.end {
		return opening(w, n)
	}
	return [3]int{0, -w.start, -n}
}

// apply does the insertions, which are in order, and fills in where the regions
// are.
func apply(source []byte, list []insertion, regions []region) []byte {
	var out []byte
	at := 0
	for _, i := range list {
		out = append(out, source[at:i.start]...)
		at = i.end
		if i.opens {
			regions[i.closes].start = len(out)
		}
		out = append(out, i.text...)
		if !i.opens && i.closes >= 0 {
			regions[i.closes].end = len(out)
		}
	}
	return append(out, source[at:]...)
}

// innermost returns the site of the smallest region that holds the offset, or
// nil.
func innermost(regions []region, offset int) *site {
	var best *region
	for i := range regions {
		r := &regions[i]
		if r.start <= offset && offset < r.end && (best == nil || r.end-r.start < best.end-best.start) {
			best = r
		}
	}
	if best == nil {
		return nil
	}
	return best.site
}
