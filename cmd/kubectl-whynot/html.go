// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html"
	"html/template"
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/internal/visible"
)

//go:embed page/*.html.tmpl
var pageTemplates embed.FS

//go:embed page/page.css
var pageStyle template.CSS

//go:embed page/page.js
var pageScript template.JS

var parsedPage = template.Must(template.New("").Funcs(words).Funcs(template.FuncMap{
	"clean": say.Printable, "code": codeOf,
	"texts": func(m map[string]string) []string { return slices.Sorted(maps.Values(m)) }, "keysOf": sets.List[string],
	"style": func() template.CSS { return pageStyle }, "script": func() template.JS { return pageScript },
	"scriptHash": func() string {
		hash := sha256.Sum256([]byte(pageScript))
		return "sha256-" + base64.StdEncoding.EncodeToString(hash[:])
	},
}).ParseFS(pageTemplates, "page/*"))

// words are the functions of both templates.
var words = map[string]any{
	"sentence": say.Sentence, "count": say.Count, "namesOf": say.NamesOf, "joined": say.Joined,
	"shortened": say.Shortened, "first": first, "more": more,
	"add": func(a, b int) int { return a + b }, "list": func(elements ...any) []any { return elements },
}

// Details returns the text with all details about the requested pod.
func (v *view) Details() (string, error) {
	if v.Pod == "" {
		return "", nil
	}
	details := page{width: 100}
	err := details.execute("details", v)
	return strings.TrimSpace(details.String()), err
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
