// SPDX-License-Identifier: Apache-2.0

//go:build !staging

package conformance

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/conformance/internal/linked"
	"github.com/seed-0529bac1/taints/kube"
	"github.com/seed-0529bac1/taints/kube/nodestate"
	"github.com/seed-0529bac1/taints/lifecycle"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/pkg/controller/nodelifecycle"
	"pgregory.net/rapid"
)

// A nodeController is the node-lifecycle controller with an in-memory cluster.
// Its loops do not run. The step method does their work.
type nodeController struct {
	controller *nodelifecycle.Controller
	client     *fake.Clientset
	nodes      cache.Indexer // the controller's view of the cluster
}

// newClient returns a client of an empty in-memory cluster. It does not manage
// fields, as that of fake.NewClientset does, which takes ten times as long.
func newClient() *fake.Clientset {
	client := new(fake.Clientset)
	objects := clienttesting.NewObjectTracker(scheme.Scheme, scheme.Codecs.UniversalDecoder())
	client.AddReactor("*", "*", clienttesting.ObjectReaction(objects))
	return client
}

// newNodeController returns a controller with the numbers of the policy.
func newNodeController(t *testing.T, p lifecycle.DisruptionPolicy) *nodeController {
	client := newClient()
	factory := informers.NewSharedInformerFactory(client, 0)
	controller, err := nodelifecycle.NewNodeLifecycleController(t.Context(),
		factory.Coordination().V1().Leases(), factory.Core().V1().Pods(),
		factory.Core().V1().Nodes(), factory.Apps().V1().DaemonSets(),
		client, time.Second, time.Hour, time.Hour,
		float32(p.Rate), float32(p.SecondaryRate), int32(p.LargeZone), float32(p.Threshold))
	if err != nil {
		t.Fatal(err)
	}
	return &nodeController{controller, client, factory.Core().V1().Nodes().Informer().GetIndexer()}
}

// atOnce is a policy under which no node waits for its taints.
var atOnce = lifecycle.DisruptionPolicy{Threshold: 0.55, Rate: 1e9, SecondaryRate: 1e9, LargeZone: 50}

// observe returns the node from the cluster and shows it to the controller.
func (l *nodeController) observe(ctx context.Context, t rapid.TB, name string) *corev1.Node {
	node, err := l.client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
	same(t, "Get fails", err, nil)
	same(t, "Update fails", l.nodes.Update(node), nil)
	return node
}

// step returns the taints of the node once the controller is done with it.
func (l *nodeController) step(ctx context.Context, t rapid.TB, node *corev1.Node) []corev1.Taint {
	_, err := l.client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{})
	same(t, "Create fails", err, nil)
	defer func() {
		l.nodes.Delete(node)
		l.client.CoreV1().Nodes().Delete(ctx, node.Name, metav1.DeleteOptions{})
	}()
	l.observe(ctx, t, node.Name)
	same(t, "doNoScheduleTaintingPass fails", linked.NoSchedulePass(l.controller, ctx, node.Name), nil)
	node = l.observe(ctx, t, node.Name)
	linked.AddZone(l.controller, quiet, node)
	isReady := func(c corev1.NodeCondition) bool { return c.Type == corev1.NodeReady }
	if i := slices.IndexFunc(node.Status.Conditions, isReady); i >= 0 {
		linked.ProcessReady(l.controller, ctx, node, &node.Status.Conditions[i])
		l.observe(ctx, t, node.Name)
		linked.NoExecutePass(l.controller, ctx)
	}
	return l.observe(ctx, t, node.Name).Spec.Taints
}

var (
	conditionTypes = []string{
		"Ready", "Ready", "MemoryPressure", "DiskPressure", "PIDPressure",
		"NetworkUnavailable", "KernelDeadlock", "ready", "",
	}
	conditionStatuses = []string{"True", "False", "Unknown", "true", ""}
	conditionKeys     = []string{
		corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable,
		corev1.TaintNodeMemoryPressure, corev1.TaintNodeDiskPressure, corev1.TaintNodePIDPressure,
		corev1.TaintNodeNetworkUnavailable, corev1.TaintNodeUnschedulable, corev1.TaintNodeOutOfService,
		"dedicated",
	}
)

func drawCondition(t *rapid.T) corev1.NodeCondition {
	return corev1.NodeCondition{
		Type:   corev1.NodeConditionType(rapid.SampledFrom(conditionTypes).Draw(t, "type")),
		Status: corev1.ConditionStatus(rapid.SampledFrom(conditionStatuses).Draw(t, "status")),
	}
}

// drawNodeTaints returns taints that an API server may store.
func drawNodeTaints(t *rapid.T) []corev1.Taint {
	return unique(draws(t, "taints", 6, func(t *rapid.T) corev1.Taint {
		return corev1.Taint{
			Key:    rapid.SampledFrom(conditionKeys).Draw(t, "key"),
			Value:  rapid.SampledFrom([]string{"", "", "v"}).Draw(t, "value"),
			Effect: corev1.TaintEffect(rapid.SampledFrom(hotEffects[:3]).Draw(t, "effect")),
		}
	}))
}

// TestConditions stops at 100,000 cases, because the controller remembers every node.
func TestConditions(t *testing.T) {
	l, ctx, drawn := newNodeController(t, atOnce), t.Context(), 0
	checkAtMost(t, 100_000, func(t *rapid.T) {
		drawn++
		node := &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("node-%d", drawn)}, // the controller remembers names
			Spec: corev1.NodeSpec{
				Taints:        drawNodeTaints(t),
				Unschedulable: rapid.Bool().Draw(t, "unschedulable"),
			},
			Status: corev1.NodeStatus{Conditions: draws(t, "conditions", 4, drawCondition)},
		}
		list, state, now := kube.Taints(node.Spec.Taints), nodestate.Of(node), observed
		rules := lifecycle.DefaultConditionRules()
		changes := rules.Reconcile(list, state, now)
		got, changed := changes.Apply(list)
		same(t, "Apply changes", changed, !changes.IsZero())
		same(t, "Reconcile once more", lifecycle.DefaultConditionRules().Reconcile(got, state, now), taints.Changes{})
		// A controller that has just started drops the values that a user gave to its
		// own taints, so only their identities are compared.
		want := kube.Taints(l.step(ctx, t, node.DeepCopy()))
		same(t, "Reconcile", counts(got, taints.Taint.ID), counts(want, taints.Taint.ID))
	})
}

// A controller that has just started does not know which nodes it has tainted.
// It rewrites an existing NoExecute taint: without the value, and with the
// current time, from which pods then count their seconds. The library leaves a
// correct taint unchanged.
func TestDifferenceRestartedController(t *testing.T) {
	at := observed.Truncate(time.Second)
	given := []taints.Taint{
		{Key: taints.NodeNotReady, Effect: taints.NoSchedule, TimeAdded: &at},
		{Key: taints.NodeNotReady, Value: "by-hand", Effect: taints.NoExecute, TimeAdded: &at},
	}
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: "restarted"},
		Spec:       corev1.NodeSpec{Taints: kube.CoreTaints(given)},
		Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{
			{Type: corev1.NodeReady, Status: corev1.ConditionFalse},
		}},
	}
	theirs := kube.Taints(newNodeController(t, atOnce).step(t.Context(), t, node.DeepCopy()))
	i, found := taints.FindTaint(theirs, taints.TaintID{Key: taints.NodeNotReady, Effect: taints.NoExecute})
	if !found || theirs[i].TimeAdded == nil || theirs[i].TimeAdded.Equal(at) || theirs[i].Value != "" {
		t.Errorf("Kubernetes leaves %v", theirs)
	}
	same(t, "changes of the library", lifecycle.DefaultConditionRules().Reconcile(given, nodestate.Of(node), observed).IsZero(), true)
}
