// SPDX-License-Identifier: Apache-2.0

package diagnosis

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/say"
)

// A Step is something for the user to do.
type Step struct {
	Text string `json:"text"`
	// Command does the step, or helps to find out more.
	Command string `json:"command,omitempty"`
	// For is what the command is for, if the step is for more.
	For string `json:"commandFor,omitempty"`

	pods int // that the command is for
}

// covers says what the command of the step is for, if the step is for more.
func (s *Step) covers(some, all int, noun string) {
	switch s.For = ""; {
	case some >= all:
	case some == 1:
		s.For = fmt.Sprintf("the first of %d %ss", all, noun)
	default:
		s.For = fmt.Sprintf("the first %d of %d %ss", some, all, noun)
	}
}

// Line returns the step as a sentence, which ends in a colon before a command.
func (s Step) Line() string {
	text, end := say.Sentence(s.Text), "."
	if s.Command != "" {
		end = ":"
	}
	if s.For != "" {
		text += " (the command is for " + s.For + ")"
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
	change := condition + entriesText(entries)
	switch {
	case x.First.Template:
		return []Step{{Text: change + " in the pod template of " + kind + " " + name}}
	case kind == "Deployment":
		return []Step{x.patch(change, kind, name, entries)}
	case slices.Contains([]string{"StatefulSet", "DaemonSet", "ReplicaSet", "ReplicationController"}, kind):
		then := "delete pending pods, so that the " + kind + " makes new ones"
		if kind == "StatefulSet" || kind == "DaemonSet" {
			then = "delete pending pods that the " + kind + " does not replace"
		}
		names := x.Pods[:min(len(x.Pods), maxNames)]
		return []Step{
			x.patch(change, kind, name, entries),
			x.step(then, len(names), slices.Concat([]string{"delete", "pod"}, names)...),
		}
	case kind == "Job":
		return []Step{x.patchPod(condition, entries), {Text: "if a CronJob made the Job, change its template too"}}
	case kind == "":
		return []Step{x.patchPod(condition, entries)}
	}
	return []Step{x.patchPod(condition, entries), {Text: "change what " + kind + " " + name + " makes its pods from"}}
}

func entriesText(entries []Entry) string {
	words := say.Each(entries, func(e Entry) string {
		switch {
		case e.Replaces == nil:
			return "add toleration " + e.Toleration.String()
		case e.Replaces.Validate() != nil: // its text may be that of a valid one
			fields, _ := json.Marshal(e.Toleration)
			return fmt.Sprintf("write tolerations[%d] as %s", e.at, fields)
		}
		return "replace toleration " + e.Replaces.String() + " with " + e.Toleration.String()
	})
	return say.Joined(say.FirstOf(slices.Compact(words), 5))
}

// An operation is an operation of a JSON patch.
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value"`
}

// patch returns the step that applies the entries to a template. Tolerations that
// controllers and admission add to a pod come after those of its template.
func (x *Pending) patch(text, kind, name string, entries []Entry) Step {
	return x.patchOf(text, len(x.Pods), strings.ToLower(kind), name, "/spec/template/spec", entries, x.hasOwnTolerations)
}

// patchPod returns the step that adds the entries to an existing pod.
func (x *Pending) patchPod(condition string, entries []Entry) Step {
	var list []Entry
	var words []string
	for _, e := range entries {
		if !slices.ContainsFunc(list, func(o Entry) bool { return o.Toleration.Equal(e.Toleration) }) {
			list, words = append(list, Entry{Toleration: e.Toleration}), append(words, e.Toleration.String())
		}
	}
	text := condition + "add " + say.Noun(len(words), "toleration") + " " + say.Joined(say.FirstOf(words, 5))
	return x.patchOf(text, 1, "pod", x.Pods[0], "/spec", list, len(x.Tolerations) > 0)
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
	s := Step{Text: text, Command: x.question.kubectl(slices.Concat([]string{"-n", x.Namespace}, words)...), pods: pods}
	s.covers(pods, len(x.Pods), "pod")
	return s
}

// kubectl returns a command for the cluster of the question.
func (q *Question) kubectl(words ...string) string {
	return say.CommandLine(slices.Concat([]string{"kubectl"}, q.Connection, words)...)
}

// invalidText describes the error in the first invalid toleration.
func invalidText(list []taints.Toleration) string {
	err := taints.ValidateTolerations(list)
	var all taints.ErrorList
	if !errors.As(err, &all) {
		return ""
	}
	text := fmt.Sprintf("%s %q is not valid; it %s", all[0].Path(), all[0].Value, all[0].Detail)
	if !strings.HasPrefix(all[0].Detail, "must ") {
		text = all[0].Error()
	}
	if len(all) > 1 {
		text += fmt.Sprintf(" (and %d more)", len(all)-1)
	}
	return text
}
