// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/cluster"
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

const (
	zone = corev1.LabelTopologyZone
	disk = "disktype"
	pool = "dedicated"
)

// openly is a second profile of the scheduler, which tells keys and values in
// its messages.
const openly = "taints-in-clear"

var (
	mlTaint      = corev1.Taint{Key: pool, Value: "ml", Effect: corev1.TaintEffectNoSchedule}
	softTaint    = corev1.Taint{Key: pool, Value: "soft", Effect: corev1.TaintEffectNoSchedule}
	mlToleration = corev1.Toleration{
		Key:      pool,
		Operator: corev1.TolerationOpEqual,
		Value:    "ml",
		Effect:   corev1.TaintEffectNoSchedule,
	}
)

// A field is a cluster in which the scheduler with the plugin is the only one, and
// places the pods that name none:
//
//	a-ssd, a-hdd, b-ssd, b-hdd  nodes in the zones a and b, with disks of two types; a-ssd is cordoned
//	ml-1, ml-2                  a dedicated pool in zone a: label and taint dedicated=ml
//	soft-1, soft-2, soft-3      another pool, in which the first two are to be avoided
//	full                        a node with one CPU and a taint that nobody else tolerates
//
// The scheduler starts when all this is so: it hears of nodes and of pods over two
// connections, and could place a pod before it knows of a taint that was added first.
type field struct {
	*cluster.Cluster
}

func startField(t *testing.T) field {
	f := field{start(t, cluster.Options{})}
	var nodes []*corev1.Node
	for _, z := range []string{"a", "b"} {
		for _, d := range []string{"ssd", "hdd"} {
			nodes = append(nodes, labelled(cluster.Node(z+"-"+d), zone, z, disk, d))
		}
	}
	nodes = append(nodes,
		labelled(cluster.Node("ml-1", mlTaint), zone, "a", pool, "ml"),
		labelled(cluster.Node("ml-2", mlTaint), zone, "a", pool, "ml"))
	avoid := corev1.Taint{Key: "batch", Effect: corev1.TaintEffectPreferNoSchedule}
	nodes = append(nodes,
		labelled(cluster.Node("soft-1", softTaint, avoid), pool, "soft"),
		labelled(cluster.Node("soft-2", softTaint, avoid), pool, "soft"),
		labelled(cluster.Node("soft-3", softTaint), pool, "soft"))
	full := cluster.Node("full", corev1.Taint{Key: "full", Effect: corev1.TaintEffectNoExecute})
	full.Status.Allocatable[corev1.ResourceCPU] = resource.MustParse("1")
	f.AddNodes(append(nodes, full)...)
	f.cordon(t, "a-ssd")
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

// placed waits until the pod is on a node, and returns which.
func (f field) placed(t *testing.T, name string) string {
	t.Helper()
	var pod *corev1.Pod
	f.Eventually(name+" is placed", func() error {
		pod = f.pod(t, name)
		if pod.Spec.NodeName == "" {
			return fmt.Errorf("it is pending: %s", pending(pod))
		}
		return nil
	})
	return pod.Spec.NodeName
}

// pends waits until the scheduler says of the pod that it fits nowhere, in words
// that hold all of those given.
func (f field) pends(t *testing.T, name string, words ...string) {
	t.Helper()
	f.Eventually(name+" is pending", func() error {
		pod := f.pod(t, name)
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
		return nil
	})
	t.Logf("%s: %s", name, pending(f.pod(t, name)))
}

func (f field) pod(t *testing.T, name string) *corev1.Pod {
	t.Helper()
	pod, err := f.Client.CoreV1().Pods("default").Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return pod
}

func (f field) patchNode(t *testing.T, name, patch string) {
	t.Helper()
	_, err := f.Client.CoreV1().Nodes().Patch(t.Context(), name,
		types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
}

// cordon cordons a node, and waits for the taint that this leads to.
func (f field) cordon(t *testing.T, name string) {
	t.Helper()
	f.patchNode(t, name, `{"spec":{"unschedulable":true}}`)
	f.Eventually("the node has the taint of its cordon", func() error {
		node, err := f.Client.CoreV1().Nodes().Get(t.Context(), name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if len(node.Spec.Taints) == 0 {
			return fmt.Errorf("it has none")
		}
		return nil
	})
}

// one creates a pod and expects it on one of the nodes.
func (f field) one(t *testing.T, pod *corev1.Pod, nodes ...string) {
	t.Helper()
	f.AddPods(pod)
	if got := f.placed(t, pod.Name); !slices.Contains(nodes, got) {
		t.Errorf("%s is on %s, want %v", pod.Name, got, nodes)
	}
}

// TestPlacement goes through the rules of "Assigning Pods to Nodes" and "Taints and
// Tolerations" of Kubernetes' documentation, all with the scheduler with the plugin.
func TestPlacement(t *testing.T) {
	f := startField(t)
	for _, test := range []struct {
		name string
		run  func(*testing.T, field)
	}{
		{"node selector", nodeSelector},
		{"required node affinity", requiredNodeAffinity},
		{"preferred node affinity", preferredNodeAffinity},
		{"pod affinity", podAffinity},
		{"pod anti-affinity", podAntiAffinity},
		{"cordoned node", cordoned},
		{"dedicated pool", dedicatedPool},
		{"another toleration", anotherToleration},
		{"preference", preference},
		{"resources", resources},
		{"preemption", preemption},
		{"new node", newNode},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, f) })
	}
}

func nodeSelector(t *testing.T, f field) {
	pod := cluster.Pod("selector")
	pod.Spec.NodeSelector = map[string]string{zone: "b", disk: "ssd"}
	f.one(t, pod, "b-ssd")

	nowhere := cluster.Pod("selector-nowhere")
	nowhere.Spec.NodeSelector = map[string]string{zone: "c"}
	f.AddPods(nowhere)
	f.pends(t, nowhere.Name, "didn't match Pod's node affinity/selector")
}

func requirement(key string, operator corev1.NodeSelectorOperator, values ...string) corev1.NodeSelectorRequirement {
	return corev1.NodeSelectorRequirement{Key: key, Operator: operator, Values: values}
}

func requiredNodeAffinity(t *testing.T, f field) {
	pod := cluster.Pod("required")
	pod.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{{
				MatchExpressions: []corev1.NodeSelectorRequirement{
					requirement(zone, corev1.NodeSelectorOpIn, "a", "c"),
					requirement(disk, corev1.NodeSelectorOpNotIn, "ssd"),
					requirement(pool, corev1.NodeSelectorOpDoesNotExist),
				},
			}},
		},
	}}
	f.one(t, pod, "a-hdd")
}

func preferredNodeAffinity(t *testing.T, f field) {
	for i, z := range []string{"a", "b"} {
		pod := cluster.Pod(fmt.Sprintf("preferred-%d", i))
		pod.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
			PreferredDuringSchedulingIgnoredDuringExecution: []corev1.PreferredSchedulingTerm{
				{Weight: 80, Preference: corev1.NodeSelectorTerm{
					MatchExpressions: []corev1.NodeSelectorRequirement{
						requirement(zone, corev1.NodeSelectorOpIn, z),
					},
				}},
				{Weight: 20, Preference: corev1.NodeSelectorTerm{
					MatchExpressions: []corev1.NodeSelectorRequirement{
						requirement(disk, corev1.NodeSelectorOpIn, "hdd"),
					},
				}},
			},
		}}
		f.one(t, pod, z+"-hdd")
	}
}

func terms(label, topology string) []corev1.PodAffinityTerm {
	return []corev1.PodAffinityTerm{{
		LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": label}},
		TopologyKey:   topology,
	}}
}

func podAffinity(t *testing.T, f field) {
	store := cluster.Pod("store")
	store.Labels = map[string]string{"app": "store"}
	store.Spec.NodeSelector = map[string]string{corev1.LabelHostname: "b-hdd"}
	f.one(t, store, "b-hdd")

	web := cluster.Pod("web")
	web.Spec.Affinity = &corev1.Affinity{PodAffinity: &corev1.PodAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: terms("store", zone),
	}}
	f.one(t, web, "b-ssd", "b-hdd")
}

func podAntiAffinity(t *testing.T, f field) {
	var names []string
	for i := range 3 {
		pod := cluster.Pod(fmt.Sprintf("apart-%d", i))
		pod.Labels = map[string]string{"app": "apart"}
		pod.Spec.NodeSelector = map[string]string{zone: "b"}
		pod.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: terms("apart", corev1.LabelHostname),
		}}
		f.AddPods(pod)
		names = append(names, pod.Name)
	}
	if first, second := f.placed(t, names[0]), f.placed(t, names[1]); first == second {
		t.Errorf("both pods are on %s", first)
	}
	f.pends(t, names[2], "didn't match pod anti-affinity rules")
}

// cordoned is a node that takes no new pods but those of daemons until that is lifted.
func cordoned(t *testing.T, f field) {
	onto := map[string]string{corev1.LabelHostname: "a-ssd"}
	pod, daemon := cluster.Pod("cordoned"), cluster.Pod("cordoned-daemon", corev1.Toleration{
		Key: corev1.TaintNodeUnschedulable, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule,
	})
	pod.Spec.NodeSelector, daemon.Spec.NodeSelector = onto, onto
	f.AddPods(pod)
	f.pends(t, pod.Name)
	f.one(t, daemon, "a-ssd")

	f.patchNode(t, "a-ssd", `{"spec":{"unschedulable":null}}`)
	if got := f.placed(t, pod.Name); got != "a-ssd" {
		t.Errorf("the pod is on %s after the cordon", got)
	}
}

// dedicatedPool is for pods that have the toleration, which may run elsewhere too,
// and with the label for them only.
func dedicatedPool(t *testing.T, f field) {
	for i := range 8 {
		f.one(t, cluster.Pod(fmt.Sprintf("stranger-%d", i)), "a-ssd", "a-hdd", "b-ssd", "b-hdd")
	}
	member := cluster.Pod("member", mlToleration)
	member.Spec.NodeSelector = map[string]string{pool: "ml"}
	f.one(t, member, "ml-1", "ml-2")

	// A pod that wants to the pool and does not tolerate its taint learns why it waits.
	wrong := mlToleration
	wrong.Value = "ML"
	for _, scheduler := range []string{corev1.DefaultSchedulerName, openly} {
		pod := cluster.Pod("wrong-"+scheduler, wrong)
		pod.Spec.SchedulerName = scheduler
		pod.Spec.NodeSelector = map[string]string{pool: "ml"}
		f.AddPods(pod)
	}
	f.pends(t, "wrong-"+corev1.DefaultSchedulerName, "2 node(s) had untolerated taint(s): <key1>=<value1>:NoSchedule",
		"the value differs only in letter case")
	f.pends(t, "wrong-"+openly, "2 node(s) had untolerated taint(s): dedicated=ml:NoSchedule",
		"closest: dedicated=ML:NoSchedule, the value differs only in letter case")

	// When the taint goes, they are placed.
	f.patchNode(t, "ml-2", `{"spec":{"taints":null}}`)
	for _, scheduler := range []string{corev1.DefaultSchedulerName, openly} {
		if got := f.placed(t, "wrong-"+scheduler); got != "ml-2" {
			t.Errorf("the pod is on %s", got)
		}
	}
}

// anotherToleration gives a pod that waits the toleration that it lacks.
func anotherToleration(t *testing.T, f field) {
	pod := cluster.Pod("late")
	pod.Spec.NodeSelector = map[string]string{corev1.LabelHostname: "ml-1"}
	f.AddPods(pod)
	f.pends(t, pod.Name, "untolerated taint(s)")
	late := f.pod(t, pod.Name)
	late.Spec.Tolerations = append(late.Spec.Tolerations, mlToleration)
	if _, err := f.Client.CoreV1().Pods("default").Update(t.Context(), late, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := f.placed(t, pod.Name); got != "ml-1" {
		t.Errorf("the pod is on %s", got)
	}
}

// preference keeps pods off nodes with a PreferNoSchedule taint as long as
// there are others.
func preference(t *testing.T, f field) {
	toleration := corev1.Toleration{Key: pool, Value: softTaint.Value}
	for i := range 4 {
		pod := cluster.Pod(fmt.Sprintf("prefers-%d", i), toleration)
		pod.Spec.NodeSelector = map[string]string{pool: "soft"}
		f.one(t, pod, "soft-3")
	}
	pod := cluster.Pod("prefers-only", toleration)
	pod.Spec.NodeSelector = map[string]string{corev1.LabelHostname: "soft-1"}
	f.one(t, pod, "soft-1")
}

func asking(pod *corev1.Pod, cpu string) *corev1.Pod {
	pod.Spec.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)}
	return pod
}

// resources are still counted, and a pod that has a place by its tolerations but
// none by its size is told about both.
func resources(t *testing.T, f field) {
	toleration := corev1.Toleration{Key: "full", Operator: corev1.TolerationOpExists}
	pod := asking(cluster.Pod("large", toleration), "17")
	pod.Spec.SchedulerName = openly
	pod.Spec.NodeSelector = map[string]string{corev1.LabelHostname: "full"}
	f.AddPods(pod)
	f.pends(t, pod.Name, "Insufficient cpu")
	small := asking(cluster.Pod("small"), "100m")
	small.Spec.NodeSelector = map[string]string{zone: "b"}
	f.one(t, small, "b-ssd", "b-hdd")
}

// preemption makes room on a node for a pod of higher priority.
func preemption(t *testing.T, f field) {
	preemptOn(t, f, "full", corev1.Toleration{Key: "full", Operator: corev1.TolerationOpExists}, "1")
}

// preemptOn has a pod take the CPUs of a node from another one.
func preemptOn(t *testing.T, f field, node string, toleration corev1.Toleration, cpu string) {
	class := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "urgent"}, Value: 1000}
	_, err := f.Client.SchedulingV1().PriorityClasses().Create(t.Context(), class, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	idle, urgent := asking(cluster.Pod("idle", toleration), cpu), asking(cluster.Pod("urgent", toleration), cpu)
	urgent.Spec.PriorityClassName = class.Name
	for _, pod := range []*corev1.Pod{idle, urgent} {
		pod.Spec.NodeSelector = map[string]string{corev1.LabelHostname: node}
		f.one(t, pod, node)
	}
	if pods := f.Pods("default"); pods[idle.Name] != nil {
		t.Errorf("%s is still there", idle.Name)
	}
}

// newNode places a pod that waits on a node that comes.
func newNode(t *testing.T, f field) {
	pod := cluster.Pod("early", corev1.Toleration{Key: "new", Operator: corev1.TolerationOpExists})
	pod.Spec.NodeSelector = map[string]string{"new": "yes"}
	f.AddPods(pod)
	f.pends(t, pod.Name)
	node := cluster.Node("new", corev1.Taint{Key: "new", Effect: corev1.TaintEffectNoExecute})
	f.AddNodes(labelled(node, "new", "yes"))
	if got := f.placed(t, pod.Name); got != "new" {
		t.Errorf("the pod is on %s", got)
	}
}

// TestTaintedEverywhere is for a cluster where every node is for somebody, and a pod
// has few nodes to go to, or none: the plugin then decides before any node is looked
// at.
func TestTaintedEverywhere(t *testing.T) {
	f := field{start(t, cluster.Options{})}
	dbTaint := corev1.Taint{Key: pool, Value: "db", Effect: corev1.TaintEffectNoExecute}
	nodes := []*corev1.Node{cluster.Node("db", dbTaint)}
	for i := range 8 {
		nodes = append(nodes, cluster.Node(fmt.Sprintf("ml-%d", i), mlTaint))
	}
	f.AddNodes(nodes...)
	startScheduler(t, f.Cluster, nil, profile{Name: corev1.DefaultSchedulerName, Taints: true, InClear: true})
	toleration := corev1.Toleration{Key: pool, Operator: corev1.TolerationOpEqual, Value: "db"}

	t.Run("one node", func(t *testing.T) {
		f.one(t, asking(cluster.Pod("db", toleration), "1"), "db")
	})
	t.Run("one node that is too small", func(t *testing.T) {
		f.AddPods(asking(cluster.Pod("db-large", toleration), "20"))
		f.pends(t, "db-large", "1 Insufficient cpu", "8 node(s) didn't satisfy plugin(s) [Taints]",
			"Taints: 8 have untolerated taint dedicated=ml:NoSchedule (closest: dedicated=db")
	})
	t.Run("every node", func(t *testing.T) {
		f.AddPods(cluster.Pod("anywhere", corev1.Toleration{Operator: corev1.TolerationOpExists}))
		f.placed(t, "anywhere")
	})
	t.Run("no node, until the pod tolerates one", func(t *testing.T) {
		f.AddPods(cluster.Pod("late"))
		f.pends(t, "late", "0/9 nodes are available: 8 have untolerated taint dedicated=ml:NoSchedule")
		late := f.pod(t, "late")
		late.Spec.Tolerations = append(late.Spec.Tolerations, toleration)
		if _, err := f.Client.CoreV1().Pods("default").Update(t.Context(), late, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		if got := f.placed(t, "late"); got != "db" {
			t.Errorf("the pod is on %s", got)
		}
	})
	t.Run("preemption", func(t *testing.T) { preemptOn(t, f, "db", toleration, "15") })
	t.Run("no node, until one has lost its taint", func(t *testing.T) {
		f.AddPods(cluster.Pod("nowhere"))
		f.pends(t, "nowhere", "0/9 nodes are available: 8 have untolerated taint dedicated=ml:NoSchedule",
			"1 has untolerated taint dedicated=db:NoExecute")
		f.patchNode(t, "ml-3", `{"spec":{"taints":null}}`)
		if got := f.placed(t, "nowhere"); got != "ml-3" {
			t.Errorf("the pod is on %s", got)
		}
	})
}
