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
	corev1 "k8s.io/api/core/v1"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/lists"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/preview"
	"github.com/seed-0529bac1/taints/kube"
)

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

// Random command lines: the preview agrees with kubectl's own code, and with plain loops over
// what Kubernetes does then. The commands that it prints work.
func TestKubectl(t *testing.T) {
	d, s, seen := newDrawing(t), newAPIServer(t), make(map[string]int)
	for seed := range uint64(1500) {
		d.Rand = rand.New(rand.NewPCG(seed, 54))
		nodes := ""
		for !strings.Contains(nodes, "Ready, status: 'True'") { // if no node is ready, Kubernetes evicts no pods
			nodes = ""
			for _, name := range []string{"a", "b1", "c-2", "d.e"} {
				nodes += strings.Replace(d.text("<NODE>"), "NAME", name, 1) + "\n"
			}
		}
		lines := append(strings.Split(strings.TrimSpace(nodes), "\n"),
			"{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: o, namespace: default}, status: {observedGeneration: 1}}")
		for i := range 1 + d.IntN(8) {
			lines = append(lines, strings.Replace(d.text("<POD>"), "#", fmt.Sprint(i), 1))
		}
		s.store, _ = readStore(objectsOf(lines), nil)
		for _, kind := range s.compare(t, d.commandLine()) {
			seen[kind]++
		}
		if t.Failed() {
			t.Fatalf("seed %d: %s", seed, strings.Join(lines, "\n"))
		}
	}
	for _, kind := range []string{
		"code 0", "code 1", "drain with code 0", "drain with code 1", "changed", "brief", "undone", "evicted",
		"leaving", "anyway", "spared", "hanging", "homeless", "emptied", "first", "more", "last", "before",
	} {
		if seen[kind] < 20 {
			t.Errorf("%s: %d times", kind, seen[kind])
		}
	}
}

// compare checks that the preview agrees with kubectl in the exit code, in the nodes that
// change, and in the pods that a drain evicts, and with Kubernetes in what it does then. An
// unknown flag or value of one is invalid usage of whynot, with exit code 2. The printed command
// changes the same nodes in the same way, and those that undo it make the nodes as they were. It
// also says what happened.
func (s *apiServer) compare(t *testing.T, args []string) (kinds []string) {
	t.Helper()
	var r preview.Report
	original, before := s.clone(), s.world(t)
	code, refusal := s.kubectl(args...)
	requested := s.world(t)
	s.settle(t, before, false)
	after := s.world(t)
	s.store = original

	got, stdout, stderr := runOn(strings.NewReader(s.String()), slices.Concat([]string{"preview", "-f", "-", "-o", "json"}, args)...)
	if err := json.Unmarshal([]byte(stdout), &r); stdout != "" && err != nil {
		t.Fatal(err)
	}
	if isFlag := got == 2 && code == 1 && strings.Contains(refusal, "flag"); got != code && !isFlag {
		t.Errorf("%q: exit code %d, want %d: %s; kubectl: %s", args, got, code, stderr, refusal)
		return nil
	}
	want, does := after.changes(before, requested), make(facts)
	does.add("changed", r.Changed...)
	does.add("brief", r.Brief...)
	for _, u := range r.Undone {
		does["undone "+u.Change] += int64(len(u.Nodes))
	}
	if kinds = []string{fmt.Sprint("code ", code)}; args[0] == "drain" {
		kinds[0] = "drain with " + kinds[0]
		for _, p := range before.pods {
			if p.DeletionTimestamp == nil && !slices.ContainsFunc(after.pods, func(o *corev1.Pod) bool { return o.Name == p.Name }) {
				want.add("evicted", p.Namespace+"/"+p.Name)
			}
		}
		for _, g := range r.Leaving {
			does.add("evicted", g.Pods...)
		}
	} else {
		after.addFacts(want, before, requested)
		addFactsOf(does, &r, want)
		for _, x := range mustReport(t, s.String()).Evictions {
			if x.InSeconds != nil {
				does["before "+x.Pod] = *x.InSeconds
			}
		}
	}
	if diff := cmp.Diff(want, does); diff != "" {
		t.Errorf("%q (-want +got):\n%s", args, diff)
	}
	if r.Command != "" && (args[0] != "drain" || code == 0) {
		s.checkCommands(t, &r, before, after)
	}
	for fact := range does {
		kind, _, _ := strings.Cut(fact, " ")
		kinds = append(kinds, kind)
	}
	return kinds
}

// checkCommands runs the command, which makes the world after, and those that undo it.
func (s *apiServer) checkCommands(t *testing.T, r *preview.Report, before, after *world) {
	t.Helper()
	original := s.clone()
	for i, line := range append([]string{r.Command}, r.Undo...) {
		if code, stderr := s.kubectl(shellWords(t, line)[1:]...); code != 0 {
			t.Errorf("%s: %s", line, stderr)
		}
		s.settle(t, before, false)
		if diff := cmp.Diff(after.state(), s.world(t).state()); i == 0 && diff != "" {
			t.Errorf("%s (-want +got):\n%s", line, diff)
		}
	}
	original.settle(t, before, true)
	s.settle(t, before, true)
	if diff := cmp.Diff(original.world(t).state(), s.world(t).state()); diff != "" {
		t.Errorf("%s, then %s (-want +got):\n%s", r.Command, r.Undo, diff)
	}
}

// Facts are what happens, such as "leaving default/p1", and how often or when.
type facts map[string]int64

func (f facts) add(kind string, names ...string) {
	for _, name := range names {
		f[kind+" "+name]++
	}
}

// addFacts evaluates the change from before to what was requested, and then to w, one pod and one
// node at a time.
func (w *world) addFacts(f facts, before, requested *world) {
	left, isHit := make(map[string]int), make(map[string]bool)
	f["leave"], f["go anyway"], f["stay"] = 0, 0, 0
	for _, p := range w.pods {
		name, workload := p.Namespace+"/"+p.Name, workloadOf(p)
		isFinished := p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed
		if p.Spec.NodeName == "" && p.DeletionTimestamp == nil && p.Status.Phase == corev1.PodPending {
			w.place(before, p, f)
		}
		if p.Spec.NodeName == "" || isFinished {
			continue
		}
		at := slices.IndexFunc(w.nodes, func(n *corev1.Node) bool { return n.Name == p.Spec.NodeName })
		old, asked, n := before.nodes[at], requested.nodes[at], w.nodes[at]
		was, is := timers(p, old, asked, n)
		isChanged := before.state()[n.Name] != requested.state()[n.Name]
		if isLost := isChanged && is != nil && (workload == "" || !isAgain(p, n)); !isLost && p.DeletionTimestamp == nil {
			left[workload]++
		}
		if was != nil && (!isMirror(p) || p.DeletionTimestamp != nil) { // of a static pod, the mirror alone leaves
			f["before "+name] = was.due.Unix() - testNow.Unix()
		}
		if !isChanged {
			continue
		}
		if (is != nil || p.DeletionTimestamp != nil) && isSilent(n, old) {
			f.add("hanging", name)
		}
		switch {
		case p.DeletionTimestamp != nil, is != nil && was != nil && !is.due.Before(was.due):
			f.add("anyway", name)
			f["go anyway"]++
		case is != nil:
			f["leave"]++
			f["leaving "+name], isHit[workload] = is.due.Unix()-testNow.Unix(), true
		case was != nil:
			f.add("spared", name)
			f["stay"]++
		default:
			f["stay"]++
		}
		isHome := func(n *corev1.Node) bool { return keeps(p, n) }
		if (is != nil || p.DeletionTimestamp != nil) && workload != "" && !strings.HasPrefix(workload, "DaemonSet") && !slices.ContainsFunc(w.nodes, isHome) {
			f.add("homeless", workload)
		}
	}
	for name := range isHit {
		if left[name] == 0 && name != "" {
			f.add("emptied", name)
		}
	}
}

// changes says which nodes change, which do for seconds only, and what Kubernetes undoes.
func (w *world) changes(before, requested *world) facts {
	f, was, asked, is := make(facts), before.state(), requested.state(), w.state()
	for i, n := range w.nodes {
		switch {
		case is[n.Name] != was[n.Name]:
			f.add("changed", n.Name)
		case asked[n.Name] != was[n.Name]:
			f.add("brief", n.Name)
		}
		own := kube.Taints(requested.nodes[i].Spec.Taints)
		c := taints.Reconcile(own, own, kube.Taints(n.Spec.Taints))
		for _, added := range c.Add {
			f.add("undone", added.String())
		}
		for _, removed := range c.Remove {
			f.add("undone", removed.String()+"-")
		}
	}
	return f
}

// place compares the nodes that take the pending pod before and after.
func (w *world) place(before *world, p *corev1.Pod, f facts) {
	was, gains, is := false, false, false
	for i, n := range w.nodes {
		took, takes := reasonFor(p, before.nodes[i]) == "", reasonFor(p, n) == ""
		was, is, gains = was || took, is || takes, gains || takes && !took
	}
	name := p.Namespace + "/" + p.Name
	switch {
	case len(p.Spec.SchedulingGates) > 0:
	case was && !is:
		f.add("last", name)
	case was && gains:
		f.add("more", name)
	case gains:
		f.add("first", name)
	}
}

// addFactsOf adds what the report says. Its groups have the time of the latest of their pods
// alone, so that those of others are as wanted.
func addFactsOf(f facts, r *preview.Report, want facts) {
	f["leave"], f["go anyway"], f["stay"] = int64(r.Leave), int64(r.Anyway), int64(r.Stay)
	for what, groups := range map[string][]preview.Group{
		"leaving": r.Leaving, "anyway": r.Departing, "spared": r.Spared, "": r.Tolerating, "first": r.Placeable, "more": r.Gaining, "last": r.Unplaceable,
	} {
		for _, g := range groups {
			if g.Homeless > 0 {
				f["homeless "+g.Workload] += int64(g.Homeless)
			}
			latest := slices.MaxFunc(g.Pods, func(a, b string) int { return int(want[what+" "+a] - want[what+" "+b]) })
			for _, name := range g.Pods {
				switch {
				case what == "leaving" && name == latest:
					f[what+" "+name] = *g.InSeconds
				case what != "":
					f[what+" "+name] = want[what+" "+name]
				}
			}
			if what == "leaving" || what == "anyway" {
				f.add("hanging", g.Pods[:g.Hanging]...) // all or none
			}
		}
	}
	f.add("emptied", r.Emptied...)
}
