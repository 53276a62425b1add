// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/conformance/internal/convert"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
	clienttesting "k8s.io/client-go/testing"
	cloudhelpers "k8s.io/cloud-provider/node/helpers"
	utiltaints "k8s.io/kubernetes/pkg/util/taints"
	"pgregory.net/rapid"
)

// The tests of this file hold changes against the helpers by which controllers
// make sure that taints are on a node, or are not.

// A memoryNode is a node of a cluster in memory.
type memoryNode struct{ client *fake.Clientset }

const memoryNodeName = "node"

func newMemoryNode() *memoryNode { return &memoryNode{newMemoryCluster()} }

// newMemoryCluster returns one that does not manage fields, as fake.NewClientset
// does in ten times the time.
func newMemoryCluster() *fake.Clientset {
	cluster := new(fake.Clientset)
	objects := clienttesting.NewObjectTracker(scheme.Scheme, scheme.Codecs.UniversalDecoder())
	cluster.AddReactor("*", "*", clienttesting.ObjectReaction(objects))
	return cluster
}

// after returns the taints of a node that had the list once change is through,
// and whether that wrote to the node.
func (n *memoryNode) after(
	t rapid.TB, list []corev1.Taint, change func(kubernetes.Interface) error,
) ([]corev1.Taint, bool) {
	ctx, nodes := context.Background(), n.client.CoreV1().Nodes()
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: memoryNodeName}, Spec: corev1.NodeSpec{Taints: list}}
	if _, err := nodes.Create(ctx, node, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	defer nodes.Delete(ctx, node.Name, metav1.DeleteOptions{})
	n.client.ClearActions()
	if err := change(n.client); err != nil {
		t.Fatal(err)
	}
	written := false
	for _, action := range n.client.Actions() {
		written = written || action.GetVerb() == "patch"
	}
	node, err := nodes.Get(ctx, node.Name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return node.Spec.Taints, written
}

// drawStampedTaint returns a taint as an API server may hold it, in half of the
// cases with a time of whole seconds.
func drawStampedTaint(t *rapid.T) corev1.Taint {
	taint := drawCommonTaint(t)
	if rapid.Bool().Draw(t, "stamped") {
		taint.TimeAdded = &metav1.Time{Time: time.Unix(rapid.Int64Range(1, 3).Draw(t, "time"), 0)}
	}
	return taint
}

func addresses(list []corev1.Taint) []*corev1.Taint {
	var out []*corev1.Taint
	for i := range list {
		out = append(out, &list[i])
	}
	return out
}

// withTimesOf returns the list, in which a taint that was there before under the
// same value has the time that it had, as in the library.
func withTimesOf(before, list []taints.Taint) []taints.Taint {
	list = slices.Clone(list)
	for i, taint := range list {
		was := func(u taints.Taint) bool { return u.ID() == taint.ID() && u.Value == taint.Value }
		if at := slices.IndexFunc(before, was); at >= 0 {
			list[i].TimeAdded = before[at].TimeAdded
		}
	}
	return list
}

func TestAddOrUpdateTaintOnNode(t *testing.T) {
	compares(t, "cloud-provider: AddOrUpdateTaintOnNode", "Changes.Apply")
	node := newMemoryNode()
	rapid.Check(t, func(t *rapid.T) {
		before, add := unique(draws(t, "taints", 5, drawStampedTaint)), unique(draws(t, "add", 4, drawStampedTaint))
		theirs, written := node.after(t, before, func(client kubernetes.Interface) error {
			return cloudhelpers.AddOrUpdateTaintOnNode(client, memoryNodeName, addresses(add)...)
		})
		given := convert.Each(before, convert.FromTaint)
		want := withTimesOf(given, convert.Each(theirs, convert.FromTaint))
		got, changed := taints.Changes{Add: convert.Each(add, convert.FromTaint)}.Apply(given)
		if !slices.EqualFunc(got, want, taints.Taint.Equal) {
			t.Fatalf("%v with %v: %v, Kubernetes %v", given, add, got, want)
		}
		if differs := !slices.EqualFunc(given, want, taints.Taint.Equal); changed != differs || changed && !written {
			t.Fatalf("%v with %v: changed %v, Kubernetes writes %v", given, add, changed, written)
		}
	})
}

func TestRemoveTaintOffNode(t *testing.T) {
	compares(t, "cloud-provider: RemoveTaintOffNode", "Changes.Apply")
	node := newMemoryNode()
	rapid.Check(t, func(t *rapid.T) {
		before, remove := unique(draws(t, "taints", 5, drawStampedTaint)), draws(t, "remove", 4, drawCommonTaint)
		theirs, written := node.after(t, before, func(client kubernetes.Interface) error {
			return cloudhelpers.RemoveTaintOffNode(client, memoryNodeName, nil, addresses(remove)...)
		})
		given, want := convert.Each(before, convert.FromTaint), convert.Each(theirs, convert.FromTaint)
		got, changed := taints.Changes{Remove: ids(remove)}.Apply(given)
		if !slices.EqualFunc(got, want, taints.Taint.Equal) || changed != written {
			t.Fatalf("%v without %v: %v, %v, Kubernetes %v, %v", given, remove, got, changed, want, written)
		}
	})
}

func ids(list []corev1.Taint) []taints.TaintID {
	return convert.Each(list, func(t corev1.Taint) taints.TaintID { return convert.FromTaint(t).ID() })
}

// A taint that is there keeps its time, even if it is added with another.
func TestDifferenceTimeOfAddedTaint(t *testing.T) {
	old, fresh := metav1.Unix(1, 0), metav1.Unix(2, 0)
	before := []corev1.Taint{{Key: "a", Value: "v", Effect: "NoExecute", TimeAdded: &old}}
	add := []corev1.Taint{{Key: "a", Value: "v", Effect: "NoExecute", TimeAdded: &fresh}}
	theirs, _ := newMemoryNode().after(t, before, func(client kubernetes.Interface) error {
		return cloudhelpers.AddOrUpdateTaintOnNode(client, memoryNodeName, addresses(add)...)
	})
	same(t, "AddOrUpdateTaintOnNode", theirs[0].TimeAdded.Unix(), fresh.Unix())
	c := taints.Changes{Add: convert.Each(add, convert.FromTaint)}
	_, changed := c.Apply(convert.Each(before, convert.FromTaint))
	same(t, "Apply changes", changed, false)
	removed, _ := taints.Changes{Remove: ids(add)}.Apply(convert.Each(before, convert.FromTaint))
	ours, _ := c.Apply(removed)
	same(t, "Apply after removal", ours[0].TimeAdded.Unix(), fresh.Unix())
}

// TestAddAndRemoveTaint goes through the same rules for one taint, of any kind,
// in pkg/util/taints.
func TestAddAndRemoveTaint(t *testing.T) {
	compares(t, "pkg/util/taints: AddOrUpdateTaint, RemoveTaint", "Changes.Apply")
	rapid.Check(t, func(t *rapid.T) {
		before, taint := unique(drawTaints(t)), drawTaint(t)
		node := &corev1.Node{Spec: corev1.NodeSpec{Taints: before}}
		given, mark := convert.Each(before, convert.FromTaint), convert.FromTaint(taint)
		added, _, err := utiltaints.AddOrUpdateTaint(node, &taint)
		if err != nil {
			t.Fatal(err)
		}
		want := withTimesOf(given, convert.Each(added.Spec.Taints, convert.FromTaint))
		got, _ := taints.Changes{Add: []taints.Taint{mark}}.Apply(given)
		if !slices.EqualFunc(got, want, taints.Taint.Equal) {
			t.Fatalf("%v with %v: %v, Kubernetes %v", given, mark, got, want)
		}
		removed, wantChanged, err := utiltaints.RemoveTaint(node, &taint)
		if err != nil {
			t.Fatal(err)
		}
		got, changed := taints.Changes{Remove: []taints.TaintID{mark.ID()}}.Apply(given)
		want = convert.Each(removed.Spec.Taints, convert.FromTaint)
		if !slices.EqualFunc(got, want, taints.Taint.Equal) || changed != wantChanged {
			t.Fatalf("%v without %v: %v, %v, Kubernetes %v, %v", given, mark, got, changed, want, wantChanged)
		}
	})
}

func TestFindTaint(t *testing.T) {
	compares(t, "TaintExists", "FindTaint")
	rapid.Check(t, func(t *rapid.T) {
		list, taint := drawTaints(t), drawTaint(t)
		id := convert.FromTaint(taint).ID()
		want := utiltaints.TaintExists(list, &taint)
		i, found := taints.FindTaint(convert.Each(list, convert.FromTaint), id)
		if found != want {
			t.Fatalf("%v in %v: %v, Kubernetes %v", id, list, found, want)
		}
		first := slices.IndexFunc(list, func(u corev1.Taint) bool { return u.MatchTaint(&taint) })
		if i != first {
			t.Fatalf("%v in %v: FindTaint = %d, the first is %d", id, list, i, first)
		}
	})
}

// TestTaintSetDiff has lists in which a taint of one key and effect has one
// value, because TaintSetDiff ignores it; see TestDifferenceChangedValue.
func TestTaintSetDiff(t *testing.T) {
	compares(t, "TaintSetDiff", "Reconcile")
	rapid.Check(t, func(t *rapid.T) {
		draw := func(t *rapid.T) corev1.Taint {
			taint := drawTaint(t)
			taint.Value = ""
			return taint
		}
		from, to := unique(draws(t, "from", 5, draw)), unique(draws(t, "to", 5, draw))
		add, remove := utiltaints.TaintSetDiff(to, from)
		current := convert.Each(from, convert.FromTaint)
		got := taints.Reconcile(current, current, convert.Each(to, convert.FromTaint))
		value := func(t *corev1.Taint) taints.Taint { return convert.FromTaint(*t) }
		identity := func(t *corev1.Taint) taints.TaintID { return convert.FromTaint(*t).ID() }
		if !slices.EqualFunc(got.Add, convert.Each(add, value), taints.Taint.Equal) ||
			!slices.Equal(got.Remove, convert.Each(remove, identity)) {
			t.Fatalf("Reconcile = %v, Kubernetes %v and %v", got, add, remove)
		}
	})
}

func TestDifferenceChangedValue(t *testing.T) {
	from := corev1.Taint{Key: "a", Value: "1", Effect: "NoSchedule"}
	to := corev1.Taint{Key: "a", Value: "2", Effect: "NoSchedule"}
	add, remove := utiltaints.TaintSetDiff([]corev1.Taint{to}, []corev1.Taint{from})
	same(t, "TaintSetDiff", len(add)+len(remove), 0)
	current := []taints.Taint{convert.FromTaint(from)}
	got := taints.Reconcile(current, current, []taints.Taint{convert.FromTaint(to)})
	same(t, "Reconcile", got.String(), "a=2:NoSchedule")
}
