// SPDX-License-Identifier: Apache-2.0

package diagnosis

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/say"
)

// steps returns the steps that apply the entries. The API server accepts
// additional tolerations for an existing pod, but no replacements, so most
// owners need a new template.
func (x *Pending) steps(condition string, entries []Entry) []Step {
	if len(entries) == 0 {
		return nil
	}
	pod := x.command("delete", "pod", x.Pods[0])
	o := cluster.Owner{}
	if x.Owner != nil {
		o = *x.Owner
	}
	kind, name := o.Template()
	change := condition + entriesText(entries)
	switch {
	case x.Template:
		return []Step{{change + " in the pod template of " + kind + " " + name, ""}}
	case kind == "Deployment":
		return []Step{{change, x.patch(kind, name, "/spec/template/spec", entries)}}
	case slices.Contains([]string{"StatefulSet", "DaemonSet", "ReplicaSet", "ReplicationController"}, kind):
		then := "delete the pod, so that the " + kind + " makes a new one"
		if kind == "StatefulSet" || kind == "DaemonSet" {
			then = "delete the pod if the " + kind + " does not replace it"
		}
		return []Step{{change, x.patch(kind, name, "/spec/template/spec", entries)}, {then, pod}}
	case o.CronJob() != "":
		return []Step{
			{condition + additionsText(entries), x.patchPod(entries)},
			{"do the same for the next Jobs", x.patch("CronJob", o.CronJob(), "/spec/jobTemplate/spec/template/spec", entries)},
		}
	case kind == "Job", kind == "":
		return []Step{{condition + additionsText(entries), x.patchPod(entries)}}
	}
	return []Step{
		{condition + additionsText(entries), x.patchPod(entries)},
		{"change what " + kind + " " + name + " makes its pods from", ""},
	}
}

func entriesText(entries []Entry) string {
	var words []string
	for _, e := range entries {
		switch {
		case e.Replaces == nil:
			words = append(words, "add toleration "+e.Toleration.String())
		case e.Replaces.Validate() != nil: // its text may be that of a valid one
			fields, _ := json.Marshal(e.Toleration)
			words = append(words, fmt.Sprintf("write tolerations[%d] as %s", e.at, fields))
		default:
			words = append(words, "replace toleration "+e.Replaces.String()+" with "+e.Toleration.String())
		}
	}
	return say.Joined(say.FirstOf(words, 5))
}

// additionsText is like entriesText, for an existing pod.
func additionsText(entries []Entry) string {
	var words []string
	for _, e := range entries {
		words = append(words, e.Toleration.String())
	}
	noun := "toleration "
	if len(words) > 1 {
		noun = "tolerations "
	}
	return "add " + noun + say.Joined(say.FirstOf(words, 5))
}

// whynot returns the command that shows all details about the first of the pods.
func (x *Pending) whynot() string {
	return say.CommandLine(slices.Concat([]string{"kubectl", "whynot"}, x.question.Connection, x.question.Input,
		[]string{"-n", x.Namespace, x.Pods[0]})...)
}

// An operation is an operation of a JSON patch.
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value"`
}

// patch returns the command that applies the entries to a template. The patch
// tests that the template has the tolerations that it replaces. Tolerations that
// controllers and admission add to a pod come after those of its template.
func (x *Pending) patch(kind, name, spec string, entries []Entry) string {
	path := spec + "/tolerations"
	var added []taints.Toleration
	var operations []operation
	for _, e := range entries {
		if e.Replaces == nil {
			added = append(added, e.Toleration)
			continue
		}
		at := fmt.Sprintf("%s/%d", path, e.at)
		operations = append(operations, operation{"test", at, *e.Replaces}, operation{"replace", at, e.Toleration})
	}
	operations = append(operations, additions(path, added, x.hasOwnTolerations)...)
	return x.patchCommand(strings.ToLower(kind), name, operations)
}

// patchPod returns the command that adds the entries to an existing pod.
func (x *Pending) patchPod(entries []Entry) string {
	var added []taints.Toleration
	for _, e := range entries {
		added = append(added, e.Toleration)
	}
	return x.patchCommand("pod", x.Pods[0], additions("/spec/tolerations", added, len(x.Tolerations) > 0))
}

// additions returns operations that append to the list at the path, or create it
// unless it exists: the template may have what every pod gets by default.
func additions(path string, added []taints.Toleration, exists bool) []operation {
	if len(added) > 0 && !exists {
		return []operation{{"test", path, nil}, {"add", path, added}}
	}
	var operations []operation
	for _, t := range added {
		operations = append(operations, operation{"add", path + "/-", t})
	}
	return operations
}

func (x *Pending) patchCommand(resource, name string, operations []operation) string {
	patch, _ := json.Marshal(operations) // never fails for a toleration
	return x.command("patch", resource, name, "--type=json", "-p", string(patch))
}

// command returns a kubectl command in the namespace of the pods.
func (x *Pending) command(words ...string) string {
	return x.question.kubectl(slices.Concat([]string{"-n", x.Namespace}, words)...)
}

// kubectl returns a command for the cluster of the question.
func (q *Question) kubectl(words ...string) string {
	return say.CommandLine(slices.Concat([]string{"kubectl"}, q.Connection, words)...)
}

// invalidText describes the error in the first invalid toleration.
func invalidText(list []taints.Toleration) string {
	err := taints.ValidateTolerations(list)
	var all *taints.ErrorList
	if !errors.As(err, &all) {
		return ""
	}
	text := "invalid toleration: " + all.Errors[0].Error()
	if len(all.Errors) > 1 {
		text += fmt.Sprintf(" (and %d more)", len(all.Errors)-1)
	}
	return text
}

// repairs returns corrections for tolerations that are invalid because they have
// a taint instead of a key or a value in quotes. It returns nil unless the
// corrected list is valid.
func repairs(list []taints.Toleration) []Entry {
	list = slices.Clone(list)
	var entries []Entry
	for i, t := range list {
		if t.Validate() == nil {
			continue
		}
		fixed := t
		fixed.Value = strings.Trim(fixed.Value, `"'`)
		key, effect, hasEffect := strings.Cut(fixed.Key, ":")
		if hasEffect && fixed.Effect == "" {
			fixed.Effect = taints.Effect(effect)
		}
		key, value, hasValue := strings.Cut(strings.Trim(key, `"'`), "=")
		if fixed.Key = key; hasValue && fixed.Value == "" {
			fixed.Value = strings.Trim(value, `"'`)
		}
		if hasValue && fixed.Operator == taints.OpExists {
			fixed.Operator = taints.OpEqual
		}
		entries = append(entries, Entry{&t, fixed, i})
		list[i] = fixed
	}
	if taints.ValidateTolerations(list) != nil {
		return nil
	}
	return entries
}
