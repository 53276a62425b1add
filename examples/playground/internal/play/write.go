// SPDX-License-Identifier: Apache-2.0

package play

import (
	"strings"

	"github.com/seed-0529bac1/taints/examples/playground/internal/jsontree"
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

func (r result) write(w *jsontree.Writer) {
	tolerations := r.tolerationAnswers()
	w.Object(func() {
		w.Name("brief")
		w.String(r.brief(tolerations))
		w.Name("placement")
		r.placed.write(w)
		w.Name("eviction")
		r.evicted.write(w)
		w.Name("problems")
		w.Array(func() { r.writeProblems(w) })
		w.Name("taints")
		w.Array(func() { r.writeTaints(w) })
		w.Name("tolerations")
		w.Array(func() { r.writeTolerations(w, tolerations) })
	})
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

func (s statement) write(w *jsontree.Writer) {
	w.Object(func() {
		member(w, "tone", string(s.tone))
		member(w, "text", s.text)
		member(w, "detail", s.detail)
	})
}

// mostProblems is how many problems of a list are listed.
const mostProblems = 50

func (r result) writeProblems(w *jsontree.Writer) {
	writeProblems(w, "taints", r.taints.text, r.taints.problems)
	writeProblems(w, "tolerations", r.written.text, r.written.problems)
	for _, p := range r.problems {
		w.Object(func() {
			member(w, "field", p.field)
			member(w, "message", p.message)
		})
	}
}

func writeProblems(w *jsontree.Writer, field, text string, problems []problem) {
	t := newText(text)
	for i, p := range problems {
		if i == mostProblems {
			w.Object(func() {
				member(w, "field", field)
				member(w, "message", "and "+count(len(problems)-i, "more problem", "more problems"))
			})
			return
		}
		w.Object(func() {
			member(w, "field", field)
			member(w, "message", p.message)
			w.Name("unread")
			w.Bool(p.unread)
			writePlace(w, t, p.span)
		})
	}
}

// writePlace writes where something stands, for people and for a browser to select it.
func writePlace(w *jsontree.Writer, t *text, s span) {
	w.Name("line")
	w.Int(t.line(s.start) + 1)
	w.Name("column")
	w.Int(t.column(s.start))
	w.Name("start")
	w.Int(t.unit(s.start))
	w.Name("end")
	w.Int(t.unit(s.end))
}

func (r result) writeTaints(w *jsontree.Writer) {
	t := newText(r.taints.text)
	for i, answer := range r.taintAnswers() {
		w.Object(func() {
			member(w, "name", name("taints", i))
			member(w, "text", answer.text)
			member(w, "tone", string(answer.tone))
			member(w, "status", answer.status)
			if answer.toleration >= 0 {
				w.Name("toleration")
				w.Object(func() {
					member(w, "name", name("tolerations", answer.toleration))
					member(w, "text", r.tolerations[answer.toleration].String())
				})
			}
			member(w, "why", answer.why)
			member(w, "time", answer.time)
			w.Name("decides")
			w.Bool(answer.decides)
			writePlace(w, t, r.taints.entries[i].span)
		})
	}
}

func (r result) writeTolerations(w *jsontree.Writer, answers []tolerationAnswer) {
	t := newText(r.written.text)
	for i, answer := range answers {
		w.Object(func() {
			member(w, "name", name("tolerations", i))
			member(w, "text", answer.text)
			member(w, "origin", answer.origin)
			member(w, "matches", answer.matches)
			w.Name("findings")
			w.Array(func() {
				for _, f := range answer.findings {
					w.Object(func() {
						member(w, "code", f.code)
						member(w, "advice", f.advice)
					})
				}
			})
			if i < len(r.written.entries) {
				writePlace(w, t, r.written.entries[i].span)
			}
		})
	}
}

// member writes a member that is a string, unless that is empty.
func member(w *jsontree.Writer, name, value string) {
	if value != "" {
		w.Name(name)
		w.String(value)
	}
}
