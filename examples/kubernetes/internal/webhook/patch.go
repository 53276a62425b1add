// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-0529bac1/taints"
)

// An operation is one step of a JSON Patch (RFC 6902).
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"` // nil for remove
}

// patch returns the steps that lead from the pod to the mutation of it, in order;
// none if there is nothing to do.
//
// Each step adds an element, or takes the seconds of one away, and the elements that
// are there are not in the patch: they may have fields that this program does not
// know, which writing the list anew would lose. There are no test steps, because an
// API server applies the patch to the very object that it sent, and calls webhooks
// that mutate one after the other.
func (m mutation) patch(p *pod) []operation {
	return append(tolerationSteps(p.tolerations, m.tolerations), selectorSteps(p.nodeSelector, m.nodeSelector)...)
}

// tolerationSteps leads to a list that has what from has, in the same places, and
// then more. Of what from has only seconds may be gone (see
// [taints.AddExtendedResources]).
func tolerationSteps(from, to []taints.Toleration) []operation {
	const path = "/spec/tolerations"
	if from == nil && len(to) > 0 {
		return []operation{{"add", path, to}}
	}
	var steps []operation
	for i := range from {
		if from[i].TolerationSeconds != nil && to[i].TolerationSeconds == nil {
			steps = append(steps, operation{Op: "remove", Path: fmt.Sprintf("%s/%d/tolerationSeconds", path, i)})
		}
	}
	for _, t := range to[len(from):] {
		steps = append(steps, operation{"add", path + "/-", t})
	}
	return steps
}

// selectorSteps leads to a node selector that has what from has, and more.
func selectorSteps(from, to map[string]string) []operation {
	const path = "/spec/nodeSelector"
	if from == nil && len(to) > 0 {
		return []operation{{"add", path, to}}
	}
	var steps []operation
	for _, key := range slices.Sorted(maps.Keys(to)) {
		if _, ok := from[key]; !ok {
			steps = append(steps, operation{"add", path + "/" + escape(key), to[key]})
		}
	}
	return steps
}

// escape returns the name of a member as a part of a JSON Pointer (RFC 6901).
func escape(name string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(name) }

// texts returns the first of the steps in short, for the log.
func texts(steps []operation) []string {
	const most = 20
	list := []string{}
	for _, step := range steps[:min(most, len(steps))] {
		text := fmt.Sprintf("%s %s %v", step.Op, step.Path, step.Value)
		list = append(list, clip(strings.TrimSuffix(text, " <nil>"), 1000))
	}
	if len(steps) > most {
		list = append(list, fmt.Sprintf("and %d more", len(steps)-most))
	}
	return list
}
