// SPDX-License-Identifier: Apache-2.0

package preview

import (
	"slices"
	"strings"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
)

// commands sets the command and those that undo it. If kubectl refuses nodes, the
// command names the others.
func (e *evaluation) commands(r *Request, after map[int]cluster.Node, connection []string) {
	if len(e.Changed) == 0 {
		return
	}
	kubectl := func(verb string, nodes, more []string) string {
		words := slices.Concat([]string{"kubectl"}, connection, strings.Fields(verb), nodes, more)
		return say.CommandLine(words...)
	}
	var nodes []string
	switch {
	case len(e.Refused) > 0:
		nodes = e.Changed
	case r.All:
		nodes = []string{"--all"}
	case r.Selector != "":
		nodes = []string{"-l", r.Selector}
	default:
		nodes = r.names
	}
	if opposite, ok := map[string]string{"cordon": "uncordon", "uncordon": "cordon"}[r.Verb]; ok {
		e.Command, e.Undo = kubectl(r.Verb, nodes, nil), []string{kubectl(opposite, e.Changed, nil)}
		return
	}
	var flags []string
	if r.Overwrite {
		flags = []string{"--overwrite"}
	}
	e.Command = kubectl("taint nodes", nodes, slices.Concat(r.specs, flags))
	back := make(map[string][]string) // nodes by the changes that restore their taints
	for _, name := range e.Changed {
		i := e.before.NodeAt[name]
		specs := taints.Reconcile(after[i].Own, after[i].Own, e.before.Nodes[i].Own).String()
		back[specs] = append(back[specs], name)
	}
	for _, specs := range say.SortedKeys(back) {
		e.Undo = append(e.Undo, kubectl("taint nodes", back[specs], slices.Concat(strings.Fields(specs), flags)))
	}
}
