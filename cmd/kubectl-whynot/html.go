// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html"
	"html/template"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	texttemplate "text/template"

	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/internal/visible"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/diagnosis"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/preview"
)

//go:embed page/*.tmpl
var pageTemplates embed.FS

//go:embed page/page.css
var pageStyle template.CSS

//go:embed page/page.js
var pageScript template.JS

var parsedPage = template.Must(template.New("").Funcs(words).Funcs(sayings).Funcs(template.FuncMap{
	"clean": say.Printable, "code": codeOf, "details": details, "timeline": newTimeline, "spans": spansOf,
	"waves": preview.Waves, "evictionsIn": preview.EvictionsIn,
	"texts": func(m map[string]string) []string { return slices.Sorted(maps.Values(m)) }, "keysOf": sets.List[string],
	"style": func() template.CSS { return pageStyle }, "script": func() template.JS { return pageScript },
	"scriptHash": func() string {
		hash := sha256.Sum256([]byte(pageScript))
		return "sha256-" + base64.StdEncoding.EncodeToString(hash[:])
	},
}).ParseFS(pageTemplates, "page/*.html.tmpl"))

// words are the functions of all templates.
var words = map[string]any{
	"sentence": say.Sentence, "count": say.Count, "countOf": say.CountOf, "plural": say.For, "namesOf": say.NamesOf, "joined": say.Joined,
	"firstOf": say.FirstOf, "shortened": say.Shortened, "first": first, "more": more, "counts": countsOf, "fates": fates, "taint": visible.Taint,
	"contains": func(list []taints.Taint, t taints.Taint) bool { return slices.ContainsFunc(list, t.Equal) },

	"when": diagnosis.When, "whenAll": func(list []*diagnosis.Eviction) string { return diagnosis.When(list...) }, "why": diagnosis.Why,
	"add": func(a, b int) int { return a + b }, "list": func(elements ...any) []any { return elements },
}

var parsedSayings = texttemplate.Must(texttemplate.New("").Funcs(words).ParseFS(pageTemplates, "page/say.tmpl"))

// sayings has the function that returns a text of one line.
var sayings = map[string]any{"say": func(part string, data any) (string, error) {
	var text strings.Builder
	err := parsedSayings.ExecuteTemplate(&text, part, data)
	return text.String(), err
}}

// details returns the text with all details about the requested pod.
func details(r *diagnosis.Report) (string, error) {
	text := page{width: 100}
	err := text.execute("details", r)
	return strings.TrimSpace(text.String()), err
}

// countsOf returns the numbers and the nouns.
func countsOf(m map[string]int) []string {
	return say.Each(say.SortedKeys(m), func(noun string) string { return fmt.Sprint(m[noun], " ", noun) })
}

// first returns up to most elements of the list, for pages that appear at once.
func first(most int, list any) any {
	v := reflect.ValueOf(list)
	return v.Slice(0, min(v.Len(), most)).Interface()
}

// more counts the elements that first leaves out.
func more(most int, list any) int { return max(reflect.ValueOf(list).Len()-most, 0) }

// lineBreaks allows line breaks after the punctuation of taints and tolerations.
var lineBreaks = strings.NewReplacer("/", "/<wbr>", ".", ".<wbr>", "=", "=<wbr>", ":", ":<wbr>")

// codeOf returns a taint as HTML.
func codeOf(t taints.Taint) template.HTML {
	return template.HTML("<code>" + lineBreaks.Replace(html.EscapeString(say.Printable(visible.Taint(t)))) + "</code>")
}

// A timeline places times on a drawing. Its scale is logarithmic on both sides of
// now, so that both seconds and days can be distinguished.
type timeline struct{ before, after float64 } // of its ends, as logarithms

// marks are the seconds from now that a timeline can have a tick for.
var marks = []int64{10, 60, 300, 600, 3600, 6 * 3600, 86400, 30 * 86400, 365 * 86400, 3650 * 86400, 36500 * 86400}

// spansOf returns when the pods are evicted.
func spansOf(list []*diagnosis.Eviction) (spans []diagnosis.Span) {
	for _, x := range list {
		if s, ok := x.Span(); ok {
			spans = append(spans, s)
		}
	}
	return spans
}

// newTimeline returns the timeline of the times. It begins and ends at marks.
func newTimeline(spans []diagnosis.Span) timeline {
	first, last := int64(0), int64(60)
	for _, s := range spans {
		if first, last = min(first, s.Last), max(last, s.Last); s.First != math.MinInt64 {
			first = min(first, s.First)
		}
	}
	end := func(seconds int64) float64 {
		i, _ := slices.BinarySearch(marks, seconds)
		return logarithm(marks[min(i, len(marks)-1)])
	}
	l := timeline{after: end(last)}
	if first < 0 {
		l.before = end(-first)
	}
	return l
}

func logarithm(seconds int64) float64 {
	x := float64(seconds)
	return math.Copysign(math.Log1p(math.Abs(x)/10), x)
}

// at returns the place of the time in the drawing, in percent. Both margins have space
// for half of the text of a tick.
func (l timeline) at(seconds int64) float64 {
	const margin = 7
	x := margin + (l.before+logarithm(seconds))/(l.before+l.after)*(100-2*margin)
	return math.Round(min(max(0, x), 100)*10) / 10
}

// A tick is a mark of a timeline.
type tick struct {
	At   float64
	Text string
}

// Ticks returns the ticks that have enough space: now, the outer ones, and more.
func (l timeline) Ticks() []tick {
	ticks := []tick{{l.at(0), "now"}}
	for _, mark := range slices.Backward(marks) {
		for _, seconds := range []int64{-mark, mark} {
			x, share := l.at(seconds), logarithm(seconds)
			isNear := func(t tick) bool { return math.Abs(x-t.At) < 16 }
			if -l.before <= share && share <= l.after && !slices.ContainsFunc(ticks, isNear) {
				ticks = append(ticks, tick{x, say.Relative(seconds)})
			}
		}
	}
	return ticks
}

// Path draws the times that are known, or the ranges of those that are not, as the
// path of an SVG. It joins what overlaps: its length does not depend on the number of
// pods.
func (l timeline) Path(areRanges bool, spans []diagnosis.Span) string {
	var lines [][2]float64
	for _, s := range spans {
		x := [2]float64{l.at(s.First), l.at(s.Last)}
		if areRanges {
			x[0] = min(x[0], x[1]-2) // to be seen
		}
		if areRanges == (s.First < s.Last) {
			lines = append(lines, x)
		}
	}
	slices.SortFunc(lines, func(a, b [2]float64) int { return cmp.Compare(a[0], b[0]) })
	var joined [][2]float64
	for _, x := range lines {
		if n := len(joined) - 1; n >= 0 && x[0] <= joined[n][1]+.2 {
			joined[n][1] = max(joined[n][1], x[1])
		} else {
			joined = append(joined, x)
		}
	}
	return strings.Join(say.Each(joined, func(x [2]float64) string { return fmt.Sprintf("M%v 10H%v", x[0], x[1]) }), "")
}
