// SPDX-License-Identifier: Apache-2.0

// Package fiterror reads the message with which Kubernetes' scheduler says why it has not
// placed a pod. Its usual form is that of FitError there: "0/5 nodes are available: 3
// Insufficient cpu, 2 node(s) had untolerated taint(s). preemption: …".
package fiterror

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-0529bac1/taints/cmd/internal/lists"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
)

// A Message is the scheduler's reason for not placing a pod.
type Message struct {
	Text      string // up to the end of the first sentence
	nodes     int    // that the scheduler knows; 0: the message has another form
	evaluated []clause
	others    []clause // that the program does not evaluate
}

// A clause is a reason, and the nodes that it is for; 0 if it does not depend on them.
type clause struct {
	nodes  int
	reason string
	form   *form  // nil: another one
	taint  string // that the reason names
}

// Reasons of the scheduler that the program evaluates too.
const (
	Taints   = "node(s) had untolerated taint(s)"
	Cordoned = "node(s) were unschedulable"
	Affinity = "node(s) didn't match Pod's node affinity/selector"
	Unnamed  = "node(s) didn't satisfy plugin(s) [NodeAffinity]"
)

// A form is how a scheduler writes such a reason.
type form struct {
	pattern *regexp.Regexp // with a group for the taint that is named
	words   string         // what the nodes are like
	isEach  bool           // there is one for each taint, and a node may have several
}

const (
	tainted   = "HAVE untolerated taints"
	unmatched = "DO not match the pod's node selector or affinity"
)

// forms begin with those that name taints, as older schedulers and the plugin Taints do. A
// plugin may choose nodes before others look at the rest.
var forms = []form{
	{pattern: regexp.MustCompile(`^node\(s\) had untolerated taint (\{.*\})$`), words: "HAVE untolerated taint "},
	{
		pattern: regexp.MustCompile(`^(?:node\(s\) had untolerated taint\(s\):|ha(?:s|ve) untolerated taint) ([^\s,]+)`),
		words:   "HAVE the untolerated taint ", isEach: true,
	},
	{pattern: regexp.MustCompile(`^node\(s\) had untolerated taint`), words: tainted},
	{pattern: regexp.MustCompile(`^node\(s\) were unschedulable$`), words: "ARE cordoned"},
	{pattern: regexp.MustCompile(`^node\(s\) didn't match Pod's node affinity/selector$`), words: unmatched},
	{pattern: chosenBy("Taints"), words: tainted},
	{pattern: chosenBy("NodeAffinity"), words: unmatched},
	{pattern: chosenBy("NodeAffinity Taints"), words: unmatched + ", or HAVE untolerated taints"},
}

func chosenBy(plugins string) *regexp.Regexp {
	return regexp.MustCompile(`^node\(s\) didn't satisfy plugin(?:\(s\))? \[?` + plugins + `\]?(?: simultaneously)?$`)
}

var fitError = regexp.MustCompile(`^0/(\d+) nodes are available: (.+)$`)

// Parse parses the message.
func Parse(s string) *Message {
	text, _, _ := strings.Cut(strings.Join(strings.Fields(s), " "), ". ")
	m := &Message{Text: strings.TrimSuffix(text, ".")}
	clauses := []clause{{reason: m.Text}}
	if parts := fitError.FindStringSubmatch(m.Text); parts != nil {
		m.nodes, _ = strconv.Atoi(parts[1])
		clauses = split(parts[2])
	}
	for _, c := range clauses {
		for i := range forms {
			if found := forms[i].pattern.FindStringSubmatch(c.reason); found != nil && c.form == nil {
				c.form, c.taint = &forms[i], strings.Join(found[1:], "")
			}
		}
		switch {
		case c.form == nil && c.reason != "":
			m.others = append(m.others, c)
		case c.form != nil:
			if c.nodes == 0 { // it is about all of them
				c.nodes = m.nodes
			}
			m.evaluated = append(m.evaluated, c)
		}
	}
	return m
}

// split splits the reasons, of which some have commas.
func split(reasons string) (clauses []clause) {
	for part := range strings.SplitSeq(reasons, ", ") {
		count, reason, _ := strings.Cut(part, " ")
		nodes, err := strconv.ParseUint(count, 10, 31)
		last := len(clauses) - 1
		isWithin := last >= 0 && strings.Count(clauses[last].reason, "(") > strings.Count(clauses[last].reason, ")")
		switch {
		case err == nil && reason != "" && !isWithin:
			clauses = append(clauses, clause{nodes: int(nodes), reason: reason})
		case last >= 0:
			clauses[last].reason += ", " + part
		default:
			clauses = append(clauses, clause{reason: part})
		}
	}
	return clauses
}

// Words describes all clauses, or returns "" if the program evaluates all of them. The
// taints are those of nodes that keep the pod off.
func (m *Message) Words(taints string) string {
	if len(m.others) == 0 {
		return ""
	}
	return words(slices.Concat(m.others, m.evaluated), taints)
}

// Beside has the reasons that the program does not evaluate, as for volumes. Resources that
// it does are not among them.
func (m *Message) Beside(evaluates func(resource string) bool) string {
	others := slices.DeleteFunc(slices.Clone(m.others), func(c clause) bool { return evaluates(strings.TrimPrefix(c.reason, "Insufficient ")) })
	return words(others, "")
}

func words(clauses []clause, taints string) string {
	return say.Shortened(strings.Join(lists.Each(clauses, func(c clause) string {
		n, count := c.nodes, say.Count(c.nodes, "node")
		verbs := strings.NewReplacer("HAVE", say.For(n, "has", "have"), "ARE", say.For(n, "is", "are"), "DO", say.For(n, "does", "do"))
		switch {
		case c.form != nil && c.form.words == tainted:
			return count + " " + verbs.Replace(tainted) + taints
		case c.form != nil:
			return count + " " + verbs.Replace(c.form.words) + c.taint
		case n == 0:
			return c.reason
		case strings.HasPrefix(c.reason, "node(s) "):
			return fmt.Sprint(n, " ", c.reason)
		}
		return c.reason + " on " + count
	}), ", "))
}

// Fits reports whether the message may be about so many nodes, of which taints and
// affinity keep some off. Kubernetes checks these first, unless a plugin chooses nodes.
func (m *Message) Fits(nodes, kept int) bool {
	least, most, largest := 0, 0, 0
	for _, c := range m.evaluated {
		if most += c.nodes; c.form.isEach {
			largest = max(largest, c.nodes)
		} else {
			least += c.nodes
		}
	}
	isChosen := func(c clause) bool {
		return c.nodes == 0 || strings.HasPrefix(c.reason, "node(s) didn't satisfy plugin")
	}
	hasMore := func(c clause) bool { return strings.HasSuffix(c.reason, " more") } // taints that are not named
	isKept := least+largest <= kept && (kept <= most || slices.ContainsFunc(m.evaluated, hasMore))
	return m.nodes == 0 || m.nodes == nodes && (isKept || slices.ContainsFunc(m.others, isChosen))
}
