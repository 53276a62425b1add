// SPDX-License-Identifier: Apache-2.0

package diagnosis

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
)

// A message is the scheduler's reason for not placing a pod. Its usual form is
// that of FitError in Kubernetes' scheduler: "0/5 nodes are available: 3
// Insufficient cpu, 2 node(s) had untolerated taint(s). preemption: …".
type message struct {
	text    string // up to the end of the first sentence
	nodes   int    // that the scheduler knows; 0: the message has another form
	clauses []clause
}

// A clause is a reason, and the nodes that it is for; 0 if it does not depend on them.
type clause struct {
	nodes  int
	reason string
}

var fitError = regexp.MustCompile(`^0/(\d+) nodes are available: (.+)$`)

func parseMessage(s string) message {
	text, _, _ := strings.Cut(strings.Join(strings.Fields(s), " "), ". ")
	text = strings.TrimSuffix(text, ".")
	parts := fitError.FindStringSubmatch(text)
	if parts == nil {
		return message{text: text, clauses: []clause{{0, text}}}
	}
	m := message{text: text}
	m.nodes, _ = strconv.Atoi(parts[1])
	for part := range strings.SplitSeq(parts[2], ", ") {
		count, reason, _ := strings.Cut(part, " ")
		nodes, err := strconv.ParseUint(count, 10, 31)
		switch last := len(m.clauses) - 1; {
		case err == nil && reason != "":
			m.clauses = append(m.clauses, clause{int(nodes), reason})
		case last >= 0: // a comma of the reason
			m.clauses[last].reason += ", " + part
		default:
			m.clauses = append(m.clauses, clause{0, part})
		}
	}
	return m
}

// Reasons of the scheduler that the program evaluates too.
const (
	reasonTaints   = "node(s) had untolerated taint(s)"
	reasonCordoned = "node(s) were unschedulable"
	reasonAffinity = "node(s) didn't match Pod's node affinity/selector"
	reasonUnnamed  = "node(s) didn't satisfy plugin(s) [NodeAffinity]"
)

// words describes the reason, and says whether the program evaluates it too. The
// taints are those of nodes that keep the pod off.
func (c clause) words(taints string) (text string, isEvaluated bool) {
	count := say.Count(c.nodes, "node")
	switch {
	case strings.HasPrefix(c.reason, "node(s) had untolerated taint"):
		return say.Have(c.nodes, "node") + " untolerated taints" + taints, true
	case c.reason == reasonCordoned:
		return count + say.For(c.nodes, " is", " are") + " cordoned", true
	case c.reason == reasonAffinity, c.reason == reasonUnnamed:
		return count + say.For(c.nodes, " does", " do") + " not match the pod's node selector or affinity", true
	case c.nodes == 0:
		return c.reason, false
	case strings.HasPrefix(c.reason, "node(s) "):
		return fmt.Sprint(c.nodes, " ", c.reason), false
	}
	return c.reason + " on " + count, false
}

// words describes all clauses, those that the program does not evaluate first. It
// returns "" if there are none of these.
func (m *message) words(taints string) string {
	var others, evaluated []string
	for _, c := range m.clauses {
		if text, isEvaluated := c.words(taints); isEvaluated {
			evaluated = append(evaluated, text)
		} else {
			others = append(others, text)
		}
	}
	if len(others) == 0 {
		return ""
	}
	return say.Shortened(strings.Join(append(others, evaluated...), ", "))
}

// fits reports whether the message may be about these nodes, of which so many are
// kept off by taints and affinity. Kubernetes checks these before other reasons,
// unless a plugin chooses the nodes to check.
func (m *message) fits(nodes, kept int) bool {
	if m.nodes == 0 {
		return true
	}
	for _, c := range m.clauses {
		switch _, isEvaluated := c.words(""); {
		case isEvaluated:
			kept -= c.nodes
		case c.nodes == 0, strings.HasPrefix(c.reason, "node(s) didn't satisfy plugin"):
			return m.nodes == nodes
		}
	}
	return m.nodes == nodes && kept == 0
}

// beside has the reasons that the program does not evaluate, as for volumes.
func (m *message) beside(p *cluster.Profile) string {
	var words []string
	for _, c := range m.clauses {
		text, isEvaluated := c.words("")
		if resource := strings.TrimPrefix(c.reason, "Insufficient "); !isEvaluated && !p.Requests(resource) {
			words = append(words, text)
		}
	}
	return say.Shortened(strings.Join(words, ", "))
}
