// SPDX-License-Identifier: Apache-2.0

// Package preview says what kubectl's taint, cordon, uncordon and drain would do.
package preview

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/drain"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/eviction"
)

// A Request is a command line of kubectl.
type Request struct {
	Verb           string // taint, cordon, uncordon or drain
	Selector       string // of nodes
	All, Overwrite bool
	Drain          *drain.Drain
	Flags          []string // of drain, as they are given

	names, specs []string // of nodes, and of changes to their taints
	labels       labels.Selector
}

// Parse parses the arguments after the verb as kubectl does. The flags are set.
func (r *Request) Parse(args []string) (err error) {
	if r.labels, err = labels.Parse(r.Selector); err != nil {
		return fmt.Errorf("-l: %w", err)
	}
	switch _, err := labels.Parse(r.Drain.Flags.Lookup("pod-selector").Value.String()); {
	case err != nil:
		return errors.New("--pod-selector=<pod_selector> must be a valid label selector")
	case r.Verb == "taint":
		return r.parseTaint(args)
	case len(args) == 0 && strings.TrimSpace(r.Selector) == "":
		return fmt.Errorf("no node is given; want names of nodes, as in %s worker-1, or -l", r.Verb)
	case len(args) > 0 && r.Selector != "":
		return errors.New("cannot specify both a node name and a --selector option")
	}
	r.names, err = namesOf(args)
	return err
}

// namesOf returns the names of nodes in kubectl's forms, such as a1 and nodes/a1. The
// name of a pod stays as it is: kubectl finds no node there, and goes on.
func namesOf(args []string) (names []string, err error) {
	for _, arg := range args {
		resource, name, isPath := strings.Cut(arg, "/")
		switch {
		case isPath && strings.Contains(name, "/"):
			return nil, errors.New("arguments in resource/name form may not have more than one slash")
		case isPath && (resource == "" || name == ""):
			return nil, errors.New("arguments in resource/name form must have a single resource and name")
		case !isPath, slices.Contains([]string{"pod", "pods", "po"}, resource):
			name = arg
		case !nodes.MatchString(resource):
			return nil, fmt.Errorf("invalid resource type %s, only node types are supported; want nodes", resource)
		}
		names = append(names, name)
	}
	return names, nil
}

// nodes matches the names that kubectl has for the resource, some in any letter case.
var nodes = regexp.MustCompile(`^((?i:nodes?)|no)(\.v1\.)?$`)

func (r *Request) parseTaint(args []string) error {
	isSpec := func(s string) bool { return strings.ContainsAny(s, "=:") || strings.HasSuffix(s, "-") }
	at := slices.IndexFunc(args, isSpec)
	switch {
	case at < 0:
		return errors.New("at least one taint update is required, such as maintenance:NoExecute or maintenance-")
	case at == 0:
		return errors.New("one or more resources must be specified as <resource> <name>, such as nodes worker-1")
	}
	resource, _, _ := strings.Cut(strings.ToLower(args[0]), ".") // kubectl ignores a group
	names := args[1:at]
	r.specs = args[at:]
	if i := slices.IndexFunc(r.specs, func(s string) bool { return !isSpec(s) }); i >= 0 {
		return fmt.Errorf("all resources must be specified before taint changes: %s", r.specs[i])
	}
	changes, err := taints.ParseChanges(r.specs...)
	if all, ok := errors.AsType[taints.ErrorList](err); ok {
		return fmt.Errorf("%w%s", err, say.Meant(*all[0]))
	}
	conflict := changes.Validate()
	switch {
	case !nodes.MatchString(resource):
		return fmt.Errorf("invalid resource type %s, only node types are supported; want nodes", args[0])
	case errors.Is(conflict, taints.ErrInvalid):
		return fmt.Errorf("can not both modify and remove a taint in the same command: %w", conflict)
	case r.All && r.Selector != "":
		return errors.New("setting 'all' parameter with a non empty selector is prohibited")
	case r.All || strings.TrimSpace(r.Selector) != "": // kubectl ignores names
		return nil
	case len(names) == 0 || r.Selector != "":
		return errors.New("at least one resource name must be specified since 'all' parameter is not set")
	}
	r.names, err = namesOf(names)
	return err
}

// run returns what the nodes become, at the time, and sets their names and those
// that do not change. As in kubectl, "taint" continues after a refusal, and
// "cordon" does nothing if it does not find a node.
func (r *Request) run(c *cluster.Cluster, now time.Time, report *Report) map[int]cluster.Node {
	times := make(map[string]int) // of each name
	for _, name := range r.names {
		times[name]++
		if _, ok := c.NodeAt[name]; !ok {
			report.Refused[name] = fmt.Sprintf("nodes %q not found", name)
		}
	}
	if r.Verb != "taint" && len(report.Refused) > 0 {
		return nil
	}
	after := make(map[int]cluster.Node)
	for i, n := range c.Nodes {
		if len(r.names) == 0 && r.labels.Matches(labels.Set(n.Labels)) {
			times[n.Name] = 1
		}
		next, err := n, error(nil)
		for k := 0; k < times[n.Name] && err == nil; k++ {
			next, err = r.apply(next, now)
		}
		if err != nil {
			report.Refused[n.Name] = fmt.Sprintf("node %s: %v", n.Name, err)
		}
		isSame := next.IsCordoned == n.IsCordoned && cluster.TextOf(next.Own) == cluster.TextOf(n.Own)
		if !isSame || times[n.Name] > 0 && r.Verb == "drain" {
			after[i] = next
		}
		if isSame && times[n.Name] > 0 && err == nil {
			report.Unchanged = append(report.Unchanged, n.Name)
		}
	}
	return after
}

// apply returns what the node becomes.
func (r *Request) apply(n cluster.Node, now time.Time) (cluster.Node, error) {
	switch {
	case r.Verb == "cordon", r.Verb == "drain":
		n.IsCordoned = true
	case r.Verb == "uncordon" && n.IsCordoned: // the node lifecycle controller then removes its taint
		n.IsCordoned = false
		n.Own, _ = taints.Changes{Remove: []taints.TaintID{cluster.Cordon.ID()}}.Apply(n.Own)
	}
	own := n.Own
	var refused []string
	for _, spec := range r.specs { // each removal finds what the earlier ones left
		change := taints.Must(taints.ParseChanges(spec))
		for i := range change.Add {
			change.Add[i].TimeAdded = &now
		}
		next, err := change.ApplyStrict(own, r.Overwrite)
		switch {
		case err == nil:
			own = next
		case len(change.Add) > 0:
			refused = append(refused, fmt.Sprintf("taint %q already exists and --overwrite is false", change.Add[0].ID()))
		default:
			refused = append(refused, fmt.Sprintf("taint %q not found", strings.TrimSuffix(spec, "-")))
		}
	}
	if len(refused) > 0 {
		return n, errors.New(strings.Join(refused, ", "))
	}
	n.Own = own
	return n, nil
}

// maxNames limits the names of nodes in a command, unless the request names them.
const maxNames = 100

// verbs are the commands of the requests, and those that undo them.
var verbs = map[string][2]string{
	"taint": {"taint nodes", "taint nodes"}, "cordon": {"cordon", "uncordon"}, "uncordon": {"uncordon", "cordon"}, "drain": {"drain", "uncordon"},
}

// commands sets the commands. If kubectl refuses nodes, they name the others. What undoes
// the change of many nodes selects them as the request does, if exactly these nodes
// change. Otherwise it is more than one command.
func (e *evaluation) commands(r *Request, connection []string) {
	if len(e.changes) == len(e.Brief) {
		return
	}
	nodes := r.names
	switch isLong := len(r.names) == 0 && len(e.Changed) > maxNames; {
	case len(e.Refused) > 0 && r.Verb != "drain" && !isLong:
		nodes = e.Changed
	case r.All:
		nodes = []string{"--all"}
	case r.Selector != "":
		nodes = []string{"-l", r.Selector}
	}
	isExact := len(r.names) == 0 && len(e.Unchanged)+len(e.Refused)+len(e.Brief) == 0 && len(e.Changed) > maxNames
	kubectl := func(verb string, nodes, specs []string, overwrites bool) string {
		words := slices.Concat([]string{"kubectl"}, connection, strings.Fields(verb), nodes, specs)
		if overwrites {
			words = append(words, "--overwrite")
		}
		return say.CommandLine(words...)
	}
	does, undoes := verbs[r.Verb][0], verbs[r.Verb][1]
	e.Command = kubectl(does, nodes, slices.Concat(r.specs, r.Flags), r.Overwrite)
	restored, overwrites := map[string][]string{"": e.Changed}, false
	if r.Verb == "taint" {
		restored, overwrites = e.restored(), r.Overwrite || len(e.Undone) > 0 // Kubernetes may have other values
	}
	for _, specs := range slices.Sorted(maps.Keys(restored)) {
		names := slices.Collect(slices.Chunk(restored[specs], maxNames))
		if isExact && len(restored[specs]) == len(e.Changed) {
			names = [][]string{nodes}
		}
		for _, some := range names {
			e.Undo = append(e.Undo, kubectl(undoes, some, strings.Fields(specs), overwrites))
		}
	}
}

// restored returns the nodes by the changes that restore their taints.
func (e *evaluation) restored() map[string][]string {
	evicts, nodes := false, make(map[string][]string)
	for _, name := range e.Changed {
		i := e.before.NodeAt[name]
		old, own := &e.before.Nodes[i], e.after.Nodes[i].Own
		back := taints.Reconcile(own, own, old.Own)
		back.Add = slices.DeleteFunc(back.Add, func(t taints.Taint) bool { return slices.Contains(old.Stale, t.ID()) })
		if !back.IsZero() {
			nodes[back.String()] = append(nodes[back.String()], name)
		}
		evicts = evicts || eviction.HasNoExecute(back.Add)
	}
	if evicts {
		e.Notes = append(e.Notes, "Undoing adds NoExecute taints, and evictions count from then: pods that do not tolerate them leave.")
	}
	return nodes
}
