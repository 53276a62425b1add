// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"text/template"
	"unicode/utf8"

	"github.com/fatih/color"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"sigs.k8s.io/yaml"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/internal/visible"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/diagnosis"
)

// fates groups the pods that are evicted, earliest first, and then those that stay.
func fates(list []*diagnosis.Eviction, withStays bool) [][]*diagnosis.Eviction {
	list = slices.DeleteFunc(slices.Clone(list), func(x *diagnosis.Eviction) bool {
		return x.Outcome == diagnosis.Stays && !withStays
	})
	return cluster.Grouped(list, func(x *diagnosis.Eviction) string {
		return fmt.Sprintln(x.Outcome, x.From, x.Hangs, x.Again, x.Order)
	})
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
	return template.Must(template.New("").Funcs(template.FuncMap{
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
