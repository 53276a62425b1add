// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cluster/internal/memory"
	"github.com/seed-0529bac1/taints/cluster/internal/rows"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
	"k8s.io/kubernetes/pkg/features"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
)

var dedicated = taint("dedicated", "database", corev1.TaintEffectNoSchedule)

// TestNew checks that the plugin obeys the feature gates, and that an informer feeds its
// index: see TestIndexCountsChanges.
func TestNew(t *testing.T) {
	for _, on := range []bool{false, true} {
		featuregatetesting.SetFeatureGatesDuringTest(t, utilfeature.DefaultFeatureGate, featuregatetesting.FeatureOverrides{
			features.TaintTolerationComparisonOperators:           on,
			features.InPlacePodVerticalScalingSchedulerPreemption: on,
		})
		synctest.Test(t, func(t *testing.T) { testNew(t, on) })
	}
}

func testNew(t *testing.T, gates bool) {
	ctx := t.Context()
	factory := informers.NewSharedInformerFactory(fake.NewClientset(node("node-0"), node("node-1", dedicated)), 0)
	handle, errHandle := frameworkruntime.NewFramework(ctx, nil, nil, frameworkruntime.WithInformerFactory(factory))
	plugin, err := New(ctx, nil, handle)
	if err := errors.Join(errHandle, err); err != nil {
		t.Fatal(err)
	}
	p := plugin.(*Taints)
	if !p.redact || p.options.NoComparison == gates || p.resizes != gates {
		t.Errorf("with the gates %v: options %+v, resizes %v, redacts %v", gates, p.options, p.resizes, p.redact)
	}
	factory.StartWithContext(ctx)
	t.Cleanup(factory.Shutdown)
	synctest.Wait()
	if all, feasible := p.nodes.groups.Len(), p.nodes.groups.CountFeasible(taints.Compile(nil)); all != 2 || feasible != 1 {
		t.Errorf("%d nodes of which %d are feasible, want 2 and 1", all, feasible)
	}
}

// A heartbeat or a resync, which change no taints, must not make the index compare
// every node again.
func TestIndexCountsChanges(t *testing.T) {
	var x index
	handler := x.handler()
	type step struct {
		Taints  []corev1.Taint
		Changes int
	}
	for i, step := range rows.Read[step](t, "changes.yaml") {
		if handler.OnUpdate(nil, node("node", step.Taints...)); x.changes != step.Changes {
			t.Errorf("after step %d: %d changes, want %d", i, x.changes, step.Changes)
		}
	}
	handler.OnDelete(cache.DeletedFinalStateUnknown{Key: "node"}) // the informer has missed it
	if x.changes != 6 || x.groups.Len() != 0 || len(x.current) != 0 {
		t.Errorf("%d changes, %d and %d nodes, want 6 and none", x.changes, x.groups.Len(), len(x.current))
	}
}

// TestStaleIndex asks an index that is behind the snapshot or ahead of it, for a pod
// that tolerates nothing. Node 0 gets or loses its taint first in one of them.
func TestStaleIndex(t *testing.T) {
	tainted := teams(8)
	free := append([]*corev1.Node{node("node-0")}, tainted[1:]...)
	lists := map[string][]*corev1.Node{"tainted": tainted, "tainted node-0": tainted[:1], "free": free, "free node-0": free[:1]}
	var x index
	type step struct {
		News, Snapshot string   // lists; the news reach the index
		Want           []string // absent: Filter decides
	}
	for i, step := range rows.Read[step](t, "stale.yaml") {
		for _, n := range lists[step.News] {
			x.set(n)
		}
		got, ok := x.ask(taints.Compile(nil), snapshotOf(lists[step.Snapshot]...))
		if !got.Equal(sets.New(step.Want...)) || ok != (step.Want != nil) {
			t.Errorf("step %d: %v, %v, want %v", i, got, ok, step.Want)
		}
	}
	x.delete("node-3")
	if got, ok := x.ask(taints.Compile(nil), snapshotOf(tainted...)); !ok || !got.Equal(sets.New("node-3")) {
		t.Errorf("a node that the index has lost: %v, %v", got, ok)
	}
}

// teams returns nodes with a taint of their own each.
func teams(n int) []*corev1.Node {
	var nodes []*corev1.Node
	for i := range n {
		name := fmt.Sprint("node-", i)
		nodes = append(nodes, node(name, taint("team", name, corev1.TaintEffectNoSchedule)))
	}
	return nodes
}

// TestQuarter checks that PreFilter names every feasible node if these are a quarter of
// all nodes, and none if there is one more.
func TestQuarter(t *testing.T) {
	for free, named := range map[int]bool{300: true, 301: false} {
		nodes, want := teams(900), sets.New[string]()
		for i := range free {
			nodes = append(nodes, node(fmt.Sprint("free-", i)))
			want.Insert(fmt.Sprint("free-", i))
		}
		result, _ := knowing(nodes...).PreFilter(t.Context(), newState(), pod(), snapshotOf(nodes...))
		if result.AllNodes() == named || named && !result.NodeNames.Equal(want) {
			t.Errorf("%d nodes are feasible: it leaves %v", free, result)
		}
	}
}

// TestConcurrent queries the index while nodes change. It is for the race detector,
// and checks that answers stay exact.
func TestConcurrent(t *testing.T) {
	versions := [2][]*corev1.Node{teams(16)}
	for _, n := range versions[0] {
		versions[1] = append(versions[1], node(n.Name))
	}
	p := &Taints{}
	var all sync.WaitGroup
	for i := range 2 {
		all.Go(func() {
			for range 500 {
				for _, n := range versions[i] {
					p.nodes.set(n)
				}
				p.nodes.delete("node-3")
			}
		})
		all.Go(func() {
			snapshot := snapshotOf(versions[i]...)
			for range 500 {
				verdict := filterAll(t.Context(), p, newState(), pod(), snapshot)
				for _, info := range snapshot {
					if got, want := verdict(info).IsSuccess(), i == 1; got != want {
						t.Errorf("%s fits: %v, want %v", info.Node().Name, got, want)
						return
					}
				}
			}
		})
	}
	all.Wait()
}

// The scheduler's informer leaves out managedFields, and its plugins need all else.
func TestMemory(t *testing.T) {
	memory.Test(t, "scheduler", func(obj any) (any, error) {
		obj.(*corev1.Pod).ManagedFields = nil
		return obj, nil
	})
}
