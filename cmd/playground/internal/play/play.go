// SPDX-License-Identifier: Apache-2.0

// Package play answers what the page of the playground asks: the texts of a form go
// in, and out comes what taints and tolerations in them do, with the places of what
// is wrong.
package play

import (
	"slices"

	"github.com/seed-0529bac1/taints"
)

// A State is the form. It returns what stands in the field of a name, and the empty
// string if nothing does or it is switched off:
//
//   - "taints" and "tolerations" are lists, one entry a line or with commas between,
//     or YAML or JSON
//   - "observed" is when the taints are seen, in UTC unless it says otherwise
//   - "select" names a [taints.Selection]; empty stands for the first
//   - "add" names who adds tolerations to the pod: one of [Adders]
//   - "noComparison", "keyWildcards" and "fromTimeAdded" are switches
type State func(name string) string

// Selections are what "select" may name, the default first.
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

// Adders are what "add" may name.
var Adders = []Adder{
	{"pod", "the DefaultTolerationSeconds admission plugin", addDefaults},
	{"daemonset", "the DaemonSet controller", func(list []taints.Toleration) []taints.Toleration {
		return addDefaults(taints.AddDaemonSetDefaults(list, taints.DaemonSetPod{}))
	}},
	{"hostnetwork", "the DaemonSet controller, for a pod on the host network", func(list []taints.Toleration) []taints.Toleration {
		return addDefaults(taints.AddDaemonSetDefaults(list, taints.DaemonSetPod{HostNetwork: true}))
	}},
}

func addDefaults(list []taints.Toleration) []taints.Toleration {
	return taints.AddDefaults(list, taints.DefaultSeconds{})
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
