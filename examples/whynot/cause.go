// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/examples/internal/labels"
	"github.com/seed-0529bac1/taints/explain"
)

// A causeKind says what sort of thing keeps pods pending.
type causeKind string

// The kinds of causes.
const (
	causeMistake  causeKind = "mistake"            // a toleration was meant for the taints and misses them
	causeTaints   causeKind = "taints"             // taints that no toleration was meant for
	causeNodes    causeKind = "nodes-out-of-order" // all nodes that would do are out of order, cordoned or going
	causeSelector causeKind = "no-node-selected"   // no node has the labels that are asked for
	causeGates    causeKind = "scheduling-gates"   // the scheduler does not look at the pods yet
	// Taints let the pods in, and what else may keep them off is not evaluated.
	causeUnknown causeKind = "not-evaluated"
)

// words names the kind for people.
func (k causeKind) words() string {
	switch k {
	case causeMistake:
		return "mistake in a toleration"
	case causeTaints:
		return "not tolerated"
	case causeNodes:
		return "nodes out of order"
	case causeSelector:
		return "no node selected"
	case causeGates:
		return "gated"
	}
	return "not evaluated"
}

// A cause is what keeps pods pending, with all pods that it keeps.
type cause struct {
	Kind causeKind `json:"kind"`
	// Text names the cause: no other one has it.
	Text string `json:"text"`
	Pods int    `json:"pods"`
	// Owners counts the objects whose pods these are, by kind.
	Owners map[string]int `json:"owners"`
	// Examples are the names of some of the pods.
	Examples []string `json:"examples"`
	// Fix says in one line what to do, empty where it is not known.
	Fix string `json:"fix,omitempty"`
}

// fixMark is between the words and the fix in the text of a cause.
const fixMark = "; fix: "

// words returns the text without the fix.
func (c *cause) words() string { return strings.TrimSuffix(c.Text, fixMark+c.Fix) }

// nameCauses adds the fix to the words that paragraphs share whose fixes
// differ: one cause has one fix.
func nameCauses(list []pending) {
	fixes := make(map[string]string)
	differ := make(map[string]bool)
	for i := range list {
		x := &list[i]
		if fix, ok := fixes[x.Cause]; ok && fix != x.fix() {
			differ[x.Cause] = true
		}
		fixes[x.Cause] = x.fix()
	}
	for i := range list {
		if x := &list[i]; differ[x.Cause] && x.fix() != "" {
			x.Cause += fixMark + x.fix()
		}
	}
}

// causesOf folds the paragraphs by cause and fix, most pods first.
func causesOf(list []pending) []cause {
	nameCauses(list)
	causes := []cause{}
	at := make(map[string]int)
	owners := make(map[string]map[string]bool)
	for i := range list {
		x := &list[i]
		k, ok := at[x.Cause]
		if !ok {
			k = len(causes)
			at[x.Cause] = k
			owners[x.Cause] = make(map[string]bool)
			causes = append(causes, cause{Kind: x.kind, Text: x.Cause, Owners: map[string]int{}, Fix: x.fix()})
		}
		c := &causes[k]
		c.Pods += len(x.Pods)
		if x.Owner != nil {
			kind, name := x.Owner.template()
			if full := kind + "\x00" + x.Namespace + "\x00" + name; !owners[x.Cause][full] {
				owners[x.Cause][full] = true
				c.Owners[kind]++
			}
		}
		for _, name := range x.Pods {
			if len(c.Examples) < 3 {
				c.Examples = append(c.Examples, x.Namespace+"/"+name)
			}
		}
	}
	slices.SortStableFunc(causes, func(a, b cause) int {
		return cmp.Or(b.Pods-a.Pods, strings.Compare(a.Text, b.Text))
	})
	return causes
}

// causeOf returns what keeps the pod pending, which is at the place.
func (r *placement) causeOf(p *pod) (causeKind, string) {
	switch {
	case p.gated:
		return causeGates, "scheduling gates: the scheduler does not look at the pod before they are removed"
	case r.kind == causeUnknown && p.message != "":
		return r.kind, r.cause + "; the scheduler says: " + strings.Join(strings.Fields(p.message), " ")
	}
	return r.kind, r.cause
}

// causeOfProfile says what keeps the pods of the profile off nodes, in a text
// that is the same where the cause is.
func causeOfProfile(p *profile, r *placement, why reasons) (causeKind, string) {
	switch {
	case r.selected == 0 && len(r.absent) > 0:
		return causeSelector, absentText(len(r.absent))
	case r.selected == 0:
		return causeSelector, selectsNothing(p, r.missing)
	case r.feasible > 0:
		return causeUnknown, "taints, node selector and required node affinity leave nodes"
	case len(r.alternatives) > 0:
		return causeTaints, taintsText(r.alternatives, why)
	case r.change == nil:
		return causeTaints, "a taint or a toleration is not valid: " + joinTaints(taintsOf(why))
	case len(r.change.Entries) == 0:
		return causeNodes, "the nodes that would take it are " + troubleWords(r.change.NodeTaints) + ": " +
			joinTaints(r.change.NodeTaints)
	}
	return causeMistake, mistakeText(r.change, why)
}

// absentText says that the nodes, so many, are not in the input.
func absentText(nodes int) string {
	if nodes > 1 {
		return "none of the nodes that the required node affinity names is in the input"
	}
	return "the node that the required node affinity names is not in the input"
}

// selectsNothing says why no node is selected.
func selectsNothing(p *profile, missing []string) string {
	switch {
	case len(missing) > 0:
		return "no node has the label " + enumerate(missing, "or")
	case p.affinity == nil:
		return "no node has all labels of the node selector " + selectorText(p.selector)
	case len(p.selector) == 0:
		return "no node matches the required node affinity " + affinityText(p.affinity)
	}
	return fmt.Sprintf("no node matches the node selector %s and the required node affinity %s",
		selectorText(p.selector), affinityText(p.affinity))
}

func taintsOf(why reasons) []taints.Taint {
	var list []taints.Taint
	for t := range why {
		list = append(list, t)
	}
	slices.SortFunc(list, taints.Taint.Compare)
	return list
}

// mistakeText names the taints that the change is about, and what is wrong.
func mistakeText(c *change, why reasons) string {
	var words []string
	for _, t := range taintsOf(why) {
		list := []taints.Taint{t}
		_, before := taints.FindUntolerated(list, c.Tolerations, taints.Hard)
		if r := why[t]; !before && r.at >= 0 {
			words = append(words, nearMiss(&r))
		}
	}
	return strings.Join(firstOf(words, 3), "; ") + troubleText("the nodes", c.NodeTaints)
}

// nearMiss says what a toleration has and what the nodes have.
func nearMiss(r *reason) string {
	t := r.Closest
	isValue := r.Mismatch() == explain.MismatchValue && (t.Effect == "" || t.Effect == r.Taint.Effect)
	switch {
	case isValue && t.Value == "":
		return fmt.Sprintf("%s without a value, the nodes have %s", t.Key, r.Taint.Value)
	case isValue:
		text := fmt.Sprintf("%s=%s, the nodes have %s", t.Key, t.Value, r.Taint.Value)
		if strings.EqualFold(t.Value, r.Taint.Value) {
			text += " (letter case)"
		}
		return text
	}
	return fmt.Sprintf("%s, the nodes have %s: %s", t, r.Taint, r.Why())
}

// taintsText names what keeps the pods off nodes of which nothing says that
// they are meant.
func taintsText(list []alternative, why reasons) string {
	type key struct{ key, tolerated, similar string } // similar is a key that is tolerated
	values := make(map[key][]string)
	var order []key
	for _, x := range list {
		for _, t := range x.Taints {
			k := key{key: t.Key}
			switch r := why[t]; {
			case r.at < 0:
			case r.Closest.Key != t.Key:
				k.similar = r.Closest.Key
			case r.Closest.Value != "":
				k.tolerated = r.Closest.Value
			}
			if values[k] == nil {
				order = append(order, k)
			}
			if !slices.Contains(values[k], t.Value) {
				values[k] = append(values[k], t.Value)
			}
		}
	}
	var words []string
	for _, t := range taintsOf(why) {
		corrects := func(x alternative) bool {
			return slices.ContainsFunc(x.Corrections, func(e entry) bool { return e.Toleration.Tolerates(t) })
		}
		if r := why[t]; r.at >= 0 && slices.ContainsFunc(list, corrects) {
			words = append(words, nearMiss(&r))
		}
	}
	slices.SortFunc(order, func(a, b key) int {
		return cmp.Or(strings.Compare(a.key, b.key), strings.Compare(a.tolerated, b.tolerated))
	})
	for _, k := range order {
		word := k.key + text(k.tolerated, values[k])
		if k.similar != "" {
			word += ", but " + k.similar + " is"
		}
		words = append(words, word)
	}
	if len(words) == 0 {
		return "it is not clear which nodes are meant"
	}
	who := "the nodes"
	if slices.ContainsFunc(list, func(x alternative) bool { return len(x.NodeTaints) == 0 }) {
		who = "some nodes"
	}
	return strings.Join(firstOf(words, 3), "; ") + troubleText(who, nodeTaintsOf(list))
}

// troubleText says that the nodes are out of order too, if there are such taints.
func troubleText(who string, list []taints.Taint) string {
	if len(list) == 0 {
		return ""
	}
	return "; and " + who + " are " + troubleWords(list) + ": " + joinTaints(list)
}

// nodeTaintsOf returns the taints that say that nodes of the alternatives are
// out of order, each once, in order.
func nodeTaintsOf(list []alternative) []taints.Taint {
	var all []taints.Taint
	for _, x := range list {
		all = append(all, x.NodeTaints...)
	}
	slices.SortFunc(all, taints.Taint.Compare)
	return slices.Compact(all)
}

// text says what is tolerated of a key, and what values the nodes have.
func text(tolerated string, values []string) string {
	slices.Sort(values)
	has := enumerate(values, "and")
	if len(values) > 4 {
		has = "many values" // which differ from pod to pod, while the cause is the same
	}
	switch {
	case tolerated != "":
		return "=" + tolerated + ", the nodes have " + has
	case len(values) == 1 && values[0] == "":
		return " is not tolerated"
	case len(values) == 1:
		return "=" + has + " is not tolerated"
	}
	return " is not tolerated, the nodes have " + has
}

// fix says in one line what to do about the cause.
func (x *pending) fix() string {
	switch {
	case x.Gated:
		return "" // because the tolerations are not the cause
	case x.Change == nil && len(x.Alternatives) == 1:
		a := &x.Alternatives[0]
		return "if nodes with " + joinTaints(a.asks()) + " are meant: " + fixText(a.entries())
	case x.Change == nil:
		return ""
	case len(x.Change.Entries) == 0 && haveLeaving(x.Change.NodeTaints):
		return "other nodes, not other tolerations"
	case len(x.Change.Entries) == 0:
		return "the nodes need fixing, not the pods"
	case haveLeaving(x.Change.NodeTaints):
		return "other nodes, and " + fixText(x.Change.Entries)
	case len(x.Change.NodeTaints) > 0:
		return "the nodes need fixing, and " + fixText(x.Change.Entries)
	}
	return fixText(x.Change.Entries)
}

func fixText(entries []entry) string {
	var words []string
	for _, e := range entries {
		if e.Replaces == nil {
			words = append(words, "add "+e.Toleration.String())
		} else {
			words = append(words, e.Toleration.String()+" in place of "+e.Replaces.String())
		}
	}
	return strings.Join(words, ", ")
}

// firstOf returns the first words, and how many more there are.
func firstOf(words []string, most int) []string {
	if len(words) <= most+1 {
		return words
	}
	return append(slices.Clone(words[:most]), fmt.Sprintf("%d more", len(words)-most))
}

func joinTaints(list []taints.Taint) string {
	return enumerate(firstOf(taintTexts(list), 3), "and")
}

// affinityText returns the terms in a form that is not too long.
func affinityText(terms labels.Terms) string {
	s := terms.String()
	if r := []rune(s); len(r) > 300 {
		s = string(r[:300]) + "…"
	}
	return s
}
