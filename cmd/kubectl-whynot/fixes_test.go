// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"maps"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/manifest"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/diagnosis"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/fix"
)

// checkFixes applies every fix for the input, as a user would, to what the
// commands change. The pods are then schedulable, and no toleration is lost.
func checkFixes(t *testing.T, input string, args ...string) {
	t.Helper()
	r := mustReport(t, input, args...)
	c := cluster.New(cluster.Filter{})
	if err := manifest.Read("input", strings.NewReader(input), c.Decode); err != nil {
		t.Fatal(err)
	}
	c.Finish()
	for _, x := range r.Pending {
		w := &world{nodes: make(map[string][]taints.Taint), pods: make(map[string][]taints.Toleration)}
		p := c.PodNamed[cluster.PodName{Namespace: x.Namespace, Name: x.Pods[0]}]
		for _, name := range x.Pods {
			w.pods[name] = x.Tolerations
			for _, s := range c.Choose(c.PodNamed[cluster.PodName{Namespace: x.Namespace, Name: name}].Profile) {
				for _, n := range s.Nodes {
					w.nodes[c.Nodes[n].Name] = slices.Clone(c.Nodes[n].Taints)
				}
			}
		}
		w.template, w.given = templateOf(x)
		if o := c.Workloads[p.OwnerName()]; o != nil {
			w.template, w.given = o.Tolerations, slices.Concat(o.Effective, w.given)
			w.isRolledOut = true
		}
		w.fix(t, x)
		if list := w.tolerations(x, p.Template); list != nil {
			w.check(t, x, list)
		}
	}
}

// A world is what the commands change: the nodes that match a set of equal pods,
// these pods, and the tolerations of their template and of those whose names
// Kubernetes gives to them.
type world struct {
	nodes           map[string][]taints.Taint
	pods            map[string][]taints.Toleration
	template, given []taints.Toleration
	isPatched       bool // the template
	isRolledOut     bool // the input has the template, which may be newer than the pods
}

// templateOf returns the tolerations of the template, and those that admission
// and the DaemonSet controller have added to the pod.
func templateOf(x *diagnosis.Pending) (own, given []taints.Toleration) {
	daemon := taints.AddDaemonSetTolerations(nil, taints.DaemonSetPod{HostNetwork: true})
	isDefault := false // or after it
	for _, t := range x.Tolerations {
		isDefault = isDefault || (t.Key == taints.NodeNotReady || t.Key == taints.NodeUnreachable) && t.TolerationSeconds != nil
		if isDefault || x.Owner.Kind == "DaemonSet" && slices.ContainsFunc(daemon, t.Equal) {
			given = append(given, t)
		} else {
			own = append(own, t)
		}
	}
	return own, given
}

// fix runs the steps.
func (w *world) fix(t *testing.T, x *diagnosis.Pending) {
	t.Helper()
	var states []taints.Taint
	switch {
	case x.Change != nil:
		states = x.Change.NodeTaints
	case x.AlternativesTotal == 1:
		states = x.Alternatives[0].NodeTaints
	}
	for _, s := range x.Fix {
		if s.Command != "" {
			w.run(t, x, s)
		}
		w.isPatched = w.isPatched || strings.HasPrefix(s.Text, "lower the partition ") || strings.HasPrefix(s.Text, "roll out ")
		if strings.HasPrefix(s.Text, "or ") {
			w.check(t, x, w.pods[x.Pods[0]])
		}
		if endsStates.MatchString(s.Text) {
			for name, list := range w.nodes {
				w.nodes[name] = slices.DeleteFunc(list, func(t taints.Taint) bool {
					return (t.Key != taints.NodeUnschedulable || endsCordon.MatchString(s.Text)) &&
						slices.ContainsFunc(states, func(n taints.Taint) bool { return n.ID() == t.ID() })
				})
			}
		}
	}
}

// The steps after which the taints of nodes' states go away, and those after which
// what has set them also ends the cordon, or there are new nodes.
var (
	endsStates = regexp.MustCompile(`^(repair|wait|look at|find out who has) |being removed|only the pod that EKS made`)
	endsCordon = regexp.MustCompile(`^(wait until|find out who has) |being removed|^look at the (log of|events)|to uncordon (it|them) alone`)
)

// isQuestion reports whether the step is to find out what a taint is for.
func isQuestion(s fix.Step) bool { return strings.HasPrefix(s.Text, "ask who set ") }

// tolerations returns the tolerations of the pod after the steps, or nil if there
// is no fix.
func (w *world) tolerations(x *diagnosis.Pending, isTemplate bool) []taints.Toleration {
	only := x.AlternativesTotal == 1
	switch {
	case len(x.Fix) == 0 || x.AlternativesTotal > 1 || x.Matching == 0 || slices.ContainsFunc(x.Fix, isQuestion):
		return nil
	case isTemplate && x.Change != nil:
		return x.Change.Tolerations
	case isTemplate && only:
		list := slices.Concat(x.Tolerations, x.Alternatives[0].Additions)
		for _, e := range x.Alternatives[0].Corrections {
			list = append(list, e.Toleration)
		}
		return list
	case w.isPatched:
		return slices.Concat([]taints.Toleration{}, w.template, w.given)
	}
	return append([]taints.Toleration{}, w.pods[x.Pods[0]]...)
}

// check checks that the nodes that are promised accept the tolerations.
func (w *world) check(t *testing.T, x *diagnosis.Pending, list []taints.Toleration) {
	t.Helper()
	opened := 0
	for _, n := range w.nodes {
		if taints.Filter(n, list).Schedulable() {
			opened++
		}
	}
	isForTemplate := func(note string) bool { return strings.HasSuffix(note, "; the advice is for the template") }
	hasChange := x.Change != nil && x.Kind != "invalid-toleration" && !slices.ContainsFunc(x.Notes, isForTemplate)
	if opened == 0 || hasChange && opened != x.Feasible+x.Change.Opens {
		t.Errorf("%s: after %+v with %v %d nodes accept the pod: %v", x.Pods, x.Fix, list, opened, w.nodes)
	}
	if hasChange && taints.ValidateTolerations(x.Change.Tolerations) != nil {
		t.Errorf("%s: %v is invalid", x.Pods, x.Change.Tolerations)
	}
}

// run runs the command of the step, of "a || b" the first that works.
func (w *world) run(t *testing.T, x *diagnosis.Pending, s fix.Step) {
	t.Helper()
	before := w.template
	first, second, isEither := strings.Cut(s.Command, " || ")
	w.runOne(t, x, s, shellWords(t, first))
	if isEither && w.template == nil {
		w.template = before
		w.runOne(t, x, s, shellWords(t, second))
	}
	for _, other := range [][]taints.Toleration{nil, {tol("other op=Exists")}, x.Tolerations} {
		if isEither && patched(t, patchIn(t, first), other) == nil && patched(t, patchIn(t, second), other) == nil {
			t.Errorf("%s fails for a template with %v", s.Command, other)
		}
	}
}

// patchIn returns the patch of the command.
func patchIn(t *testing.T, command string) string {
	words := shellWords(t, command)
	return words[len(words)-1]
}

func (w *world) runOne(t *testing.T, x *diagnosis.Pending, s fix.Step, words []string) {
	t.Helper()
	for i := 1; i < len(words); i++ {
		switch args := words[i+1:]; words[i] {
		case "uncordon":
			if strings.Contains(s.For, "first") { // the user goes on with the other nodes
				args = slices.Collect(maps.Keys(w.nodes))
			}
			for _, name := range args {
				w.nodes[name] = slices.DeleteFunc(w.nodes[name], func(t taints.Taint) bool { return t.Key == taints.NodeUnschedulable })
			}
			return
		case "taint": // which the preview does not call a change for seconds
			specs := args[len(args)-1:]
			gone := taints.Must(taints.ParseChanges(specs...))
			for _, name := range args[1 : len(args)-1] {
				w.nodes[name], _ = gone.Apply(w.nodes[name])
			}
			return
		case "rollout", "delete": // the user waits for what it says
			w.isPatched = w.isPatched || w.isRolledOut
			return
		case "patch":
			kind, name, patch := args[0], args[1], args[len(args)-1]
			if kind == "pod" {
				w.pods[name] = patched(t, patch, w.pods[name])
				return
			}
			for _, other := range [][]taints.Toleration{nil, {tol("other op=Exists")}, x.Tolerations} {
				patched(t, patch, other)
			}
			w.template, w.isPatched = patched(t, patch, w.template), true
			return
		}
	}
}

// listPath is the path of the tolerations in a pod or a template.
var listPath = regexp.MustCompile(`"(/[a-zA-Z]+)+/tolerations`)

// patched returns the tolerations after the JSON patch. The patch fails, or it
// loses none of them except those that it names. It must not fail for the list
// that it was made for.
func patched(t *testing.T, text string, list []taints.Toleration) []taints.Toleration {
	t.Helper()
	patch, err := jsonpatch.DecodePatch([]byte(listPath.ReplaceAllString(text, `"/tolerations`)))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	type object struct {
		Tolerations []taints.Toleration `json:"tolerations,omitempty"`
	}
	out, err := patch.Apply([]byte(mustJSON(object{list})))
	if err != nil {
		return nil
	}
	var after object
	if err := json.Unmarshal(out, &after); err != nil {
		t.Fatal(err)
	}
	for _, lost := range list {
		isNamed := func(o jsonpatch.Operation) bool {
			var named taints.Toleration
			raw := o["value"]
			return o.Kind() == "test" && raw != nil && json.Unmarshal(*raw, &named) == nil && named.Equal(lost)
		}
		if !slices.ContainsFunc(after.Tolerations, lost.Equal) && !slices.ContainsFunc(patch, isNamed) {
			t.Errorf("%s: the toleration %s of %v is lost", text, lost, list)
		}
	}
	return after.Tolerations
}

// shellWords splits a command as a shell does.
func shellWords(t *testing.T, command string) []string {
	t.Helper()
	out, err := exec.Command("sh", "-c", `printf '%s\000' `+command).Output()
	if err != nil {
		t.Skipf("there is no shell: %v", err)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}
