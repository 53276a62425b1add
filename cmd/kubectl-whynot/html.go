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
	"math"
	"reflect"
	"slices"
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
	"clean": say.Printable, "code": codeOf, "add": func(a, b int) int { return a + b },
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
	Scale      timeScale
}

func (r *answer) writeHTML(w io.Writer) error {
	hash := sha256.Sum256([]byte(pageScript))
	fates := fatesOf(r.Evictions, false)
	v := view{
		answer: r, Style: pageStyle, Script: pageScript,
		ScriptHash: "sha256-" + base64.StdEncoding.EncodeToString(hash[:]),
		Fates:      fates, Scale: newTimeScale(fates),
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

// A timeScale places times on a line. It is logarithmic on both sides of now, so
// that both seconds and days can be distinguished.
type timeScale struct{ before, after float64 }

func newTimeScale(fates []*fate) timeScale {
	s := timeScale{after: logarithm(60)}
	for _, f := range fates {
		for _, p := range f.pods {
			if p.InSeconds == nil {
				continue
			}
			x := logarithm(*p.InSeconds)
			s.before, s.after = math.Max(s.before, -x), math.Max(s.after, x)
		}
	}
	return s
}

// logarithm returns a logarithm of the absolute value with the sign of seconds.
func logarithm(seconds int64) float64 {
	return math.Copysign(math.Log1p(math.Abs(float64(seconds))/10), float64(seconds))
}

// at returns the place of the time that is the given seconds from now, as a
// percentage of the line.
func (s timeScale) at(seconds int64) float64 {
	x := (s.before + logarithm(seconds)) / (s.before + s.after) * 100
	return math.Round(x*100) / 100
}

// A tick is a mark of the line.
type tick struct {
	Left float64
	Text string
}

// Ticks returns the marks that have enough space next to each other, among them
// those at the ends.
func (s timeScale) Ticks() []tick {
	list := []tick{{s.at(0), "now"}}
	for _, seconds := range []int64{365 * 86400, 30 * 86400, 86400, 3600, 600, 60} {
		for _, t := range []int64{-seconds, seconds} {
			x := s.at(t)
			isNear := func(other tick) bool { return math.Abs(x-other.Left) <= 24 }
			if x >= 0 && x <= 100 && !slices.ContainsFunc(list, isNear) {
				list = append(list, tick{x, say.Relative(t)})
			}
		}
	}
	return list
}

// A bar is the times of a fate on the line.
type bar struct{ Left, Width float64 }

// Bar returns the bar of the fate, or nil if the fate has no times.
func (s timeScale) Bar(f *fate) *bar {
	first, last := f.pods[0].InSeconds, f.pods[len(f.pods)-1].InSeconds
	if first == nil || last == nil {
		return nil
	}
	return &bar{s.at(*first), s.at(*last) - s.at(*first)}
}
