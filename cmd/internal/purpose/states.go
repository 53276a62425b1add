// SPDX-License-Identifier: Apache-2.0

package purpose

import (
	"cmp"
	_ "embed"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/lists"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
)

// A State is what a taint says about its node.
type State string

// The states of nodes.
const (
	None       State = ""
	Cordoned   State = "unschedulable"
	Unhealthy  State = "unhealthy"
	Fenced     State = "fenced"
	Maintained State = "in maintenance"
	Starting   State = "starting"
	Leaving    State = "being removed"
	Virtual    State = "for their own pods only"
)

// IsFinal reports whether nodes of the state never take the pods.
func (s State) IsFinal() bool { return s == Leaving || s == Virtual }

// An Entry says what taints with some keys mean, and who acts on them.
type Entry struct {
	Keys             []string // "*" stands for any text, and a value follows "="
	State            State
	SetBy, RemovedBy string
	Within           time.Duration // how long the taint normally stays; 0: as long as its reason does
	Look             string        // at this, if it stays longer
	Acts             string        // what acts on nodes with the taint
	Removal          string        // what then matters if it is removed by hand
	IsRepeated       bool          // it is set again on old nodes, whenever its reason is back
	IsGuess          bool          // the table lacks the taint, and its words say the state
}

//go:embed states.txt
var table string

var columns = regexp.MustCompile(` *\| *`)

// All lists the taints of nodes' states, from Kubernetes and from common projects. Steps
// are in this order.
var All = func() (list []*Entry) {
	rows := strings.Split(strings.TrimSpace(table), "\n")
	for _, row := range rows[2:] { // after the names of the columns
		c := columns.Split(row, -1)
		if len(c) > 1 {
			within, _ := time.ParseDuration(c[4]) // none is 0
			list = append(list, &Entry{
				State: State(c[1]), SetBy: c[2], RemovedBy: c[3], Within: within, Look: c[5], Acts: c[6], Removal: c[7], IsRepeated: c[8] != "",
			})
		}
		e := list[len(list)-1] // a row with only a key belongs to the entry above
		e.Keys = append(e.Keys, c[0])
	}
	return list
}()

// Keys that have rules of their own.
const (
	OutOfService        = "node.kubernetes.io/out-of-service"        // Kubernetes deletes pods by force
	DeletionTimestamp   = "metadata.deletionTimestamp"               // no taint: the node is deleted, whatever its taints
	MachineConfigFailed = "machineconfiguration.openshift.io/reason" // no taint: why OpenShift's Machine Config Operator has failed
	candidate           = "DeletionCandidateOfClusterAutoscaler"     // it may stay, whoever cordons it
)

const whoSetIt = "who set it" // by hand

// IsManual reports whether the taint stays until a person or an agent removes it again.
func (e *Entry) IsManual() bool { return e.RemovedBy == whoSetIt }

// IsSetter reports whether taints of the table are the client's. They come and go, so that it
// may have written the list last whoever set the others.
func IsSetter(client string) bool {
	return slices.ContainsFunc(vocabulary["setters"], func(name string) bool { return strings.Contains(strings.ToLower(client), name) })
}

// Setter names who sets the taint, without when or why.
func (e *Entry) Setter() string { return before(e.SetBy) }

// Remover names who removes the taint, without when or why.
func (e *Entry) Remover() string { return before(e.RemovedBy) }

func before(list string) string {
	first, _, _ := strings.Cut(list, ",")
	return first
}

// IsLate reports whether a taint of the entry that is there since then has been there for
// far longer than it normally is.
func (e *Entry) IsLate(since, now time.Time) bool {
	return e.Within > 0 && !since.IsZero() && now.Sub(since) > 4*e.Within
}

// ownsNode reports whether what sets the taint also cordons the node, and ends all of that.
func (e *Entry) ownsNode() bool {
	return !e.IsManual() && (e.State == Leaving || e.State == Maintained || e.State == Fenced)
}

// index returns the entries by their keys, and the keys that have "*" or a value, the longest
// first.
func index(list []*Entry) (entries map[string]*Entry, patterns []string) {
	entries = make(map[string]*Entry)
	for _, e := range list {
		for _, key := range e.Keys {
			if entries[key] = e; strings.ContainsAny(key, "*=") {
				patterns = append(patterns, key)
			}
		}
	}
	slices.SortFunc(patterns, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return entries, patterns
}

var entries, patterns = index(All)

// Known returns the entry for the taint: the one whose key is the most specific. Without
// one, the taint has no state.
func Known(t taints.Taint) *Entry {
	if e := entries[t.Key]; e != nil {
		return e
	}
	if i := slices.IndexFunc(patterns, func(p string) bool { return isFor(p, t) }); i >= 0 {
		return entries[patterns[i]]
	}
	state, _, _ := reading(t)
	return &Entry{State: state, SetBy: whoSetIt, RemovedBy: whoSetIt, IsGuess: state != None} // nobody is known to act
}

// ForKey returns the entry for taints with the key and no value.
func ForKey(key string) *Entry { return Known(taints.Taint{Key: key}) }

func isFor(pattern string, t taints.Taint) bool {
	key, value, _ := strings.Cut(pattern, "=")
	start, end, hasStar := strings.Cut(key, "*")
	rest, isKey := strings.CutPrefix(t.Key, start)
	return isKey && (rest == end || hasStar && strings.HasSuffix(rest, end)) && (value == "" || value == t.Value)
}

// StateOf returns the state of a node that has the taint.
func StateOf(t taints.Taint) State { return Known(t).State }

// KeysIn returns the keys of the changes in kubectl's form, sorted, and says for each who
// else sets or removes such taints, or acts on nodes with them.
func KeysIn(changes []string) (keys, notes []string) {
	isAdded := make(map[string]bool)
	for _, change := range changes {
		key := strings.TrimSuffix(change[:strings.IndexAny(change+":", "=:")], "-")
		isAdded[key] = isAdded[key] || !strings.HasSuffix(change, "-")
	}
	for _, key := range slices.Sorted(maps.Keys(isAdded)) {
		keys = append(keys, key)
		if who := ForKey(key).whoElse(!isAdded[key]); who != "" {
			notes = append(notes, key+": "+who)
		}
	}
	return keys, notes
}

// Owned says who has the nodes, for each of the keys.
func Owned(nodes map[string][]string) []string {
	return lists.Each(slices.Sorted(maps.Keys(nodes)), func(key string) string {
		e, names := ForKey(key), nodes[key]
		are := say.For(len(names), "is", "are") + " " + string(e.State)
		return key + ": " + say.NamesOf(names, len(names)) + " " + are + ". " + say.Sentence(e.whoElse(false))
	})
}

// whoElse says who else sets or removes taints of the entry, or acts on them, or "". What
// Kubernetes does depends on the nodes. Removals differ.
func (e *Entry) whoElse(isRemoved bool) string {
	switch {
	case e.Acts != "" && !isRemoved:
		return e.Acts + "."
	case e.Removal != "" && isRemoved:
		return e.Removal + "."
	case e.State == None, e.IsManual() && !isRemoved, strings.HasPrefix(e.SetBy, "Kubernetes"):
		return ""
	case e.IsManual():
		return "by its words, nodes with it are " + string(e.State) + ". Who set it removes it."
	}
	text := "set by " + e.SetBy + ", and removed by " + e.RemovedBy
	if e.SetBy == e.RemovedBy {
		text = "set and removed by " + e.SetBy
	}
	if e.Within > 0 {
		text += ", normally within " + duration.HumanDuration(e.Within)
	}
	if isRemoved {
		text += "; nodes with it are " + string(e.State)
	}
	return text + "."
}

// Text describes nodes with the states.
func Text(states []State) string {
	words := slices.Compact(lists.Each(All, func(e *Entry) string { return string(e.State) }))
	return say.Enumerate(slices.DeleteFunc(words, func(w string) bool { return !slices.Contains(states, State(w)) }), "or")
}

// HaveFinal reports whether nodes with these taints never take the pods.
func HaveFinal(list []taints.Taint) bool {
	return slices.ContainsFunc(list, func(t taints.Taint) bool { return StateOf(t).IsFinal() })
}

// WithoutTime returns the taint without its time, and without a value that differs on
// each node, such as the event of a termination handler.
func WithoutTime(t taints.Taint) taints.Taint {
	t.TimeAdded = nil
	if _, isTime := timeIn(t); isTime || strings.Contains(t.Key, "-node-termination-handler/") {
		t.Value = ""
	}
	return t
}

// timeIn returns the time in the value of a taint, as Cluster Autoscaler sets it, or zero.
func timeIn(t taints.Taint) (at time.Time, ok bool) {
	seconds, err := strconv.ParseInt(t.Value, 10, 64)
	if err != nil || StateOf(t) != Leaving {
		return at, false
	}
	return time.Unix(seconds, 0).UTC(), true
}
