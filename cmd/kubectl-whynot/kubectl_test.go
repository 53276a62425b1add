// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-0529bac1/taints/cmd/internal/lists"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/preview"
	"github.com/seed-0529bac1/taints/kube"
)

// state returns the taints of each node, sorted, and whether it is cordoned.
func (s store) state(t *testing.T) map[string]string {
	t.Helper()
	all := make(map[string]string)
	for _, o := range s {
		if o.GetKind() == "Node" {
			n := nodeOf(t, o)
			texts := slices.Sorted(slices.Values(say.TaintTexts(kube.Taints(n.Spec.Taints))))
			all[n.Name] = fmt.Sprint(texts, n.Spec.Unschedulable)
		}
	}
	return all
}

// commandLine draws the arguments of kubectl.
func (d *drawing) commandLine() []string {
	line, flags, _ := strings.Cut(d.text("<LINE>"), ";")
	args := strings.Fields(line)
	for _, f := range strings.Fields(flags) {
		args = slices.Insert(args, 1+d.IntN(len(args)), f)
	}
	if d.IntN(20) == 0 {
		args = slices.Insert(args, 1+d.IntN(len(args)), "--") // flags before it, names after it
	}
	return lists.Each(args, strings.NewReplacer("·", " ", "''", "").Replace)
}

// Random command lines: the preview agrees with kubectl's own code, and the commands that it
// prints work.
func TestKubectl(t *testing.T) {
	d, s, seen := newDrawing(t), newAPIServer(t), make(map[string]int)
	for seed := range uint64(1000) {
		d.Rand = rand.New(rand.NewPCG(seed, 54))
		lines := []string{"{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: o, namespace: default}}"}
		for _, name := range []string{"a", "b1", "c-2", "d.e"} {
			lines = append(lines, strings.Replace(d.text("<NODE>"), "NAME", name, 1))
		}
		for i := range 1 + d.IntN(5) {
			lines = append(lines, strings.Replace(d.text("<POD>"), "#", fmt.Sprint(i), 1))
		}
		s.store, _ = readStore(objectsOf(lines), nil)
		_, kinds := s.compare(t, d.commandLine())
		for _, kind := range kinds {
			seen[kind]++
		}
	}
	for _, kind := range []string{
		"code 0, changes true", "code 0, changes false", "code 1, changes true", "code 1, changes false",
		"drain, code 0, evicts true", "drain, code 1, evicts false",
	} {
		if seen[kind] < 20 {
			t.Errorf("%s: %d times", kind, seen[kind])
		}
	}
}

// compare checks that the preview agrees with kubectl in the exit code, in the nodes that
// change, and in the pods that a drain evicts. The printed command changes the same nodes in
// the same way, and those that undo it make the nodes as they were. An unknown flag or value
// of one is invalid usage of whynot, with exit code 2. It also says what happened.
func (s *apiServer) compare(t *testing.T, args []string) (r preview.Report, kinds []string) {
	t.Helper()
	original, before := s.clone(), s.state(t)
	code, refusal := s.kubectl(args...)
	after, left := s.state(t), s.store
	s.store = original

	got, stdout, stderr := runOn(strings.NewReader(s.String()), slices.Concat([]string{"preview", "-f", "-", "-o", "json"}, args)...)
	if err := json.Unmarshal([]byte(stdout), &r); stdout != "" && err != nil {
		t.Fatal(err)
	}
	var changed, evicted []string
	deleting := podNames(r.Departing) // of which kubectl deletes some again
	for _, o := range s.store {
		name := o.GetNamespace() + "/" + o.GetName()
		switch {
		case o.GetKind() == "Node" && after[o.GetName()] != before[o.GetName()]:
			changed = append(changed, o.GetName())
		case o.GetKind() == "Pod" && left.object("Pod", "", o.GetName()) == nil && !slices.Contains(deleting, name):
			evicted = append(evicted, name)
		}
	}
	isDrain, isFlag := args[0] == "drain", got == 2 && code == 1 && strings.Contains(refusal, "flag")
	isEvicted := !isDrain || slices.Equal(podNames(r.Leaving), evicted)
	if slices.Sort(changed); got != code && !isFlag || !slices.Equal(r.Changed, changed) || !isEvicted {
		t.Errorf("%q: exit code %d, want %d; changes %v, want %v; evicts %v, want %v\n%s\nkubectl: %s", args, got, code, r.Changed, changed, podNames(r.Leaving), evicted, stderr, refusal)
		return r, nil
	}
	if isDrain {
		kinds = append(kinds, fmt.Sprintf("drain, code %d, evicts %t", code, evicted != nil))
	}
	if r.Command != "" && (!isDrain || code == 0) {
		for i, line := range append([]string{r.Command}, r.Undo...) {
			if code, stderr := s.kubectl(shellWords(t, line)[1:]...); code != 0 {
				t.Errorf("%s: %s", line, stderr)
			}
			if diff := cmp.Diff(after, s.state(t)); i == 0 && diff != "" {
				t.Errorf("%s (-want +got):\n%s", line, diff)
			}
		}
		if diff := cmp.Diff(before, s.state(t)); diff != "" {
			t.Errorf("%s, then %s (-want +got):\n%s", r.Command, r.Undo, diff)
		}
	}
	return r, append(kinds, fmt.Sprintf("code %d, changes %t", code, changed != nil))
}

func podNames(groups []preview.Group) []string {
	return slices.Sorted(slices.Values(slices.Concat(lists.Each(groups, func(g preview.Group) []string { return g.Pods })...)))
}

// What undoes the change of many nodes is not one long line.
func TestKubectlManyNodes(t *testing.T) {
	s := newAPIServer(t)
	for args, want := range map[string][]string{
		"taint nodes --all m=v:NoSchedule":   {"kubectl taint nodes --all m:NoSchedule-"},
		"taint nodes -l all m:NoSchedule":    {"kubectl taint nodes -l all m:NoSchedule-"},
		"cordon -l all":                      {"kubectl uncordon -l all"},
		"cordon -l last!=0":                  {"kubectl uncordon -l 'last!=0'"},
		"taint nodes -l last=1 m:NoSchedule": {"kubectl taint nodes n1 n101 n11 n111 n121 n21 n31 n41 n51 n61 n71 n81 n91 m:NoSchedule-"},
		"taint nodes --all k=v:NoSchedule --overwrite": {
			"kubectl taint nodes n1 n101 ", "kubectl taint nodes n83 n84 ", "kubectl taint nodes n0 n10 ",
		},
	} {
		var lines []string
		for i := range 130 {
			taint := strings.Repeat(" k=w:NoSchedule", max(1-i%10, 0))
			lines = append(lines, fmt.Sprintf("node n%d all last=%d%s", i, i%10, taint))
		}
		s.store, _ = readStore(objectsOf(lines), nil)
		if r, _ := s.compare(t, strings.Fields(args)); !slices.EqualFunc(r.Undo, want, strings.HasPrefix) {
			t.Errorf("%s: %q, want %q", args, r.Undo, want)
		}
	}
}
