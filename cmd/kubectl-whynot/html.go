// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html"
	"html/template"
	"io"
	"strings"

	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/diagnosis"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/say"
)

//go:embed page/page.html.tmpl
var pageTemplate string

//go:embed page/page.css
var pageStyle string

//go:embed page/page.js
var pageScript string

var parsedPage = template.Must(template.New("page").Funcs(template.FuncMap{
	"clean": say.Printable, "sentence": say.Sentence, "code": codeOf, "count": say.Count, "cut": cut, "namesOf": say.NamesOf,
	"add": func(a, b int) int { return a + b },
}).Parse(pageTemplate))

// Limits for the tables on the page, so that a browser shows it at once.
const (
	maxPageCauses = 200
	maxPageFates  = 200
	maxPageGroups = 1000
)

// A view is the data of the template.
type view struct {
	*answer
	Style      template.CSS
	Script     template.JS
	ScriptHash string
	NoPods     string
	Details    string

	PodsOf     [][]string // by cause
	PodsTotal  int        // pending pods
	Shown      []diagnosis.Cause
	Fates      []*fate
	MoreFates  int
	Scale      timeScale
	Matrix     *diagnosis.Matrix
	GroupsMost []diagnosis.GroupRow
}

// writeHTML writes the report as a page that needs no other files.
func (r *answer) writeHTML(w io.Writer) error {
	hash := sha256.Sum256([]byte(pageScript))
	fates := fatesOf(r.Evictions, false)
	v := view{
		answer: r, Style: template.CSS(pageStyle), Script: template.JS(pageScript),
		ScriptHash: "sha256-" + base64.StdEncoding.EncodeToString(hash[:]),
		NoPods:     r.NoPods,
		PodsOf:     make([][]string, len(r.Causes)),
		Shown:      r.Causes[:min(len(r.Causes), maxPageCauses)],
		Fates:      fates[:min(len(fates), maxPageFates)],
		MoreFates:  max(len(fates)-maxPageFates, 0),
		Scale:      newTimeScale(fates),
		Matrix:     r.Matrix,
		GroupsMost: r.FirstGroups(maxPageGroups),
	}
	if len(r.Matrix.Columns) == 0 && v.NoPods == "" {
		v.NoPods = "all pods have finished"
	}
	for i := range r.Pending {
		x := &r.Pending[i]
		v.PodsTotal += len(x.Pods)
		for _, name := range x.Pods {
			v.PodsOf[x.Cause] = append(v.PodsOf[x.Cause], x.Namespace+"/"+name)
		}
	}
	if r.Pod != "" {
		details := page{width: 100}
		r.writePending(&details)
		r.writeEvictions(&details, len(r.Evictions))
		v.Details = strings.TrimSpace(details.String())
	}
	var b bytes.Buffer
	if err := parsedPage.Execute(&b, &v); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

// names are the first names of a list and the number of the others.
type names struct {
	First []string
	More  int
}

func cut(list []string, most int) names {
	most = min(len(list), most)
	return names{list[:most], len(list) - most}
}

// lineBreaks allows line breaks after the punctuation of taints and tolerations.
var lineBreaks = strings.NewReplacer("/", "/<wbr>", ".", ".<wbr>", "=", "=<wbr>", ":", ":<wbr>")

// codeOf returns a taint or toleration as HTML.
func codeOf(s fmt.Stringer) template.HTML {
	return template.HTML("<code>" + lineBreaks.Replace(html.EscapeString(say.Printable(s.String()))) + "</code>")
}

// IgnoredText counts the objects that are not evaluated, by kind.
func (v *view) IgnoredText() string { return v.ignoredText() }

// LeftOut counts the pods that a user might expect among the evictions.
func (v *view) LeftOut() string { return v.leftOut() }

// StayingText counts the pods that tolerate their nodes' taints.
func (v *view) StayingText() string {
	if n := v.staying(); n > 0 {
		return staysText(n)
	}
	return ""
}

// NotEvaluatedText names the rules that are not evaluated.
func (v *view) NotEvaluatedText() string { return say.Joined(v.NotEvaluated) }
