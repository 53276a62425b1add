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
	"io"
	"maps"
	"math"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	texttemplate "text/template"
	"unicode/utf8"

	"github.com/fatih/color"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/term"
	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/yaml"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/internal/visible"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/diagnosis"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/preview"
)

// writeReport writes the report as JSON or YAML, or a part of the templates.
func (p *program) writeReport(report any, part string) error {
	switch p.output {
	case "json", "yaml":
		return writeForm(p.out, report, p.output == "yaml")
	case "html":
		return parsedPage.ExecuteTemplate(p.out, part, report)
	}
	text := page{width: 100, isWide: p.output == "wide"}
	if f, ok := p.out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			text.width = width
		}
		text.color = !color.NoColor
	}
	if width, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && width > 0 {
		text.width = width
	}
	if err := text.execute(part, report); err != nil {
		return err
	}
	_, err := io.WriteString(p.out, text.String())
	return err
}

// writeForm writes the report as JSON, without a copy of it in memory, or as YAML.
func writeForm(w io.Writer, report any, isYAML bool) error {
	options := json.JoinOptions(jsontext.WithIndent("  "), json.Deterministic(true))
	if !isYAML {
		return json.MarshalEncode(jsontext.NewEncoder(w, options), report)
	}
	b, err := json.Marshal(report, options)
	if err == nil {
		b, err = yaml.JSONToYAML(b)
	}
	if err == nil {
		_, err = w.Write(b)
	}
	return err
}

// A page is text with a width.
type page struct {
	strings.Builder
	width  int
	color  bool
	isWide bool // has all details
}

// execute writes a part of the template of text. The functions that print have the
// width and the colors of the page, and replace what could harm a terminal.
func (p *page) execute(part string, view any) error {
	return texttemplate.Must(texttemplate.New("").Funcs(texttemplate.FuncMap{
		"line": p.styled, "wrap": p.wrapped, "row": p.row,
		"bold": func() color.Attribute { return color.Bold }, "red": func() color.Attribute { return color.FgRed },
		"cyan": func() color.Attribute { return color.FgCyan }, "isWindows": func() bool { return runtime.GOOS == "windows" },
		"selector": cluster.SelectorText, "toleration": visible.Toleration, "yamlLines": yamlLines,
		"keys": say.SortedKeys[string], "isWide": func() bool { return p.isWide },
		"column": column, "spaces": func(s string) string { return strings.Repeat(" ", len(s)) },
	}).Funcs(words).Funcs(sayings).ParseFS(pageTemplates, "page/text.tmpl")).ExecuteTemplate(p, part, view)
}

// column returns the first column of a table that counts nodes, up to most.
func column(nodes, most int) string {
	return fmt.Sprintf("    %-*s  ", len(say.Count(max(most, 2), "node")), say.Count(nodes, "node"))
}

// yamlLines returns the toleration as an element of a list.
func yamlLines(t taints.Toleration) []string {
	b, _ := yaml.Marshal([]taints.Toleration{t}) // never fails for a toleration
	return strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
}

// styled returns the line in a style, with replacements for unsafe characters.
func (p *page) styled(s string, style ...color.Attribute) string {
	s = say.Printable(s)
	if p.color && len(style) > 0 {
		s = color.New(style...).Sprint(s)
	}
	return s
}

// wrapped returns text in a style. It puts first before the first line and hang
// before the other lines. It breaks lines only between words, except in a narrow page.
func (p *page) wrapped(first, hang, text string, style ...color.Attribute) string {
	var lines []string
	line, space := first, ""
	end := func() {
		lines = append(lines, p.styled(line, style...))
		line, space = hang, ""
	}
	for _, w := range strings.Fields(text) {
		if space != "" && utf8.RuneCountInString(line+space+w) > p.width {
			end()
		}
		for space == "" && p.isNarrow() && utf8.RuneCountInString(line+w) > p.width {
			head := headOf(w, p.width-utf8.RuneCountInString(line))
			line, w = line+head, w[len(head):]
			end()
		}
		line, space = line+space+w, " "
	}
	end()
	return strings.Join(lines, "\n")
}

// row returns texts beside the columns of a table, or below them on a narrow page.
func (p *page) row(columns string, texts ...string) string {
	var lines []string
	indent := strings.Repeat(" ", len(columns))
	if p.isNarrow() {
		lines = append(lines, p.styled(strings.TrimRight(columns, " ")))
		columns, indent = "    ", "    "
	}
	for _, text := range texts {
		lines = append(lines, p.wrapped(columns, indent+"  ", text))
		columns = indent
	}
	return strings.Join(lines, "\n")
}

func (p *page) isNarrow() bool { return p.width < 80 }

// headOf returns the part of a long word that has at most so many characters and, if
// possible, ends as a part of a taint or a name does.
func headOf(word string, most int) string {
	head := string([]rune(word)[:max(most, 1)])
	if at := strings.LastIndexAny(head, "/.=:-"); at > 0 {
		return head[:at+1]
	}
	return head
}

//go:embed page/*.tmpl
var pageTemplates embed.FS

//go:embed page/page.css
var pageStyle template.CSS

//go:embed page/page.js
var pageScript template.JS

var parsedPage = template.Must(template.New("").Funcs(words).Funcs(sayings).Funcs(template.FuncMap{
	"clean": say.Printable, "code": codeOf, "details": details, "timeline": newTimeline, "spans": spansOf,
	"waves": preview.Waves, "evictionsIn": preview.EvictionsIn, "whenLeaving": preview.WhenLeaving,
	"texts": func(m map[string]string) []string { return slices.Sorted(maps.Values(m)) }, "keysOf": sets.List[string],
	"style": func() template.CSS { return pageStyle }, "script": func() template.JS { return pageScript },
	"scriptHash": func() string {
		hash := sha256.Sum256([]byte(pageScript))
		return "sha256-" + base64.StdEncoding.EncodeToString(hash[:])
	},
}).ParseFS(pageTemplates, "page/*.html.tmpl"))

// fates groups the pods that are evicted, earliest first, and then those that stay.
func fates(list []*diagnosis.Eviction, withStays bool) [][]*diagnosis.Eviction {
	list = slices.DeleteFunc(slices.Clone(list), func(x *diagnosis.Eviction) bool {
		return x.Outcome == diagnosis.Stays && !withStays
	})
	return cluster.Grouped(list, func(x *diagnosis.Eviction) string {
		return fmt.Sprintln(x.Outcome, x.From, x.Hangs, x.Then, x.Order)
	})
}

// words are the functions of all templates.
var words = map[string]any{
	"sentence": say.Sentence, "count": say.Count, "countOf": say.CountOf, "plural": say.For, "namesOf": say.NamesOf, "joined": say.Joined,
	"firstOf": say.FirstOf, "shortened": say.Shortened, "first": first, "more": more, "counts": countsOf, "fates": fates, "taint": visible.Taint,
	"contains": func(list []taints.Taint, t taints.Taint) bool { return slices.ContainsFunc(list, t.Equal) },

	"when": diagnosis.When, "whenAll": func(list []*diagnosis.Eviction) string { return diagnosis.When(list...) }, "why": diagnosis.Why,
	"add": func(a, b int) int { return a + b }, "list": func(elements ...any) []any { return elements },
}

var parsedSayings = texttemplate.Must(texttemplate.New("").Funcs(words).ParseFS(pageTemplates, "page/say.tmpl"))

var sayings = map[string]any{"say": said}

// said returns a text of one line.
func said(part string, data any) (string, error) {
	var text strings.Builder
	err := parsedSayings.ExecuteTemplate(&text, part, data)
	return text.String(), err
}

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

// at returns the place of the time in the drawing, in percent.
func (l timeline) at(seconds int64) float64 {
	const margin = 7 // on both sides, for half of the text of a tick
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

// Path draws the times that are known, or the ranges of those that are not, as the path
// of an SVG. It joins what overlaps, so that many pods do not make it long.
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
