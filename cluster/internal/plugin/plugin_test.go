// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cluster/internal/rows"
	"github.com/seed-0529bac1/taints/internal/test/draw"
	"github.com/seed-0529bac1/taints/kube"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/tainttoleration"
	schedulertesting "k8s.io/kubernetes/pkg/scheduler/testing/framework"
	"pgregory.net/rapid"
)

func node(name string, list ...corev1.Taint) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.NodeSpec{Taints: list}}
}

func pod(list ...corev1.Toleration) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "pod", UID: "pod"}, Spec: corev1.PodSpec{Tolerations: list}}
}

// knowing returns a plugin whose index has the nodes.
func knowing(nodes ...*corev1.Node) *Taints {
	p := &Taints{}
	for _, n := range nodes {
		p.nodes.set(n)
	}
	return p
}

func snapshotOf(nodes ...*corev1.Node) []fwk.NodeInfo {
	return schedulertesting.BuildNodeInfos(nodes)
}

func taint(key, value string, effect corev1.TaintEffect) corev1.Taint {
	return corev1.Taint{Key: key, Value: value, Effect: effect}
}

func equal(key, value string) corev1.Toleration {
	return corev1.Toleration{Key: key, Operator: corev1.TolerationOpEqual, Value: value}
}

// An affinity is one of those in testdata/affinities.yaml. Some keep only named nodes.
type affinity struct {
	Name     string
	Affinity *corev1.Affinity
	Named    bool
}

// drawPod returns a pod. About half of its tolerations are about taints of the nodes.
func drawPod(t *rapid.T, nodes []*corev1.Node, affinities []affinity) *corev1.Pod {
	var list []corev1.Taint
	for _, n := range nodes {
		list = append(list, n.Spec.Taints...)
	}
	p := pod(kube.CoreTolerations(draw.Meeting(kube.Taints(list)).Draw(t, "tolerations"))...)
	p.Spec.Affinity = rapid.SampledFrom(affinities).Draw(t, "affinity").Affinity
	if reason := rapid.SampledFrom([]string{"", "", "", "Deferred", "Infeasible"}).Draw(t, "resize"); reason != "" {
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodResizePending, Reason: reason}}
	}
	return p
}

// both returns the plugin and the plugin that it replaces, for a scheduler with
// drawn feature gates.
func both(t *rapid.T) (ours *Taints, theirs *tainttoleration.TaintToleration) {
	comparison, resizes := rapid.Bool().Draw(t, "comparison"), rapid.Bool().Draw(t, "resizes")
	plugin, err := tainttoleration.New(context.Background(), nil, nil, feature.Features{
		EnableTaintTolerationComparisonOperators:           comparison,
		EnableInPlacePodVerticalScalingSchedulerPreemption: resizes,
	})
	if err != nil {
		t.Fatal(err)
	}
	ours = &Taints{options: taints.Options{NoComparison: !comparison}, resizes: resizes}
	return ours, plugin.(*tainttoleration.TaintToleration)
}

// TestSameNodesAndScores compares, for every node of a snapshot, whether the pod
// fits and with which score, while the index is behind the snapshot, ahead of it,
// or equal to it.
func TestSameNodesAndScores(t *testing.T) {
	ctx, affinities := t.Context(), rows.Read[affinity](t, "affinities.yaml")
	rapid.Check(t, func(t *rapid.T) {
		ours, theirs := both(t)
		// Two rounds with one plugin, because it remembers the first snapshot.
		for range 2 {
			nodes := drawCluster(t, ours)
			p := drawPod(t, nodes, affinities)
			ourState, theirState := newState(), newState()
			snapshot := snapshotOf(nodes...)
			verdict := filterAll(ctx, ours, ourState, p, snapshot)
			_, status := ours.PreFilter(ctx, newState(), p, snapshot)
			if _, theirs := theirs.PreFilter(ctx, newState(), p, snapshot); status.IsSkip() != theirs.IsSkip() {
				t.Fatalf("PreFilter: %v, want %v", status, theirs)
			}
			var fit []fwk.NodeInfo
			for _, info := range snapshot {
				want := theirs.Filter(ctx, theirState, p, info).Code()
				if got := verdict(info).Code(); got != want {
					t.Fatalf("%s: %v, want %v", info.Node().Name, got, want)
				}
				if want == fwk.Success {
					fit = append(fit, info)
				}
			}
			signature, _ := ours.SignPod(ctx, p)
			if want, _ := theirs.SignPod(ctx, p); !reflect.DeepEqual(signature, want) {
				t.Fatalf("signature %v, want %v", signature, want)
			}
			got, want := scoreAll(ctx, t, ours, ourState, p, fit), scoreAll(ctx, t, theirs, theirState, p, fit)
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("scores %v, want %v", got, want)
			}
		}
	})
}

// drawCluster returns the nodes of a snapshot. The plugin knows most of them.
func drawCluster(t *rapid.T, p *Taints) []*corev1.Node {
	var nodes []*corev1.Node
	lists := rapid.Map(rapid.SliceOfN(draw.Taint, 0, 3), kube.CoreTaints)
	kind := rapid.SampledFrom(rapid.SliceOfN(lists, 1, 3).Draw(t, "kinds"))
	for i := range rapid.IntRange(0, 24).Draw(t, "nodes") {
		n := node(fmt.Sprintf("node-%d", i), kind.Draw(t, "taints")...)
		nodes = append(nodes, n)
		switch rapid.SampledFrom([]string{"right", "right", "right", "right", "other", "unknown"}).Draw(t, "index") {
		case "right":
			p.nodes.set(n)
		case "other":
			p.nodes.set(node(n.Name, kind.Draw(t, "other taints")...))
		case "unknown":
			p.nodes.delete(n.Name)
		}
	}
	if rapid.Bool().Draw(t, "one more in the index") {
		p.nodes.set(node("more", kind.Draw(t, "its taints")...))
	}
	return nodes
}

// filterAll calls PreFilter as the scheduler does. It returns a function that
// returns the status of a node.
func filterAll(ctx context.Context, p *Taints, state fwk.CycleState, pod *corev1.Pod, snapshot []fwk.NodeInfo) func(fwk.NodeInfo) *fwk.Status {
	result, status := p.PreFilter(ctx, state, pod, snapshot)
	return func(info fwk.NodeInfo) *fwk.Status {
		switch {
		case status.IsSkip(): // the scheduler does not call Filter
		case !status.IsSuccess():
			return status
		case !result.AllNodes() && !result.NodeNames.Has(info.Node().Name):
			return fwk.NewStatus(fwk.UnschedulableAndUnresolvable)
		}
		return p.Filter(ctx, state, pod, info)
	}
}

type scorer interface {
	fwk.PreScorePlugin
	fwk.ScorePlugin
}

func scoreAll(ctx context.Context, t rapid.TB, p scorer, state fwk.CycleState, pod *corev1.Pod, nodes []fwk.NodeInfo) fwk.NodeScoreList {
	if status := p.PreScore(ctx, state, pod, nodes); !status.IsSuccess() {
		t.Fatal(status)
	}
	var scores fwk.NodeScoreList
	for _, info := range nodes {
		score, status := p.Score(ctx, state, pod, info)
		if !status.IsSuccess() {
			t.Fatal(status)
		}
		scores = append(scores, fwk.NodeScore{Name: info.Node().Name, Score: score})
	}
	if status := p.ScoreExtensions().NormalizeScore(ctx, state, pod, scores); !status.IsSuccess() {
		t.Fatal(status)
	}
	return scores
}

// pool returns a cluster of 8 nodes: one for databases, one for databases that is
// cordoned, and six for web servers.
func pool() []*corev1.Node {
	cordon := taint(corev1.TaintNodeUnschedulable, "", corev1.TaintEffectNoSchedule)
	nodes := []*corev1.Node{node("node-0", dedicated), node("node-1", cordon, dedicated)}
	for i := 2; i < 8; i++ {
		nodes = append(nodes, node(fmt.Sprintf("node-%d", i), taint("dedicated", "web", corev1.TaintEffectNoExecute)))
	}
	return nodes
}

// TestNamedNodes checks that the index is not queried for pods whose affinity names
// the nodes.
func TestNamedNodes(t *testing.T) {
	for _, test := range rows.Read[affinity](t, "affinities.yaml") {
		p, pod := knowing(pool()...), pod(equal("dedicated", "Web")) // which fits on no node
		pod.Spec.Affinity = test.Affinity
		if _, status := p.PreFilter(t.Context(), newState(), pod, snapshotOf(pool()...)); status.IsSuccess() != test.Named {
			t.Errorf("%s: %v", test.Name, status)
		}
	}
}

func TestMessages(t *testing.T) {
	const filter = untolerated + ": node.kubernetes.io/unschedulable:NoSchedule" // no secret
	for redact, named := range map[bool][]any{false: {"dedicated=web", "dedicated=database"}, true: {"<key1>=<value1>", "<key1>=<value2>"}} {
		leftOut := fmt.Sprintf("Taints: 6 have untolerated taint %s:NoExecute (closest: %s, the value differs", named...)
		nowhere := fmt.Sprintf("6 have untolerated taint %s:NoExecute, 2 have", named[0])
		ctx, nodes := t.Context(), pool()
		p := knowing(nodes...)
		p.redact = redact
		state, database := newState(), pod(equal("dedicated", "database"))
		result, _ := p.PreFilter(ctx, state, database, snapshotOf(nodes...))
		if !result.NodeNames.Equal(sets.New("node-0")) {
			t.Errorf("PreFilter leaves %v", result.NodeNames)
		}
		for range 2 { // the second time from the cycle
			if got := p.Filter(ctx, state, database, snapshotOf(nodes[1])[0]).Message(); got != filter {
				t.Errorf("Filter: %q, want %q", got, filter)
			}
		}
		_, status := p.PostFilter(ctx, state, database, nil)
		if status.Code() != fwk.Unschedulable || !strings.HasPrefix(status.Message(), leftOut) {
			t.Errorf("PostFilter: %q, want %q", status.Message(), leftOut)
		}

		state = newState()
		_, status = p.PreFilter(ctx, state, pod(), snapshotOf(nodes...))
		if !strings.HasPrefix(status.Message(), nowhere) || strings.Contains(status.Message(), "closest") {
			t.Errorf("PreFilter: %q, want %q", status.Message(), nowhere)
		}
		_, status = p.PostFilter(ctx, state, pod(), nil)
		if status.Code() != fwk.Unschedulable || status.Message() != "" {
			t.Errorf("PostFilter repeats PreFilter: %v", status)
		}
	}
}

func TestArgs(t *testing.T) {
	type test struct{ Args, Want string }
	for _, test := range rows.Read[test](t, "args.yaml") {
		args, err := decodeArgs(&runtime.Unknown{Raw: []byte(test.Args)})
		if got := fmt.Sprintln(args.Redact, err); !strings.Contains(got, test.Want) {
			t.Errorf("%s: %s, want %s", test.Args, got, test.Want)
		}
	}
}

func newState() fwk.CycleState { return framework.NewCycleState() }

// Filter names at most maxReasons taints in a cycle, and keeps naming those.
// Without PreFilter it cannot know which taints it has named, so it names none.
func TestFilterNamesFewTaints(t *testing.T) {
	ctx, p, state, next := t.Context(), &Taints{}, newState(), newState()
	snapshot := snapshotOf(teams(maxReasons + 1)...)
	expect := func(state fwk.CycleState, team int, named bool) {
		t.Helper()
		want := untolerated
		if named {
			want += fmt.Sprintf(": team=node-%d:NoSchedule", team)
		}
		if got := p.Filter(ctx, state, pod(), snapshot[team]).Message(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	p.PreFilter(ctx, state, pod(), nil)
	p.PreFilter(ctx, next, pod(), nil)
	for team := range maxReasons {
		expect(state, team, true)
	}
	expect(state, maxReasons, false)
	expect(state, 0, true)
	expect(next, maxReasons, true)
	expect(newState(), 0, false)
}

// A pod with many tolerations must not keep other pods waiting: only the taints
// that a message names are explained, and with more tolerations none. The index,
// which is locked meanwhile, is not queried for these.
func TestHostilePod(t *testing.T) {
	const nodes = 1000
	cluster := teams(nodes)
	p, snapshot := knowing(cluster...), snapshotOf(cluster...)
	for tolerations, want := range map[int]struct {
		allocs float64
		named  bool
	}{maxTolerations: {2 * nodes, true}, maxTolerations + 1: {nodes / 10, false}} {
		pod, state := pod(), newState()
		for i := range tolerations { // each resembles a taint
			pod.Spec.Tolerations = append(pod.Spec.Tolerations, equal("team", fmt.Sprint("NODE-", i)))
		}
		var status *fwk.Status
		preFilter := func() { _, status = p.PreFilter(t.Context(), state, pod, snapshot) }
		if !want.named { // not even while nodes change
			p.nodes.mu.Lock()
			preFilter()
			p.nodes.mu.Unlock()
		}
		allocs := testing.AllocsPerRun(1, preFilter)
		more := fmt.Sprintf(", and %d more", nodes-maxReasons)
		if got := status.Message(); want.named && (strings.Count(got, "NoSchedule") != maxReasons || !strings.HasSuffix(got, more)) {
			t.Errorf("%d taints: %q, want %d of them%s", nodes, got, maxReasons, more)
		}
		if allocs > want.allocs {
			t.Errorf("%d tolerations: %v allocations to explain %d taints", tolerations, allocs, maxReasons)
		}
		for _, message := range []string{status.Message(), p.Filter(t.Context(), state, pod, snapshot[10]).Message()} {
			if strings.Contains(message, "closest: team=NODE-10,") != want.named {
				t.Errorf("%d tolerations: %q", tolerations, message)
			}
		}
	}
}

// BenchmarkHostilePod filters 1,000 nodes, each with another value of one key, for
// pods with other values of the key: with the plugin, and with what it replaces. Both
// take turns, and ratio is the median of how many times as long the plugin takes.
func BenchmarkHostilePod(b *testing.B) {
	theirs, _ := tainttoleration.New(b.Context(), nil, nil, feature.Features{EnableTaintTolerationComparisonOperators: true})
	cluster := teams(1000)
	snapshot, ours := snapshotOf(cluster...), knowing(cluster...)
	type filter interface {
		fwk.PreFilterPlugin
		fwk.FilterPlugin
	}
	for _, tolerations := range []int{1, 10, maxTolerations, maxTolerations + 1, 100, 10_000} {
		pod := pod()
		for i := range tolerations {
			pod.Spec.Tolerations = append(pod.Spec.Tolerations, equal("team", fmt.Sprint("none-", i)))
		}
		seconds := func(p filter) float64 {
			begun, state := time.Now(), newState()
			if _, status := p.PreFilter(b.Context(), state, pod, snapshot); status.IsSuccess() { // as the scheduler does
				for _, info := range snapshot {
					p.Filter(b.Context(), state, pod, info)
				}
			}
			return time.Since(begun).Seconds()
		}
		b.Run(fmt.Sprint(tolerations), func(b *testing.B) {
			var ratios []float64
			for b.Loop() {
				before, own, after := seconds(theirs.(filter)), seconds(ours), seconds(theirs.(filter))
				ratios = append(ratios, 2*own/(before+after))
			}
			slices.Sort(ratios)
			b.ReportMetric(ratios[len(ratios)/2], "ratio")
		})
	}
}
