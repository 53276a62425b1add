// SPDX-License-Identifier: Apache-2.0

package fix

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/lists"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/remedy"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/why"
)

// Pods are equal pods of one owner, which steps are for.
type Pods struct {
	*Guide
	First     *cluster.Pod
	Names     []string
	Profile   *cluster.Profile  // of all pods
	Workload  *cluster.Workload // that has the template; nil: the input lacks it
	Running   int               // pods of the workload that run
	IsKeptOff bool              // a DaemonSet makes no such pods on some nodes
	Differ    bool              // the entries are for the template, and the pods have other tolerations
	Own       []remedy.Entry    // then those that the pods alone need, if that is clear

	AreUnknown bool // the taints of the nodes: nothing says whether they are for a state
}

// Steps returns the steps that apply the entries. An API server lets a pod get more
// tolerations, but replaces none, so most owners need a new template.
func (x *Pods) Steps(condition string, entries []remedy.Entry) []Step {
	if len(entries) == 0 {
		return nil
	}
	isManifest := x.First.Template && !(x.IsKeptOff && x.Workload.Exists) || x.First.NodeName != ""
	if isManifest || x.IsKeptOff && x.Workload.MadeBy() != "" {
		return x.InWords(condition, entries)
	}
	kind, name := x.First.Owner.Template()
	who := kind + " " + name
	text := "change what " + who + " makes its pods from"
	lacks := func(e remedy.Entry) bool {
		return x.Workload == nil || !slices.ContainsFunc(x.Workload.Tolerations, e.Toleration.Equal)
	}
	switch kind {
	case "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "ReplicationController":
		return x.templateSteps(condition, kind, name, entries)
	case "CronJob":
		text = "change the pod template of " + who + " too, which made the Job"
	case "Job":
		if text = "if a CronJob made the Job, change its template too"; x.Workload != nil {
			text = "if the Job makes more pods, make it again with that: its template cannot change"
		}
	case "VirtualMachineInstance.kubevirt.io":
		text = "change spec.template.spec.tolerations of VirtualMachine " + name + ", if that made it, and restart it: its instance does not change"
	case x.First.Owner.Kind:
	default:
		text += ": it would undo a change of " + x.First.Owner.Kind + " " + x.First.Owner.Name
	}
	steps := []Step{x.patchPod(condition, "", entries)}
	hasAll := kind == "CronJob" && !slices.ContainsFunc(entries, lacks) // then the next Jobs have it
	if kind == "" || hasAll {
		return steps
	}
	return append(steps, Step{Text: text})
}

// InWords returns the step that says where to write the entries, without a command.
func (x *Pods) InWords(condition string, entries []remedy.Entry) []Step {
	kind, name := x.First.Owner.Template()
	where := " in the pod template of " + kind + " " + name
	switch by := x.Workload.MadeBy(); {
	case x.First.Owner.Kind == "DaemonSet" && by != "":
		where = " in " + by + ", which made " + x.First.Owner.Kind + " " + x.First.Owner.Name + " and undoes a change of it"
	case kind == "":
		where = " in the manifest"
	}
	return []Step{{Text: condition + entriesText(entries) + where}}
}

// templateSteps returns the steps for a new template, and those that restart no pod
// instead. What controllers and admission add to a pod comes after its template's list.
func (x *Pods) templateSteps(condition, kind, name string, entries []remedy.Entry) []Step {
	if x.Workload != nil {
		entries = entriesIn(x.Workload.Tolerations, entries)
	}
	patch := x.patchTemplate(condition+entriesText(entries), strings.ToLower(kind), name, entries)
	effect, restarts := x.effect(kind)
	if patch.Effect = effect; x.Workload != nil && x.Workload.Source != "" {
		patch.Effect = strings.TrimPrefix(effect+"; "+x.Workload.Source+" may undo it, so change that too", "; ")
	}
	steps := []Step{patch}
	if kind != "Deployment" && !x.IsKeptOff {
		steps = append(steps, x.deletion(kind))
	}
	if x.Differ {
		entries = x.Own
	}
	if restarts && len(entries) > 0 && !x.IsKeptOff {
		alone := x.patchPod("", " to the pending pods alone, which restarts nothing", entries)
		alone.Relation, alone.Replaces = instead, len(steps)
		steps = append(steps, alone)
	}
	return steps
}

func (x *Pods) deletion(kind string) Step {
	text := "delete pending pods, so that the " + kind + " makes new ones"
	if replaces := kind == "StatefulSet" || kind == "DaemonSet"; replaces && (x.Workload == nil || !x.Workload.OnDelete) {
		text = "delete pending pods that the " + kind + " does not replace"
	}
	names := x.Names[:min(len(x.Names), why.MaxNames)]
	return x.podStep(text, len(names), slices.Concat([]string{"delete", "pod"}, names)...)
}

// effect says what a new template does to pods that run, and whether it restarts any.
func (x *Pods) effect(kind string) (text string, restarts bool) {
	w, pods := x.Workload, x.restarted()
	switch {
	case kind == "ReplicaSet" || kind == "ReplicationController":
		return "", false
	case w != nil && w.OnDelete:
		return "this restarts no pod, as the updateStrategy is OnDelete", false
	case w != nil && w.Paused && x.Running == 0 && x.AreAll:
		return "this changes no pod yet, as the rollout is paused", true
	case w != nil && w.Paused:
		return "this changes no pod yet, as the rollout is paused: to resume it restarts " + pods, true
	case x.Running == 0 && x.AreAll:
		return "", false
	case w != nil && w.Partition > 0:
		text = fmt.Sprintf("this restarts the pods of %s from number %d, its partition", x.First.OwnerName(), w.Partition)
		return text + "; others keep the older template", true
	case w != nil:
		return "this restarts " + pods, true
	case kind == "Deployment":
		return "this restarts " + pods + ", unless its rollout is paused", true
	}
	return "this restarts " + pods + ", unless its updateStrategy is OnDelete", true
}

// Rollout returns the step for pods that are older than the template that lets
// them in: to wait, or to remove what holds the rollout.
func (x *Pods) Rollout(w *cluster.Workload) Step {
	who := w.Kind + " " + w.String()
	number, _ := strconv.Atoi(strings.TrimPrefix(x.Names[0], w.Name+"-")) // of a StatefulSet's pod
	text, verb := "wait for the rollout of "+who+", which is on its way", "status"
	switch {
	case number < w.Partition:
		return Step{Text: fmt.Sprintf("lower the partition of %s, which is %d: pods with a lower number keep the older template", who, w.Partition)}
	case w.Kind == "DeploymentConfig":
		return Step{Text: "roll out " + who + ": its ReplicationController has the older template"}
	case w.Kind != "Deployment" && w.Kind != "DaemonSet" || w.OnDelete:
		return x.deletion(w.Kind)
	case w.Paused:
		text, verb = "resume the rollout of "+who+", which is paused", "resume"
	case w.Stalled != "":
		text = "find out why the rollout of " + who + " does not go on: " + strings.TrimSuffix(say.Shortened(w.Stalled), ".")
	}
	s := x.podStep(text, len(x.Names), "rollout", verb, strings.ToLower(w.Kind), w.Name)
	if w.Paused && (x.Running > 0 || !x.AreAll) {
		s.Effect = "this restarts " + x.restarted()
	}
	return s
}

// restarted names the pods that run, which a new template restarts.
func (x *Pods) restarted() string {
	if !x.AreAll {
		return "all pods of " + x.First.OwnerName()
	}
	return "the " + say.Count(x.Running, "pod") + " of " + x.First.OwnerName() + " that " + say.For(x.Running, "runs", "run") + " now"
}

func entriesText(entries []remedy.Entry) string {
	words := lists.Each(entries, func(e remedy.Entry) string {
		switch {
		case e.Replaces == nil:
			return "add toleration " + say.Toleration(e.Toleration)
		case e.Replaces.Validate() != nil: // its text may be that of a valid one
			fields, _ := json.Marshal(e.Toleration)
			return fmt.Sprintf("write tolerations[%d] as %s", e.At, fields)
		}
		return "replace toleration " + say.Toleration(*e.Replaces) + " with " + say.Toleration(e.Toleration)
	})
	return say.Joined(say.FirstOf(slices.Compact(words), 5))
}

// An operation is an operation of a JSON patch.
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value"`
}

// patchPod returns the step that adds the entries to an existing pod.
func (x *Pods) patchPod(before, after string, entries []remedy.Entry) Step {
	same := lists.Grouped(entries, func(e remedy.Entry) string { return say.Toleration(e.Toleration) })
	list := lists.Each(same, func(same []remedy.Entry) remedy.Entry { return remedy.Entry{Toleration: same[0].Toleration} })
	words := lists.Each(list, func(e remedy.Entry) string { return say.Toleration(e.Toleration) })
	text := before + "add " + say.Noun(len(words), "toleration") + " " + say.Joined(say.FirstOf(words, 5)) + after
	return x.patch(text, 1, "pod", x.Names[0], "/spec/tolerations", list, len(x.First.Tolerations) == 0)
}

// patchTemplate returns the step that applies the entries to the template. If the input
// lacks the template, the pods do not show whether it has tolerations, as admission may
// have added theirs. Then one of two patches works.
func (x *Pods) patchTemplate(text, resource, name string, entries []remedy.Entry) Step {
	patch := func(isNew bool) Step {
		return x.patch(text, len(x.Names), resource, name, "/spec/template/spec/tolerations", entries, isNew)
	}
	if replaces := func(e remedy.Entry) bool { return e.Replaces != nil }; x.Workload != nil || slices.ContainsFunc(entries, replaces) {
		return patch(x.Workload != nil && len(x.Workload.Tolerations) == 0)
	}
	text += ", by the first patch if the template has no tolerations, else by the second"
	first, second := patch(true), patch(false)
	first.Command += " || " + second.Command
	return first
}

// entriesIn returns the entries for a list that may have other indexes, or lack what
// admission has added.
func entriesIn(list []taints.Toleration, entries []remedy.Entry) []remedy.Entry {
	return lists.Each(entries, func(e remedy.Entry) remedy.Entry {
		if e.Replaces == nil {
			return e
		}
		if e.At = slices.IndexFunc(list, e.Replaces.Equal); e.At < 0 {
			e.Replaces = nil
		}
		return e
	})
}

// patch returns the step of a patch that replaces what it tests, and appends to the list
// or, if that is new, creates it unless it exists.
func (x *Pods) patch(text string, pods int, resource, name, path string, entries []remedy.Entry, isNew bool) Step {
	var replaces, appends []operation
	var added []taints.Toleration
	for _, e := range entries {
		if at := fmt.Sprintf("%s/%d", path, e.At); e.Replaces != nil {
			replaces = append(replaces, operation{"test", at, *e.Replaces}, operation{"replace", at, e.Toleration})
			continue
		}
		added, appends = append(added, e.Toleration), append(appends, operation{"add", path + "/-", e.Toleration})
	}
	if isNew {
		appends = []operation{{"test", path, nil}, {"add", path, added}}
	}
	patch, _ := json.Marshal(append(replaces, appends...)) // never fails for a toleration
	return x.podStep(text, pods, "patch", resource, name, "--type=json", "-p", string(patch))
}

// podStep returns a step with a command for the first pods, in their namespace.
func (x *Pods) podStep(text string, pods int, words ...string) Step {
	s := x.step(text, pods, len(x.Names), "pod", slices.Concat([]string{"-n", x.First.Namespace}, words)...)
	s.pods = pods
	return s
}
