// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/cluster"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	ours   = "taints-scheduler"
	theirs = "default-scheduler"
)

// TestAgree gives pods to the scheduler with the plugin and to the scheduler without
// it. Both place the same pods on the same nodes: 500 random pods, each for one of 40
// random nodes, and 100 pods that each prefer one of 300 nodes without taints, a
// quarter of all nodes.
func TestAgree(t *testing.T) {
	const count, choosy, free, full = 500, 100, 300, 1000
	c := start(t, cluster.Options{ControllerManager: []string{"--node-monitor-grace-period=10m"}})
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	var nodes []*corev1.Node
	for i := range 40 {
		nodes = append(nodes, cluster.Node(fmt.Sprintf("node-%02d", i), randomTaints(random)...))
	}
	c.AddNodes(nodes...)
	var many []*corev1.Node
	for i := range free + full {
		node := cluster.Node(fmt.Sprintf("node-%04d", i))
		if i >= free {
			node.Spec.Taints = []corev1.Taint{{Key: "full", Effect: corev1.TaintEffectNoSchedule}}
		}
		many = append(many, node)
	}
	c.AddSilentNodes(many...)
	c.RunScheduler(cluster.Profile{Name: theirs}, cluster.Profile{Name: ours, Taints: true})

	pods := map[string]*corev1.Node{} // by name, the node that each pod is for
	var twins []*corev1.Pod
	for i := range count + choosy {
		node := pick(random, nodes...)
		pod := cluster.Pod(fmt.Sprintf("pod-%03d", i), randomTolerations(random)...)
		pod.Spec.NodeSelector = map[string]string{corev1.LabelHostname: node.Name}
		if i >= count {
			node = pick(random, many[:free]...)
			pod = cluster.Pod(pod.Name)
			pod.Spec.Affinity = prefers(node.Name)
		}
		pods[pod.Name] = node
		for _, pod.Spec.SchedulerName = range []string{ours, theirs} {
			twin := pod.DeepCopy()
			twin.Name += "-" + pod.Spec.SchedulerName
			twins = append(twins, twin)
		}
	}
	c.AddPods(twins...)
	var found map[string]*corev1.Pod
	c.Eventually("the schedulers have looked at every pod", func() error {
		found = c.Pods(metav1.NamespaceDefault)
		return settled(found, 2*(count+choosy))
	})

	placed := -choosy
	for name, node := range pods {
		got, want := found[name+"-"+ours].Spec, found[name+"-"+theirs].Spec.NodeName
		if got.NodeName != want {
			t.Errorf("%s is on %q, and %q: taints %v, tolerations %v", name, got.NodeName, want,
				node.Spec.Taints, got.Tolerations)
		}
		if want != "" {
			placed++
		}
	}
	if placed < count/10 || placed > count-count/10 {
		t.Errorf("%d of %d pods placed: this does not say much", placed, count)
	}
}

// prefers returns an affinity to a node.
func prefers(node string) *corev1.Affinity {
	return &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
		PreferredDuringSchedulingIgnoredDuringExecution: []corev1.PreferredSchedulingTerm{{
			Weight: 100,
			Preference: corev1.NodeSelectorTerm{MatchFields: []corev1.NodeSelectorRequirement{
				{Key: metav1.ObjectNameField, Operator: corev1.NodeSelectorOpIn, Values: []string{node}},
			}},
		}},
	}}
}

var (
	keys    = []string{"dedicated", "example.com/gpu", "tier"}
	values  = []string{"", "a", "b", "5", "10"}
	numbers = []string{"4", "5", "6", "11"}
	effects = []corev1.TaintEffect{
		corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute,
	}
	// operators has the valid values of each operator.
	operators = map[corev1.TolerationOperator][]string{
		corev1.TolerationOpEqual: values, "": values, corev1.TolerationOpExists: {""},
		corev1.TolerationOpLt: numbers, corev1.TolerationOpGt: numbers,
	}
)

func pick[T any](random *rand.Rand, from ...T) T { return from[random.IntN(len(from))] }

// randomTaints returns up to three valid taints.
func randomTaints(random *rand.Rand) []corev1.Taint {
	var list []corev1.Taint
	for _, key := range keys[random.IntN(len(keys)+1):] {
		list = append(list, corev1.Taint{Key: key, Value: pick(random, values...), Effect: pick(random, effects...)})
	}
	return list
}

// randomTolerations returns up to four valid tolerations, with all operators.
func randomTolerations(random *rand.Rand) []corev1.Toleration {
	var list []corev1.Toleration
	for range random.IntN(5) {
		operator := pick(random, slices.Sorted(maps.Keys(operators))...)
		toleration := corev1.Toleration{
			Key: pick(random, keys...), Operator: operator, Value: pick(random, operators[operator]...),
			Effect: pick(random, append(effects, "")...),
		}
		if operator == corev1.TolerationOpExists && random.IntN(8) == 0 {
			toleration.Key = ""
		}
		list = append(list, toleration)
	}
	return list
}
