// SPDX-License-Identifier: Apache-2.0

package play

import (
	"maps"
	"strings"
)

// A result is the whole answer.
type result struct {
	*answerer
	placed, evicted statement
}

func answer(s State) result {
	a := newAnswerer(s)
	return result{a, a.placement(), a.eviction()}
}

func (r result) object() map[string]any {
	tolerations := r.tolerationAnswers()
	return map[string]any{
		"brief":       r.brief(tolerations),
		"placement":   r.placed.object(),
		"eviction":    r.evicted.object(),
		"problems":    r.problemObjects(),
		"taints":      r.taintObjects(),
		"tolerations": r.tolerationObjects(tolerations),
	}
}

// brief returns the whole in one line, to be read aloud.
func (r result) brief(tolerations []tolerationAnswer) string {
	s := r.placed.brief + ". "
	if r.placed.tone != unknown {
		s += r.evicted.brief + ". "
	}
	findings := 0
	for i := range tolerations {
		findings += len(tolerations[i].findings)
	}
	if n := len(r.taints.problems) + len(r.written.problems) + len(r.problems); n > 0 {
		s += count(n, "problem", "problems") + ". "
	}
	if findings > 0 {
		s += count(findings, "finding", "findings") + ". "
	}
	return strings.TrimSuffix(s, " ")
}

func (s statement) object() map[string]any {
	return said(map[string]string{"tone": string(s.tone), "text": s.text, "detail": s.detail})
}

// mostProblems is how many problems of a list are listed.
const mostProblems = 50

func (r result) problemObjects() []any {
	all := problemObjects([]any{}, "taints", r.taints.text, r.taints.problems)
	all = problemObjects(all, "tolerations", r.written.text, r.written.problems)
	for _, p := range r.problems {
		all = append(all, said(map[string]string{"field": p.field, "message": p.message}))
	}
	return all
}

func problemObjects(all []any, field, text string, problems []problem) []any {
	t := newText(text)
	for i, p := range problems {
		if i == mostProblems {
			more := "and " + count(len(problems)-i, "more problem", "more problems")
			return append(all, said(map[string]string{"field": field, "message": more}))
		}
		o := map[string]any{"field": field, "message": p.message, "unread": p.unread}
		maps.Copy(o, t.place(p.span))
		all = append(all, o)
	}
	return all
}

// place returns where something stands, for people and for a browser to select it.
func (t *text) place(s span) map[string]any {
	return map[string]any{
		"line":   t.line(s.start) + 1,
		"column": t.column(s.start),
		"start":  t.unit(s.start),
		"end":    t.unit(s.end),
	}
}

func (r result) taintObjects() []any {
	all := []any{}
	t := newText(r.taints.text)
	for i, answer := range r.taintAnswers() {
		o := said(map[string]string{
			"name":   name("taints", i),
			"text":   answer.text,
			"tone":   string(answer.tone),
			"status": answer.status,
			"why":    answer.why,
			"time":   answer.time,
		})
		o["decides"] = answer.decides
		if answer.toleration >= 0 {
			o["toleration"] = said(map[string]string{
				"name": name("tolerations", answer.toleration),
				"text": r.tolerations[answer.toleration].String(),
			})
		}
		maps.Copy(o, t.place(r.taints.entries[i].span))
		all = append(all, o)
	}
	return all
}

func (r result) tolerationObjects(answers []tolerationAnswer) []any {
	all := []any{}
	t := newText(r.written.text)
	for i, answer := range answers {
		o := said(map[string]string{
			"name":    name("tolerations", i),
			"text":    answer.text,
			"origin":  answer.origin,
			"matches": answer.matches,
		})
		findings := []any{}
		for _, f := range answer.findings {
			findings = append(findings, said(map[string]string{"code": f.code, "advice": f.advice}))
		}
		o["findings"] = findings
		if i < len(r.written.entries) {
			maps.Copy(o, t.place(r.written.entries[i].span))
		}
		all = append(all, o)
	}
	return all
}

// said returns an object of the strings that are not empty.
func said(texts map[string]string) map[string]any {
	o := make(map[string]any, len(texts))
	for name, text := range texts {
		if text != "" {
			o[name] = text
		}
	}
	return o
}
