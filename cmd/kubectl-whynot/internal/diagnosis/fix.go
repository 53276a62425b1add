// SPDX-License-Identifier: Apache-2.0

package diagnosis

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/visible"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/say"
)

// A Step is something for the user to do.
type Step struct {
	Text string `json:"text"`
	// Command does the step, or helps to find out more.
	Command string `json:"command,omitempty"`
	// Effect is what else the command does.
	Effect string `json:"effect,omitempty"`
	// For is what the command is for: for the first pods or nodes if the step is for
	// more, and for which cluster if the command does not name one.
	For string `json:"commandFor,omitempty"`

	pods    int    // that the command is for
	cluster string // that the command is for; empty: it says so
}

// covers sets what the command of the step is for.
func (s *Step) covers(some, all int, noun string) {
	s.For = s.cluster
	if some >= all {
		return
	}
	s.For = fmt.Sprintf("the first %d of %d %ss", some, all, noun)
	if some == 1 {
		s.For = fmt.Sprintf("the first of %d %ss", all, noun)
	}
	if s.cluster != "" {
		s.For += ", in " + s.cluster
	}
}

// Line returns the step as a sentence, which ends in a colon before a command.
func (s Step) Line() string {
	text, end := say.Sentence(s.Text), "."
	if s.Effect != "" {
		text += "; " + s.Effect
	}
	if s.For != "" {
		text += " (the command is for " + s.For + ")"
	}
	if s.Command != "" {
		end = ":"
	}
	return text + end
}

// steps returns the steps that apply the entries. The API server accepts
// additional tolerations for an existing pod, but no replacements, so most
// owners need a new template.
func (x *Pending) steps(condition string, entries []Entry) []Step {
	if len(entries) == 0 {
		return nil
	}
	kind, name := x.Owner.Template()
	who := kind + " " + name
	if x.First.Template {
		return []Step{{Text: condition + entriesText(entries) + " in the pod template of " + who}}
	}
	patch := x.patchPod(condition, "", entries)
	switch kind {
	case "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "ReplicationController":
		return x.templateSteps(condition, kind, name, entries)
	case "":
		return []Step{patch}
	case "CronJob":
		return []Step{patch, {Text: "change the pod template of " + who + " too, which made the Job"}}
	case "Job":
		if x.isInInput {
			return []Step{patch}
		}
		return []Step{patch, {Text: "if a CronJob made the Job, change its template too"}}
	}
	text := "change what " + who + " makes its pods from"
	if kind != x.Owner.Kind {
		text += ": it would undo a change of " + x.Owner.Kind + " " + x.Owner.Name
	}
	return []Step{patch, {Text: text}}
}

// templateSteps returns the steps for a new template, and those that restart no
// pod instead.
func (x *Pending) templateSteps(condition, kind, name string, entries []Entry) []Step {
	entries = slices.Clone(entries)
	if w := x.workload; w != nil {
		for i := range entries {
			if entries[i].at >= len(w.Tolerations) { // the template does not have it
				entries[i].Replaces = nil
			}
		}
	}
	patch := x.patch(condition+entriesText(entries), kind, name, entries)
	effect, restarts := x.effect(kind, name)
	patch.Effect = effect
	steps := []Step{patch}
	if kind != "Deployment" {
		steps = append(steps, x.deletion(kind))
	}
	if x.forPods != nil {
		entries = *x.forPods
	}
	if restarts && len(entries) > 0 {
		steps = append(steps, x.patchPod("or ", " to the pending pods alone, which restarts nothing", entries))
	}
	return steps
}

// deletion returns the step that deletes the pods.
func (x *Pending) deletion(kind string) Step {
	text := "delete pending pods, so that the " + kind + " makes new ones"
	if replaces := kind == "StatefulSet" || kind == "DaemonSet"; replaces && (x.workload == nil || !x.workload.OnDelete) {
		text = "delete pending pods that the " + kind + " does not replace"
	}
	names := x.Pods[:min(len(x.Pods), maxNames)]
	return x.step(text, len(names), slices.Concat([]string{"delete", "pod"}, names)...)
}

// effect says what a new template does to pods that run. It reports whether it
// restarts any, or will.
func (x *Pending) effect(kind, name string) (text string, restarts bool) {
	w, who := x.workload, kind+" "+x.Namespace+"/"+name
	pods := "the " + say.Count(x.running, "pod") + " of " + who + " that " + say.For(x.running, "runs", "run") + " now"
	if !x.question.areAll {
		pods = "all pods of " + who
	}
	switch {
	case kind == "ReplicaSet" || kind == "ReplicationController":
		return "", false
	case w != nil && w.OnDelete:
		return "this restarts no pod, as the updateStrategy is OnDelete", false
	case w != nil && w.Paused:
		return "this changes no pod yet, as the rollout is paused: to resume it restarts " + pods, true
	case x.running == 0 && x.question.areAll:
		return "", false
	case w != nil && w.Partition > 0:
		return fmt.Sprintf("this restarts the pods of %s from number %d, its partition; others keep the older template", who, w.Partition), true
	case w != nil:
		return "this restarts " + pods, true
	case kind == "Deployment":
		return "this restarts " + pods + ", unless its rollout is paused", true
	}
	return "this restarts " + pods + ", unless its updateStrategy is OnDelete", true
}

// rollout returns the step for pods that are older than the template that lets
// them in: to wait, or to remove what holds the rollout.
func (x *Pending) rollout(w *cluster.Workload) Step {
	resource, who := []string{strings.ToLower(w.Kind), w.Name}, w.Kind+" "+w.String()
	switch {
	case w.Paused:
		s := x.step("resume the rollout of "+who+", which is paused", len(x.Pods), append([]string{"rollout", "resume"}, resource...)...)
		if x.running > 0 {
			s.Effect = fmt.Sprintf("this restarts its %s that %s now", say.Count(x.running, "pod"), say.For(x.running, "runs", "run"))
		}
		return s
	case x.number(w) < w.Partition:
		return Step{Text: fmt.Sprintf("lower the partition of %s, which is %d: pods with a lower number keep the older template", who, w.Partition)}
	case w.Kind == "Deployment" || w.Kind == "DaemonSet" && !w.OnDelete:
		text := "wait for the rollout of " + who + ", which is on its way"
		if w.Stalled != "" {
			text = "find out why the rollout of " + who + " does not go on: " + strings.TrimSuffix(say.Shortened(w.Stalled), ".")
		}
		return x.step(text, len(x.Pods), append([]string{"rollout", "status"}, resource...)...)
	}
	return x.deletion(w.Kind)
}

func entriesText(entries []Entry) string {
	words := say.Each(entries, func(e Entry) string {
		switch {
		case e.Replaces == nil:
			return "add toleration " + visible.Toleration(e.Toleration)
		case e.Replaces.Validate() != nil: // its text may be that of a valid one
			fields, _ := json.Marshal(e.Toleration)
			return fmt.Sprintf("write tolerations[%d] as %s", e.at, fields)
		}
		return "replace toleration " + visible.Toleration(*e.Replaces) + " with " + visible.Toleration(e.Toleration)
	})
	return say.Joined(say.FirstOf(slices.Compact(words), 5))
}

// An operation is an operation of a JSON patch.
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value"`
}

// number returns the number of the first pod of a StatefulSet.
func (x *Pending) number(w *cluster.Workload) int {
	n, _ := strconv.Atoi(strings.TrimPrefix(x.Pods[0], w.Name+"-"))
	return n
}

// patch returns the step that applies the entries to a template. Tolerations that
// controllers and admission add to a pod come after those of its template.
func (x *Pending) patch(text, kind, name string, entries []Entry) Step {
	return x.patchOf(text, len(x.Pods), strings.ToLower(kind), name, "/spec/template/spec", entries, x.hasOwnTolerations)
}

// patchPod returns the step that adds the entries to an existing pod.
func (x *Pending) patchPod(before, after string, entries []Entry) Step {
	var list []Entry
	var words []string
	for _, e := range entries {
		if !slices.ContainsFunc(list, func(o Entry) bool { return o.Toleration.Equal(e.Toleration) }) {
			list, words = append(list, Entry{Toleration: e.Toleration}), append(words, visible.Toleration(e.Toleration))
		}
	}
	text := before + "add " + say.Noun(len(words), "toleration") + " " + say.Joined(say.FirstOf(words, 5)) + after
	return x.patchOf(text, 1, "pod", x.Pods[0], "/spec", list, len(x.First.Tolerations) > 0)
}

// patchOf returns the step of a patch. The patch tests that the list has the
// tolerations that it replaces. It appends to the list, or creates it unless it
// exists: the template may have what every pod gets by default.
func (x *Pending) patchOf(text string, pods int, resource, name, spec string, entries []Entry, exists bool) Step {
	path := spec + "/tolerations"
	var added []taints.Toleration
	var operations, appends []operation
	for _, e := range entries {
		if at := fmt.Sprintf("%s/%d", path, e.at); e.Replaces != nil {
			operations = append(operations, operation{"test", at, *e.Replaces}, operation{"replace", at, e.Toleration})
			continue
		}
		added, appends = append(added, e.Toleration), append(appends, operation{"add", path + "/-", e.Toleration})
	}
	if len(added) > 0 && !exists {
		appends = []operation{{"test", path, nil}, {"add", path, added}}
	}
	operations = append(operations, appends...)
	patch, _ := json.Marshal(operations) // never fails for a toleration
	return x.step(text, pods, "patch", resource, name, "--type=json", "-p", string(patch))
}

// step returns a step with a command for the first pods, in their namespace.
func (x *Pending) step(text string, pods int, words ...string) Step {
	s := Step{Text: text, Command: x.question.kubectl(slices.Concat([]string{"-n", x.Namespace}, words)...), pods: pods, cluster: x.question.Cluster}
	s.covers(pods, len(x.Pods), "pod")
	return s
}

// kubectl returns a command for the cluster of the question.
func (q *Question) kubectl(words ...string) string {
	return say.CommandLine(slices.Concat([]string{"kubectl"}, q.Connection, words)...)
}

// invalidText describes the errors in invalid tolerations.
func invalidText(list []taints.Toleration) string {
	err := taints.ValidateTolerations(list)
	var all taints.ErrorList
	if !errors.As(err, &all) {
		return ""
	}
	return strings.Join(say.FirstOf(say.Each(all, func(e *taints.FieldError) string {
		if !strings.HasPrefix(e.Detail, "must ") {
			return e.Error()
		}
		return fmt.Sprintf("%s %q is not valid; it %s", e.Path(), e.Value, e.Detail) + visible.Meant(*e)
	}), 3), "; ")
}
