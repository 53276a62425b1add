// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"maps"
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
	"github.com/seed-0529bac1/taints/cmd/internal/lists"
	"github.com/seed-0529bac1/taints/cmd/internal/purpose"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/internal/timeline"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/diagnosis"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/eviction"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/fix"
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
	if width, _ := strconv.Atoi(os.Getenv("COLUMNS")); width > 0 {
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
		"selector": cluster.SelectorText, "toleration": say.Toleration, "yamlLines": yamlLines,
		"keys": func(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }, "isWide": func() bool { return p.isWide },
		"column": column, "spaces": func(s string) string { return strings.Repeat(" ", len(s)) },
	}).Funcs(words).Funcs(sayings).ParseFS(pages, "page/text.tmpl")).ExecuteTemplate(p, part, view)
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
// before the other lines. It breaks lines only between words.
func (p *page) wrapped(first, hang, text string, style ...color.Attribute) string {
	var lines []string
	line, space := first, ""
	end := func() {
		lines = append(lines, p.styled(line, style...))
		line, space = hang, ""
	}
	for _, w := range strings.Fields(text) {
		w = say.Clean(w)
		if space != "" && utf8.RuneCountInString(line+space+w) > p.width {
			end()
		}
		line, space = line+space+w, " "
	}
	end()
	return strings.Join(lines, "\n")
}

// row returns texts beside the columns of a table.
func (p *page) row(columns string, texts ...string) string {
	var lines []string
	indent := strings.Repeat(" ", len(columns))
	for _, text := range texts {
		lines = append(lines, p.wrapped(columns, indent+"  ", text))
		columns = indent
	}
	return strings.Join(lines, "\n")
}

//go:embed page
var pages embed.FS

// pageText returns the text of a file without its last line break.
func pageText(name string) string {
	b, _ := pages.ReadFile("page/" + name) // never fails for a file that is there
	return strings.TrimSuffix(string(b), "\n")
}

var parsedPage = template.Must(template.New("").Funcs(words).Funcs(sayings).Funcs(template.FuncMap{
	"clean": say.Clean, "printable": say.Printable, "details": details, "timeline": timeline.New, "spans": eviction.Spans,
	"texts": func(m map[string]string) []string { return slices.Sorted(maps.Values(m)) }, "keysOf": sets.List[string],
	"style": func() template.CSS { return template.CSS(pageText("page.css")) }, "script": func() template.JS { return template.JS(pageText("page.js")) },
	"scriptHash": func() string {
		hash := sha256.Sum256([]byte(pageText("page.js")))
		return "sha256-" + base64.StdEncoding.EncodeToString(hash[:])
	},
}).ParseFS(pages, "page/*.html.tmpl"))

// fates groups the pods that are evicted, earliest first, and then those that stay.
func fates(list []*eviction.Eviction, withStays bool) [][]*eviction.Eviction {
	list = slices.DeleteFunc(slices.Clone(list), func(x *eviction.Eviction) bool {
		return x.Outcome == eviction.Stays && !withStays
	})
	return lists.Grouped(list, func(x *eviction.Eviction) string {
		return fmt.Sprintln(x.Outcome, x.From, x.Hangs, x.Then, x.Order)
	})
}

// words are the functions of all templates.
var words = map[string]any{
	"sentence": say.Sentence, "count": say.Count, "countOf": say.CountOf, "plural": say.For, "namesOf": say.NamesOf, "joined": say.Joined,
	"firstOf": say.FirstOf, "shortened": say.Shortened, "first": first, "more": more, "counts": countsOf, "fates": fates, "taint": say.Taint,
	"contains": func(list []taints.Taint, t taints.Taint) bool { return slices.ContainsFunc(list, t.Equal) },
	"isAmong": func(list []taints.Taint, t taints.Taint) bool {
		return slices.ContainsFunc(list, purpose.WithoutTime(t).Equal)
	},

	"labels": fix.Labels, "once": fix.Once, "when": eviction.When, "whenAll": func(list []*eviction.Eviction) string { return eviction.When(list...) }, "why": eviction.Why,
	"add": func(a, b int) int { return a + b }, "list": func(elements ...any) []any { return elements },
}

var parsedSayings = texttemplate.Must(texttemplate.New("").Funcs(words).ParseFS(pages, "page/say.tmpl"))

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
	return lists.Each(slices.Sorted(maps.Keys(m)), func(noun string) string { return fmt.Sprint(m[noun], " ", noun) })
}

// first returns up to most elements of the list, for pages that appear at once.
func first(most int, list any) any {
	v := reflect.ValueOf(list)
	return v.Slice(0, min(v.Len(), most)).Interface()
}

// more counts the elements that first leaves out.
func more(most int, list any) int { return max(reflect.ValueOf(list).Len()-most, 0) }
