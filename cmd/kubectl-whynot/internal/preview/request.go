// SPDX-License-Identifier: Apache-2.0

// Package preview says what "kubectl taint", "kubectl cordon" and "kubectl
// uncordon" would do.
package preview

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
)

// A Request is a command line of kubectl.
type Request struct {
	Verb           string // taint, cordon or uncordon
	Selector       string // of nodes
	All, Overwrite bool

	names, specs []string // of nodes, and of changes to their taints
	labels       labels.Selector
	changes      taints.Changes
}

// Parse parses the arguments after the verb as kubectl does. The flags are set.
func (r *Request) Parse(args []string) (err error) {
	switch {
	case r.Verb == "taint":
		if args, err = r.parseTaint(args); err != nil {
			return err
		}
	case len(args) == 0 && r.Selector == "":
		return fmt.Errorf("no node is given; want names of nodes, as in %s worker-1, or -l", r.Verb)
	case len(args) > 0 && r.Selector != "":
		return errors.New("cannot specify both a node name and a --selector option")
	}
	if r.labels, err = labels.Parse(r.Selector); err != nil {
		return fmt.Errorf("-l: %w", err)
	}
	for _, name := range args {
		if kind, rest, ok := strings.Cut(name, "/"); ok && isNodes(kind) {
			name = rest
		}
		r.names = append(r.names, name)
	}
	return nil
}

// isNodes reports whether kubectl takes the word for the resource of nodes.
func isNodes(s string) bool {
	return slices.Contains([]string{"node", "nodes", "no"}, strings.ToLower(s))
}

// parseTaint returns the names of nodes.
func (r *Request) parseTaint(args []string) (names []string, err error) {
	isSpec := func(s string) bool { return strings.ContainsAny(s, "=:") || strings.HasSuffix(s, "-") }
	at := slices.IndexFunc(args, isSpec)
	if at < 0 {
		at = len(args)
	}
	names, r.specs = args[:at], args[at:]
	for _, s := range r.specs {
		if !isSpec(s) {
			return nil, fmt.Errorf("all resources must be specified before taint changes: %s", s)
		}
	}
	switch {
	case len(names) == 0:
		return nil, errors.New("one or more resources must be specified as <resource> <name>, such as nodes worker-1")
	case len(r.specs) == 0:
		return nil, errors.New("at least one taint update is required, such as maintenance:NoExecute or maintenance-")
	}
	if r.changes, err = taints.ParseChanges(r.specs...); err != nil {
		return nil, err
	}
	conflict := r.changes.Validate()
	switch {
	case !isNodes(names[0]):
		return nil, fmt.Errorf("invalid resource type %s, only node types are supported; want nodes", names[0])
	case errors.Is(conflict, taints.ErrInvalid):
		return nil, fmt.Errorf("can not both modify and remove a taint in the same command: %w", conflict)
	case r.All && r.Selector != "":
		return nil, errors.New("setting 'all' parameter with a non empty selector is prohibited")
	case !r.All && r.Selector == "" && len(names) < 2:
		return nil, errors.New("at least one resource name must be specified since 'all' parameter is not set")
	}
	return names[1:], nil
}

// A Refusal is a node that kubectl does not change, with its error.
type Refusal struct {
	Node  string `json:"node"`
	Error string `json:"error"`
}

// Refusal returns the errors of kubectl, or nil if there are none.
func (r *Report) Refusal() error {
	if len(r.Refused) == 0 {
		return nil
	}
	words := say.Each(r.Refused, func(x Refusal) string { return x.Error })
	return errors.New(strings.Join(say.FirstOf(words, 5), "; "))
}

// run returns what the nodes become, at the time. It sets the nodes that do not
// change. As in kubectl, "taint" continues after a refusal, and "cordon" does
// nothing if it does not find a node.
func (r *Request) run(c *cluster.Cluster, now time.Time, report *Report) map[int]cluster.NodeChange {
	after := make(map[int]cluster.NodeChange)
	for _, i := range r.nodes(c, report) {
		n := &c.Nodes[i]
		is, seen := after[i]
		if !seen {
			is = cluster.NodeChange{Own: n.Own, Cordoned: n.Cordoned}
		}
		next, err := r.apply(is, now)
		switch {
		case err != nil:
			report.Refused = append(report.Refused, Refusal{n.Name, "node " + n.Name + err.Error()})
		case next.Cordoned != n.Cordoned || cluster.TextOf(next.Own) != cluster.TextOf(n.Own):
			after[i] = next
		case !slices.Contains(report.Unchanged, n.Name):
			report.Unchanged = append(report.Unchanged, n.Name)
		}
	}
	return after
}

// nodes returns the nodes that are selected, and refuses those that do not exist.
// kubectl ignores names beside a selector or --all.
func (r *Request) nodes(c *cluster.Cluster, report *Report) (nodes []int) {
	if r.All || r.Selector != "" {
		for i := range c.Nodes {
			if r.All || r.labels.Matches(labels.Set(c.Nodes[i].Labels)) {
				nodes = append(nodes, i)
			}
		}
		return nodes
	}
	for _, name := range r.names {
		if i, ok := c.NodeAt[name]; ok {
			nodes = append(nodes, i)
		} else {
			report.Refused = append(report.Refused, Refusal{name, fmt.Sprintf("nodes %q not found", name)})
		}
	}
	if r.Verb != "taint" && len(report.Refused) > 0 {
		return nil
	}
	return nodes
}

// apply returns what a node becomes. An error continues a text about the node.
func (r *Request) apply(is cluster.NodeChange, now time.Time) (cluster.NodeChange, error) {
	switch {
	case r.Verb == "cordon":
		is.Cordoned = true
		return is, nil
	case r.Verb == "uncordon" && !is.Cordoned:
		return is, nil
	case r.Verb == "uncordon": // the node lifecycle controller then removes its taint
		isCordon := func(t taints.Taint) bool { return t.Key == taints.NodeUnschedulable && t.Effect == taints.NoSchedule }
		return cluster.NodeChange{Own: slices.DeleteFunc(slices.Clone(is.Own), isCordon)}, nil
	}
	add := taints.Changes{Add: slices.Clone(r.changes.Add)}
	var present, absent []string
	for i, t := range add.Add {
		add.Add[i].TimeAdded = &now
		if _, found := taints.FindTaint(is.Own, t.ID()); found {
			present = append(present, t.Key)
		}
	}
	own, err := add.ApplyStrict(is.Own, r.Overwrite)
	if err != nil {
		return is, fmt.Errorf(" already has %s taint(s) with same effect(s) and --overwrite is false", strings.Join(present, ","))
	}
	for _, spec := range r.removals() { // each finds what the earlier ones left
		next, err := taints.Must(taints.ParseChanges(spec)).ApplyStrict(own, false)
		if err != nil {
			absent = append(absent, fmt.Sprintf("taint %q not found", strings.TrimSuffix(spec, "-")))
			continue
		}
		own = next
	}
	if len(absent) > 0 {
		return is, errors.New(": " + strings.Join(absent, ", "))
	}
	is.Own = own
	return is, nil
}

// removals returns the specs that remove taints.
func (r *Request) removals() []string {
	return slices.DeleteFunc(slices.Clone(r.specs), func(s string) bool { return !strings.HasSuffix(s, "-") })
}
