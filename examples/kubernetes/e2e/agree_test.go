// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/cluster"
	corev1 "k8s.io/api/core/v1"
	v1helper "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/klog/v2"
)

const (
	ours   = "taints-scheduler"
	theirs = "default-scheduler"
)

// TestAgree gives 500 random pods, each for one of 40 random nodes, to the scheduler
// with the plugin and to the one without. Both place the same pods, and for pods
// that may go to any node they give the nodes the same scores.
func TestAgree(t *testing.T) {
	c := start(t, cluster.Options{})
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))

	nodes := map[string]*corev1.Node{}
	for i := range 40 {
		node := cluster.Node(fmt.Sprintf("node-%02d", i), randomTaints(random)...)
		nodes[node.Name] = node
	}
	c.AddNodes(slices.Collect(maps.Values(nodes))...)
	scheduler, _ := startScheduler(t, c, []string{"--vmodule=schedule_one=10"},
		profile{Name: theirs}, profile{Name: ours, Taints: true})

	t.Run("pinned", func(t *testing.T) { agreeOnPinned(t, c, random, nodes) })
	t.Run("spread", func(t *testing.T) { agreeOnScores(t, c, random, scheduler) })
}

// agreeOnPinned lets only the taints of one node decide on a pod.
func agreeOnPinned(t *testing.T, c *cluster.Cluster, random *rand.Rand, nodes map[string]*corev1.Node) {
	const count = 500
	var pods []*corev1.Pod
	for i := range count {
		pod := cluster.Pod(fmt.Sprintf("pinned-%03d", i), randomTolerations(random)...)
		node := fmt.Sprintf("node-%02d", random.IntN(len(nodes)))
		pod.Spec.NodeSelector = map[string]string{corev1.LabelHostname: node}
		pods = append(pods, twins(pod)...)
	}
	c.AddPods(pods...)
	var found map[string]*corev1.Pod
	c.Eventually("the schedulers have looked at every pod", func() error {
		found = c.Pods("default")
		return settled(found, 2*count)
	})

	placed := 0
	for i := range count {
		name := fmt.Sprintf("pinned-%03d", i)
		got, want := found[name+"-"+ours], found[name+"-"+theirs]
		if got.Spec.NodeName != want.Spec.NodeName {
			t.Errorf("%s is on %q, want %q: %s", name, got.Spec.NodeName, want.Spec.NodeName, describe(got, nodes))
		}
		if (got.Spec.NodeName != "") != tolerates(got, nodes) {
			t.Errorf("%s is on %q, and its tolerations say otherwise: %s",
				name, got.Spec.NodeName, describe(got, nodes))
		}
		if got.Spec.NodeName != "" {
			placed++
		}
	}
	t.Logf("%d of %d pods placed", placed, count)
	if placed < count/10 || placed > count-count/10 {
		t.Errorf("%d of %d pods placed: this does not say much", placed, count)
	}
}

// twins are the pod for each of the schedulers.
func twins(pod *corev1.Pod) []*corev1.Pod {
	var pair []*corev1.Pod
	for _, scheduler := range []string{ours, theirs} {
		twin := pod.DeepCopy()
		twin.Name += "-" + scheduler
		twin.Spec.SchedulerName = scheduler
		pair = append(pair, twin)
	}
	return pair
}

// tolerates asks Kubernetes' own helper about a pinned pod.
func tolerates(pod *corev1.Pod, nodes map[string]*corev1.Node) bool {
	node := nodes[pod.Spec.NodeSelector[corev1.LabelHostname]]
	hard := func(t *corev1.Taint) bool { return t.Effect != corev1.TaintEffectPreferNoSchedule }
	_, found := v1helper.FindMatchingUntoleratedTaint(klog.Logger{}, node.Spec.Taints, pod.Spec.Tolerations, hard, true)
	return !found
}

func describe(pod *corev1.Pod, nodes map[string]*corev1.Node) string {
	node := nodes[pod.Spec.NodeSelector[corev1.LabelHostname]]
	return fmt.Sprintf("taints %v, tolerations %v, message %q", node.Spec.Taints, pod.Spec.Tolerations, pending(pod))
}

// agreeOnScores compares the scores of all nodes for pods that may go to any, as the
// schedulers have written them into their log.
func agreeOnScores(t *testing.T, c *cluster.Cluster, random *rand.Rand, scheduler *cluster.Process) {
	const count = 50
	before := len(c.Pods("default"))
	var pods []*corev1.Pod
	for i := range count {
		pods = append(pods, twins(cluster.Pod(fmt.Sprintf("spread-%02d", i), randomTolerations(random)...))...)
	}
	c.AddPods(pods...)
	c.Eventually("the schedulers have looked at every pod", func() error {
		return settled(c.Pods("default"), before+2*count)
	})

	var scores map[string]map[string]int
	c.Eventually("the log has scores", func() error {
		scores = loggedScores(scheduler.Log())
		if len(scores) == 0 {
			return fmt.Errorf("there are none")
		}
		return nil
	})
	compared, different := 0, 0
	for i := range count {
		name := fmt.Sprintf("default/spread-%02d-", i)
		got, want := scores[name+ours+" Taints"], scores[name+theirs+" TaintToleration"]
		if !maps.Equal(got, want) {
			t.Errorf("%s: scores %v, want %v", name, got, want)
		}
		compared += len(want)
		for _, score := range want {
			if score != 100*3 {
				different++
			}
		}
	}
	t.Logf("%d scores, %d of them less than the most", compared, different)
	if different == 0 || different == compared {
		t.Errorf("%d of %d scores are less than the most: this does not say much", different, compared)
	}
}

// scored is what the scheduler writes about a plugin's score of a node for a pod,
// times the plugin's weight.
var scored = regexp.MustCompile(`"Plugin scored node for pod" .*?pod="([^"]+)" plugin="([^"]+)" node="([^"]+)" score=(\d+)`)

// loggedScores returns the scores in a log, by "pod plugin" and node.
func loggedScores(log string) map[string]map[string]int {
	scores := map[string]map[string]int{}
	for line := range strings.Lines(log) {
		match := scored.FindStringSubmatch(line)
		if match == nil {
			continue
		}
		key := match[1] + " " + match[2]
		if scores[key] == nil {
			scores[key] = map[string]int{}
		}
		score, _ := strconv.Atoi(match[4])
		scores[key][match[3]] = score
	}
	return scores
}

var effects = []corev1.TaintEffect{
	corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute,
}

func pick[T any](random *rand.Rand, from ...T) T { return from[random.IntN(len(from))] }

// randomTaints returns up to three valid taints, PreferNoSchedule ones more
// often than others.
func randomTaints(random *rand.Rand) []corev1.Taint {
	var list []corev1.Taint
	seen := map[[2]string]bool{}
	for range random.IntN(4) {
		taint := corev1.Taint{
			Key:    pick(random, "dedicated", "example.com/gpu", "tier"),
			Value:  pick(random, "", "a", "b", "5", "10"),
			Effect: pick(random, append(effects, corev1.TaintEffectPreferNoSchedule)...),
		}
		if id := [2]string{taint.Key, string(taint.Effect)}; !seen[id] {
			seen[id] = true
			list = append(list, taint)
		}
	}
	return list
}

// randomTolerations returns up to four valid tolerations, with all operators.
func randomTolerations(random *rand.Rand) []corev1.Toleration {
	var list []corev1.Toleration
	for range random.IntN(5) {
		toleration := corev1.Toleration{
			Key: pick(random, "dedicated", "example.com/gpu", "tier"),
			Operator: pick(random, corev1.TolerationOpEqual, "", corev1.TolerationOpExists,
				corev1.TolerationOpLt, corev1.TolerationOpGt),
			Effect: pick(random, append(effects, "")...),
		}
		switch toleration.Operator {
		case corev1.TolerationOpLt, corev1.TolerationOpGt:
			toleration.Value = pick(random, "4", "5", "6", "11")
		case corev1.TolerationOpExists:
			if random.IntN(8) == 0 {
				toleration.Key = ""
			}
		default:
			toleration.Value = pick(random, "", "a", "b", "5", "10")
		}
		list = append(list, toleration)
	}
	return list
}
