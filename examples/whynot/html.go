// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"strings"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/examples/internal/terminal"
)

//go:embed page/page.html.tmpl
var pageTemplate string

//go:embed page/page.css
var pageStyle string

//go:embed page/page.js
var pageScript string

var parsedPage = template.Must(template.New("page").Parse(pageTemplate))

// How much of each table is on the HTML page, which is to stay one that a
// browser shows at once.
const (
	maxPageCauses = 200
	maxPageFates  = 200
	maxPageGroups = 1000
	maxPageNames  = 200
)

// html returns the report as a page of HTML that needs nothing else.
func (r *report) html() ([]byte, error) {
	hash := sha256.Sum256([]byte(pageScript))
	v := view{
		Style: template.CSS(pageStyle), Script: template.JS(pageScript),
		ScriptHash: "sha256-" + base64.StdEncoding.EncodeToString(hash[:]),
		Nodes:      count(r.Nodes, "node"), Pods: count(r.Pods, "pod"), Input: terminal.Line(r.Input), Now: r.Now,
		Filter:       terminal.Line(r.Filter),
		NotEvaluated: enumerate(r.NotEvaluated, "and"), LeftOut: r.leftOut(),
	}
	if len(r.Ignored) > 0 {
		v.Ignored = terminal.Line(ignored(r.Ignored))
	}
	if len(r.matrix.columns) == 0 {
		v.NoPods = terminal.Line(cmp.Or(r.noPods, "All pods have finished"))
	}
	v.addCauses(r)
	v.addFates(r)
	v.addMatrix(r)
	v.addGroups(r)
	var b bytes.Buffer
	err := parsedPage.Execute(&b, v)
	return b.Bytes(), err
}

// A view is what the template shows. Its texts are lines.
type view struct {
	Style      template.CSS
	Script     template.JS
	ScriptHash string

	Nodes, Pods, Input, Now, Filter, Ignored, NoPods string
	NotEvaluated, LeftOut                            string

	Pending, CauseCount, MoreCauses string
	Causes                          []causeView
	Ticks                           []tick
	Fates                           []fateView
	MoreFates, Staying              string
	MatrixCaption, MoreMatrix       string
	Columns                         []columnView
	Rows                            []rowView
	Groups                          []groupView
	MoreGroups                      string
}

type causeView struct {
	Pods                   int
	Kind, Text, Whose, Fix string
	Names                  []string
	MoreNames              int
}

type tick struct {
	Left float64
	Text string
}

type fateView struct {
	Pods        int
	Text, Why   string
	Names       []string
	MoreNames   int
	HasTime     bool
	Left, Width float64
	Class       string
}

type columnView struct {
	Index                  int
	ID, Name, Owner, Count string
	Pending                bool
	Owners                 []string
	MoreOwners             int
	Selects                string
	Tolerations            []code
}

type rowView struct {
	ID, Nodes, Title, KeepsText string
	Taints                      []code
	Keeps, NodeCount            int
	Cells                       []cellView
}

type cellView struct {
	Class, Sign, Text, Running string
	Why                        []code
}

type groupView struct {
	ID                 string
	Nodes, Pods, Keeps int
	Taints             []code
	First              string
	More               bool
	Names              []string
	MoreNames          int
}

// A code is a text with the places at which a line may break.
type code []string

// codeOf breaks the text after the signs that are in taints and tolerations.
func codeOf(s string) code {
	var parts code
	start := 0
	s = terminal.Line(s)
	for i := range len(s) {
		if strings.IndexByte("/=:", s[i]) >= 0 {
			parts, start = append(parts, s[start:i+1]), i+1
		}
	}
	return append(parts, s[start:])
}

func codesOf(list []taints.Taint) []code {
	var codes []code
	for _, t := range list {
		codes = append(codes, codeOf(t.String()))
	}
	return codes
}

// cut returns the first names, clean, and how many more there are.
func cut(names []string, most int) (first []string, more int) {
	if len(names) > most {
		more = len(names) - most
		names = names[:most]
	}
	for _, n := range names {
		first = append(first, terminal.Line(n))
	}
	return first, more
}

func (v *view) addCauses(r *report) {
	names := make(map[string][]string)
	pods := 0
	for i := range r.Pending {
		x := &r.Pending[i]
		pods += len(x.Pods)
		for _, name := range x.Pods {
			names[x.Cause] = append(names[x.Cause], x.Namespace+"/"+name)
		}
	}
	v.Pending, v.CauseCount = count(pods, "pod"), count(len(r.Causes), "cause")
	shown := r.Causes[:min(len(r.Causes), maxPageCauses)]
	for i := range shown {
		c := &shown[i]
		x := causeView{
			Pods:  c.Pods,
			Kind:  c.Kind.words(),
			Text:  terminal.Line(c.words()),
			Whose: terminal.Line(c.who()),
			Fix:   terminal.Line(c.Fix),
		}
		x.Names, x.MoreNames = cut(names[c.Text], maxPageNames)
		v.Causes = append(v.Causes, x)
	}
	if more := len(r.Causes) - len(shown); more > 0 {
		v.MoreCauses = count(more, "cause")
	}
}

func (v *view) addFates(r *report) {
	fates := fatesOf(r.Evictions)
	shown := fates[:min(len(fates), maxPageFates)]
	scale := newTimeScale(fates)
	v.Ticks = scale.ticks()
	for _, f := range shown {
		x := fateView{Pods: len(f.pods), Text: terminal.Line(f.text()), Why: terminal.Line(f.why()), Class: f.pods[0].Outcome}
		var names []string
		for _, p := range f.pods {
			names = append(names, p.Pod+" on "+p.Node)
		}
		x.Names, x.MoreNames = cut(names, maxPageNames)
		first, last := f.pods[0].InSeconds, f.pods[len(f.pods)-1].InSeconds
		if first != nil && last != nil {
			x.HasTime, x.Left = true, scale.at(*first)
			x.Width = scale.at(*last) - x.Left
		}
		v.Fates = append(v.Fates, x)
	}
	if more := len(fates) - len(shown); more > 0 {
		v.MoreFates = count(more, "row")
	}
	if n := r.staying(); n > 0 {
		v.Staying = count(n, "pod")
	}
}

func (v *view) addMatrix(r *report) {
	m := r.matrix
	for k, c := range m.columns {
		v.Columns = append(v.Columns, columnViewOf(k, c))
	}
	for i, g := range m.rows {
		row := rowView{
			ID:        groupID(g),
			Nodes:     count(len(g.nodes), "node"),
			Taints:    codesOf(g.taints),
			Keeps:     g.keeps,
			NodeCount: len(g.nodes),
		}
		row.Title = terminal.Line(strings.Join(taintTexts(g.taints), " "))
		if g.keeps > 0 {
			row.KeepsText = "keeps " + count(g.keeps, "pending pod") + " away"
		}
		for k := range m.columns {
			row.Cells = append(row.Cells, m.cells[i][k].view(g))
		}
		v.Rows = append(v.Rows, row)
	}
	v.MatrixCaption = fmt.Sprintf("%s of nodes against %s", count(len(m.rows), "group"),
		plural(len(m.columns), "kind of pods", "kinds of pods"))
	var more []string
	if m.moreRows > 0 {
		more = append(more, count(m.moreRows, "group"))
	}
	if m.moreColumns > 0 {
		more = append(more, plural(m.moreColumns, "kind of pods", "kinds of pods"))
	}
	v.MoreMatrix = enumerate(more, "and")
}

func columnViewOf(k int, c *matrixColumn) columnView {
	x := columnView{
		Index:   k,
		ID:      fmt.Sprintf("kind-%d", k+1),
		Name:    fmt.Sprintf("K%d", k+1),
		Count:   count(c.pods, "pod"),
		Pending: c.pending > 0,
	}
	if c.pending > 0 {
		x.Count += fmt.Sprintf(", %d pending", c.pending)
	}
	x.Owner = terminal.Line(c.owners[0])
	if more := len(c.owners) - 1; more > 0 {
		x.Owner += fmt.Sprintf(" +%d", more)
	}
	x.Owners, x.MoreOwners = cut(c.owners, 50)
	var selects []string
	if len(c.profile.selector) > 0 {
		selects = append(selects, selectorText(c.profile.selector))
	}
	if c.profile.affinity != nil {
		selects = append(selects, affinityText(c.profile.affinity))
	}
	x.Selects = terminal.Line(strings.Join(selects, " and "))
	for _, t := range c.profile.tolerations {
		x.Tolerations = append(x.Tolerations, codeOf(t.String()))
	}
	return x
}

func (c *matrixCell) view(g *nodeGroup) cellView {
	x := cellView{Class: "in", Sign: "✓", Text: "in"}
	switch c.verdict {
	case keepsAway:
		x = cellView{Class: "away", Sign: "✕", Text: "kept away", Why: codesOf(c.why)}
	case notSelected:
		x = cellView{Class: "none", Sign: "–", Text: "not selected"}
	}
	if c.verdict != notSelected && c.selected < len(g.nodes) {
		x.Text += fmt.Sprintf(" (%d of %d nodes selected)", c.selected, len(g.nodes))
	}
	if c.running > 0 {
		x.Running = count(c.running, "pod") + " there"
	}
	return x
}

func groupID(g *nodeGroup) string { return fmt.Sprintf("group-%d", g.nodes[0]+1) }

func (v *view) addGroups(r *report) {
	shown := r.firstGroups(maxPageGroups)
	for i := range shown {
		g := &shown[i]
		x := groupView{
			ID:     g.id,
			Nodes:  g.Nodes,
			Pods:   g.Pods,
			Keeps:  g.KeepsAway,
			Taints: codesOf(g.Taints),
			First:  terminal.Line(firstNames(g.NodeNames)),
		}
		if x.More = len(g.NodeNames) > 6; x.More {
			x.Names, x.MoreNames = cut(g.NodeNames, maxPageNames)
		}
		v.Groups = append(v.Groups, x)
	}
	if more := len(r.Groups) - len(shown); more > 0 {
		v.MoreGroups = count(more, "group")
	}
}
