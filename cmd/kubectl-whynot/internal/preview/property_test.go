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

// A result is what happens to each pod.
type result struct {
	leaving, anyway, spared map[string]bool
	hanging                 map[string]bool // of those that leave
	homeless                map[string]int  // by workload
	emptied                 map[string]bool
	first, more, last       map[string]bool // pending pods that get a first node, or more, or lose their last
	counts                  map[string]string
	stay                    int
	before                  map[string]int64 // the seconds until pods leave without the change
}

func newResult() result {
	names := func() map[string]bool { return make(map[string]bool) }
	return result{
		leaving: names(), anyway: names(), spared: names(), hanging: names(), homeless: make(map[string]int), emptied: names(),
		first: names(), more: names(), last: names(), counts: make(map[string]string), before: make(map[string]int64),
	}
}

// workloadOf names the workload of a pod that has one.
func workloadOf(p *corev1.Pod) string {
	if len(p.OwnerReferences) == 0 || p.OwnerReferences[0].Kind == "Node" {
		return ""
	}
	return p.OwnerReferences[0].Kind + " default/" + p.OwnerReferences[0].Name
}

// resultOf evaluates the change from before to what was requested, and then to w, one
// pod and one node at a time. It also returns the deadlines of the pods that leave.
func (w *world) resultOf(before *world, requested []corev1.Node) (r result, due map[string]int64) {
	r, due = newResult(), make(map[string]int64)
	running, pending, lost, isHit := make(map[string]int), make(map[string]int), make(map[string]int), make(map[string]bool)
	for i := range w.pods {
		p := &w.pods[i]
		name, workload := p.Namespace+"/"+p.Name, workloadOf(p)
		if p.Spec.NodeName == "" {
			pending[workload]++
			if len(p.Spec.SchedulingGates) == 0 {
				w.place(before, p, &r)
			}
			continue
		}
		at := slices.IndexFunc(w.nodes, func(n corev1.Node) bool { return n.Name == p.Spec.NodeName })
		old, mid, n := &before.nodes[at], &requested[at], &w.nodes[at]
		isCounted := p.Status.Phase == corev1.PodRunning && p.DeletionTimestamp == nil
		if isCounted {
			running[workload]++
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
		if was = later(later(was, both), lasting); was != nil {
			r.before[name] = was.due.Unix() - now.Unix()
		}
		if old.Spec.Unschedulable == mid.Spec.Unschedulable && cmp.Equal(old.Spec.Taints, mid.Spec.Taints) {
			continue
		}
		isDaemon := strings.HasPrefix(workload, "DaemonSet ")
		isMadeAgain := is != nil && workload != "" && isAgain(n, p)
		if is != nil && isCounted && !isMadeAgain {
			lost[workload]++
		}
		if (is != nil || p.DeletionTimestamp != nil) && isSilent(n, old) {
			r.hanging[name] = true
		}
		switch {
		case p.DeletionTimestamp != nil, is != nil && was != nil && !is.due.Before(was.due):
			r.anyway[name] = true
		case is != nil:
			r.leaving[name], due[name], isHit[workload] = true, is.due.Unix()-now.Unix(), true
		case is == nil && was != nil:
			r.spared[name] = true
			r.stay++
		default:
			r.stay++
		}
		isHome := func(n corev1.Node) bool { _, keeps := allows(&n, p); return keeps }
		if (r.leaving[name] || r.anyway[name]) && workload != "" && !isDaemon && !slices.ContainsFunc(w.nodes, isHome) {
			r.homeless[workload]++
		}
	}
	for name, n := range lost {
		if running[name] == n && isHit[name] && name != "" {
			r.emptied[name] = true
		}
	}
	for i := range w.pods {
		if name := workloadOf(&w.pods[i]); name != "" {
			r.counts[name] = fmt.Sprint(running[name], " ", pending[name])
		}
	}
	return r, due
}

// place compares the nodes that take the pending pod before and after.
func (w *world) place(before *world, p *corev1.Pod, r *result) {
	was, gains, is := false, false, false
	for i := range w.nodes {
		took, _ := allows(&before.nodes[i], p)
		takes, _ := allows(&w.nodes[i], p)
		was, is, gains = was || took, is || takes, gains || takes && !took
	}
	name := p.Namespace + "/" + p.Name
	switch {
	case was && !is:
		r.last[name] = true
	case was && gains:
		r.more[name] = true
	case gains:
		r.first[name] = true
	}
}

// resultIn returns what the report says.
func resultIn(t *testing.T, r *Report) result {
	x := newResult()
	x.leaving, x.anyway, x.spared, x.stay = namesIn(r.Leaving), namesIn(r.Departing), namesIn(r.Spared), r.Stay
	x.first, x.more, x.last = namesIn(r.Placeable), namesIn(r.Gaining), namesIn(r.Unplaceable)
	for _, g := range slices.Concat(r.Leaving, r.Departing) {
		if g.Homeless > 0 {
			x.homeless[g.Workload] += g.Homeless
		}
		for _, name := range g.Pods[:g.Hanging] { // all or none of a group
			x.hanging[name] = true
		}
	}
	for _, g := range slices.Concat(r.Leaving, r.Departing, r.Spared, r.Tolerating, r.Placeable, r.Gaining, r.Unplaceable) {
		x.counts[g.Workload] = fmt.Sprint(g.Running, " ", g.Waiting)
	}
	if len(x.leaving) != r.Leave || len(x.anyway) != r.Anyway {
		t.Fatalf("%d leave and %d leave anyway, want %d and %d", r.Leave, r.Anyway, len(x.leaving), len(x.anyway))
	}
	for _, name := range r.Emptied {
		x.emptied[name] = true
	}
	return x
}

func namesIn(groups []Group) map[string]bool {
	names := make(map[string]bool)
	for _, g := range groups {
		for _, name := range g.Pods {
			names[name] = true
		}
	}
	return names
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
		want, due := w.resultOf(before, requested)
		for _, g := range report.Leaving {
			var all []int64
			for _, name := range g.Pods {
				all = append(all, due[name])
			}
			if slices.Max(all) != *g.InSeconds || g.When == "now" && slices.Min(all) < slices.Max(all) {
				t.Fatalf("seed %d: %v: %s leaves in %v, want %v", seed, args, g.Workload, *g.InSeconds, all)
			}
		}
		got := resultIn(t, report)
		for _, x := range eviction.All(c, c.Pods, now) {
			if x.InSeconds != nil {
				got.before[x.Pod] = *x.InSeconds
			}
		}
		for _, p := range w.pods { // of static pods, only their mirrors leave
			if len(p.OwnerReferences) > 0 && p.OwnerReferences[0].Kind == "Node" {
				delete(want.before, "default/"+p.Name)
				delete(got.before, "default/"+p.Name)
			}
		}
		maps.DeleteFunc(want.counts, func(name, _ string) bool { return got.counts[name] == "" })
		maps.DeleteFunc(got.counts, func(name, _ string) bool { return want.counts[name] == "" })
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(result{})); diff != "" {
			t.Fatalf("seed %d: %v (-want +got):\n%s", seed, args, diff)
		}
		checkNodes(t, report, before, requested, w)
		checkCommands(t, report, w, newWorld(seed))
		for name, n := range map[string]int{
			"leaving": len(got.leaving), "anyway": len(got.anyway), "spared": len(got.spared), "hanging": len(got.hanging),
			"homeless": len(got.homeless), "emptied": len(got.emptied), "first": len(got.first), "more": len(got.more),
			"last": len(got.last), "refused": len(refused), "undone": len(report.Undo), "brief": len(report.Brief),
			"reverted": len(report.Undone),
		} {
			seen[name] += n
		}
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
		has := func(list []corev1.Taint, t corev1.Taint) bool {
			return slices.ContainsFunc(list, func(o corev1.Taint) bool { return o.MatchTaint(&t) })
		}
		for _, o := range n.Spec.Taints {
			if !has(requested[i].Spec.Taints, o) {
				undone[o.ToString()]++
			}
		}
		for _, o := range requested[i].Spec.Taints {
			if !has(n.Spec.Taints, o) {
				undone[o.Key+":"+string(o.Effect)+"-"]++
			}
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
