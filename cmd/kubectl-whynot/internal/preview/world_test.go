// SPDX-License-Identifier: Apache-2.0

package preview

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/lists"
	"github.com/seed-0529bac1/taints/kube"
)

var now = time.Date(2026, 11, 21, 1, 24, 0, 0, time.UTC)

// A world is random nodes and pods, as the API has them.
type world struct {
	*rand.Rand
	nodes []corev1.Node
	pods  []corev1.Pod
}

func (w *world) oneOf(words ...string) string { return words[w.IntN(len(words))] }

func newWorld(seed uint64) *world {
	w := &world{Rand: rand.New(rand.NewPCG(seed, 0))}
	for i := range 1 + w.IntN(5) {
		n := corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("n", i), Labels: map[string]string{"pool": w.oneOf("a", "b")}}}
		n.Spec.Unschedulable = w.IntN(4) == 0
		ids := make(map[taints.TaintID]bool)
		for range w.IntN(4) {
			t := taints.Taint{Key: w.key(), Value: w.oneOf("", "v", "w"), Effect: taints.Effect(w.effect())}
			if ids[t.ID()] {
				continue
			}
			ids[t.ID()] = true
			if w.IntN(3) > 0 {
				at := now.Add(-time.Duration(w.IntN(20)) * 10 * time.Second)
				t.TimeAdded = &at
			}
			n.Spec.Taints = append(n.Spec.Taints, kube.CoreTaints([]taints.Taint{t})...)
		}
		w.conditions(&n)
		w.nodes = append(w.nodes, n)
	}
	isReady := func(n corev1.Node) bool {
		return len(n.Status.Conditions) > 0 && n.Status.Conditions[0].Status == corev1.ConditionTrue
	}
	if !slices.ContainsFunc(w.nodes, isReady) { // then Kubernetes would evict no pods for that
		w.nodes[0].Status.Conditions = []corev1.NodeCondition{{Type: "Ready", Status: corev1.ConditionTrue}}
	}
	for i := range w.IntN(12) {
		w.pods = append(w.pods, w.pod(i))
	}
	return w
}

func (w *world) key() string {
	return w.oneOf("k", "l", "k", "l", w.oneOf(taints.NodeUnschedulable, taints.NodeNotReady, taints.NodeUnreachable, taints.NodeDiskPressure, corev1.TaintNodeOutOfService))
}

// conditions adds conditions that may contradict the taints, or none.
func (w *world) conditions(n *corev1.Node) {
	if w.IntN(4) == 0 {
		return
	}
	n.Status.Conditions = []corev1.NodeCondition{{Type: "Ready", Status: corev1.ConditionStatus(w.oneOf("True", "True", "False", "Unknown"))}}
	if w.IntN(2) == 0 {
		n.Status.Conditions = append(n.Status.Conditions, corev1.NodeCondition{Type: "DiskPressure", Status: corev1.ConditionStatus(w.oneOf("True", "False", "Unknown"))})
	}
}

func (w *world) effect() string {
	return w.oneOf("NoSchedule", "PreferNoSchedule", "NoExecute", "NoExecute")
}

func (w *world) pod(i int) corev1.Pod {
	p := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: fmt.Sprint("p", i)}}
	if kind := w.oneOf("", "Node", "DaemonSet", "StatefulSet", "ReplicaSet"); kind != "" {
		isController := true
		p.OwnerReferences = []metav1.OwnerReference{{Kind: kind, Name: w.oneOf("x", "y"), Controller: &isController}}
	}
	if w.IntN(2) == 0 {
		p.Spec.NodeSelector = map[string]string{"pool": w.oneOf("a", "b")}
	}
	for range w.IntN(6) {
		t := corev1.Toleration{Key: w.oneOf("k", "l", ""), Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffect(w.oneOf("", w.effect()))}
		if t.Key != "" && w.IntN(3) == 0 {
			t.Operator, t.Value = corev1.TolerationOpEqual, w.oneOf("", "v", "w")
		}
		if w.IntN(2) == 0 {
			t.Effect = corev1.TaintEffectNoExecute
			seconds := int64(w.IntN(40)-2) * 20
			if w.IntN(8) == 0 { // more than Kubernetes' nanoseconds can hold
				seconds += []int64{9223372037, 18446744074, 40e9, math.MaxInt64 - 780}[w.IntN(4)]
			}
			t.TolerationSeconds = &seconds
		}
		p.Spec.Tolerations = append(p.Spec.Tolerations, t)
	}
	if w.IntN(4) == 0 {
		if p.Status.Phase = corev1.PodPending; w.IntN(4) == 0 {
			pin(&p, w.nodes[w.IntN(len(w.nodes))].Name)
		}
		if w.IntN(4) == 0 {
			p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "wait"}}
		}
		return p
	}
	p.Spec.NodeName = w.nodes[w.IntN(len(w.nodes))].Name
	if w.IntN(4) == 0 {
		pin(&p, p.Spec.NodeName, w.oneOf(p.Spec.NodeName, w.nodes[0].Name))
	}
	p.Status.Phase = corev1.PodPhase(w.oneOf("Running", "Running", "Running", "Succeeded"))
	if w.IntN(3) == 0 {
		p.Status.StartTime = &metav1.Time{Time: now.Add(-time.Duration(w.IntN(20)) * 10 * time.Second)}
	}
	if w.IntN(8) == 0 {
		p.DeletionTimestamp = &metav1.Time{Time: now}
	}
	return p
}

// pin makes the pod's affinity name the nodes, each in a term, as the DaemonSet
// controller does for one.
func pin(p *corev1.Pod, names ...string) {
	required := &corev1.NodeSelector{}
	for _, name := range slices.Compact(names) {
		field := corev1.NodeSelectorRequirement{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{name}}
		required.NodeSelectorTerms = append(required.NodeSelectorTerms, corev1.NodeSelectorTerm{MatchFields: []corev1.NodeSelectorRequirement{field}})
	}
	p.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: required}}
}

// args returns random arguments after "kubectl".
func (w *world) args() []string {
	verb := w.oneOf("taint", "taint", "taint", "cordon", "uncordon")
	var args, names []string
	for i := range w.nodes {
		if i == 0 || w.IntN(2) == 0 {
			names = append(names, w.nodes[i].Name)
		}
	}
	if verb != "taint" {
		return append([]string{verb}, names...)
	}
	args = append([]string{verb, "nodes"}, names...)
	for range 1 + w.IntN(2) {
		key := w.oneOf("m", w.key())
		args = append(args, w.oneOf(key+w.oneOf("", "=v", "=w")+":"+w.effect(), key+"-", key+":NoExecute-"))
	}
	return append(args, w.oneOf("", "--overwrite"))
}

// kubectl changes the nodes as kubectl does, and returns those that it refuses.
func (w *world) kubectl(args []string) (refused []string) {
	for i := range w.nodes {
		n := &w.nodes[i]
		if !slices.Contains(args, n.Name) {
			continue
		}
		switch args[0] {
		case "cordon":
			n.Spec.Unschedulable = true
		case "uncordon":
			if n.Spec.Unschedulable {
				n.Spec.Taints = slices.DeleteFunc(slices.Clone(n.Spec.Taints), func(t corev1.Taint) bool {
					return t.Key == taints.NodeUnschedulable && t.Effect == corev1.TaintEffectNoSchedule
				})
			}
			n.Spec.Unschedulable = false
		default:
			list, ok := tainted(n.Spec.Taints, args)
			if !ok {
				refused = append(refused, n.Name)
				continue
			}
			n.Spec.Taints = list
		}
	}
	return refused
}

// tainted is "kubectl taint", which the tests of the program compare with kubectl's own code.
func tainted(list []corev1.Taint, args []string) ([]corev1.Taint, bool) {
	own, err := kube.Taints(list), error(nil)
	for _, spec := range args {
		change, noSpec := taints.ParseChanges(spec)
		if noSpec != nil {
			continue
		}
		if own, err = change.ApplyStrict(own, slices.Contains(args, "--overwrite")); err != nil {
			return nil, false
		}
	}
	return kube.CoreTaints(own), true
}

// settle is what Kubernetes' node-lifecycle controller does about taints that the
// nodes have got or lost since before, or about all of its taints.
func (w *world) settle(before []corev1.Node, all bool) {
	for i := range w.nodes {
		n, old := &w.nodes[i], &before[i]
		for is, isWanted := range wantedBy(n, old) {
			isSame := func(t corev1.Taint) bool { return t.MatchTaint(&is) }
			had, has := slices.ContainsFunc(old.Spec.Taints, isSame), slices.ContainsFunc(n.Spec.Taints, isSame)
			switch {
			case !all && had == has:
			case has && !isWanted:
				n.Spec.Taints = slices.DeleteFunc(slices.Clone(n.Spec.Taints), isSame)
			case !has && isWanted:
				is.TimeAdded = &metav1.Time{Time: now}
				n.Spec.Taints = append(slices.Clone(n.Spec.Taints), is)
			}
		}
	}
}

// wantedBy returns the taints that the controller owns, and whether it wants them, as
// in doNoScheduleTaintingPass and processTaintBaseEviction. A node without conditions
// is in the state that its taints show.
func wantedBy(n, old *corev1.Node) map[corev1.Taint]bool {
	const schedule, execute = corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute
	ready, pressure := "True", "False"
	for _, c := range n.Status.Conditions {
		switch c.Type {
		case "Ready":
			ready = string(c.Status)
		case "DiskPressure":
			pressure = string(c.Status)
		}
	}
	wanted := map[corev1.Taint]bool{
		{Key: taints.NodeUnschedulable, Effect: schedule}: n.Spec.Unschedulable,
		{Key: taints.NodeDiskPressure, Effect: schedule}:  pressure == "True",
		{Key: taints.NodeNotReady, Effect: schedule}:      ready == "False",
		{Key: taints.NodeNotReady, Effect: execute}:       ready == "False",
		{Key: taints.NodeUnreachable, Effect: schedule}:   ready == "Unknown",
		{Key: taints.NodeUnreachable, Effect: execute}:    ready == "Unknown",
	}
	if n.Status.Conditions != nil {
		return wanted
	}
	for _, t := range old.Spec.Taints {
		switch {
		case t.Key == taints.NodeDiskPressure && t.Effect == schedule:
			wanted[corev1.Taint{Key: t.Key, Effect: schedule}] = true
		case (t.Key == taints.NodeNotReady || t.Key == taints.NodeUnreachable) && t.Effect != corev1.TaintEffectPreferNoSchedule:
			wanted[corev1.Taint{Key: t.Key, Effect: schedule}], wanted[corev1.Taint{Key: t.Key, Effect: execute}] = true, true
		}
	}
	if wanted[corev1.Taint{Key: taints.NodeNotReady, Effect: execute}] {
		wanted[corev1.Taint{Key: taints.NodeUnreachable, Effect: execute}] = false
	}
	return wanted
}

// swapped returns what SwapNodeControllerTaint makes of the node's taints if it has
// a NoExecute taint for another condition: first with the taint that is wanted, and then
// without the other one.
func swapped(n, old *corev1.Node) (both, lasting []corev1.Taint) {
	wanted := wantedBy(n, old)
	isUnwanted := func(t corev1.Taint) bool {
		isWanted, isOwned := wanted[corev1.Taint{Key: t.Key, Effect: t.Effect}]
		return isOwned && !isWanted && t.Effect == corev1.TaintEffectNoExecute
	}
	both = slices.Clone(n.Spec.Taints)
	if !slices.ContainsFunc(both, isUnwanted) {
		return both, both
	}
	for is, isWanted := range wanted {
		if isWanted && is.Effect == corev1.TaintEffectNoExecute && !slices.ContainsFunc(both, func(t corev1.Taint) bool { return t.MatchTaint(&is) }) {
			is.TimeAdded = &metav1.Time{Time: now}
			both = append(both, is)
		}
	}
	return both, slices.DeleteFunc(slices.Clone(both), isUnwanted)
}

// isSilent reports whether the kubelet of the node does not answer.
func isSilent(n, old *corev1.Node) bool {
	if slices.ContainsFunc(n.Spec.Taints, func(t corev1.Taint) bool { return t.Key == corev1.TaintNodeOutOfService }) {
		return false
	}
	for _, c := range n.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c.Status == corev1.ConditionUnknown
		}
	}
	return slices.ContainsFunc(old.Spec.Taints, func(t corev1.Taint) bool {
		return t.Key == taints.NodeUnreachable && t.Effect != corev1.TaintEffectPreferNoSchedule
	})
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
	wait := time.Duration(least) * time.Second // may overflow, as in getMinTolerationTime
	switch {
	case isForever, least == math.MaxInt64, wait < 0:
		return nil
	case running != nil && running.created.Before(at):
		return running
	}
	return &timer{at, at.Add(wait)}
}

// timerOn returns the timer of a pod on the node before the change. The controller sees a
// taint when it is added, or when the pod arrives.
func timerOn(n *corev1.Node, p *corev1.Pod, tolerations []taints.Toleration) (running *timer) {
	seenAt := func(t corev1.Taint) time.Time {
		at := now
		if t.TimeAdded != nil {
			at = t.TimeAdded.Time
		}
		if arrived := p.Status.StartTime; arrived != nil && arrived.After(at) {
			at = arrived.Time
		}
		return at
	}
	times := lists.Each(n.Spec.Taints, seenAt)
	slices.SortFunc(times, time.Time.Compare)
	for _, at := range times {
		seen := slices.DeleteFunc(slices.Clone(n.Spec.Taints), func(t corev1.Taint) bool { return seenAt(t).After(at) })
		running = process(running, seen, tolerations, at)
	}
	return running
}

// allows reports whether the node would take the pod, and whether it would keep it.
func allows(n *corev1.Node, p *corev1.Pod) (takes, keeps bool) {
	list := slices.Clone(n.Spec.Taints)
	if n.Spec.Unschedulable {
		list = append(list, corev1.Taint{Key: taints.NodeUnschedulable, Effect: corev1.TaintEffectNoSchedule})
	}
	isHard := func(t *corev1.Taint) bool { return t.Effect != corev1.TaintEffectPreferNoSchedule }
	_, isKeptOff := helpers.FindMatchingUntoleratedTaint(klog.Background(), list, p.Spec.Tolerations, isHard, false)
	matches, err := nodeaffinity.GetRequiredNodeAffinity(p).Match(n)
	if takes = err == nil && matches && !isKeptOff; !takes {
		return false, false
	}
	return true, process(nil, n.Spec.Taints, kube.Tolerations(p.Spec.Tolerations), now) == nil
}

// isAgain reports whether a new pod may be put on the node, and would leave it.
func isAgain(n *corev1.Node, p *corev1.Pod) bool {
	fresh := p.DeepCopy()
	fresh.Spec.Affinity = nil // the DaemonSet controller and the scheduler choose the node
	takes, keeps := allows(n, fresh)
	return takes && !keeps
}
