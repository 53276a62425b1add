// SPDX-License-Identifier: Apache-2.0

package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/lists"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/diagnosis"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/fix"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/why"
)

// checkFixes checks that no command of the report does harm. Then it does what the report
// says, in each way that it offers, as a user would, and reports again: the pods are
// schedulable, no toleration is lost, and no command is there again.
func checkFixes(t *testing.T, stdin string, args ...string) {
	t.Helper()
	s, args := readStore(stdin, args)
	if code, _, stderr := runOn(strings.NewReader(s.String()), args...); len(s) == 0 || code != 0 || stderr != "" {
		return // the input is a mistake
	}
	if args[0] == "preview" {
		checkPreviewSafe(t, s, args)
		return
	}
	r := mustReport(t, s.String(), args...)
	checkSafe(t, s, &r)
	server := newAPIServer(t)
	for _, x := range slices.Concat(r.Pending, r.DaemonSets) {
		for i, steps := range waysOf(x.Fix) {
			server.store = s.clone()
			w := &attempt{apiServer: server, t: t, x: x}
			w.find()
			w.try(steps)
			w.check(mustReport(t, w.store.String(), args...), i == 0)
		}
	}
	for _, step := range r.WaysOut {
		server.store = s.clone()
		w := &attempt{apiServer: server, t: t, x: new(diagnosis.Pending)}
		w.x.Placement = new(why.Placement)
		w.try([]fix.Step{step})
		if code, _, stderr := runOn(strings.NewReader(w.store.String()), args...); code == 0 {
			w.check(mustReport(t, w.store.String(), args...), false)
		} else if !strings.Contains(stderr, " not found") && !strings.Contains(stderr, "no Kubernetes objects") { // the pod, or all, is gone
			t.Errorf("after %s: %s", step.Command, stderr)
		}
	}
}

// waysOf returns the lists of steps that help. The first has all steps that are not in
// place of others, the next have one of those that are enough, or one that is in place
// of others.
func waysOf(steps []fix.Step) (ways [][]fix.Step) {
	var parts [][]fix.Step // a step, and what is to be done after it
	for _, s := range steps {
		if s.Relation == "also" {
			parts[len(parts)-1] = append(parts[len(parts)-1], s)
		} else {
			parts = append(parts, []fix.Step{s})
		}
	}
	add := func(leaves func(i int, relation string) bool) {
		var way []fix.Step
		for i, part := range parts {
			if !leaves(i, string(part[0].Relation)) {
				way = append(way, part...)
			}
		}
		ways = append(ways, way)
	}
	add(func(_ int, relation string) bool { return relation == "instead" })
	for i, part := range parts {
		switch part[0].Relation {
		case "enough":
			add(func(k int, relation string) bool { return relation == "instead" || relation == "enough" && k != i })
		case "instead":
			replaced := make(map[int]bool)
			for k := i - 1; len(replaced) < part[0].Replaces; k-- {
				if parts[k][0].Relation != "instead" {
					replaced[k] = true
				}
			}
			add(func(k int, relation string) bool { return replaced[k] || k != i && relation == "instead" })
		}
	}
	return ways
}

// An attempt is one of the ways to help a set of equal pods.
type attempt struct {
	*apiServer
	t *testing.T
	x *diagnosis.Pending

	nodes     []string
	workload  *unstructured.Unstructured
	isInInput bool     // the workload
	isNew     bool     // the pods are made of the template
	hasEnded  bool     // taints of states went away
	isOpen    bool     // it is not said that this is enough
	ran       []string // what the commands change
}

// find finds the nodes, and the template of the pods.
func (w *attempt) find() {
	x := w.x
	for _, o := range w.store {
		if o.GetKind() == "Node" {
			w.nodes = append(w.nodes, o.GetName())
		}
	}
	kind, name := x.Owner.Template()
	if w.workload = w.object(kind, x.Namespace, name); w.workload != nil {
		w.isInInput = true
		return
	}
	w.workload = &unstructured.Unstructured{Object: map[string]any{"kind": kind, "spec": map[string]any{"template": map[string]any{"spec": map[string]any{}}}}}
	given := w.admitted(nil)
	setTolerations(w.workload, slices.DeleteFunc(slices.Clone(x.Tolerations), func(t taints.Toleration) bool {
		return cluster.IsDefault(t) || slices.ContainsFunc(given, t.Equal)
	}))
}

// admitted returns the tolerations of new pods, with those that the DaemonSet controller and
// admission add to those of the template. Of resources, these are some that the pods have.
func (w *attempt) admitted(list []taints.Toleration) []taints.Toleration {
	if w.x.Owner.Kind == "DaemonSet" {
		list = taints.AddDaemonSetTolerations(list, taints.DaemonSetPod{HostNetwork: true})
	}
	keys := lists.Each(w.x.Tolerations, func(t taints.Toleration) string { return t.Key })
	return taints.AddDefaultTolerations(taints.AddExtendedResourceTolerations(list, keys...), taints.DefaultTolerationSeconds{})
}

// Steps after which the taints of nodes' states go away, those after which what has set
// them also ends the cordon, or there are new nodes, and those that say no way.
var (
	endsStates = regexp.MustCompile(`^(repair|wait|look at|find out (who has|why \S+ (\S+ is|has))) |being removed|only the pod that EKS made|, uncordon (it|them)$`)
	endsCordon = regexp.MustCompile(`^(wait until|find out (who|why \S+) has) |being removed|^look at the (log of|events|MachineConfigPool)|uncordon (it|them)( alone|$)|not gone`)
	isNoWay    = regexp.MustCompile(`^(ask who|choose) |add other nodes|nodeName|by required node affinity|undoes a change|would undo a change`)
	isInWords  = regexp.MustCompile(` in (the pod template of|the manifest)`)
)

// try does the steps.
func (w *attempt) try(steps []fix.Step) {
	w.t.Helper()
	w.isOpen = len(steps) == 0
	for _, s := range steps {
		w.ran = append(w.ran, changesOf(w.t, s.Command)...)
		commands := lists.Each(strings.Split(s.Command, " || "), func(command string) []string { return shellWords(w.t, command) })
		if s.Command != "" && !slices.ContainsFunc(commands, func(words []string) bool { return w.run(s, words) }) {
			w.t.Errorf("%s fails", s.Command)
		}
		for _, other := range w.others() {
			works := func(words []string) bool { return patched(w.t, words[len(words)-1], w.workload, other) != nil }
			if len(commands) > 1 && !slices.ContainsFunc(commands, works) {
				w.t.Errorf("%s fails for a template with %v", s.Command, other)
			}
		}
		w.isOpen = w.isOpen || isNoWay.MatchString(s.Text)
		w.isNew = w.isNew || strings.HasPrefix(s.Text, "lower the partition ") || strings.HasPrefix(s.Text, "roll out ")
		if endsStates.MatchString(s.Text) {
			w.endStates(s)
		}
		if isInWords.MatchString(s.Text) {
			w.write(s)
		}
	}
	for _, name := range w.x.Pods {
		if p := w.object("Pod", w.x.Namespace, name); p != nil && w.isNew {
			setTolerations(p, w.admitted(tolerationsOf(w.workload)))
		}
	}
}

var addsToleration = regexp.MustCompile(`add toleration (\S+?(?: op=\w+)?(?: for \d+s)?)(?:, | and | in |$)`)

// write adds the tolerations that are said in words.
func (w *attempt) write(s fix.Step) {
	o := w.workload
	if w.isNew = !strings.HasSuffix(s.Text, " in the manifest"); !w.isNew {
		o = w.object("Pod", w.x.Namespace, w.x.Pods[0])
	}
	if x := w.x; x.Change != nil && len(x.Change.Entries) > 0 {
		setTolerations(o, x.Change.Tolerations)
	}
	list := tolerationsOf(o)
	for _, m := range addsToleration.FindAllStringSubmatch(s.Text, -1) {
		list = append(list, tol(m[1]))
	}
	setTolerations(o, list)
}

// endStates removes the taints of states from the nodes that the step names.
func (w *attempt) endStates(s fix.Step) {
	var states []taints.Taint
	if w.x.Change != nil {
		states = slices.Clone(w.x.Change.NodeTaints)
	}
	for _, a := range w.x.Alternatives {
		states = append(states, a.NodeTaints...)
	}
	for _, r := range w.x.Rejections {
		if strings.Contains(s.Text, r.Taint.String()) {
			states = append(states, r.Taint)
		}
	}
	w.hasEnded = true
	words := regexp.MustCompile(`[\w.-]*\w`).FindAllString(s.Text+" "+s.Command, -1)
	for _, name := range w.nodes {
		o := w.object("Node", "", name)
		if !slices.Contains(words, name) && !strings.Contains(s.Text, " more") {
			continue
		}
		n := nodeOf(w.t, o)
		ends := endsCordon.MatchString(s.Text)
		n.Spec.Taints = slices.DeleteFunc(n.Spec.Taints, func(t corev1.Taint) bool {
			isState := slices.ContainsFunc(states, func(s taints.Taint) bool { return s.Key == t.Key && string(s.Effect) == string(t.Effect) })
			return isState && (t.Key != taints.NodeUnschedulable || ends)
		})
		if n.Spec.Unschedulable = n.Spec.Unschedulable && !ends; n.Status.Conditions != nil {
			_ = unstructured.SetNestedField(o.Object, []any{map[string]any{"type": "Ready", "status": "True"}}, "status", "conditions")
		}
		unstructured.RemoveNestedField(o.Object, "metadata", "deletionTimestamp")
		if !n.Spec.Unschedulable { // Kubernetes removes the taint of a cordon that is not there
			n.Spec.Taints = withoutCordon(n.Spec.Taints)
		}
		writeNode(o, &n)
	}
}

// run runs the command, for all pods or nodes if it names the first of them, and reports
// whether it works. What it does to nodes is kubectl's own code.
func (w *attempt) run(s fix.Step, words []string) bool {
	w.t.Helper()
	namespace, args := withoutFlags(words)
	isForFirst := strings.Contains(s.For, "first")
	switch args[0] {
	case "uncordon", "taint":
		if isForFirst && args[0] == "uncordon" {
			args = append([]string{"uncordon"}, w.nodes...)
		}
		if code, stderr := w.kubectl(args...); code != 0 && !(w.hasEnded && strings.Contains(stderr, " not found")) {
			w.t.Errorf("%s: %s", args, stderr)
		}
	case "rollout":
		if w.isNew = w.isInInput; args[1] == "resume" {
			_ = unstructured.SetNestedField(w.workload.Object, false, "spec", "paused")
		}
	case "delete": // the user waits for what it says
		if slices.Contains(args, "--force") || args[1] == "node" {
			w.remove(args[1], namespace, args[2:])
		}
		w.isNew = w.isNew || w.isInInput
	case "patch":
		kind, names, patch := args[1], []string{args[2]}, args[len(args)-1]
		if kind == "pod" && isForFirst {
			names = w.x.Pods
		}
		for _, name := range names {
			o := w.object(kind, namespace, name)
			if o == nil && kind != "pod" {
				o = w.workload
			}
			if o == nil {
				return false
			}
			for _, other := range w.others() { // of which it loses nothing
				patched(w.t, patch, o, other)
			}
			after := patched(w.t, patch, o, tolerationsOf(o))
			if after == nil {
				return false
			}
			setTolerations(o, after)
		}
		w.isNew = w.isNew || kind != "pod"
	}
	return true
}

// remove removes pods, or nodes with their pods.
func (w *attempt) remove(kind, namespace string, names []string) {
	w.store = slices.DeleteFunc(w.store, func(o *unstructured.Unstructured) bool {
		node, _, _ := unstructured.NestedString(o.Object, "spec", "nodeName")
		isThere := kind == "node" || o.GetNamespace() == "" || o.GetNamespace() == namespace
		return isThere && strings.EqualFold(o.GetKind(), kind) && slices.Contains(names, o.GetName()) || kind == "node" && slices.Contains(names, node)
	})
}

// others returns lists of tolerations that a template may have.
func (w *attempt) others() [][]taints.Toleration {
	return [][]taints.Toleration{nil, {tol("other op=Exists")}, w.x.Tolerations}
}

// check checks that the nodes that are promised accept the pods, by the report after the steps.
func (w *attempt) check(r diagnosis.Report, hasAll bool) {
	w.t.Helper()
	x, opened, isFound, isExact := w.x, 0, false, true
	var again []fix.Step
	for _, y := range slices.Concat(r.Pending, r.DaemonSets) {
		if y.Namespace != x.Namespace || y.Owner != x.Owner || !slices.ContainsFunc(y.Pods, func(name string) bool { return slices.Contains(x.Pods, name) }) {
			continue
		}
		isFound, opened = true, opened+y.Feasible
		if x.Kind != "kept-off" || x.Text == y.Text { // else these are other nodes
			again = append(again, y.Fix...)
		}
		isExact = isExact && len(y.Pods) <= len(x.Pods)
		if x.Kind == "kept-off" && y.Kind == x.Kind && y.Text == x.Text && !w.isOpen {
			w.t.Errorf("after %s: %s %s", w.ran, y.Owner.Name, y.Text)
		}
	}
	for _, s := range append(again, r.WaysOut...) {
		for _, change := range changesOf(w.t, s.Command) {
			if slices.Contains(w.ran, change) && !w.isOpen {
				w.t.Errorf("after %s, there is %s again: %s", w.ran, change, s.Text)
			}
		}
	}
	for _, y := range r.Evictions { // the steps of an attempt for no pods are ways out of Terminating
		isNamed := func(change string) bool {
			return slices.Contains(strings.Fields(change), y.Node) || strings.HasSuffix(y.Pod, "/"+strings.TrimPrefix(change, "delete pod "))
		}
		if y.Hangs && x.Pods == nil && slices.ContainsFunc(w.ran, isNamed) {
			w.t.Errorf("after %s, pod %s hangs", w.ran, y.Pod)
		}
	}
	if w.isOpen || x.Pods == nil || x.Matching == 0 || x.Kind == "kept-off" {
		return
	}
	isForTemplate := func(note string) bool { return strings.HasSuffix(note, "; the advice is for the template") }
	isPromised := x.Change != nil && x.AlternativesTotal == 0 && x.Kind != "invalid-toleration" && !slices.ContainsFunc(x.Notes, isForTemplate)
	if !isFound || opened == 0 || hasAll && isExact && isPromised && opened != x.Feasible+x.Change.Opens {
		w.t.Errorf("%s: after %+v %d nodes accept the pods: %s", x.Pods, x.Fix, opened, w.store)
	}
}

// changesOf returns what the command changes, each with the verb.
func changesOf(t *testing.T, command string) []string {
	t.Helper()
	if command == "" {
		return nil
	}
	_, args := withoutFlags(shellWords(t, command))
	switch last := len(args) - 1; args[0] {
	case "patch", "delete":
		return []string{strings.Join(args[:3], " ")}
	case "taint":
		return lists.Each(args[2:last], func(name string) string { return "taint " + name + " " + args[last] })
	case "uncordon":
		return lists.Each(args[1:], func(name string) string { return "uncordon " + name })
	}
	return nil
}
