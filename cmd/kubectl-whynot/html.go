// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html"
	"html/template"
	"maps"
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
