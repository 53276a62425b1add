// SPDX-License-Identifier: Apache-2.0

package purpose

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/lifecycle"
)

// A Hold is what speaks against the uncordon of a node, or the removal of a taint.
type Hold struct {
	By       string // the client that cordoned it, or wrote its taints; empty: not known
	Evidence string // what else the node says; empty: nothing
}

// Evidence of a node that just has to be repaired.
const (
	notReady   = "its condition Ready is False"
	unanswered = "its condition Ready is Unknown"
)

func isOf(clients, client string) bool {
	client = strings.ToLower(client)
	return isIn(clients, client[:strings.IndexAny(client+"-", "-._ ")], client) // kubectl-taint, kubectl.exe
}

// IsPerson reports whether the client is one that people use, as kubectl.
func IsPerson(client string) bool { return isOf("people", client) }

// IsFree reports whether a person may uncordon the node, or remove the taint.
func (h Hold) IsFree() bool { return h.Evidence == "" && (h.By == "" || IsPerson(h.By)) }

// IsToRepair reports whether nothing speaks against an uncordon but that the node is not
// Ready.
func (h Hold) IsToRepair() bool {
	return (h.Evidence == notReady || h.Evidence == unanswered) && !h.IsByController()
}

// IsByController reports whether a client has the node that no person uses.
func (h Hold) IsByController() bool { return h.By != "" && !IsPerson(h.By) && !isOf("either", h.By) }

// Text says what speaks against an uncordon, or "".
func (h Hold) Text() string {
	if h.IsByController() {
		return strings.TrimSuffix(h.By+" cordoned it; "+h.Evidence, "; ")
	}
	return h.Evidence
}

// Add adds evidence.
func (h *Hold) Add(evidence string) {
	h.Evidence = strings.TrimPrefix(h.Evidence+"; "+evidence, "; ")
}

// HoldOf returns what a node says of who has it. The client that last wrote a field
// with a path, as in "spec", "unschedulable", is empty if it is not known.
func HoldOf(conditions []lifecycle.Condition, annotations, labels map[string]string, writer func(path ...string) string) (h Hold) {
	var list []string
	for _, c := range conditions {
		if !isHarmless(c) {
			list = append(list, "its "+textOf(c))
		}
	}
	for i, set := range []map[string]string{annotations, labels} {
		kind := []string{"annotation", "label"}[i]
		for _, key := range slices.Sorted(maps.Keys(set)) {
			isOfKubernetes := strings.Contains(key, "k8s.io/") || strings.Contains(key, "kubernetes.io/")
			saysNote := kind == "annotation" && !isOfKubernetes && isNote(key, set[key])
			if !saysNote && !saysHeld(key, set[key]) {
				continue
			}
			text := "its " + kind + " " + key + "=" + set[key]
			if by := writer("metadata", kind+"s", key); by != "" && !IsPerson(by) {
				text += " of " + by
			}
			list = append(list, say.Shortened(text))
		}
	}
	h.By, h.Evidence = writer("spec", "unschedulable"), say.Joined(say.FirstOf(list, 4))
	return h
}

// isHarmless reports whether the condition says that the node is well: what should be True
// is, and what names a problem is not.
func isHarmless(c lifecycle.Condition) bool {
	name := split(c.Type)
	if lastOf(name) == "available" && (slices.Contains(name, "update") || slices.Contains(name, "upgrade")) { // which is nothing to repair
		return true
	}
	isGood := slices.ContainsFunc(name, func(w string) bool {
		return slices.ContainsFunc(vocabulary["good"], func(good string) bool {
			start, ends := strings.CutSuffix(w, good)
			isLong := start == "" || len(good) > 2 // "backup" is not up
			return ends && isLong && !isIn("deny", start)
		})
	})
	return isGood == (c.Status == "True") || !isGood && c.Status == "Unknown" // as where the kubelet does not answer
}

// Fault returns the condition that says that something is wrong, as in "condition DiskBroken
// is True", and that the key or value of the taint names, or "" and whether one that it names
// says that all is well. Taints of the table have rules of their own.
func Fault(t taints.Taint, conditions []lifecycle.Condition) (fault string, isWell bool) {
	if k := Known(t); k.State != None && !k.IsGuess {
		return "", false
	}
	for _, c := range conditions {
		if c.Type != "Ready" && (names(t.Key, c.Type) || names(t.Value, c.Type)) {
			if isWell = isHarmless(c); !isWell {
				return textOf(c), false
			}
		}
	}
	return "", isWell
}

func textOf(c lifecycle.Condition) string { return fmt.Sprintf("condition %s is %s", c.Type, c.Status) }

func joined(text string) string { return strings.Join(split(text), "") }

// names reports whether the text has the name of a condition, or is several of its words, as
// fallen-off-bus is of GPUFallenOffBus.
func names(text, condition string) bool {
	words := split(path.Base(text))
	return strings.Contains(joined(text), joined(condition)) || len(words) > 1 && strings.Contains(joined(condition), strings.Join(words, ""))
}

// Sickness returns the first of a node's conditions that says that something is wrong, as in
// "condition DiskBroken is True", or "".
func Sickness(conditions []lifecycle.Condition) string {
	for _, c := range conditions {
		if !isHarmless(c) {
			return textOf(c)
		}
	}
	return ""
}

// saysHeld reports whether the words of an annotation or label say that somebody has the
// node for a while: its key, or its value, unless the key is a setting or the value denies it.
func saysHeld(key, value string) bool {
	domain, base := path.Split(key)
	if domain == "" { // "is-reboot-capable.example.com"
		base, _, _ = strings.Cut(base, ".")
	}
	name, words := split(base), split(value)
	n := len(name)
	if n == 0 || key == "kubernetes.io/hostname" || domain == "feature.node.kubernetes.io/" || key == "upgrade.cattle.io/kubernetes-upgrade" { // which selects nodes for a plan
		return false
	}
	last := name[n-1]
	isTaken := n > 1 && isIn("taken", last) && (isIn("take", name[n-2]) || strings.HasSuffix(name[n-2], "ing")) && value != "" && !isIn("nobody", value)
	isSetting := isIn("setting", name...) && !isIn("about", last) && value != "active" && last != "exceeded"
	if isIn("about", last) { // "cordon.example.com/reason"
		first, _, _ := strings.Cut(domain, ".")
		name = slices.Concat(split(first), name)
	}
	isHealth := func(w string) bool { return strings.Contains(w, "health") && !strings.Contains(w, "unhealth") }
	isState := func(w string) bool { return isHeld(w, true) && !isHealth(w) }
	_, isForm := find(strings.Join(words, ""), false)
	isOrder := len(words) == 1 && isForm && isHeld(words[0], false) && !isIn("whose", last) && !isIn("their", last) && !isNodes(last) && !isIn("thing", name...)
	switch {
	case isTaken, isTicket(value), last == "scheduling" && isIn("denial", value):
		return true
	case isIn("past", name...), isSetting, denies(name, value, words):
		return false
	case slices.ContainsFunc(name, isState), isHealth(last), isOrder, len(words) > 0 && words[0] == "paused":
		return true
	case isIn("about", last):
		return slices.ContainsFunc(words, func(w string) bool { return isHeld(w, false) || stateOf(w, false) == Starting })
	}
	return (isIn("about", name...) || slices.ContainsFunc(name, isHealth)) && slices.ContainsFunc(words, func(w string) bool { return isHeld(w, false) })
}

func stateOf(word string, isKey bool) State {
	w, _ := find(word, isKey)
	return w.state()
}

// isHeld reports whether the word is one of a state other than a start.
func isHeld(word string, isKey bool) bool {
	s := stateOf(word, isKey)
	return s != None && s != Starting
}

// denies reports whether the value says that what the words of the key say is not so, or is
// over. A drain that is done, or an active quarantine, is not over.
func denies(name []string, value string, words []string) bool {
	lasts := func(w string) bool {
		s := stateOf(w, true)
		return s == Leaving || s == Fenced || strings.HasPrefix(w, "maint")
	}
	last := cmp.Or(lastOf(words), value)
	if last == "0" && len(words) > 1 { // as of v1.12.0
		last = value
	}
	isUncordon := len(words) > 0 && words[0] == "uncordon" && !slices.ContainsFunc(words[1:], func(w string) bool { return isHeld(w, false) })
	return isUncordon || isIn("denial", last) || isIn("end", last) && !slices.ContainsFunc(name, lasts)
}

// isNote reports whether the text has the form of what a person writes, in three words or
// more. A description is of the machine, unless it says a state.
func isNote(key, text string) bool {
	words := slices.DeleteFunc(strings.Fields(text), func(w string) bool { return !plain.MatchString(w) })
	lower := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w != strings.ToLower(w) })
	isState := slices.ContainsFunc(lower, func(w string) bool { return isHeld(w, false) })
	return (len(words) > 2 && len(lower) > 1 || len(words) > 0 && slices.Contains(lower, "until")) &&
		(path.Base(key) != "description" || isState) && !strings.ContainsAny(text, "={[")
}

var plain = regexp.MustCompile(`^[A-Za-z'-]+[.,:;]?$`)
