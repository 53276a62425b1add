package conformance

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/conformance/internal/convert"
	"github.com/seed-0529bac1/taints/conformance/internal/linked"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/pkg/controller/nodelifecycle"
	"pgregory.net/rapid"
)

// A lifecycle is the node-lifecycle controller over a cluster in memory. Its loops do not run; step does what they would.
type lifecycle struct {
	controller *nodelifecycle.Controller
	client     *fake.Clientset
	nodes      cache.Indexer // what the controller believes to be the cluster
}

func newLifecycle(t *testing.T) *lifecycle {
	client := fake.NewClientset()
	factory := informers.NewSharedInformerFactory(client, 0)
	controller := newNodeLifecycleController(t, client, factory, taints.DisruptionPolicy{Threshold: 0.55, Rate: 1e9, SecondaryRate: 1e9, LargeZone: 50})
	return &lifecycle{controller, client, factory.Core().V1().Nodes().Informer().GetIndexer()}
}

// newNodeLifecycleController returns one with the numbers of the policy. Its loops do not run.
func newNodeLifecycleController(t *testing.T, client kubernetes.Interface, factory informers.SharedInformerFactory, p taints.DisruptionPolicy) *nodelifecycle.Controller {
	controller, err := nodelifecycle.NewNodeLifecycleController(t.Context(),
		factory.Coordination().V1().Leases(), factory.Core().V1().Pods(), factory.Core().V1().Nodes(), factory.Apps().V1().DaemonSets(),
		client, time.Second, time.Hour, time.Hour, p.Rate, p.SecondaryRate, int32(p.LargeZone), p.Threshold)
	if err != nil {
		t.Fatal(err)
	}
	return controller
}

// observe returns the node as it is in the cluster, once the controller has seen it.
func (l *lifecycle) observe(ctx context.Context, t *rapid.T, name string) *corev1.Node {
	node, err := l.client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
	if err == nil {
		err = l.nodes.Update(node)
	}
	if err != nil {
		t.Fatal(err)
	}
	return node
}

// step returns the taints of the node once the controller has nothing more to do to it.
func (l *lifecycle) step(ctx context.Context, t *rapid.T, node *corev1.Node) []corev1.Taint {
	if _, err := l.client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	defer func() {
		l.nodes.Delete(node)
		l.client.CoreV1().Nodes().Delete(ctx, node.Name, metav1.DeleteOptions{})
	}()
	l.observe(ctx, t, node.Name)
	if err := linked.NoSchedulePass(l.controller, ctx, node.Name); err != nil {
		t.Fatal(err)
	}
	node = l.observe(ctx, t, node.Name)
	linked.AddZone(l.controller, quiet, node)
	if i := slices.IndexFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool { return c.Type == corev1.NodeReady }); i >= 0 {
		linked.ProcessReady(l.controller, ctx, node, &node.Status.Conditions[i])
		l.observe(ctx, t, node.Name)
		linked.NoExecutePass(l.controller, ctx)
	}
	return l.observe(ctx, t, node.Name).Spec.Taints
}

var (
	conditionTypes    = []string{"Ready", "Ready", "MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable", "KernelDeadlock", "ready", ""}
	conditionStatuses = []string{"True", "False", "Unknown", "true", ""}
	conditionKeys     = []string{
		corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable, corev1.TaintNodeMemoryPressure, corev1.TaintNodeDiskPressure,
		corev1.TaintNodePIDPressure, corev1.TaintNodeNetworkUnavailable, corev1.TaintNodeUnschedulable, corev1.TaintNodeOutOfService, "dedicated",
	}
)

func drawCondition(t *rapid.T) corev1.NodeCondition {
	return corev1.NodeCondition{
		Type:   corev1.NodeConditionType(rapid.SampledFrom(conditionTypes).Draw(t, "type")),
		Status: corev1.ConditionStatus(rapid.SampledFrom(conditionStatuses).Draw(t, "status")),
	}
}

// drawNodeTaints returns taints as an API server may hold them.
func drawNodeTaints(t *rapid.T) []corev1.Taint {
	return unique(draws(t, "taints", 6, func(t *rapid.T) corev1.Taint {
		return corev1.Taint{
			Key:    rapid.SampledFrom(conditionKeys).Draw(t, "key"),
			Value:  rapid.SampledFrom([]string{"", "", "v"}).Draw(t, "value"),
			Effect: corev1.TaintEffect(rapid.SampledFrom(hotEffects[:3]).Draw(t, "effect")),
		}
	}))
}

// TestConditions stops at 50,000 cases, for one takes two milliseconds.
func TestConditions(t *testing.T) {
	l, ctx, drawn := newLifecycle(t), t.Context(), 0
	rapid.Check(t, func(t *rapid.T) {
		if drawn++; drawn > 50_000 {
			return
		}
		node := &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("node-%d", drawn)}, // the controller remembers names
			Spec:       corev1.NodeSpec{Taints: drawNodeTaints(t), Unschedulable: rapid.Bool().Draw(t, "unschedulable")},
			Status:     corev1.NodeStatus{Conditions: draws(t, "conditions", 4, drawCondition)},
		}
		given := convert.Each(node.Spec.Taints, convert.FromTaint)
		conditions := convert.Each(node.Status.Conditions, func(c corev1.NodeCondition) taints.Condition {
			return taints.Condition{Type: string(c.Type), Status: string(c.Status)}
		})
		c := taints.ReconcileConditions(given, conditions, node.Spec.Unschedulable, observed)
		got, err := c.Apply(given, false)
		if err != nil {
			t.Fatal(err)
		}
		want := convert.Each(l.step(ctx, t, node), convert.FromTaint)
		if !maps.Equal(counts(withoutValues(got)), counts(withoutValues(want))) {
			t.Fatalf("%v with %v becomes %v, in Kubernetes %v", given, conditions, got, want)
		}
	})
}

// withoutValues returns the taints without the values, which the controller drops from its own where a person gave them
// one and it has just started.
func withoutValues(list []taints.Taint) []taints.Taint {
	list = slices.Clone(list)
	for i := range list {
		list[i].Value = ""
	}
	return list
}
