// SPDX-License-Identifier: Apache-2.0

// Package play answers what the page of the playground asks: the texts of a form go
// in, and out comes what taints and tolerations in them do, with the places of what
// is wrong.
package play

import (
	"slices"

	"github.com/seed-0529bac1/taints"
)

// A State is the form: what stands in its fields.
type State struct {
	// Taints and Tolerations are lists, one entry a line or with commas between, or
	// YAML or JSON.
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

// NewState returns the form whose fields text returns by their names in a link to the
// page. What is switched on has any text but the empty one.
func NewState(text func(name string) string) State {
	return State{
		Taints:        text("taints"),
		Tolerations:   text("tolerations"),
		Observed:      text("observed"),
		Select:        text("select"),
		Add:           text("add"),
		NoComparison:  text("noComparison") != "",
		KeyWildcards:  text("keyWildcards") != "",
		FromTimeAdded: text("fromTimeAdded") != "",
	}
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
	{"pod", "the DefaultTolerationSeconds admission plugin", addDefaults},
	{"daemonset", "the DaemonSet controller", addDaemonSet},
	{"hostnetwork", "the DaemonSet controller, for a pod on the host network", addHostNetwork},
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
