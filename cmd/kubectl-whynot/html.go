// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html"
	"html/template"
	"io"
	"reflect"
	"strings"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/internal/visible"
)

//go:embed page/page.html.tmpl
var pageTemplate string

//go:embed page/page.css
var pageStyle template.CSS

//go:embed page/page.js
var pageScript template.JS

var parsedPage = template.Must(template.New("page").Funcs(words).Funcs(template.FuncMap{
	"clean": say.Printable, "code": codeOf,
}).Parse(pageTemplate))

// words are the functions of both templates.
var words = map[string]any{
	"sentence": say.Sentence, "count": say.Count, "namesOf": say.NamesOf, "joined": say.Joined, "first": first, "more": more,
}

// A view is the data of the template.
type view struct {
	*answer
	Style      template.CSS
	Script     template.JS
	ScriptHash string
	Details    string
	PodsTotal  int // pending pods
	Fates      []*fate
}

func (r *answer) writeHTML(w io.Writer) error {
	hash := sha256.Sum256([]byte(pageScript))
	v := view{
		answer: r, Style: pageStyle, Script: pageScript,
		ScriptHash: "sha256-" + base64.StdEncoding.EncodeToString(hash[:]),
		Fates:      fatesOf(r.Evictions, false),
	}
	for _, c := range r.Causes[:r.Waiting()] {
		v.PodsTotal += c.Pods
	}
	if r.Pod != "" {
		details := page{width: 100}
		for _, part := range []string{"pending", "evictions"} {
			if err := details.execute(part, r.textView(true)); err != nil {
				return err
			}
		}
		v.Details = strings.TrimSpace(details.String())
	}
	var b bytes.Buffer // so that an error leaves no half of a page
	if err := parsedPage.Execute(&b, &v); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

// first returns up to most elements of the list, so that a browser shows the page
// at once.
func first(most int, list any) any {
	v := reflect.ValueOf(list)
	return v.Slice(0, min(v.Len(), most)).Interface()
}

// more counts the elements that first leaves out.
func more(most int, list any) int { return max(reflect.ValueOf(list).Len()-most, 0) }

// lineBreaks allows line breaks after the punctuation of taints and tolerations.
var lineBreaks = strings.NewReplacer("/", "/<wbr>", ".", ".<wbr>", "=", "=<wbr>", ":", ":<wbr>")

// codeOf returns a taint or toleration as HTML.
func codeOf(x any) template.HTML {
	text := ""
	switch x := x.(type) {
	case taints.Taint:
		text = visible.Taint(x)
	case taints.Toleration:
		text = visible.Toleration(x)
	}
	return template.HTML("<code>" + lineBreaks.Replace(html.EscapeString(say.Printable(text))) + "</code>")
}
