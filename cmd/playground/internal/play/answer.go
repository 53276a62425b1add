// SPDX-License-Identifier: Apache-2.0

package play

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/explain"
	"github.com/seed-0529bac1/taints/tolerationset"
)

// An answerer has all that a state says, read.
type answerer struct {
	taints      list[taints.Taint]
	written     list[taints.Toleration]
	tolerations []taints.Toleration // those written and those added
	adder       Adder
	options     taints.Options
	observed    time.Time
	problems    []fieldProblem // of the other fields
	matcher     *taints.Matcher
}

// A fieldProblem is something wrong with a field of the form that is not a list.
type fieldProblem struct{ field, message string }

func newAnswerer(s State) *answerer {
	o := taints.Options{NoComparison: s.NoComparison, KeyWildcards: s.KeyWildcards}
	a := &answerer{taints: readTaints(s.Taints), written: readTolerations(s.Tolerations, o), options: o}
	policy := taints.EvictionPolicy{Options: o, FromTimeAdded: s.FromTimeAdded}
	if s.Select != "" && policy.Select.UnmarshalText([]byte(s.Select)) != nil {
		a.fail("select", "unknown selection; "+Selections[0].String()+" is used instead")
	}
	var ok bool
	if a.adder, ok = adder(s.Add); !ok {
		a.fail("add", "unknown source of tolerations; none are added")
		a.adder, _ = adder("")
	}
	if a.observed, ok = parseTime(s.Observed); !ok {
		a.fail("observed", "expected a time such as 2026-11-21T12:00:00")
		a.observed = time.Unix(0, 0) // any that is not far from today
	}
	a.tolerations = a.adder.add(a.written.elements)
	a.matcher = policy.Compile(a.tolerations)
	return a
}

func (a *answerer) fail(field, message string) {
	a.problems = append(a.problems, fieldProblem{field, message})
}

// parseTime reads a time as a browser's field for it writes it, or one with a zone.
func parseTime(s string) (time.Time, bool) {
	for _, layout := range []string{"2006-01-02T15:04", "2006-01-02T15:04:05", "2006-01-02T15:04Z07:00", time.RFC3339} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}

// A tone says how a statement sounds, for its color and sign.
type tone string

const (
	good    tone = "good"
	mixed   tone = "mixed"
	bad     tone = "bad"
	unknown tone = "unknown"
)

// A statement answers one of the large questions.
type statement struct {
	tone         tone
	text, detail string
	brief        string // of a few words, to be read aloud
}

// placement says whether the scheduler may place the pod on the node.
func (a *answerer) placement() statement {
	return a.reserved("Scheduling unknown", a.placementOfRead())
}

// reserved returns the statement, or where something could not be read, one that
// says no more than what would hold without that.
func (a *answerer) reserved(text string, s statement) statement {
	n := unread(a.taints.problems) + unread(a.written.problems)
	if n == 0 {
		return s
	}
	reason := count(n, "entry cannot be read", "entries cannot be read")
	without := verb(n, "Without it, ", "Without them, ") + strings.ToLower(s.text[:1]) + s.text[1:] + ". " + s.detail
	return statement{tone: unknown, text: text, detail: reason + ". " + without, brief: text + ": " + reason}
}

func (a *answerer) placementOfRead() statement {
	v := a.matcher.Filter(a.taints.elements)
	n := len(a.taints.elements)
	switch {
	case n == 0:
		return statement{
			tone:   good,
			text:   "The pod can be scheduled on the node",
			detail: "The node has no taints.",
			brief:  "Can be scheduled",
		}
	case !v.Schedulable():
		keep := v.NoSchedule + v.NoExecute
		detail := strconv.Itoa(keep) + " of " + count(n, "taint", "taints") +
			verb(keep, " is", " are") + " not tolerated"
		return statement{
			tone:   bad,
			text:   "The pod cannot be scheduled on the node",
			detail: detail + ": " + byEffect(v) + ".",
			brief:  "Cannot be scheduled",
		}
	case v.Avoid():
		return statement{
			tone:  mixed,
			text:  "The pod can be scheduled on the node, but the scheduler avoids it",
			brief: "Can be scheduled, but is avoided",
			detail: count(v.PreferNoSchedule, "PreferNoSchedule taint is",
				"PreferNoSchedule taints are") + " not tolerated. The scheduler prefers nodes with fewer of them.",
		}
	case v.Other > 0:
		return statement{
			tone:  good,
			text:  "The pod can be scheduled on the node",
			brief: "Can be scheduled",
			detail: count(v.Other, "taint has an unknown effect, which", "taints have an unknown effect, which") +
				" Kubernetes ignores.",
		}
	}
	return statement{
		tone:   good,
		text:   "The pod can be scheduled on the node",
		brief:  "Can be scheduled",
		detail: "Every taint is tolerated.",
	}
}

// byEffect lists the effects that keep a pod off a node, with their numbers.
func byEffect(v taints.Verdict) string {
	var parts []string
	if v.NoSchedule > 0 {
		parts = append(parts, strconv.Itoa(v.NoSchedule)+" × NoSchedule")
	}
	if v.NoExecute > 0 {
		parts = append(parts, strconv.Itoa(v.NoExecute)+" × NoExecute")
	}
	return strings.Join(parts, ", ")
}

// eviction says what becomes of a pod that runs on the node.
func (a *answerer) eviction() statement {
	return a.reserved("Eviction unknown", a.evictionOfRead())
}

func (a *answerer) evictionOfRead() statement {
	e := a.matcher.EvictionOf(a.taints.elements, a.observed)
	later := e.Outcome == taints.EvictsAt
	switch {
	case e.Outcome == taints.Stays:
		return statement{
			tone:   good,
			text:   "A running pod stays on the node",
			detail: a.whyStays(),
			brief:  "A running pod stays",
		}
	case later && a.hasProblem("observed") && e.From.Equal(a.observed):
		after := seconds(e.Seconds) + " after the taint is observed"
		return statement{
			tone:   mixed,
			text:   "A running pod is evicted " + after,
			detail: a.why(e),
			brief:  "Evicted " + after,
		}
	case later && e.At.After(a.observed):
		at := "at " + utc(e.At)
		return statement{
			tone:   mixed,
			text:   "A running pod is evicted " + at,
			detail: a.why(e),
			brief:  "Evicted " + at,
		}
	case later:
		return statement{
			tone:   bad,
			text:   "A running pod should have been evicted at " + utc(e.At),
			detail: a.why(e),
			brief:  "Eviction overdue since " + utc(e.At),
		}
	}
	return statement{
		tone:   bad,
		text:   "A running pod is evicted immediately",
		detail: a.why(e),
		brief:  "Evicted immediately",
	}
}

func (a *answerer) hasProblem(field string) bool {
	return slices.ContainsFunc(a.problems, func(p fieldProblem) bool { return p.field == field })
}

func (a *answerer) whyStays() string {
	text := "Only NoExecute taints evict pods, and the node has none."
	for _, t := range a.taints.elements {
		if t.Effect != taints.NoExecute {
			continue
		}
		if i, _ := a.matcher.Choose(t); a.tolerations[i].TolerationSeconds != nil {
			return "Every NoExecute taint is tolerated forever, or until after the year 9999."
		}
		text = "Every NoExecute taint is tolerated forever."
	}
	return text
}

// why says which taint and toleration decide that the pod leaves.
func (a *answerer) why(e taints.Eviction) string {
	if !e.Tolerated {
		return name("taints", e.Taint) + " is not tolerated."
	}
	text := name("tolerations", e.Toleration) + " tolerates " + name("taints", e.Taint) + " for " + seconds(e.Seconds)
	switch {
	case e.Outcome == taints.EvictsNow:
		return text + ", so the pod is evicted immediately."
	case a.hasProblem("observed") && e.From.Equal(a.observed):
		return text + ", counted from when the taint is observed."
	case e.From.Equal(a.observed):
		return text + ", counted from when the taint is observed, " + utc(e.From) + "."
	}
	return text + ", counted from the taint's timeAdded, " + utc(e.From) + "."
}

// A taintAnswer says what one taint does to the pod.
type taintAnswer struct {
	text       string
	tone       tone
	status     string
	toleration int    // that matches first, or comes closest, or -1
	why        string // the closest does not match
	time       string // that a NoExecute taint leaves the pod
	decides    bool   // when the pod leaves
}

func (a *answerer) taintAnswers() []taintAnswer {
	e := a.matcher.EvictionOf(a.taints.elements, a.observed)
	var answers []taintAnswer
	for i, r := range explain.Node(a.matcher, a.taints.elements) {
		t := taintAnswer{text: r.Taint.String(), toleration: -1, why: r.Why()}
		t.decides = e.Outcome != taints.Stays && e.Taint == i
		if r.HasClosest() {
			t.toleration = r.Toleration
		}
		t.tone, t.status = statusOf(r)
		if r.Taint.Effect == taints.NoExecute && r.Tolerated {
			t.time = a.timeOf(i, t.toleration)
		}
		answers = append(answers, t)
	}
	return answers
}

// statusOf says in a few words what the taint does.
func statusOf(r explain.Reason) (tone, string) {
	switch {
	case r.Tolerated:
		return good, "tolerated"
	case r.Taint.Effect == taints.NoSchedule:
		return bad, "blocks scheduling"
	case r.Taint.Effect == taints.NoExecute:
		return bad, "blocks scheduling and evicts the pod"
	case r.Taint.Effect == taints.PreferNoSchedule:
		return mixed, "the scheduler avoids the node"
	}
	return unknown, "unknown effect, ignored"
}

// timeOf says how long the taint, which is tolerated, leaves the pod, and which
// toleration says so if it is not the first that matches.
func (a *answerer) timeOf(i, first int) string {
	j, _ := a.matcher.Choose(a.taints.elements[i])
	by := ""
	if j != first {
		by = ", set by " + name("tolerations", j)
	}
	allowed := a.tolerations[j].TolerationSeconds
	if allowed == nil {
		return "forever" + by
	}
	text := "for " + seconds(*allowed) + by
	e := a.matcher.EvictionOf(a.taints.elements[i:i+1], a.observed)
	switch {
	case e.Outcome == taints.Stays:
		return text + ", which ends after the year 9999"
	case e.Outcome == taints.EvictsNow || a.hasProblem("observed"):
		return text
	}
	return text + ": until " + utc(e.At)
}

// A tolerationAnswer says what one toleration does.
type tolerationAnswer struct {
	text     string
	origin   string // who added or changed it, empty where it stands as it was written
	matches  string
	findings []finding
}

type finding struct{ code, advice string }

func (a *answerer) tolerationAnswers() []tolerationAnswer {
	answers := make([]tolerationAnswer, 0, len(a.tolerations))
	for i, t := range a.tolerations {
		answers = append(answers, tolerationAnswer{text: t.String(), origin: a.origin(i), matches: a.matches(t)})
	}
	for _, f := range tolerationset.Lint(a.tolerations, a.options) {
		t := &answers[f.Toleration]
		t.findings = append(t.findings, finding{string(f.Code), f.Advice})
	}
	return answers
}

// origin says who added or changed the toleration.
func (a *answerer) origin(i int) string {
	switch {
	case i >= len(a.written.elements):
		return "added by " + a.adder.Name
	case !a.tolerations[i].Equal(a.written.elements[i]):
		return "changed by " + a.adder.Name
	}
	return ""
}

// matches says which taints the toleration tolerates, whether or not another
// one comes first.
func (a *answerer) matches(t taints.Toleration) string {
	const most = 8 // names in a line
	var names []string
	more := 0
	for i := range a.taints.elements {
		switch {
		case !a.options.Tolerates(t, a.taints.elements[i]):
		case len(names) < most:
			names = append(names, name("taints", i))
		default:
			more++
		}
	}
	switch {
	case len(a.taints.elements) == 0:
		return ""
	case len(names) == 0:
		return "tolerates none of these taints"
	case more > 0:
		return "tolerates " + strings.Join(names, ", ") + " and " + strconv.Itoa(more) + " more"
	}
	return "tolerates " + strings.Join(names, ", ")
}

// unread counts what was left out of a list.
func unread(problems []problem) int {
	n := 0
	for _, p := range problems {
		if p.unread {
			n++
		}
	}
	return n
}
