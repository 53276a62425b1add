// SPDX-License-Identifier: Apache-2.0

package preview

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
)

// A Change is what "kubectl taint" does to nodes that change alike. A taint that
// gets another value is in both lists.
type Change struct {
	Nodes   []string       `json:"nodes"`
	Added   []taints.Taint `json:"added,omitempty"`
	Removed []taints.Taint `json:"removed,omitempty"`
}

// changes groups the nodes that change, in the order of their names.
func (e *evaluation) changes(r *Request, nodes map[int]cluster.NodeChange) {
	at := make(map[string]int)
	for _, i := range slices.Sorted(maps.Keys(nodes)) {
		var x Change
		if r.Verb == "taint" {
			before, after := withoutTimes(e.before.Nodes[i].Own), withoutTimes(e.after.Nodes[i].Own)
			x.Added, x.Removed = without(after, before), without(before, after)
		}
		key := cluster.TextOf(x.Added) + "\n" + cluster.TextOf(x.Removed)
		k, ok := at[key]
		if !ok {
			k = len(e.Changes)
			at[key], e.Changes = k, append(e.Changes, x)
			e.added, e.removed = append(e.added, x.Added...), append(e.removed, x.Removed...)
		}
		e.Changes[k].Nodes = append(e.Changes[k].Nodes, e.before.Nodes[i].Name)
	}
}

// withoutTimes returns the sorted taints without their times.
func withoutTimes(list []taints.Taint) []taints.Taint {
	list = slices.Clone(list)
	for i := range list {
		list[i].TimeAdded = nil
	}
	return cluster.Distinct(list)
}

// without returns the taints that are not in the other list.
func without(list, other []taints.Taint) []taints.Taint {
	return slices.DeleteFunc(slices.Clone(list), func(t taints.Taint) bool { return slices.Contains(other, t) })
}

// undo returns the arguments of "kubectl taint" that make the taints as they were.
func (x *Change) undo() ([]string, error) {
	back, flags := taints.Changes{Add: x.Removed}, []string{}
	for _, t := range x.Added {
		if _, found := taints.FindTaint(x.Removed, t.ID()); found {
			flags = []string{"--overwrite"}
		} else {
			back.Remove = append(back.Remove, t.ID())
		}
	}
	return append(strings.Fields(back.String()), flags...), back.Validate()
}

// commands sets the command and those that undo it. They name the nodes, unless
// these are many that change alike.
func (e *evaluation) commands(r *Request, connection []string) {
	if len(e.Changes) == 0 {
		return
	}
	kubectl := func(words ...[]string) string {
		return say.CommandLine(slices.Concat([]string{"kubectl"}, connection, slices.Concat(words...))...)
	}
	var names []string
	for _, x := range e.Changes {
		names = append(names, x.Nodes...)
	}
	selected := r.selection()
	if len(e.Refused) > 0 {
		selected = names
	}
	isSelected := len(names) > maxNames && len(e.Changes) == 1 && len(e.Refused)+len(e.Unchanged) == 0 && (r.All || r.Selector != "")
	if isSelected {
		names = selected
		e.Notes = append(e.Notes, "the command that undoes it also selects nodes that join in between")
	}
	switch r.Verb {
	case "cordon":
		e.Command, e.Undo = kubectl([]string{"cordon"}, selected), []string{kubectl([]string{"uncordon"}, names)}
		return
	case "uncordon":
		e.Command, e.Undo = kubectl([]string{"uncordon"}, selected), []string{kubectl([]string{"cordon"}, names)}
		return
	}
	words := slices.Concat(selected, r.specs)
	if r.Overwrite {
		words = append(words, "--overwrite")
	}
	e.Command = kubectl([]string{"taint", "nodes"}, words)
	for _, x := range e.Changes {
		if !isSelected {
			names = x.Nodes
		}
		back, err := x.undo()
		if err != nil {
			e.Notes = append(e.Notes, fmt.Sprintf("kubectl cannot restore the taints of %s: %v", nodesText(x.Nodes), err))
			continue
		}
		e.Undo = append(e.Undo, kubectl([]string{"taint", "nodes"}, names, back))
	}
}

// selection returns the words that select the nodes.
func (r *Request) selection() []string {
	switch {
	case r.All:
		return []string{"--all"}
	case r.Selector != "":
		return []string{"-l", r.Selector}
	}
	return r.names
}
