// SPDX-License-Identifier: Apache-2.0

package play

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/purpose"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/internal/timer"
	"github.com/seed-0529bac1/taints/explain"
	"github.com/seed-0529bac1/taints/tolerationset"
)

// An Answer is the content that the page shows.
type Answer struct {
	Brief               string // everything in one line, for screen readers
	Placement, Eviction Statement
	Problems            []Problem
	Taints              []TaintAnswer
	Tolerations         []TolerationAnswer
}

// A Problem is something wrong with a field of the form, or a note.
type Problem struct {
	Place          `yaml:",inline"`
	Field, Message string
	Unread         bool // the text there was left out
	Note           bool // nothing is wrong
}

// NewAnswer returns the answer to a state.
func NewAnswer(s State) Answer {
	a := newAnswerer(s)
	x := Answer{
		Placement:   a.reserved("Scheduling unknown", a.placement()),
		Eviction:    a.reserved("Eviction unknown", a.eviction()),
		Problems:    slices.Concat(listed(a.taints.problems), listed(a.written.problems), a.problems),
		Taints:      a.taintAnswers(),
		Tolerations: a.tolerationAnswers(),
	}
	if strings.Trim(s("taints")+s("tolerations"), whiteSpace) == "" {
		x.Placement = Statement{unknown, "There is no question yet", "Type the taints of a node and the tolerations of a pod, or choose a question."}
		x.Eviction = Statement{unknown, "There is no answer yet", "It changes as you type."}
	}
	counts := make(map[string]int)
	for _, p := range slices.Concat(a.taints.problems, a.written.problems, a.problems) {
		if p.Note {
			counts["note"]++
		} else {
			counts["problem"]++
		}
	}
	for _, t := range x.Tolerations {
		counts["finding"] += len(t.Findings)
	}
	x.Brief = x.Placement.Text + ". " + x.Eviction.Text + "."
	for _, of := range []string{"problem", "note", "finding"} {
		if counts[of] > 0 {
			x.Brief += " " + say.Count(counts[of], of) + "."
		}
	}
	return x
}

// Object returns the answer as a JavaScript object. Its values are strings,
// integers, booleans, and lists and objects of these: []any and map[string]any.
func (x Answer) Object() (object map[string]any) {
	var n yaml.Node
	if n.Encode(x) != nil || n.Decode(&object) != nil {
		panic("play: an answer is not YAML")
	}
	return object
}

// mostProblems is the most problems of a list that are listed.
const mostProblems = 50

// listed returns the first problems of a list, and the number of the others.
func listed(all []Problem) []Problem {
	if len(all) <= mostProblems {
		return all
	}
	more := "and " + say.Count(len(all)-mostProblems, "more problem")
	return append(slices.Clone(all[:mostProblems]), Problem{Field: all[0].Field, Message: more})
}

// An answerer has the parsed form of a state.
type answerer struct {
	taints      list[taints.Taint]
	written     list[taints.Toleration]
	tolerations []taints.Toleration // both written and added
	adder       string              // the name of what adds
	options     taints.Options
	policy      taints.EvictionPolicy
	observed    time.Time // when the taints are observed; zero: it is not known
	arrived     time.Time // of the pod on the node; zero: it is not known
	problems    []Problem // of the other fields
	matcher     *taints.Matcher
}

func newAnswerer(s State) *answerer {
	o := taints.Options{NoComparison: s("noComparison") != "", KeyWildcards: s("keyWildcards") != ""}
	a := &answerer{taints: readTaints(s("taints")), written: readTolerations(s("tolerations"), o), options: o}
	name := s("select")
	a.policy = taints.EvictionPolicy{FromTimeAdded: s("fromTimeAdded") != "", ForDevices: name == Selections[1]}
	if name != "" && !slices.Contains(Selections, name) {
		a.fail("select", "unknown selection; "+Selections[0]+" is used instead")
	}
	a.tolerations = a.written.elements
	if i := slices.IndexFunc(Adders, func(a Adder) bool { return a.ID == s("add") }); i >= 0 {
		a.adder = Adders[i].Name
		a.tolerations = Adders[i].add(a.tolerations)
	} else if s("add") != "" {
		a.fail("add", "unknown source of tolerations; none are added")
	}
	a.observed = a.parseTime("observed", s("observed"))
	if a.arrived = a.written.arrived; s("arrived") != "" {
		a.arrived = a.parseTime("arrived", s("arrived"))
	}
	a.matcher = o.Compile(a.tolerations)
	return a
}

// tolerates reports whether the toleration at index i tolerates the taint, even
// if an earlier one does too.
func (a *answerer) tolerates(i int, t taints.Taint) bool {
	_, ok := a.options.On(a.tolerations[i : i+1]).Match(t)
	return ok
}

// forever returns the index of the toleration that tolerates the taint forever
// under the selection, or -1 if there is none.
func (a *answerer) forever(t taints.Taint) int {
	for i := range a.tolerations {
		switch {
		case !a.tolerates(i, t):
		case a.tolerations[i].TolerationSeconds == nil:
			return i
		case !a.policy.ForDevices:
			return -1
		}
	}
	return -1
}

// parseTime parses a time in the form of a browser's field, or one with a zone.
func (a *answerer) parseTime(field, s string) time.Time {
	for _, layout := range []string{"2006-01-02T15:04", "2006-01-02T15:04:05", "2006-01-02T15:04Z07:00", time.RFC3339} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC()
		}
	}
	a.fail(field, "expected a time such as 2026-11-21T12:00:00")
	return time.Time{}
}

func (a *answerer) fail(field, message string) {
	a.problems = append(a.problems, Problem{Field: field, Message: message})
}

// A tone is the tone of a statement. It determines the color and the sign.
const (
	good    = "good"
	mixed   = "mixed"
	bad     = "bad"
	unknown = "unknown"
)

// A Statement answers one of the main questions.
type Statement struct{ Tone, Text, Detail string }

// reserved returns the statement. If an entry could not be read, it returns an
// unknown one with the statement that holds without the entry.
func (a *answerer) reserved(text string, s Statement) Statement {
	n := a.taints.unread + a.written.unread
	if n == 0 {
		return s
	}
	reason := say.CountOf(n, "entry cannot be read", "entries cannot be read")
	without := say.For(n, "Without it, ", "Without them, ") + strings.ToLower(s.Text[:1]) + s.Text[1:] + ". " + s.Detail
	return Statement{unknown, text, reason + ". " + without}
}

// placement returns whether the scheduler may place the pod on the node.
func (a *answerer) placement() Statement {
	const fits = "The pod can be scheduled on the node"
	v := a.matcher.Filter(a.taints.elements)
	n := len(a.taints.elements)
	switch {
	case n == 0:
		return Statement{good, fits, "The node has no taints."}
	case !v.Schedulable():
		keep := v.NoSchedule + v.NoExecute
		detail := strconv.Itoa(keep) + " of " + say.Count(n, "taint") + say.For(keep, " keeps", " keep") + " it away."
		return Statement{bad, "The pod cannot be scheduled on the node", detail}
	case v.Avoid():
		detail := say.CountOf(v.PreferNoSchedule, "PreferNoSchedule taint is", "PreferNoSchedule taints are") +
			" not tolerated. The scheduler prefers nodes with fewer of them."
		return Statement{mixed, fits + ", but the scheduler avoids it", detail}
	case v.Other > 0:
		detail := say.CountOf(v.Other, "taint has an unknown effect, which", "taints have an unknown effect, which")
		return Statement{good, fits, detail + " Kubernetes ignores."}
	}
	return Statement{good, fits, "Every taint is tolerated."}
}

// eviction returns what happens to a pod that runs on the node.
func (a *answerer) eviction() Statement {
	const runs = "A running pod "
	e := a.timer()
	if e.Outcome == taints.Stays {
		return Statement{good, runs + "stays on the node", a.whyStays()}
	}
	detail := a.why(e)
	switch {
	case e.Outcome == taints.EvictsNow:
		return Statement{bad, runs + "is evicted immediately", detail}
	case e.From.IsZero():
		return Statement{mixed, runs + "is evicted " + seconds(e.Seconds) + " after the taint is observed", detail}
	case e.At.After(a.observed):
		return Statement{mixed, runs + "is evicted at " + utc(e.At), detail}
	}
	return Statement{bad, runs + "should have been evicted at " + utc(e.At), detail}
}

func (a *answerer) whyStays() string {
	text := "Only NoExecute taints evict pods, and the node has none."
	for _, t := range a.taints.elements {
		if t.Effect != taints.NoExecute {
			continue
		}
		if a.forever(t) < 0 {
			return "Every NoExecute taint is tolerated forever, or until after the year 9999."
		}
		text = "Every NoExecute taint is tolerated forever."
	}
	return text
}

// why names the taint and the toleration that decide that the pod is evicted.
func (a *answerer) why(e taints.Eviction) string {
	if !e.Tolerated {
		return name("taints", e.Taint) + " is not tolerated."
	}
	text := name("tolerations", e.Toleration) + " tolerates " + name("taints", e.Taint) + " for " + seconds(e.Seconds)
	from, rule := "the taint's timeAdded, "+utc(e.From), ". "+timer.Rule
	switch {
	case e.Outcome == taints.EvictsNow:
		return text + ", so the pod is evicted immediately."
	case e.From.IsZero():
		from, rule = "when the taint is observed", "."
	case e.From.Equal(a.observed):
		from, rule = "when the taint is observed, "+utc(e.From), "."
	case a.policy.FromTimeAdded:
		rule = ", which Kubernetes does not do."
	case e.From.Equal(a.arrived):
		from = "when the pod arrived, " + utc(e.From)
	}
	return text + ", counted from " + from + rule
}

// timer returns the eviction of a pod that ran on the node when it got the taints, as
// the policy or Kubernetes' controller has it.
func (a *answerer) timer() taints.Eviction {
	evictionOf := func(list []taints.Taint, at time.Time) taints.Eviction {
		return a.policy.EvictionOf(a.matcher, list, at)
	}
	_, e := timer.After(evictionOf, [][]taints.Taint{a.taints.elements}, a.observed, a.seenAt)
	return e
}

// seenAt returns when the controller sees the taint: when it is added, or when the pod
// arrives. That is not in the future, as clocks differ. A taint without a time is added
// when it is observed.
func (a *answerer) seenAt(t taints.Taint) time.Time {
	if t.TimeAdded == nil || a.policy.FromTimeAdded {
		return a.observed
	}
	at := slices.MaxFunc([]time.Time{*t.TimeAdded, a.arrived}, time.Time.Compare)
	return slices.MinFunc([]time.Time{at, a.observed}, time.Time.Compare)
}

// A TaintAnswer is the effect of one taint on the pod.
type TaintAnswer struct {
	Place      `yaml:",inline"`
	Name, Text string
	Tone       string
	Status     string
	Toleration *Named // the first match, or the closest
	Why        string // why the closest does not match
	Purpose    string // the state that the taint says, if it is not tolerated
	Time       string // for which a NoExecute taint lets the pod stay
	Decides    bool   // it decides when the pod is evicted
}

// A Named is a toleration.
type Named struct{ Name, Text string }

func (a *answerer) taintAnswers() []TaintAnswer {
	e := a.timer()
	var answers []TaintAnswer
	for i, r := range explain.Node(a.matcher, a.taints.elements) {
		t := TaintAnswer{
			Place: a.taints.place(a.taints.entries[i].span), Name: name("taints", i), Text: say.Taint(r.Taint),
			Tone: good, Status: "tolerated", Why: r.Why(), Decides: e.Outcome != taints.Stays && e.Taint == i,
		}
		if !r.Tolerated {
			status := cmp.Or(statuses[r.Taint.Effect], status{unknown, "unknown effect, ignored"})
			t.Tone, t.Status = status.tone, status.text
		}
		if r.HasClosest() {
			t.Toleration = &Named{name("tolerations", r.Toleration), say.Toleration(a.tolerations[r.Toleration])}
		}
		if p := purpose.Of(r.Taint, purpose.Evidence{}); p.State != purpose.None && !r.Tolerated {
			t.Purpose = "nodes with it are " + string(p.State) + " (" + p.Because + "): that has to end, and few pods should tolerate it"
		}
		if r.Taint.Effect == taints.NoExecute && r.Tolerated {
			t.Time = a.timeOf(i, r.Toleration)
		}
		answers = append(answers, t)
	}
	return answers
}

// A status is the effect of a taint in a few words.
type status struct{ tone, text string }

// statuses are those of untolerated taints.
var statuses = map[taints.Effect]status{
	taints.NoSchedule:       {bad, "blocks scheduling"},
	taints.NoExecute:        {bad, "blocks scheduling and evicts the pod"},
	taints.PreferNoSchedule: {mixed, "the scheduler avoids the node"},
}

// timeOf describes how long the tolerated taint lets the pod stay. It names the
// toleration that sets the time if that is not the first match.
func (a *answerer) timeOf(i, first int) string {
	by := func(j int) string {
		if j == first {
			return ""
		}
		return ", set by " + name("tolerations", j)
	}
	e := a.policy.EvictionOf(a.matcher, a.taints.elements[i:i+1], a.seenAt(a.taints.elements[i]))
	text := "for " + seconds(e.Seconds) + by(e.Toleration)
	switch {
	case e.Outcome == taints.EvictsAt && !a.observed.IsZero():
		return text + ": until " + utc(e.At)
	case e.Outcome != taints.Stays:
		return text
	}
	if j := a.forever(a.taints.elements[i]); j >= 0 {
		return "forever" + by(j)
	}
	return "until after the year 9999"
}

// A TolerationAnswer is the effect of one toleration.
type TolerationAnswer struct {
	Place      `yaml:",inline"`
	Name, Text string
	Origin     string // what added or changed it, empty if it is as written
	Matches    string
	Findings   []Finding
}

// A Finding is a finding of Lint about a toleration.
type Finding struct{ Code, Advice string }

func (a *answerer) tolerationAnswers() []TolerationAnswer {
	var answers []TolerationAnswer
	for i, t := range a.tolerations {
		x := TolerationAnswer{Name: name("tolerations", i), Text: say.Toleration(t), Origin: a.origin(i), Matches: a.matches(i)}
		if i < len(a.written.entries) {
			x.Place = a.written.place(a.written.entries[i].span)
		}
		answers = append(answers, x)
	}
	for _, f := range tolerationset.Lint(a.tolerations, a.options) {
		if !a.policy.ForDevices || f.Code != tolerationset.CodeShadowed && f.Code != tolerationset.CodeNoTime {
			t := &answers[f.Toleration]
			t.Findings = append(t.Findings, Finding{string(f.Code), f.Advice})
		}
	}
	return answers
}

// origin names the component that added or changed the toleration.
func (a *answerer) origin(i int) string {
	switch {
	case i >= len(a.written.elements):
		return "added by " + a.adder
	case !a.tolerations[i].Equal(a.written.elements[i]):
		return "changed by " + a.adder
	}
	return ""
}

// matches lists the taints that the toleration at index i tolerates.
func (a *answerer) matches(i int) string {
	var names []string
	for j, t := range a.taints.elements {
		if a.tolerates(i, t) {
			names = append(names, name("taints", j))
		}
	}
	switch {
	case len(a.taints.elements) == 0:
		return ""
	case len(names) == 0:
		return "tolerates none of these taints"
	}
	return "tolerates " + say.Joined(say.FirstOf(names, 8))
}
