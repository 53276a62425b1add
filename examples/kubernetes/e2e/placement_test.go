// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/cluster"
)

const (
	zone = corev1.LabelTopologyZone
	disk = "disktype"
	pool = "dedicated"
	host = corev1.LabelHostname
)

// openly is a second profile of the scheduler, which tells keys and values in
// its messages.
const openly = "taints-in-clear"

var (
	mlTaint        = corev1.Taint{Key: pool, Value: "ml", Effect: corev1.TaintEffectNoSchedule}
	softTaint      = corev1.Taint{Key: pool, Value: "soft", Effect: corev1.TaintEffectNoSchedule}
	mlToleration   = corev1.Toleration{Key: pool, Value: "ml", Effect: corev1.TaintEffectNoSchedule}
	softToleration = corev1.Toleration{Key: pool, Value: "soft"}
	dbToleration   = corev1.Toleration{Key: pool, Value: "db"}
	fullToleration = corev1.Toleration{Key: "full", Operator: corev1.TolerationOpExists}
)

// A field is a cluster in which the scheduler with the plugin is the only one, and
// places the pods that name none.
type field struct {
	*cluster.Cluster
}

// startField starts a cluster with the nodes, one of them cordoned if it is named.
// The scheduler starts when all this is so: it hears of nodes and of pods over two
// connections, and could place a pod before it knows of a taint that was added first.
func startField(t *testing.T, cordoned string, nodes ...*corev1.Node) field {
	f := field{start(t, cluster.Options{})}
	f.AddNodes(nodes...)
	f.Apply(&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "urgent"}, Value: 1000})
	if cordoned != "" {
		f.patchNode(t, cordoned, `{"spec":{"unschedulable":true}}`)
		f.Eventually("the node has the taint of its cordon", func() error {
			node, err := f.Client.CoreV1().Nodes().Get(t.Context(), cordoned, metav1.GetOptions{})
			if err == nil && len(node.Spec.Taints) == 0 {
				err = fmt.Errorf("it has none")
			}
			return err
		})
	}
	startScheduler(t, f.Cluster, nil,
		profile{Name: corev1.DefaultSchedulerName, Taints: true},
		profile{Name: openly, Taints: true, InClear: true})
	return f
}

func labelled(node *corev1.Node, pairs ...string) *corev1.Node {
	for i := 0; i < len(pairs); i += 2 {
		node.Labels[pairs[i]] = pairs[i+1]
	}
	return node
}

// A trial is a pod, and what becomes of it.
type trial struct {
	pod   *corev1.Pod
	waits []string // it waits, with a message that has these words
	then  func(*testing.T, field)
	on    []string // it is placed on one of these nodes
	gone  string   // that pod is gone
}

// run goes through the trials in turn. A pod that is there already is not created again.
func (f field) run(t *testing.T, trials ...trial) {
	t.Helper()
	for _, trial := range trials {
		name := trial.pod.Name
		if f.Pods("default")[name] == nil {
			f.AddPods(trial.pod)
		}
		if trial.waits != nil {
			f.waits(t, name, trial.waits)
		}
		if trial.then != nil {
			trial.then(t, f)
		}
		if trial.on != nil {
			f.Eventually(name+" is placed", func() error {
				pod := f.Pods("default")[name]
				if pod.Spec.NodeName == "" {
					return fmt.Errorf("it is pending: %s", pending(pod))
				}
				if !slices.Contains(trial.on, pod.Spec.NodeName) {
					t.Fatalf("%s is on %s, want %v", name, pod.Spec.NodeName, trial.on)
				}
				return nil
			})
		}
		if trial.gone != "" && f.Pods("default")[trial.gone] != nil {
			t.Errorf("%s is still there", trial.gone)
		}
	}
}

// waits waits until the scheduler says of the pod that it fits nowhere.
func (f field) waits(t *testing.T, name string, words []string) {
	t.Helper()
	f.Eventually(name+" is pending", func() error {
		pod := f.Pods("default")[name]
		if pod.Spec.NodeName != "" {
			t.Fatalf("%s is on %s", name, pod.Spec.NodeName)
		}
		message := pending(pod)
		for _, want := range words {
			if !strings.Contains(message, want) {
				return fmt.Errorf("the message is %q, want %q in it", message, want)
			}
		}
		if message == "" {
			return fmt.Errorf("there is no message")
		}
		t.Logf("%s: %s", name, message)
		return nil
	})
}

func (f field) patchNode(t *testing.T, name, patch string) {
	t.Helper()
	must(f.Client.CoreV1().Nodes().Patch(t.Context(), name,
		types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{}))(t)
}

// patches returns a step that patches a node.
func patches(node, patch string) func(*testing.T, field) {
	return func(t *testing.T, f field) { f.patchNode(t, node, patch) }
}

// addsToleration returns a step that adds a toleration to a pod.
func addsToleration(pod string, toleration corev1.Toleration) func(*testing.T, field) {
	return func(t *testing.T, f field) {
		late := f.Pods("default")[pod].DeepCopy()
		late.Spec.Tolerations = append(late.Spec.Tolerations, toleration)
		must(f.Client.CoreV1().Pods("default").Update(t.Context(), late, metav1.UpdateOptions{}))(t)
	}
}

// A change makes a pod another one.
type change = func(*corev1.Pod)

func pod(name string, changes ...change) *corev1.Pod {
	pod := cluster.Pod(name)
	pod.Labels = map[string]string{}
	pod.Spec.Affinity = &corev1.Affinity{}
	for _, c := range changes {
		c(pod)
	}
	return pod
}

func selects(pairs ...string) change {
	return func(pod *corev1.Pod) {
		pod.Spec.NodeSelector = map[string]string{}
		for i := 0; i < len(pairs); i += 2 {
			pod.Spec.NodeSelector[pairs[i]] = pairs[i+1]
		}
	}
}

func tolerating(list ...corev1.Toleration) change {
	return func(pod *corev1.Pod) { pod.Spec.Tolerations = list }
}

func by(scheduler string) change { return func(pod *corev1.Pod) { pod.Spec.SchedulerName = scheduler } }

func app(name string) change { return func(pod *corev1.Pod) { pod.Labels["app"] = name } }

func urgent(pod *corev1.Pod) { pod.Spec.PriorityClassName = "urgent" }

func asking(cpu string) change {
	return func(pod *corev1.Pod) {
		pod.Spec.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)}
	}
}

func requirement(key string, operator corev1.NodeSelectorOperator, values ...string) corev1.NodeSelectorRequirement {
	return corev1.NodeSelectorRequirement{Key: key, Operator: operator, Values: values}
}

func required(list ...corev1.NodeSelectorRequirement) change {
	return func(pod *corev1.Pod) {
		pod.Spec.Affinity.NodeAffinity = &corev1.NodeAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
				NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: list}},
			},
		}
	}
}

// preferring prefers nodes with the first label over those with the second.
func preferring(first, second corev1.NodeSelectorRequirement) change {
	return func(pod *corev1.Pod) {
		var terms []corev1.PreferredSchedulingTerm
		for i, r := range []corev1.NodeSelectorRequirement{first, second} {
			terms = append(terms, corev1.PreferredSchedulingTerm{
				Weight:     []int32{80, 20}[i],
				Preference: corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{r}},
			})
		}
		pod.Spec.Affinity.NodeAffinity = &corev1.NodeAffinity{PreferredDuringSchedulingIgnoredDuringExecution: terms}
	}
}

func terms(app, topology string) []corev1.PodAffinityTerm {
	return []corev1.PodAffinityTerm{{
		LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}},
		TopologyKey:   topology,
	}}
}

func near(app string) change {
	return func(pod *corev1.Pod) {
		pod.Spec.Affinity.PodAffinity = &corev1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: terms(app, zone)}
	}
}

func apartFrom(app string) change {
	return func(pod *corev1.Pod) {
		pod.Spec.Affinity.PodAntiAffinity = &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: terms(app, host)}
	}
}

// preempts has a pod take the CPUs of a node from another one.
func preempts(node, cpu string, toleration corev1.Toleration) []trial {
	same := []change{tolerating(toleration), asking(cpu), selects(host, node)}
	return []trial{
		{pod: pod("idle", same...), on: []string{node}},
		{pod: pod("urgent", append(same, urgent)...), on: []string{node}, gone: "idle"},
	}
}

// TestPlacement goes through the rules of "Assigning Pods to Nodes" and "Taints and
// Tolerations" of Kubernetes' documentation, all with the scheduler with the plugin:
//
//	a-ssd, a-hdd, b-ssd, b-hdd  nodes in the zones a and b, with disks of two types; a-ssd is cordoned
//	ml-1, ml-2                  a dedicated pool in zone a: label and taint dedicated=ml
//	soft-1, soft-2, soft-3      another pool, in which the first two are to be avoided
//	full                        a node with one CPU and a taint that nobody else tolerates
func TestPlacement(t *testing.T) {
	avoid := corev1.Taint{Key: "batch", Effect: corev1.TaintEffectPreferNoSchedule}
	full := cluster.Node("full", corev1.Taint{Key: "full", Effect: corev1.TaintEffectNoExecute})
	full.Status.Allocatable[corev1.ResourceCPU] = resource.MustParse("1")
	f := startField(t, "a-ssd",
		labelled(cluster.Node("a-ssd"), zone, "a", disk, "ssd"), labelled(cluster.Node("a-hdd"), zone, "a", disk, "hdd"),
		labelled(cluster.Node("b-ssd"), zone, "b", disk, "ssd"), labelled(cluster.Node("b-hdd"), zone, "b", disk, "hdd"),
		labelled(cluster.Node("ml-1", mlTaint), zone, "a", pool, "ml"),
		labelled(cluster.Node("ml-2", mlTaint), zone, "a", pool, "ml"),
		labelled(cluster.Node("soft-1", softTaint, avoid), pool, "soft"),
		labelled(cluster.Node("soft-2", softTaint, avoid), pool, "soft"),
		labelled(cluster.Node("soft-3", softTaint), pool, "soft"), full)

	var strangers, soft []trial
	for i := range 8 {
		strangers = append(strangers, trial{
			pod: pod(fmt.Sprintf("stranger-%d", i)), on: []string{"a-ssd", "a-hdd", "b-ssd", "b-hdd"},
		})
	}
	for i := range 4 {
		soft = append(soft, trial{
			pod: pod(fmt.Sprintf("prefers-%d", i), tolerating(softToleration), selects(pool, "soft")), on: []string{"soft-3"},
		})
	}
	daemon := corev1.Toleration{Key: corev1.TaintNodeUnschedulable, Operator: corev1.TolerationOpExists}
	apart := []change{app("apart"), apartFrom("apart"), selects(zone, "b")}
	hdd := requirement(disk, corev1.NodeSelectorOpIn, "hdd")
	wrong := []change{tolerating(corev1.Toleration{Key: pool, Value: "ML", Effect: corev1.TaintEffectNoSchedule}), selects(pool, "ml")}
	fresh := corev1.Taint{Key: "new", Effect: corev1.TaintEffectNoExecute}
	for _, test := range []struct {
		name   string
		trials []trial
	}{
		{"node selector", []trial{
			{pod: pod("selector", selects(zone, "b", disk, "ssd")), on: []string{"b-ssd"}},
			{pod: pod("selector-nowhere", selects(zone, "c")), waits: []string{"didn't match Pod's node affinity/selector"}},
		}},
		{"required node affinity", []trial{{pod: pod("required", required(
			requirement(zone, corev1.NodeSelectorOpIn, "a", "c"),
			requirement(disk, corev1.NodeSelectorOpNotIn, "ssd"),
			requirement(pool, corev1.NodeSelectorOpDoesNotExist),
		)), on: []string{"a-hdd"}}}},
		{"preferred node affinity", []trial{
			{pod: pod("preferred-a", preferring(requirement(zone, corev1.NodeSelectorOpIn, "a"), hdd)), on: []string{"a-hdd"}},
			{pod: pod("preferred-b", preferring(requirement(zone, corev1.NodeSelectorOpIn, "b"), hdd)), on: []string{"b-hdd"}},
		}},
		{"pod affinity", []trial{
			{pod: pod("store", app("store"), selects(host, "b-hdd")), on: []string{"b-hdd"}},
			{pod: pod("web", near("store")), on: []string{"b-ssd", "b-hdd"}},
		}},
		{"pod anti-affinity: the third of two nodes waits", []trial{
			{pod: pod("apart-0", apart...), on: []string{"b-ssd", "b-hdd"}},
			{pod: pod("apart-1", apart...), on: []string{"b-ssd", "b-hdd"}},
			{pod: pod("apart-2", apart...), waits: []string{"didn't match pod anti-affinity rules"}},
		}},
		{"cordoned node", []trial{
			{pod: pod("cordoned-daemon", tolerating(daemon), selects(host, "a-ssd")), on: []string{"a-ssd"}},
			{
				pod: pod("cordoned", selects(host, "a-ssd")), waits: []string{""},
				then: patches("a-ssd", `{"spec":{"unschedulable":null}}`), on: []string{"a-ssd"},
			},
		}},
		{"not in a dedicated pool", strangers},
		{"dedicated pool", []trial{
			{pod: pod("member", tolerating(mlToleration), selects(pool, "ml")), on: []string{"ml-1", "ml-2"}},
			{pod: pod("wrong", wrong...), waits: []string{
				"2 node(s) had untolerated taint(s): <key1>=<value1>:NoSchedule", "the value differs only in letter case",
			}},
			{pod: pod("wrong-openly", append(wrong, by(openly))...), waits: []string{
				"2 node(s) had untolerated taint(s): dedicated=ml:NoSchedule",
				"closest: dedicated=ML:NoSchedule, the value differs only in letter case",
			}, then: patches("ml-2", `{"spec":{"taints":null}}`), on: []string{"ml-2"}},
			{pod: pod("wrong"), on: []string{"ml-2"}},
		}},
		{"another toleration", []trial{{
			pod: pod("late", selects(host, "ml-1")), waits: []string{"untolerated taint(s)"},
			then: addsToleration("late", mlToleration), on: []string{"ml-1"},
		}}},
		{"preference", append(soft, trial{
			pod: pod("prefers-only", tolerating(softToleration), selects(host, "soft-1")), on: []string{"soft-1"},
		})},
		{"resources", []trial{
			{
				pod:   pod("large", tolerating(fullToleration), asking("17"), by(openly), selects(host, "full")),
				waits: []string{"Insufficient cpu"},
			},
			{pod: pod("small", asking("100m"), selects(zone, "b")), on: []string{"b-ssd", "b-hdd"}},
		}},
		{"preemption", preempts("full", "1", fullToleration)},
		{"new node", []trial{{
			pod: pod("early", tolerating(corev1.Toleration{Key: "new", Operator: corev1.TolerationOpExists}), selects("new", "yes")), waits: []string{""},
			then: func(_ *testing.T, f field) { f.AddNodes(labelled(cluster.Node("new", fresh), "new", "yes")) },
			on:   []string{"new"},
		}}},
	} {
		t.Run(test.name, func(t *testing.T) { f.run(t, test.trials...) })
	}
}

// TestTaintedEverywhere is for a cluster where every node is for somebody, and a pod
// has few nodes to go to, or none: the plugin then decides before any node is looked
// at.
func TestTaintedEverywhere(t *testing.T) {
	all := []string{"db"}
	nodes := []*corev1.Node{cluster.Node("db", corev1.Taint{Key: pool, Value: "db", Effect: corev1.TaintEffectNoExecute})}
	for i := range 8 {
		nodes = append(nodes, cluster.Node(fmt.Sprintf("ml-%d", i), mlTaint))
		all = append(all, fmt.Sprintf("ml-%d", i))
	}
	f := startField(t, "", nodes...)
	const eight = "8 have untolerated taint dedicated=ml:NoSchedule"
	for _, test := range []struct {
		name   string
		trials []trial
	}{
		{"one node", []trial{{pod: pod("db", tolerating(dbToleration), asking("1")), on: []string{"db"}}}},
		{"one node that is too small", []trial{{
			pod:   pod("db-large", by(openly), tolerating(dbToleration), asking("20")),
			waits: []string{"1 Insufficient cpu", "8 node(s) didn't satisfy plugin(s) [Taints]", "Taints: " + eight + " (closest: dedicated=db"},
		}}},
		{"every node", []trial{{
			pod: pod("anywhere", tolerating(corev1.Toleration{Operator: corev1.TolerationOpExists})), on: all,
		}}},
		{"no node, until the pod tolerates one", []trial{{
			pod: pod("late", by(openly)), waits: []string{"0/9 nodes are available: " + eight},
			then: addsToleration("late", dbToleration), on: []string{"db"},
		}}},
		{"preemption", preempts("db", "15", dbToleration)},
		{"no node, until one has lost its taint", []trial{{
			pod:   pod("nowhere", by(openly)),
			waits: []string{"0/9 nodes are available: " + eight, "1 has untolerated taint dedicated=db:NoExecute"},
			then:  patches("ml-3", `{"spec":{"taints":null}}`), on: []string{"ml-3"},
		}}},
	} {
		t.Run(test.name, func(t *testing.T) { f.run(t, test.trials...) })
	}
}
