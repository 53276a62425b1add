// SPDX-License-Identifier: Apache-2.0

package preview

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/lifecycle"
)

// summary says the result in one sentence.
func (e *evaluation) summary(r *Request) string {
	n := 0
	for _, x := range e.Changes {
		n += len(x.Nodes)
	}
	nodes := say.Count(n, "node")
	switch {
	case n == 1:
		nodes = "node " + e.Changes[0].Nodes[0]
	case n == 0 && len(e.Unchanged) > 0:
		return "Nothing changes: " + r.unchangedText(e.Unchanged)
	case n == 0:
		return "Nothing changes: no node matches " + strings.Join(r.selection(), " ")
	}
	text := r.subject(nodes) + " evicts " + e.leavingText()
	add := func(n int, one, many string) {
		if n > 0 {
			text += fmt.Sprintf("; %d %s", n, say.For(n, one, many))
		}
	}
	first, last := e.waitingOf()
	add(e.Stay, "pod stays", "pods stay")
	add(podsOf(e.Spared), "of them is no longer evicted", "of them are no longer evicted")
	add(e.Anyway, "pod leaves anyway", "pods leave anyway")
	add(first, "pending pod could be placed", "pending pods could be placed")
	add(last, "pending pod loses its last node", "pending pods lose their last node")
	return text
}

func podsOf(list []Fate) (n int) {
	for _, f := range list {
		n += f.Pods
	}
	return n
}

// unchangedText says that the nodes are as requested.
func (r *Request) unchangedText(names []string) string {
	if r.Verb == "taint" {
		return nodesText(names) + say.For(len(names), " has", " have") + " these taints already"
	}
	return nodesText(names) + say.For(len(names), " is", " are") + " already " + r.Verb + "ed"
}

func nodesText(names []string) string {
	return say.Noun(len(names), "node") + " " + say.NamesOf(names, len(names))
}

// subject begins the sentence about the nodes.
func (r *Request) subject(nodes string) string {
	removals := r.removals()
	removed := say.Each(say.FirstOf(removals, 3), func(s string) string { return strings.TrimSuffix(s, "-") })
	removing := say.Noun(len(removals), "taint") + " " + say.Joined(removed)
	switch {
	case r.Verb == "cordon":
		return "Cordoning " + nodes
	case r.Verb == "uncordon":
		return "Uncordoning " + nodes
	case len(removals) == 0:
		return "Tainting " + nodes + " with " + say.TaintsText(r.changes.Add)
	case len(r.changes.Add) == 0:
		return "Removing " + removing + " from " + nodes
	}
	return "Tainting " + nodes + " with " + say.TaintsText(r.changes.Add) + " and removing " + removing
}

// leavingText counts the pods that leave now and later.
func (e *evaluation) leavingText() string {
	isNow := func(f Fate) bool { return *f.InSeconds <= 0 }
	later := slices.DeleteFunc(slices.Clone(e.Leaving), isNow)
	var words []string
	if now := podsOf(e.Leaving) - podsOf(later); now > 0 {
		words = append(words, say.Count(now, "pod")+" now")
	}
	if n := len(later); n > 0 { // they are sorted
		when := say.Relative(*later[n-1].InSeconds)
		if *later[0].InSeconds != *later[n-1].InSeconds {
			when = "within " + strings.TrimPrefix(when, "in ")
		}
		words = append(words, say.Count(podsOf(later), "pod")+" "+when)
	}
	if len(words) == 0 {
		return "no pods"
	}
	return say.Joined(words)
}

// notes adds what else to know.
func (e *evaluation) notes(r *Request) {
	add := func(applies bool, text string) {
		if applies {
			e.Notes = append(e.Notes, text)
		}
	}
	hasNoExecute := func(t taints.Taint) bool { return t.Effect == taints.NoExecute }
	isDefault := func(t taints.Taint) bool { return t.Key == taints.NodeNotReady || t.Key == taints.NodeUnreachable }
	isUntolerated := func(f Fate) bool { return f.Because[0].Toleration == nil }
	add(len(r.names) > 0 && (r.All || r.Selector != ""), "kubectl ignores the names of nodes beside -l and --all")
	add(len(e.Unchanged) > 0 && len(e.Changes) > 0, r.unchangedText(e.Unchanged))
	add(len(e.Leaving) > 0, "taint eviction ignores disruption budgets, and undoing does not bring back pods that have left")
	add(slices.ContainsFunc(e.Leaving, isUntolerated) && !slices.ContainsFunc(e.added, isDefault),
		"the tolerations for 300 s that every pod gets are only for "+taints.NodeNotReady+" and "+taints.NodeUnreachable)
	add(e.Static > 0, say.Count(e.Static, "static pod")+say.For(e.Static, " keeps", " keep")+
		" running: only the mirror pod is deleted, and the kubelet makes it again")
	add(e.Finished > 0, say.Count(e.Finished, "finished pod")+say.For(e.Finished, " is", " are")+" deleted too")
	add(slices.ContainsFunc(e.removed, hasNoExecute),
		"setting a NoExecute taint again evicts pods that have come in between and do not tolerate it")
	add(r.Verb == "cordon" && len(e.Changes) > 0, "the pods of DaemonSets tolerate "+taints.NodeUnschedulable)
	for _, rule := range lifecycle.DefaultConditionRules() {
		add(slices.Contains(slices.Concat(e.added, e.removed), rule.Taint),
			"Kubernetes sets and removes "+rule.Taint.String()+" by the state of a node, and may undo this change")
	}
	if r.Verb == "uncordon" || len(e.removed) > 0 {
		e.NotEvaluated = append(e.NotEvaluated, "pods that DaemonSets start on these nodes")
	}
}
