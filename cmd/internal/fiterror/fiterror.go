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
	Text    string // up to the end of the first sentence
	nodes   int    // that the scheduler knows; 0: the message has another form
	clauses []clause
}

// A clause is a reason, and the nodes that it is for; 0 if it does not depend on them.
type clause struct {
	nodes  int
	reason string
}

var fitError = regexp.MustCompile(`^0/(\d+) nodes are available: (.+)$`)

// Parse parses the message.
func Parse(s string) *Message {
	text, _, _ := strings.Cut(strings.Join(strings.Fields(s), " "), ". ")
	m := &Message{Text: strings.TrimSuffix(text, ".")}
	parts := fitError.FindStringSubmatch(m.Text)
	if parts == nil {
		m.clauses = []clause{{0, m.Text}}
		return m
	}
	m.nodes, _ = strconv.Atoi(parts[1])
	for part := range strings.SplitSeq(parts[2], ", ") {
		count, reason, _ := strings.Cut(part, " ")
		nodes, err := strconv.ParseUint(count, 10, 31)
		last := len(m.clauses) - 1
		isWithin := last >= 0 && strings.Count(m.clauses[last].reason, "(") > strings.Count(m.clauses[last].reason, ")")
		switch {
		case err == nil && reason != "" && !isWithin:
			m.clauses = append(m.clauses, clause{int(nodes), reason})
		case last >= 0: // a comma of the reason
			m.clauses[last].reason += ", " + part
		default: // of all nodes
			c := clause{0, part}
			if c.isEvaluated() {
				c.nodes = m.nodes
			}
			m.clauses = append(m.clauses, c)
		}
	}
	return m
}

// Reasons of the scheduler that the program evaluates too.
const (
	Taints   = "node(s) had untolerated taint(s)"
	Cordoned = "node(s) were unschedulable"
	Affinity = "node(s) didn't match Pod's node affinity/selector"
	Unnamed  = "node(s) didn't satisfy plugin(s) [NodeAffinity]"
)

// isEvaluated reports whether the program evaluates the reason too.
func (c clause) isEvaluated() bool {
	isOther := func(plugin string) bool { return plugin != "Taints" && plugin != "NodeAffinity" }
	return c.isTaints() || c.reason == Cordoned || c.reason == Affinity || c.plugins() != nil && !slices.ContainsFunc(c.plugins(), isOther)
}

// isTaints reports whether the reason is taints. Older schedulers name them, and so does the
// plugin Taints, which may choose the nodes before others look at them.
func (c clause) isTaints() bool {
	return strings.HasPrefix(c.reason, "node(s) had untolerated taint") || c.named() != "" || slices.Equal(c.plugins(), []string{"Taints"})
}

var notSatisfied = regexp.MustCompile(`^node\(s\) didn't satisfy plugin(?:\(s\) \[(.*)\](?: simultaneously)?| (\S+))$`)

// plugins returns those that chose other nodes before the rest looked at these, or nil.
func (c clause) plugins() []string {
	if m := notSatisfied.FindStringSubmatch(c.reason); m != nil {
		return strings.Fields(m[1] + m[2])
	}
	return nil
}

// naming matches the reason of the plugin Taints, which names a taint, for each of its nodes
// or for all.
var naming = regexp.MustCompile(`^(?:node\(s\) had untolerated taint\(s\):|ha(?:s|ve) untolerated taint) (\S+)`)

// named returns the taint that the plugin Taints names, without the closest toleration.
func (c clause) named() string {
	if m := naming.FindStringSubmatch(c.reason); m != nil {
		return strings.TrimSuffix(m[1], ",")
	}
	return ""
}

// words describes the clause. The taints are those of nodes that keep the pod off.
func (c clause) words(taints string) string {
	count := say.Count(c.nodes, "node")
	switch {
	case c.isTaints() && strings.HasSuffix(c.reason, "}"): // which an older scheduler names
		return say.Have(c.nodes, "node") + strings.TrimPrefix(c.reason, "node(s) had")
	case c.named() != "":
		return say.Have(c.nodes, "node") + " the untolerated taint " + c.named()
	case c.isTaints():
		return say.Have(c.nodes, "node") + " untolerated taints" + taints
	case c.reason == Cordoned:
		return count + say.For(c.nodes, " is", " are") + " cordoned"
	case slices.Contains(c.plugins(), "Taints") && c.isEvaluated():
		return count + say.For(c.nodes, " does", " do") + " not match the pod's node selector or affinity, or" + say.For(c.nodes, " has", " have") + " untolerated taints"
	case c.isEvaluated():
		return count + say.For(c.nodes, " does", " do") + " not match the pod's node selector or affinity"
	case c.nodes == 0:
		return c.reason
	case strings.HasPrefix(c.reason, "node(s) "):
		return fmt.Sprint(c.nodes, " ", c.reason)
	}
	return c.reason + " on " + count
}

// Words describes all clauses, or returns "" if the program evaluates all of them.
func (m *Message) Words(taints string) string {
	others, evaluated := m.split()
	if len(others) == 0 {
		return ""
	}
	return say.Shortened(strings.Join(lists.Each(append(others, evaluated...), func(c clause) string { return c.words(taints) }), ", "))
}

// split returns the clauses that the program does not evaluate, and those that it does.
func (m *Message) split() (others, evaluated []clause) {
	for _, c := range m.clauses {
		if c.isEvaluated() {
			evaluated = append(evaluated, c)
		} else if c.reason != "" {
			others = append(others, c)
		}
	}
	return others, evaluated
}

// Fits reports whether the message may be about so many nodes, of which taints and
// affinity keep some off. Kubernetes checks these first, unless a plugin chooses nodes. A
// node may have several of the taints that are named.
func (m *Message) Fits(nodes, kept int) bool {
	others, evaluated := m.split()
	sum, named, largest := 0, 0, 0
	for _, c := range evaluated {
		if sum += c.nodes; c.named() != "" {
			named, largest = named+c.nodes, max(largest, c.nodes)
		}
	}
	isChosen := func(c clause) bool { return c.nodes == 0 || c.plugins() != nil }
	hasMore := func(c clause) bool { return strings.HasSuffix(c.reason, " more") } // taints that are not named
	isKept := sum-named+largest <= kept && (kept <= sum || slices.ContainsFunc(evaluated, hasMore))
	return m.nodes == 0 || m.nodes == nodes && (isKept || slices.ContainsFunc(others, isChosen))
}

// Beside has the reasons that the program does not evaluate, as for volumes. Resources that
// it does are not among them.
func (m *Message) Beside(evaluates func(resource string) bool) string {
	others, _ := m.split()
	others = slices.DeleteFunc(others, func(c clause) bool { return evaluates(strings.TrimPrefix(c.reason, "Insufficient ")) })
	return say.Shortened(strings.Join(lists.Each(others, func(c clause) string { return c.words("") }), ", "))
}
