// SPDX-License-Identifier: Apache-2.0

// Package play answers what the page of the playground asks: the texts of a form go
// in, and out comes what taints and tolerations in them do, with the places of what
// is wrong. It is small on purpose, because it is downloaded: it imports neither fmt
// nor reflect nor encoding/json.
package play

import (
	"slices"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/examples/playground/internal/jsontree"
)

// A State is the form: what stands in its fields.
type State struct {
	// Taints and Tolerations are lists, one entry a line or with commas between, or JSON.
	Taints, Tolerations string
	// Observed is when the taints are seen, as in 2026-11-21T12:00:00, in UTC unless
	// it says otherwise.
	Observed string
	// Select names a [taints.Selection]; empty stands for the first.
	Select string
	// Add names who adds tolerations to the pod: one of [Adders], or empty.
	Add string

	NoComparison, KeyWildcards, FromTimeAdded bool
}

// Answer returns the answer to a state as JSON. The state is JSON too: an object of
// strings with the names of a link to the page, in which what is switched on has any
// text but the empty one.
func Answer(state string) string {
	var s State
	if v, err := jsontree.Parse(state); err == nil {
		s.set(v)
	}
	var w jsontree.Writer
	answer(s).write(&w)
	return string(w.Text)
}

func (s *State) set(v *jsontree.Value) {
	text := func(name string) string {
		if m := v.Get(name); m != nil && m.Kind == jsontree.String {
			return m.Text
		}
		return ""
	}
	s.Taints, s.Tolerations = text("taints"), text("tolerations")
	s.Observed, s.Select, s.Add = text("observed"), text("select"), text("add")
	s.NoComparison = text("noComparison") != ""
	s.KeyWildcards = text("keyWildcards") != ""
	s.FromTimeAdded = text("fromTimeAdded") != ""
}

// Selections are what Select may name, the default first.
var Selections = []taints.Selection{
	taints.FirstMatch,
	taints.LongestMatch,
	taints.ShortestMatch,
	taints.ForeverElseShortest,
}

// An Adder is part of Kubernetes that adds tolerations to a pod.
type Adder struct {
	ID, Name string
	add      func([]taints.Toleration) []taints.Toleration
}

// Adders are what Add may name.
var Adders = []Adder{
	{"pod", "admission, for any pod", addDefaults},
	{"daemonset", "the DaemonSet controller", addDaemonSet},
	{"hostnetwork", "the DaemonSet controller, on the host's network", addHostNetwork},
}

func addDefaults(list []taints.Toleration) []taints.Toleration {
	return taints.AddDefaults(list, taints.DefaultSeconds{})
}

func addDaemonSet(list []taints.Toleration) []taints.Toleration {
	return addDefaults(taints.AddDaemonSetDefaults(list, taints.DaemonSetPod{}))
}

func addHostNetwork(list []taints.Toleration) []taints.Toleration {
	return addDefaults(taints.AddDaemonSetDefaults(list, taints.DaemonSetPod{HostNetwork: true}))
}

// adder returns what adds tolerations under the name.
func adder(id string) (Adder, bool) {
	if id == "" {
		return Adder{add: func(list []taints.Toleration) []taints.Toleration { return list }}, true
	}
	i := slices.IndexFunc(Adders, func(a Adder) bool { return a.ID == id })
	if i < 0 {
		return Adder{}, false
	}
	return Adders[i], true
}
