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

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/lists"
	"github.com/seed-0529bac1/taints/cmd/internal/managers"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/lifecycle"
)

// A Hold is what speaks against the uncordon of a node, or the removal of a taint.
type Hold struct {
	By       string // the client that cordoned it, or wrote its taints; empty: not known
	Evidence string // what else the node says; empty: nothing
}

// isOf reports whether the client is one of the list, as kubectl is one that people use.
func isOf(clients, client string) bool {
	client = strings.ToLower(client)
	return isIn(clients, client[:strings.IndexAny(client+"-", "-._ ")], client) // kubectl-taint, kubectl.exe
}

// IsFree reports whether a person may uncordon the node, or remove the taint.
func (h Hold) IsFree() bool { return h.Evidence == "" && (h.By == "" || isOf("people", h.By)) }

// IsToRepair reports whether nothing speaks against an uncordon but that the node is not
// Ready.
func (h Hold) IsToRepair() bool {
	return (h.Evidence == "its condition Ready is False" || h.Evidence == "its condition Ready is Unknown") && !h.IsByController()
}

// IsByController reports whether a client has the node that no person uses.
func (h Hold) IsByController() bool {
	return h.By != "" && !isOf("people", h.By) && !isOf("either", h.By)
}

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

// HoldOf returns what a node says of who has it, beside what is wrong.
func HoldOf(o *metav1.ObjectMeta, wrong []string) (h Hold) {
	list := lists.Each(wrong, func(condition string) string { return "its " + condition })
	for i, set := range []map[string]string{o.Annotations, o.Labels} {
		kind := []string{"annotation", "label"}[i]
		for _, key := range slices.Sorted(maps.Keys(set)) {
			isOfKubernetes := strings.Contains(key, "k8s.io/") || strings.Contains(key, "kubernetes.io/")
			saysNote := kind == "annotation" && !isOfKubernetes && isNote(key, set[key])
			if !saysNote && !saysHeld(key, set[key]) {
				continue
			}
			text := "its " + kind + " " + key + "=" + set[key]
			if by := managers.LastWrite(o.ManagedFields, "metadata", kind+"s", key).By; by != "" && !isOf("people", by) {
				text += " of " + by
			}
			list = append(list, say.Shortened(text))
		}
	}
	h.By, h.Evidence = managers.LastWrite(o.ManagedFields, "spec", "unschedulable").By, say.Joined(say.FirstOf(list, 4))
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
	return isGood == (c.Status == "True") // also of Unknown, as where the kubelet does not answer
}

// Named returns those of a node's conditions that the key or value of the taint names. Taints
// of the table have rules of their own.
func Named(t taints.Taint, conditions []lifecycle.Condition) []lifecycle.Condition {
	if k := Known(t); k.State != None && !k.IsGuess {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(conditions), func(c lifecycle.Condition) bool {
		return c.Type == "Ready" || !names(t.Key, c.Type) && !names(t.Value, c.Type)
	})
}

// Wrong returns those of a node's conditions that say that something is wrong, as in
// "condition DiskBroken is True".
func Wrong(conditions []lifecycle.Condition) []string {
	wrong := slices.DeleteFunc(slices.Clone(conditions), isHarmless)
	return lists.Each(wrong, func(c lifecycle.Condition) string { return fmt.Sprintf("condition %s is %s", c.Type, c.Status) })
}

func joined(text string) string { return strings.Join(split(text), "") }

// names reports whether the text has the name of a condition, or is several of its words, as
// fallen-off-bus is of GPUFallenOffBus.
func names(text, condition string) bool {
	words := split(path.Base(text))
	return strings.Contains(joined(text), joined(condition)) || len(words) > 1 && strings.Contains(joined(condition), strings.Join(words, ""))
}

// saysHeld reports whether the words of an annotation or label say that somebody has the
// node for a while: its key, or its value, unless the key is a setting or the value denies it.
func saysHeld(key, value string) bool {
	domain, base := path.Split(key)
	name, words := split(base), split(value)
	n := len(name)
	if n == 0 || key == "kubernetes.io/hostname" || key == "upgrade.cattle.io/kubernetes-upgrade" { // which selects nodes for a plan
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
	}
	return isIn("about", last) && slices.ContainsFunc(words, func(w string) bool { return stateOf(w, false) != None })
}

func stateOf(word string, isKey bool) State {
	w, _ := find(word, isKey)
	return w.State
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
