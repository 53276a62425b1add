// SPDX-License-Identifier: Apache-2.0

// Package plugin has a plugin for the kube-scheduler that stands in for its
// TaintToleration: it places pods on the same nodes and gives them the same scores,
// knows before it looks at any node which of them a pod may be placed on, and says
// which taint keeps a pod away and which toleration comes closest.
package plugin

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/explain"
	"github.com/seed-0529bac1/taints/kube"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/features"
)

// Name is the name of the plugin in a KubeSchedulerConfiguration.
const Name = "Taints"

// untolerated is what TaintToleration says of a node that it turns down.
const untolerated = "node(s) had untolerated taint(s)"

// maxReasons is how many taints a message names. The scheduler writes all of it into
// the status of each pod that waits, and a cluster may have a taint for each node.
const maxReasons = 10

// Taints is the plugin. It is safe for concurrent use.
//
// Its PreFilter asks an index of all nodes, once for a pod that does not name its
// nodes, as those of DaemonSets do:
//
//   - None is feasible: the pod is turned down at once, with a summary over all
//     nodes for a message.
//   - At most a quarter is, as for a dedicated pool: only these nodes are looked
//     at, by this and all other plugins.
//   - More are, as for most pods of most clusters: Filter decides, because a list
//     of many names would cost more than it saves.
//
// Nodes that it leaves out count as UnschedulableAndUnresolvable: no preemption is
// tried there, as for the nodes that TaintToleration turns down. The status of a
// node that was left out does not name the taint, so PostFilter appends the summary
// to the message of a pod that fits nowhere.
type Taints struct {
	options taints.Options
	redact  bool
	nodes   index
}

var (
	_ fwk.PreFilterPlugin   = (*Taints)(nil)
	_ fwk.FilterPlugin      = (*Taints)(nil)
	_ fwk.PostFilterPlugin  = (*Taints)(nil)
	_ fwk.PreScorePlugin    = (*Taints)(nil)
	_ fwk.ScorePlugin       = (*Taints)(nil)
	_ fwk.ScoreExtensions   = (*Taints)(nil)
	_ fwk.EnqueueExtensions = (*Taints)(nil)
	_ fwk.SignPlugin        = (*Taints)(nil)
)

// New makes the plugin of one profile, and has the node informer feed its index. Lt
// and Gt count if the scheduler's feature gate TaintTolerationComparisonOperators is
// on.
func New(_ context.Context, object runtime.Object, handle fwk.Handle) (fwk.Plugin, error) {
	args, err := decodeArgs(object)
	if err != nil {
		return nil, err
	}
	comparison := utilfeature.DefaultFeatureGate.Enabled(features.TaintTolerationComparisonOperators)
	p := &Taints{options: taints.Options{NoComparison: !comparison}, redact: args.Redact}
	informer := handle.SharedInformerFactory().Core().V1().Nodes().Informer()
	if _, err := informer.AddEventHandler(p.nodes.handler()); err != nil {
		return nil, fmt.Errorf("watch nodes: %w", err)
	}
	return p, nil
}

// Name returns the name of the plugin.
func (p *Taints) Name() string { return Name }

// A cycle is what the plugin knows about a pod while it is scheduled.
type cycle struct {
	matcher *taints.Matcher
	leftOut bool     // PreFilter left nodes out
	reasons sync.Map // from a taint without its time to what Filter says about it

	mu   sync.Mutex
	room int // for so many more reasons
}

// Clone returns the same: nothing in it depends on the pods of a node, which is why
// the scheduler clones.
func (c *cycle) Clone() fwk.StateData { return c }

const stateKey fwk.StateKey = Name

// cycle returns what PreFilter found out, or as much of it as can be made up for
// where that is not enabled: Filter has no room there, as nothing bounds what it
// says from node to node.
func (p *Taints) cycle(state fwk.CycleState, pod *corev1.Pod) *cycle {
	if data, err := state.Read(stateKey); err == nil {
		if c, ok := data.(*cycle); ok {
			return c
		}
	}
	return &cycle{matcher: p.compile(pod)}
}

func (p *Taints) compile(pod *corev1.Pod) *taints.Matcher {
	return p.options.Compile(kube.Tolerations(pod.Spec.Tolerations))
}

// PreFilter finds the feasible nodes of the whole cluster. Of a pod that names its
// nodes only these are looked at, and to ask for all would cost more than Filter.
func (p *Taints) PreFilter(_ context.Context, state fwk.CycleState, pod *corev1.Pod,
	nodes []fwk.NodeInfo,
) (*fwk.PreFilterResult, *fwk.Status) {
	c := &cycle{matcher: p.compile(pod), room: maxReasons}
	state.Write(stateKey, c)
	if namesNodes(pod) {
		return nil, nil
	}
	found, names := p.nodes.ask(c.matcher, nodes)
	switch found {
	case none:
		return nil, fwk.NewStatus(fwk.UnschedulableAndUnresolvable, p.summary(c.matcher))
	case few:
		c.leftOut = true
		return &fwk.PreFilterResult{NodeNames: names}, nil
	default:
		return nil, nil
	}
}

// namesNodes reports whether the pod's required node affinity says by name on which
// nodes it may be placed, so that the PreFilter of NodeAffinity leaves only these.
func namesNodes(pod *corev1.Pod) bool {
	affinity := pod.Spec.Affinity
	if affinity == nil || affinity.NodeAffinity == nil {
		return false
	}
	required := affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	if required == nil || len(required.NodeSelectorTerms) == 0 {
		return false
	}
	for _, term := range required.NodeSelectorTerms {
		if !slices.ContainsFunc(term.MatchFields, isName) {
			return false
		}
	}
	return true
}

func isName(r corev1.NodeSelectorRequirement) bool {
	return r.Key == metav1.ObjectNameField && r.Operator == corev1.NodeSelectorOpIn
}

// PreFilterExtensions returns nil: what pods run on a node makes no difference.
func (p *Taints) PreFilterExtensions() fwk.PreFilterExtensions { return nil }

// Filter turns a node down for each NoSchedule and NoExecute taint that the pod does
// not tolerate, and names it, unless it has named many others.
func (p *Taints) Filter(_ context.Context, state fwk.CycleState, pod *corev1.Pod, info fwk.NodeInfo) *fwk.Status {
	list := kube.Taints(info.Node().Spec.Taints)
	if len(list) == 0 {
		return nil // most nodes
	}
	c := p.cycle(state, pod)
	var reasons []string
	for _, taint := range c.matcher.Untolerated(list, taints.Hard) {
		if reason := p.reason(c, *taint); !slices.Contains(reasons, reason) {
			reasons = append(reasons, reason)
		}
	}
	if len(reasons) == 0 {
		return nil
	}
	return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, reasons...)
}

// reason says why the pod does not tolerate the taint, if it is one of the first that
// the cycle meets: most nodes have one of a few taints. Of the others it says what
// TaintToleration does, since to explain a taint takes longer than to filter a node.
func (p *Taints) reason(c *cycle, taint taints.Taint) string {
	taint.TimeAdded = nil
	if said, ok := c.reasons.Load(taint); ok {
		return said.(string)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if said, ok := c.reasons.Load(taint); ok {
		return said.(string)
	}
	if c.room == 0 {
		return untolerated
	}
	c.room--
	r := explain.Node(c.matcher, []taints.Taint{taint})[0]
	if p.redact {
		r = r.Redact()
	}
	text := untolerated + ": " + r.Taint.String()
	if r.HasClosest() {
		text += " (closest: " + r.Closest.String() + ", " + r.Why() + ")"
	}
	c.reasons.Store(taint, text)
	return text
}

// PostFilter makes no room for the pod. It says why nodes were left out, which the
// scheduler's message does not.
func (p *Taints) PostFilter(_ context.Context, state fwk.CycleState, pod *corev1.Pod,
	_ fwk.NodeToStatusReader,
) (*fwk.PostFilterResult, *fwk.Status) {
	c := p.cycle(state, pod)
	if !c.leftOut {
		return nil, fwk.NewStatus(fwk.Unschedulable)
	}
	return nil, fwk.NewStatus(fwk.Unschedulable, Name+": "+p.summary(c.matcher))
}

// summary says over all nodes which taints keep the pod away, as in "3 have
// untolerated taint …", the most frequent first.
func (p *Taints) summary(m *taints.Matcher) string {
	summary := p.nodes.summarize(m)
	more := cutReasons(&summary)
	text := summary.String()
	if p.redact {
		text = summary.Redact().String()
	}
	_, reasons, ok := strings.Cut(text, ": ")
	if !ok {
		return untolerated
	}
	return strings.TrimSuffix(reasons, ".") + more
}

// cutReasons leaves as many reasons as a message has, and says how many others there
// are. A node may have several of their taints, so only a bound is known of how many
// nodes have one.
func cutReasons(s *explain.Summary) string {
	if len(s.Reasons) <= maxReasons {
		return ""
	}
	rest := s.Reasons[maxReasons:]
	s.Reasons = s.Reasons[:maxReasons]
	nodes := 0
	for i := range rest {
		nodes += rest[i].Nodes
	}
	nodes = min(nodes, s.Nodes-s.Feasible)
	return fmt.Sprintf(", and %d other untolerated taint(s) on up to %d node(s)", len(rest), nodes)
}

// PreScore keeps the compiled tolerations for Score.
func (p *Taints) PreScore(_ context.Context, state fwk.CycleState, pod *corev1.Pod, _ []fwk.NodeInfo) *fwk.Status {
	state.Write(stateKey, p.cycle(state, pod))
	return nil
}

// Score counts the PreferNoSchedule taints that the pod does not tolerate.
func (p *Taints) Score(
	_ context.Context, state fwk.CycleState, pod *corev1.Pod, info fwk.NodeInfo,
) (int64, *fwk.Status) {
	list := kube.Taints(info.Node().Spec.Taints)
	if len(list) == 0 {
		return 0, nil // most nodes
	}
	return int64(p.cycle(state, pod).matcher.Filter(list).PreferNoSchedule), nil
}

// ScoreExtensions returns the plugin, for NormalizeScore.
func (p *Taints) ScoreExtensions() fwk.ScoreExtensions { return p }

// NormalizeScore turns the counts into scores, fewest taints first.
func (p *Taints) NormalizeScore(
	_ context.Context, _ fwk.CycleState, _ *corev1.Pod, scores fwk.NodeScoreList,
) *fwk.Status {
	counts := make([]int, len(scores))
	for i := range scores {
		counts[i] = int(scores[i].Score)
	}
	for i, score := range taints.NormalizeScores(nil, counts, fwk.MaxScore) {
		scores[i].Score = score
	}
	return nil
}

// SignPod says that pods of the same tolerations fare the same.
func (p *Taints) SignPod(_ context.Context, pod *corev1.Pod) ([]fwk.SignFragment, *fwk.Status) {
	return []fwk.SignFragment{{Key: fwk.TolerationsSignerName, Value: fwk.TolerationsSigner(pod)}}, nil
}
