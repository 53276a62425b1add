// SPDX-License-Identifier: Apache-2.0

package purpose

import (
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
	IsSick   bool   // a condition says that something is wrong with the node, cordoned or not
}

// Evidence of a node that just has to be repaired.
const (
	notReady   = "its condition Ready is False"
	unanswered = "its condition Ready is Unknown"
)

// Clients, by the first word of their names, or the whole. Those of people do what a person, or a script,
// tells them. The others may be a person's or a controller's, or do not uncordon what they
// cordon: libraries, programs that contain kubectl, and tools that people start.
var (
	people = []string{"kubectl", "oc", "k9s", "mozilla", "lens", "openlens", "freelens", "aptakube", "seabird", "kubenav", "octant", "kuboard", "monokle", "headlamp", "dashboard", "node-fetch"}
	either = []string{
		"k3s", "k0s", "kubernetes", "go-http-client", "python", "openapi", "curl", "unknown", "rest", "fabric8", "swagger", "okhttp", "java",
		"terraform", "pulumi", "ansible", "rancher", "kops", "draino",
	}
)

func isOf(clients []string, client string) bool {
	client = strings.ToLower(client)
	first, _, _ := strings.Cut(client, "-") // kubectl-taint, kubectl-edit
	return slices.Contains(clients, first) || slices.Contains(clients, client)
}

// IsPerson reports whether the client is one that people use, as kubectl.
func IsPerson(client string) bool { return isOf(people, client) }

// IsFree reports whether a person may uncordon the node, or remove the taint.
func (h Hold) IsFree() bool { return h.Evidence == "" && (h.By == "" || IsPerson(h.By)) }

// IsToRepair reports whether nothing speaks against an uncordon but that the node is not
// Ready.
func (h Hold) IsToRepair() bool {
	return (h.Evidence == notReady || h.Evidence == unanswered) && !h.IsByController()
}

// IsByController reports whether a client has the node that no person uses.
func (h Hold) IsByController() bool { return h.By != "" && !IsPerson(h.By) && !isOf(either, h.By) }

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
			list = append(list, fmt.Sprintf("its condition %s is %s", c.Type, c.Status))
		}
	}
	for _, kind := range []struct {
		name string
		set  map[string]string
	}{{"annotation", annotations}, {"label", labels}} {
		for _, key := range slices.Sorted(maps.Keys(kind.set)) {
			isOfKubernetes := strings.Contains(key, "k8s.io/") || strings.Contains(key, "kubernetes.io/")
			saysNote := kind.name == "annotation" && !isOfKubernetes && isNote(key, kind.set[key])
			if !saysNote && !saysHeld(key, kind.set[key]) {
				continue
			}
			text := "its " + kind.name + " " + key + "=" + kind.set[key]
			if by := writer("metadata", kind.name+"s", key); by != "" && !IsPerson(by) {
				text += " of " + by
			}
			list = append(list, say.Shortened(text))
		}
	}
	h.By, h.Evidence = writer("spec", "unschedulable"), say.Joined(say.FirstOf(list, 4))
	return h
}

// goods end the words of conditions that should be True.
var goods = []string{
	"ready", "healthy", "available", "voter", "running", "sufficient", "initialized", "registered", "established", "ok", "passed", "synchronized", "synced",
	"succeeded", "valid", "online", "connected", "reachable", "schedulable", "alive", "active", "installed", "configured",
	"up", "mounted", "attached", "loaded", "linked", "provisioned", "updated",
}

// isHarmless reports whether the condition says that the node is well: what should be True
// is, and what names a problem is not.
func isHarmless(c lifecycle.Condition) bool {
	if c.Type == "Ready" {
		return c.Status == "True"
	}
	name := split(c.Type)
	if lastOf(name) == "available" && hasOne(name, []string{"update", "upgrade"}) { // which is nothing to repair
		return true
	}
	isGood := slices.ContainsFunc(name, func(w string) bool {
		return slices.ContainsFunc(goods, func(good string) bool {
			start, ends := strings.CutSuffix(w, good)
			isLong := start == "" || len(good) > 2 // "backup" is not up
			return ends && isLong && !slices.Contains([]string{"un", "in", "no", "not", "non", "dis"}, start)
		})
	})
	return isGood == (c.Status == "True") || !isGood && c.Status == "Unknown" // as where the kubelet does not answer
}

// Fault returns the condition that says that something is wrong, as in "condition DiskBroken
// is True", and that the key or value of the taint names, or "". Taints of the table have
// rules of their own.
func Fault(t taints.Taint, conditions []lifecycle.Condition) string {
	if k := Known(t); k.State != None && !k.IsGuess {
		return ""
	}
	joined := func(s string) string { return strings.Join(split(s), "") }
	for _, c := range conditions {
		if c.Type == "Ready" || isHarmless(c) {
			continue
		}
		if name := joined(c.Type); strings.Contains(joined(t.Key), name) || strings.Contains(joined(t.Value), name) {
			return fmt.Sprintf("condition %s is %s", c.Type, c.Status)
		}
	}
	return ""
}

// IsSick reports whether one of the conditions of a node says that something is wrong.
func IsSick(conditions []lifecycle.Condition) bool {
	return slices.ContainsFunc(conditions, func(c lifecycle.Condition) bool { return !isHarmless(c) })
}

// Words of keys and values of annotations and labels.
var (
	past     = []string{"last", "recent", "previous", "history"}
	settings = []string{
		"enabled", "disabled", "policy", "config", "hash", "version", "timeout", "allowed", "require", "window", "schedule", "group", "applied", "capable",
		"supported", "ttl", "interval", "volumes", "properties", "skip", "ignore", "exclude",
	}
	about = []string{ // what the value says counts
		"state", "status", "phase", "condition", "reason", "action", "lifecycle", "mode", "stage", "comment", "note", "message", "cause", "service", "operation", "task",
		"progress", "planned", "requested", "todo",
	}

	things  = []string{"name", "id", "machine", "cluster", "group", "at", "site", "zone", "rack"} // which have names
	denials = []string{"false", "no", "0", "none", "off", "idle", "ok", "healthy", "disabled", "inactive", "uncordoned", "released", "cleared", "resolved", "initialized"}
	ends    = []string{ // of what is done on a node that stays in service
		"done", "completed", "complete", "succeeded", "success", "finished", "passed", "pass", "active", "ready", "normal", "schedulable",
	}
	takers = []string{"reserved", "locked", "taken", "claimed", "held", "booked", "borrowed", "out", "use", "disabled", "silenced"} // before "by", "for" or "until"
)

func hasOne(words, of []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(of, w) })
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
	if n == 0 || domain == "feature.node.kubernetes.io/" || key == "upgrade.cattle.io/kubernetes-upgrade" { // which selects nodes for a plan
		return false
	}
	last := name[n-1]
	isTaken := n > 1 && (last == "by" || last == "for" || last == "until") && (slices.Contains(takers, name[n-2]) || strings.HasSuffix(name[n-2], "ing")) && value != "" && !isNobody(value)
	isSetting := hasOne(name, settings) && !slices.Contains(about, last) && value != "active" && last != "exceeded"
	if slices.Contains(about, last) { // "cordon.example.com/reason"
		first, _, _ := strings.Cut(domain, ".")
		name = slices.Concat(split(first), name)
	}
	isHealth := func(w string) bool { return strings.Contains(w, "health") && !strings.Contains(w, "unhealth") }
	isState := func(w string) bool { return isHeld(w, true) && !isHealth(w) }
	_, isForm := find(strings.Join(words, ""), false)
	isOrder := len(words) == 1 && isForm && isHeld(words[0], false) && !isWhose(last) && !isTheir(last) && !isNodes(last) && !hasOne(name, things)
	switch {
	case isTaken, isTicket(value), last == "scheduling" && slices.Contains(denials, strings.ToLower(value)):
		return true
	case hasOne(name, past), isSetting, denies(name, value, words):
		return false
	case slices.ContainsFunc(name, isState), isHealth(last), isOrder, len(words) > 0 && words[0] == "paused":
		return true
	case slices.Contains(about, last):
		return slices.ContainsFunc(words, func(w string) bool { return isHeld(w, false) || stateOf(w, false) == Starting })
	}
	return (hasOne(name, about) || slices.ContainsFunc(name, isHealth)) && slices.ContainsFunc(words, func(w string) bool { return isHeld(w, false) })
}

// stateOf returns the state that the word says.
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
	last := strings.ToLower(value)
	if len(words) > 0 {
		last = words[len(words)-1]
	}
	isUncordon := len(words) > 0 && words[0] == "uncordon" && !slices.ContainsFunc(words[1:], func(w string) bool { return isHeld(w, false) })
	return isUncordon || slices.Contains(denials, last) || slices.Contains(ends, last) && !slices.ContainsFunc(name, lasts)
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
