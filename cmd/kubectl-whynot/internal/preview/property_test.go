// SPDX-License-Identifier: Apache-2.0

package preview

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/drain"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/eviction"
	"github.com/seed-0529bac1/taints/kube"
)

// cluster returns the cluster that the program reads.
func (w *world) cluster(t *testing.T) *cluster.Cluster {
	t.Helper()
	c := cluster.New(cluster.Filter{})
	for i := range w.nodes {
		if err := c.AddNode(&w.nodes[i]); err != nil {
			t.Fatal(err)
		}
	}
	for i := range w.pods {
		if err := c.AddPod(&w.pods[i]); err != nil {
			t.Fatal(err)
		}
	}
	c.Finish()
	return c
}

// request parses the arguments after "kubectl".
func request(args []string) (*Request, error) {
	r := &Request{Verb: args[0], Drain: drain.New()}
	var rest []string
	for _, a := range args[1:] {
		switch {
		case a == "--overwrite":
			r.Overwrite = true
		case a == "--all":
			r.All = true
		case a != "":
			rest = append(rest, a)
		}
	}
	return r, r.Parse(rest)
}

// Facts are what happens, such as "leaving default/p1", and how often or when.
type facts map[string]int64

// workloadOf names the workload of a pod that has one.
func workloadOf(p *corev1.Pod) string {
	if len(p.OwnerReferences) == 0 || isStatic(p) {
		return ""
	}
	return p.OwnerReferences[0].Kind + " default/" + p.OwnerReferences[0].Name
}

// isStatic reports whether the pod is the mirror of a static one.
func isStatic(p *corev1.Pod) bool {
	return len(p.OwnerReferences) > 0 && p.OwnerReferences[0].Kind == "Node"
}

// facts evaluates the change from before to what was requested, and then to w, one
// pod and one node at a time.
func (w *world) facts(before *world, requested []corev1.Node) facts {
	f, lost, isHit := facts{"stay": 0}, make(map[string]int64), make(map[string]bool)
	for i := range w.pods {
		p := &w.pods[i]
		name, workload := p.Namespace+"/"+p.Name, workloadOf(p)
		f["now running "+workload] += 0
		f["now pending "+workload] += 0
		if p.Spec.NodeName == "" {
			f["now pending "+workload]++
			if len(p.Spec.SchedulingGates) == 0 {
				w.place(before, p, f)
			}
			continue
		}
		at := slices.IndexFunc(w.nodes, func(n corev1.Node) bool { return n.Name == p.Spec.NodeName })
		old, mid, n := &before.nodes[at], &requested[at], &w.nodes[at]
		isCounted := p.Status.Phase == corev1.PodRunning && p.DeletionTimestamp == nil
		if isCounted {
			f["now running "+workload]++
		}
		if p.Status.Phase == corev1.PodSucceeded {
			continue
		}
		tolerations := kube.Tolerations(p.Spec.Tolerations)
		later := func(running *timer, list []corev1.Taint) *timer { // once Kubernetes has seen the node
			if running != nil && !running.due.After(now.Add(5*time.Second)) {
				return running
			}
			return process(running, list, tolerations, now)
		}
		was := timerOn(old, p, tolerations)
		is := process(was, mid.Spec.Taints, tolerations, now)
		both, lasting := swapped(n, old)
		is = later(later(later(is, n.Spec.Taints), both), lasting)
		both, lasting = swapped(old, old)
		if was = later(later(was, both), lasting); was != nil && !isStatic(p) {
			f["before "+name] = was.due.Unix() - now.Unix()
		}
		if old.Spec.Unschedulable == mid.Spec.Unschedulable && cmp.Equal(old.Spec.Taints, mid.Spec.Taints) {
			continue
		}
		if is != nil && isCounted && (workload == "" || !isAgain(n, p)) {
			lost[workload]++
		}
		if (is != nil || p.DeletionTimestamp != nil) && isSilent(n, old) {
			f["hanging "+name] = 1
		}
		switch {
		case p.DeletionTimestamp != nil, is != nil && was != nil && !is.due.Before(was.due):
			f["anyway "+name] = 1
		case is != nil:
			f["leaving "+name], isHit[workload] = is.due.Unix()-now.Unix(), true
		case was != nil:
			f["spared "+name] = 1
			f["stay"]++
		default:
			f["stay"]++
		}
		isHome := func(n corev1.Node) bool { _, keeps := allows(&n, p); return keeps }
		if (is != nil || p.DeletionTimestamp != nil) && workload != "" && !strings.HasPrefix(workload, "DaemonSet ") && !slices.ContainsFunc(w.nodes, isHome) {
			f["homeless "+workload]++
		}
	}
	for name, n := range lost {
		if f["now running "+name] == n && isHit[name] && name != "" {
			f["emptied "+name] = 1
		}
	}
	return f
}

// place compares the nodes that take the pending pod before and after.
func (w *world) place(before *world, p *corev1.Pod, f facts) {
	was, gains, is := false, false, false
	for i := range w.nodes {
		took, _ := allows(&before.nodes[i], p)
		takes, _ := allows(&w.nodes[i], p)
		was, is, gains = was || took, is || takes, gains || takes && !took
	}
	name := p.Namespace + "/" + p.Name
	switch {
	case was && !is:
		f["last "+name] = 1
	case was && gains:
		f["more "+name] = 1
	case gains:
		f["first "+name] = 1
	}
}

// factsIn returns what the report says.
func factsIn(t *testing.T, r *Report) facts {
	f := facts{"stay": int64(r.Stay)}
	for what, groups := range map[string][]Group{
		"leaving": r.Leaving, "anyway": r.Departing, "spared": r.Spared, "": r.Tolerating,
		"first": r.Placeable, "more": r.Gaining, "last": r.Unplaceable,
	} {
		pods, leaves := 0, what == "leaving" || what == "anyway"
		for _, g := range groups {
			f["now running "+g.Workload], f["now pending "+g.Workload] = int64(g.Running), int64(g.Waiting)
			if g.Homeless > 0 {
				f["homeless "+g.Workload] += int64(g.Homeless)
			}
			for i, name := range g.Pods {
				pods++
				switch {
				case what == "leaving":
					if f[what+" "+name] = *g.Evictions[i].InSeconds; *g.InSeconds < f[what+" "+name] {
						t.Fatalf("%s leaves in %v, but its pods in %d", g.Workload, *g.InSeconds, f[what+" "+name])
					}
				case what != "":
					f[what+" "+name] = 1
				}
				if leaves && i < g.Hanging { // all or none of a group
					f["hanging "+name] = 1
				}
			}
		}
		if what == "leaving" && pods != r.Leave || what == "anyway" && pods != r.Anyway {
			t.Fatalf("%d leave and %d leave anyway, but %d are %s", r.Leave, r.Anyway, pods, what)
		}
	}
	for _, name := range r.Emptied {
		f["emptied "+name] = 1
	}
	return f
}

// The evaluation agrees with a plain loop over all pods and nodes, and the printed
// commands do what was asked and undo it.
func TestEvaluation(t *testing.T) {
	seen := make(map[string]int)
	for seed := range uint64(4000) {
		w, before := newWorld(seed), newWorld(seed)
		args := w.args()
		request, err := request(args)
		if err != nil {
			seen["invalid"]++
			continue
		}
		c := w.cluster(t)
		report := New(c, request, now, nil)
		refused := w.kubectl(args)
		if got := slices.Sorted(maps.Keys(report.Refused)); !slices.Equal(got, refused) {
			t.Fatalf("seed %d: %v: refuses %v, kubectl %v", seed, args, got, refused)
		}
		requested := slices.Clone(w.nodes)
		w.settle(before.nodes, false)
		want := w.facts(before, requested)
		got := factsIn(t, report)
		for _, x := range eviction.All(c, c.Pods, now) {
			if x.InSeconds != nil && !x.Of.IsStatic() {
				got["before "+x.Pod] = *x.InSeconds
			}
		}
		isOfOne := func(name string, _ int64) bool { // a workload that the report does not have, or a pod without one
			_, wants := want[name]
			_, gets := got[name]
			return strings.HasPrefix(name, "now ") && wants != gets
		}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreMapEntries(isOfOne)); diff != "" {
			t.Fatalf("seed %d: %v (-want +got):\n%s", seed, args, diff)
		}
		checkNodes(t, report, before, requested, w)
		checkCommands(t, report, w, newWorld(seed))
		for fact := range got {
			name, _, _ := strings.Cut(fact, " ")
			seen[name]++
		}
		seen["refused"] += len(refused)
		seen["undone"] += len(report.Undo)
		seen["brief"] += len(report.Brief)
		seen["reverted"] += len(report.Undone)
	}
	if len(seen) != 17 {
		t.Errorf("%d kinds of facts", len(seen))
	}
	for name, n := range seen {
		if n < 20 {
			t.Errorf("the worlds have %d %s: %v", n, name, seen)
		}
	}
}

// checkNodes compares the nodes that change, those that do for seconds only, and what
// Kubernetes undoes.
func checkNodes(t *testing.T, r *Report, before *world, requested []corev1.Node, w *world) {
	t.Helper()
	textOf := func(n corev1.Node) string {
		return fmt.Sprint(slices.Sorted(slices.Values(say.TaintTexts(kube.Taints(n.Spec.Taints)))), n.Spec.Unschedulable)
	}
	var changed, brief []string
	undone := make(map[string]int)
	for i, n := range w.nodes {
		switch old := textOf(before.nodes[i]); {
		case old != textOf(n):
			changed = append(changed, n.Name)
		case old != textOf(requested[i]):
			brief = append(brief, n.Name)
		}
		was := kube.Taints(requested[i].Spec.Taints)
		c := taints.Reconcile(was, was, kube.Taints(n.Spec.Taints))
		for _, added := range c.Add {
			undone[added.String()]++
		}
		for _, removed := range c.Remove {
			undone[removed.String()+"-"]++
		}
	}
	got := make(map[string]int)
	for _, u := range r.Undone {
		got[u.Change] += len(u.Nodes)
	}
	if diff := cmp.Diff(undone, got); diff != "" || !slices.Equal(changed, r.Changed) || !slices.Equal(brief, r.Brief) {
		t.Fatalf("changes %v, want %v; briefly %v, want %v; undone (-want +got): %s", r.Changed, changed, r.Brief, brief, diff)
	}
}

// checkCommands runs the command, which makes the world after, and those that undo
// it.
func checkCommands(t *testing.T, r *Report, after, w *world) {
	t.Helper()
	original := slices.Clone(w.nodes)
	for _, c := range append([]string{r.Command}, r.Undo...) {
		if c == "" {
			continue
		}
		args := strings.Fields(c)[1:]
		if _, err := request(args); err != nil {
			t.Fatalf("%s: %v", c, err)
		}
		if refused := w.kubectl(args); refused != nil {
			t.Fatalf("%s: refused for %v", c, refused)
		}
		w.settle(original, false)
		if diff := cmp.Diff(after.state(), w.state()); c == r.Command && diff != "" {
			t.Fatalf("%s (-want +got):\n%s", c, diff)
		}
	}
	before := &world{nodes: slices.Clone(original)}
	before.settle(original, true)
	w.settle(original, true)
	if diff := cmp.Diff(before.state(), w.state()); diff != "" {
		t.Fatalf("%s, then %s (-want +got):\n%s", r.Command, r.Undo, diff)
	}
}

// state returns the taints of each node without their times, and whether it is
// cordoned. A cordoned node has its taint.
func (w *world) state() map[string]string {
	all := make(map[string]string)
	for i := range w.nodes {
		list := slices.Clone(kube.Taints(w.nodes[i].Spec.Taints))
		if w.nodes[i].Spec.Unschedulable {
			list = slices.DeleteFunc(list, func(t taints.Taint) bool { return t.Key == taints.NodeUnschedulable && t.Effect == taints.NoSchedule })
		}
		texts := slices.Sorted(slices.Values(say.TaintTexts(list)))
		all[w.nodes[i].Name] = fmt.Sprint(texts, w.nodes[i].Spec.Unschedulable)
	}
	return all
}
