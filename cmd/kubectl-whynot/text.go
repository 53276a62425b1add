// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed"
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
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/preview"
)

// An answer is a report with the ways to print it.
type answer struct{ *diagnosis.Report }

//go:embed page/text.tmpl
var textTemplate string

// Limits for the sections of the first page, and for the lists about a pod.
const (
	maxCauses = 6
	maxFates  = 5
	maxGroups = 8
	maxLines  = 10
)

// A textView is the data of the template of text.
type textView struct {
	*answer
	HasDetails  bool    // about each pod, in place of the causes
	Fates       []*fate // with the pods that stay, unless IsLimited
	IsLimited   bool
	MoreFates   int // that are left out
	MoreEvicted int // the pods of these
	ShownGroups []diagnosis.GroupRow
	MoreGroups  int
}

// textView returns the data for one page, or with all details.
func (r *answer) textView(wide bool) *textView {
	v := &textView{answer: r, HasDetails: wide || r.Pod != "", ShownGroups: r.Groups}
	v.IsLimited = !v.HasDetails && len(r.Evictions) > maxFates
	v.Fates = fatesOf(r.Evictions, !v.IsLimited)
	if v.IsLimited {
		v.MoreFates = more(maxFates, v.Fates)
		for _, f := range v.Fates[len(v.Fates)-v.MoreFates:] {
			v.MoreEvicted += len(f.pods)
		}
		v.Fates = v.Fates[:len(v.Fates)-v.MoreFates]
	}
	if !wide {
		v.ShownGroups, v.MoreGroups = r.FirstGroups(maxGroups), more(maxGroups, r.Groups)
	}
	return v
}

// Remarks are sentences about the input and the requested pod.
func (r *answer) Remarks() []string {
	list := []string{r.IgnoredText(), "", r.NoPods, r.PodNote}
	if r.Filter != "" && r.NoPods == "" && r.Pod == "" {
		list[1] = "only pods that match " + r.Filter
	}
	return slices.DeleteFunc(list, func(s string) bool { return s == "" })
}

// MorePending counts the pods of the causes that the first page leaves out.
func (r *answer) MorePending() (pods int) {
	for _, c := range r.Causes[min(len(r.Causes), maxCauses):] {
		pods += c.Pods
	}
	return pods
}

// IgnoredText counts the objects of other kinds, by kind.
func (r *answer) IgnoredText() string {
	if len(r.Ignored) == 0 {
		return ""
	}
	words := say.Each(say.SortedKeys(r.Ignored), func(kind string) string { return fmt.Sprint(r.Ignored[kind], " ", kind) })
	return "Ignored objects: " + say.Joined(say.FirstOf(words, 5))
}

// StayingText counts the pods that tolerate their nodes' NoExecute taints.
func (r *answer) StayingText() string {
	n := 0
	for i := range r.Evictions {
		if r.Evictions[i].Outcome == diagnosis.Stays {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return say.Count(n, "pod") + " on these nodes " + say.For(n, "tolerates the taints and stays", "tolerate the taints and stay")
}

// A fate is the pods that are evicted for the same taint and toleration.
type fate struct{ pods []*diagnosis.Eviction }

// fatesOf groups the pods that are evicted, earliest first, and then the pods
// that stay if withStays is set.
func fatesOf(list []diagnosis.Eviction, withStays bool) []*fate {
	var fates []*fate
	at := make(map[string]*fate)
	for i := range list {
		x := &list[i]
		if x.Outcome == diagnosis.Stays && !withStays {
			continue
		}
		key := x.Outcome + "\n" + string(x.From) + "\n" + x.Order
		f, ok := at[key]
		if !ok {
			f = &fate{}
			at[key] = f
			fates = append(fates, f)
		}
		f.pods = append(f.pods, x)
	}
	return fates
}

// Who counts the pods and names the first.
func (f *fate) Who() string {
	names := f.Names()
	if n := len(names); n > 1 {
		return fmt.Sprintf("%d pods (%s and %d more)", n, names[0], n-1)
	}
	return "pod " + names[0]
}

// Text describes what happens to the pods and when.
func (f *fate) Text() string {
	when, are := diagnosis.When(f.pods...), say.For(len(f.pods), "is", "are")
	switch f.Outcome() {
	case diagnosis.Overdue:
		return "should have been evicted " + when
	case diagnosis.Leaves:
		return "will be evicted " + when
	case diagnosis.Stays:
		return are + " not evicted"
	}
	return are + " already being deleted"
}

// Outcome returns the outcome of all pods.
func (f *fate) Outcome() string { return f.pods[0].Outcome }

// Names returns the pods with their nodes.
func (f *fate) Names() []string {
	return say.Each(f.pods, func(x *diagnosis.Eviction) string { return x.Pod + " on node " + x.Node })
}

// Times returns the pods with their nodes and, if they are evicted, when.
func (f *fate) Times() []string {
	return say.Each(f.pods, func(x *diagnosis.Eviction) string {
		return strings.TrimSuffix(x.Pod+" on node "+x.Node+", "+diagnosis.When(x), ", ")
	})
}

// Why names the taint that decides and the toleration for it.
func (f *fate) Why() string {
	return strings.Join(say.FirstOf(say.Each(f.pods[0].Because, diagnosis.Pair.Text), 3), "; ")
}

// LeftOut counts the pods that a user might expect in the list.
func (r *answer) LeftOut() string {
	if r.Lost > 0 {
		return say.Count(r.Lost, "pod") + " on nodes that are not in the input"
	}
	return ""
}

// writeJSON writes the report without building a copy in memory.
func writeJSON(w io.Writer, report any) error {
	err := json.MarshalWrite(w, report, jsontext.WithIndent("  "), json.Deterministic(true))
	if err == nil {
		_, err = io.WriteString(w, "\n")
	}
	return err
}

func writeYAML(w io.Writer, report any) error {
	b, err := json.Marshal(report, json.Deterministic(true))
	if err == nil {
		b, err = yaml.JSONToYAML(b)
	}
	if err == nil {
		_, err = w.Write(b)
	}
	return err
}

// A section is the groups of a preview below a title.
type section struct {
	Title  string
	Groups []preview.Group
}

// A page is text with a width.
type page struct {
	strings.Builder
	width int
	color bool
}

// execute writes a part of the template of text. The functions that print have the
// width and the colors of the page, and replace what could harm a terminal.
func (p *page) execute(part string, view any) error {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"line": p.styled, "wrap": p.wrapped, "steps": p.steps, "isNarrow": func() bool { return p.width < 60 },
		"bold": func() color.Attribute { return color.Bold }, "red": func() color.Attribute { return color.FgRed },
		"cyan":     func() color.Attribute { return color.FgCyan },
		"section":  func(title string, groups []preview.Group) any { return section{title, groups} },
		"selector": cluster.SelectorText,
		"taint":    visible.Taint, "toleration": visible.Toleration, "yamlLines": yamlLines,
		"firstOf": say.FirstOf, "moreThan": func(most, n int) int { return max(n-most, 0) },
		"maxCauses": func() int { return maxCauses }, "maxLines": func() int { return maxLines },
		"column": column, "spaces": func(s string) string { return strings.Repeat(" ", len(s)) }, "trim": strings.TrimSpace,
		"isWindows": func() bool { return runtime.GOOS == "windows" },
	}).Funcs(words).Parse(textTemplate)).ExecuteTemplate(p, part, view)
}

// steps returns the steps, each with its command on one line, so that users can
// paste it.
func (p *page) steps(indent string, steps []diagnosis.Step) string {
	var b strings.Builder
	for i, s := range steps {
		first := "Fix: "
		if len(steps) > 1 {
			first = fmt.Sprintf("Fix %d: ", i+1)
		}
		b.WriteString("\n" + p.wrapped(indent+first, indent+"  ", s.Line()))
		if s.Command != "" {
			b.WriteString("\n" + p.styled(indent+"  "+s.Command, color.FgCyan))
		}
	}
	return b.String()
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

// styled returns the line in a style, with safe replacements in the names of
// objects.
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
	line, isEmpty := first, true
	for _, w := range strings.Fields(text) {
		if !isEmpty && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(w) > p.width {
			lines = append(lines, p.styled(line, style...))
			line, isEmpty, style = hang, true, nil
		}
		if !isEmpty {
			line += " "
		}
		line += w
		isEmpty = false
	}
	return strings.Join(append(lines, p.styled(line, style...)), "\n")
}
