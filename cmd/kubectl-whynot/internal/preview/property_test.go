// SPDX-License-Identifier: Apache-2.0

package preview

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
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
	r := &Request{Verb: args[0]}
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

// A timer is one of the taint-eviction controller.
type timer struct{ created, due time.Time }

// process is processPodOnNode of the taint-eviction controller.
func process(running *timer, list []corev1.Taint, tolerations []taints.Toleration, at time.Time) *timer {
	if running != nil && !running.due.After(at) {
		return running // the pod is deleted
	}
	least, isForever := int64(0), true
	for _, t := range kube.Taints(list) {
		if t.Effect != taints.NoExecute {
			continue
		}
		i := slices.IndexFunc(tolerations, func(x taints.Toleration) bool { return x.Tolerates(t) })
		if i < 0 {
			return &timer{at, at}
		}
		if s := tolerations[i].TolerationSeconds; s != nil && (isForever || *s < least) {
			least, isForever = max(*s, 0), false
		}
	}
	switch {
	case isForever:
		return nil
	case running != nil && running.created.Before(at):
		return running
	}
	return &timer{at, at.Add(time.Duration(least) * time.Second)}
}

// timerOn returns the timer of a pod before the change.
func timerOn(n *corev1.Node, tolerations []taints.Toleration) (running *timer) {
	addedAt := func(t corev1.Taint) time.Time {
		if t.TimeAdded == nil {
			return now
		}
		return t.TimeAdded.Time
	}
	var times []time.Time
	for _, t := range n.Spec.Taints {
		times = append(times, addedAt(t))
	}
	slices.SortFunc(times, time.Time.Compare)
	for _, at := range times {
		seen := slices.DeleteFunc(slices.Clone(n.Spec.Taints), func(t corev1.Taint) bool { return addedAt(t).After(at) })
		running = process(running, seen, tolerations, at)
	}
	return running
}

// allows reports whether the node would take the pod, and whether it would keep it.
func allows(n *corev1.Node, p *corev1.Pod) (takes, keeps bool) {
	for key, value := range p.Spec.NodeSelector {
		if n.Labels[key] != value {
			return false, false
		}
	}
	list, tolerations := kube.Taints(n.Spec.Taints), kube.Tolerations(p.Spec.Tolerations)
	if n.Spec.Unschedulable {
		list = append(list, taints.Taint{Key: taints.NodeUnschedulable, Effect: taints.NoSchedule})
	}
	keeps = true
	for _, t := range list {
		i := slices.IndexFunc(tolerations, func(x taints.Toleration) bool { return x.Tolerates(t) })
		if i < 0 && t.Effect != taints.PreferNoSchedule {
			return false, false
		}
		if t.Effect == taints.NoExecute && tolerations[i].TolerationSeconds != nil {
			keeps = false
		}
	}
	return true, keeps
}

// A result is what happens to each pod.
type result struct {
	leaving, spared map[string]bool
	homeless        map[string]int // by workload
	emptied         map[string]bool
	first, last     map[string]bool // pending pods that get a first node, or lose their last
	stay, anyway    int
}

// resultOf evaluates the change from before to w, one pod and one node at a time.
// It also returns the deadlines of the pods that leave.
func (w *world) resultOf(before *world) (r result, due map[string]int64) {
	due = make(map[string]int64)
	r = result{make(map[string]bool), make(map[string]bool), make(map[string]int), make(map[string]bool), make(map[string]bool), make(map[string]bool), 0, 0}
	running, lost := make(map[string]int), make(map[string]int)
	for i := range w.pods {
		p := &w.pods[i]
		name := p.Namespace + "/" + p.Name
		if p.Spec.NodeName == "" {
			anyOf := func(nodes []corev1.Node) bool {
				return slices.ContainsFunc(nodes, func(n corev1.Node) bool { takes, _ := allows(&n, p); return takes })
			}
			was, is := anyOf(before.nodes), anyOf(w.nodes)
			if len(p.Spec.SchedulingGates) == 0 && was != is {
				map[bool]map[string]bool{true: r.first, false: r.last}[is][name] = true
			}
			continue
		}
		at := slices.IndexFunc(w.nodes, func(n corev1.Node) bool { return n.Name == p.Spec.NodeName })
		old, n := &before.nodes[at], &w.nodes[at]
		owner := ""
		if len(p.OwnerReferences) > 0 {
			owner = p.OwnerReferences[0].Kind
		}
		workload := owner + " default/"
		if owner != "" {
			workload += p.OwnerReferences[0].Name
		}
		isCounted := owner != "" && owner != "Node" && p.Status.Phase == corev1.PodRunning && p.DeletionTimestamp == nil
		if isCounted {
			running[workload]++
		}
		isSame := old.Spec.Unschedulable == n.Spec.Unschedulable && cmp.Equal(old.Spec.Taints, n.Spec.Taints)
		if isSame || p.Status.Phase == corev1.PodSucceeded {
			continue
		}
		tolerations := kube.Tolerations(p.Spec.Tolerations)
		was := timerOn(old, tolerations)
		is := process(was, n.Spec.Taints, tolerations, now)
		if is != nil && isCounted {
			lost[workload]++
		}
		switch {
		case p.DeletionTimestamp != nil, is != nil && was != nil && !is.due.Before(was.due):
			r.anyway++
		case is != nil:
			r.leaving[name], due[name] = true, is.due.Unix()-now.Unix()
			isHome := func(n corev1.Node) bool { _, keeps := allows(&n, p); return keeps && n.Name != p.Spec.NodeName }
			if owner != "" && owner != "Node" && owner != "DaemonSet" && !slices.ContainsFunc(w.nodes, isHome) {
				r.homeless[workload]++
			}
		case is == nil && was != nil:
			r.spared[name] = true
			r.stay++
		default:
			r.stay++
		}
	}
	for name, n := range lost {
		if running[name] == n {
			r.emptied[name] = true
		}
	}
	return r, due
}

// resultIn returns what the report says.
func resultIn(r *Report) result {
	x := result{
		namesIn(r.Leaving), namesIn(r.Spared), make(map[string]int), make(map[string]bool),
		namesIn(r.Placeable), namesIn(r.Unplaceable), r.Stay, r.Anyway,
	}
	for _, g := range slices.Concat(r.Leaving, r.Spared) {
		if g.Homeless > 0 {
			x.homeless[g.Workload] += g.Homeless
		}
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
		report := New(w.cluster(t), request, now, nil)
		refused := w.kubectl(args)
		if got := say.SortedKeys(report.Refused); !slices.Equal(got, refused) {
			t.Fatalf("seed %d: %v: refuses %v, kubectl %v", seed, args, got, refused)
		}
		want, due := w.resultOf(before)
		for _, g := range report.Leaving {
			var all []int64
			for _, name := range g.Pods {
				all = append(all, due[name])
			}
			if slices.Max(all) != *g.InSeconds || g.When == "now" && slices.Min(all) < slices.Max(all) {
				t.Fatalf("seed %d: %v: %s leaves in %v, want %v", seed, args, g.Workload, *g.InSeconds, all)
			}
		}
		got := resultIn(report)
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(result{})); diff != "" {
			t.Fatalf("seed %d: %v (-want +got):\n%s", seed, args, diff)
		}
		checkCommands(t, report, w, newWorld(seed))
		for name, n := range map[string]int{
			"leaving": len(got.leaving), "spared": len(got.spared), "homeless": len(got.homeless), "emptied": len(got.emptied),
			"first": len(got.first), "last": len(got.last), "anyway": got.anyway, "refused": len(refused), "undone": len(report.Undo),
		} {
			seen[name] += n
		}
	}
	for _, name := range []string{"leaving", "spared", "homeless", "emptied", "first", "last", "anyway", "refused", "undone"} {
		if seen[name] < 20 {
			t.Errorf("the worlds have %d %s: %v", seen[name], name, seen)
		}
	}
}

// checkCommands runs the command, which makes the world after, and those that undo
// it.
func checkCommands(t *testing.T, r *Report, after, w *world) {
	t.Helper()
	before := w.state()
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
		if diff := cmp.Diff(after.state(), w.state()); c == r.Command && diff != "" {
			t.Fatalf("%s (-want +got):\n%s", c, diff)
		}
	}
	if diff := cmp.Diff(before, w.state()); diff != "" {
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
