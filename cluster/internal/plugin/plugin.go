// SPDX-License-Identifier: Apache-2.0

// Package plugin has a plugin for the kube-scheduler that replaces TaintToleration.
// It lets pods onto the same nodes and gives nodes the same scores. It knows which
// nodes a pod may be placed on before it looks at any node, and reports which taint
// keeps a pod away and which toleration comes closest.
package plugin

import (
	"cmp"
	"context"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/explain"
	"github.com/seed-0529bac1/taints/kube"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-helpers/resource"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodeaffinity"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/tainttoleration"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"sigs.k8s.io/json"
)

// Name is the name of the plugin in a KubeSchedulerConfiguration.
const Name = "Taints"

// untolerated is TaintToleration's message for a node that it rejects.
const untolerated = "node(s) had untolerated taint(s)"

// maxTolerations is how many tolerations a pod may have for a query of the index,
// and for a message that names taints. For a pod with more, both would take long and
// keep all other pods waiting. Filter decides on its nodes, several at a time.
const maxTolerations = 30

// maxReasons is how many taints a message names. The scheduler writes the message to
// the status of each waiting pod, and each node of a cluster may have another taint.
const maxReasons = 10

// Taints is the plugin. It is safe for concurrent use.
//
// Its PreFilter queries an index of all nodes, once for each pod, unless the pod
// names its nodes, as the pods of DaemonSets do, or has very many tolerations:
//
//   - If no node is feasible, the pod is rejected at once. The message is a summary
//     over all nodes.
//   - If at most a quarter is feasible, as for a dedicated pool, this plugin and
//     all other plugins look only at these nodes.
//   - If more are feasible, as for most pods in most clusters, Filter decides,
//     because a list of many names would cost more than it saves.
//
// Nodes that PreFilter leaves out count as UnschedulableAndUnresolvable: no
// preemption is tried there, as for the nodes that TaintToleration rejects. The
// status of these nodes does not name the taint, so PostFilter appends the summary
// to the message of a pod that fits nowhere.
type Taints struct {
	// What the plugin does not define is as in the one that it replaces: which events
	// help a waiting pod, how a pod is signed, and how counts become scores.
	*tainttoleration.TaintToleration

	options taints.Options
	// resizes lets a pod through whose resize in place is deferred: it has a node.
	resizes bool
	redact  bool
	nodes   index
}

var (
	_ fwk.PreFilterPlugin  = (*Taints)(nil)
	_ fwk.FilterPlugin     = (*Taints)(nil)
	_ fwk.PostFilterPlugin = (*Taints)(nil)
	_ fwk.PreScorePlugin   = (*Taints)(nil)
	_ fwk.ScorePlugin      = (*Taints)(nil)
)

// New returns the plugin for one profile. The node informer feeds its index. The
// operators Lt and Gt count if the scheduler's feature gate
// TaintTolerationComparisonOperators is on.
func New(ctx context.Context, object runtime.Object, handle fwk.Handle) (fwk.Plugin, error) {
	args, err := decodeArgs(object)
	if err != nil {
		return nil, err
	}
	gates := utilfeature.DefaultFeatureGate
	replaced, err := tainttoleration.New(ctx, nil, handle, feature.NewSchedulerFeaturesFromGates(gates))
	if err != nil {
		return nil, err
	}
	p := &Taints{
		TaintToleration: replaced.(*tainttoleration.TaintToleration),

		options: taints.Options{NoComparison: !gates.Enabled(features.TaintTolerationComparisonOperators)},
		resizes: gates.Enabled(features.InPlacePodVerticalScalingSchedulerPreemption),
		redact:  args.Redact,
	}
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
	explain bool     // messages name taints
	leftOut bool     // PreFilter left nodes out
	reasons sync.Map // from the texts of a taint to Filter's message about it

	mu   sync.Mutex
	room int // how many more reasons fit
}

// Clone returns c itself: the scheduler clones because the pods of a node change,
// and nothing in c depends on them.
func (c *cycle) Clone() fwk.StateData { return c }

const stateKey fwk.StateKey = Name

// cycle returns what PreFilter stored. If PreFilter is not enabled, it returns a
// new cycle, without room for reasons, because nothing would bound their number
// over all nodes.
func (p *Taints) cycle(state fwk.CycleState, pod *corev1.Pod) *cycle {
	if data, err := state.Read(stateKey); err == nil {
		if c, ok := data.(*cycle); ok {
			return c
		}
	}
	c := p.newCycle(pod)
	c.room = 0
	return c
}

func (p *Taints) newCycle(pod *corev1.Pod) *cycle {
	list := kube.Tolerations(pod.Spec.Tolerations)
	c := &cycle{matcher: p.options.Compile(list), explain: len(list) <= maxTolerations}
	if c.explain {
		c.room = maxReasons
	}
	return c
}

// PreFilter finds the feasible nodes of the whole cluster. If a pod names its nodes,
// only these are checked, and querying the index would cost more than Filter.
func (p *Taints) PreFilter(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, nodes []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	if p.letsThrough(pod) {
		return nil, fwk.NewStatus(fwk.Skip) // Filter too
	}
	c := p.newCycle(pod)
	state.Write(stateKey, c)
	if !c.explain || namesNodes(ctx, pod) {
		return nil, nil
	}
	names, ok := p.nodes.ask(c.matcher, nodes)
	switch {
	case !ok:
		return nil, nil
	case len(names) == 0:
		return nil, fwk.NewStatus(fwk.UnschedulableAndUnresolvable, p.summary(c))
	}
	c.leftOut = true
	return &fwk.PreFilterResult{NodeNames: names}, nil
}

// letsThrough reports whether the pod's resize in place is deferred, and the
// scheduler makes room for it on its node, whatever the taints.
func (p *Taints) letsThrough(pod *corev1.Pod) bool {
	return p.resizes && resource.IsPodResizeDeferred(pod)
}

// namesNodes reports whether the pod's required node affinity names the nodes that
// it may be placed on, so that the PreFilter of NodeAffinity keeps only these.
func namesNodes(ctx context.Context, pod *corev1.Pod) bool {
	var affinity nodeaffinity.NodeAffinity
	result, _ := affinity.PreFilter(ctx, framework.NewCycleState(), pod, nil)
	return !result.AllNodes()
}

// Filter rejects a node with NoSchedule or NoExecute taints that the pod does not
// tolerate. It names these taints, but at most maxReasons different ones in a cycle.
func (p *Taints) Filter(_ context.Context, state fwk.CycleState, pod *corev1.Pod, info fwk.NodeInfo) *fwk.Status {
	list := kube.Taints(info.Node().Spec.Taints)
	if len(list) == 0 || p.letsThrough(pod) {
		return nil // most nodes
	}
	c := p.cycle(state, pod)
	var reasons []string
	for _, taint := range c.matcher.Untolerated(list, taints.HardEffects) {
		if reason := p.reason(c, *taint); !slices.Contains(reasons, reason) {
			reasons = append(reasons, reason)
		}
	}
	if len(reasons) == 0 {
		return nil
	}
	return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, reasons...)
}

// reason returns why the pod does not tolerate one of the first taints of the cycle:
// most nodes have one of a few taints. For other taints it returns TaintToleration's
// message, because explaining a taint takes longer than filtering a node.
func (p *Taints) reason(c *cycle, taint taints.Taint) string {
	key := [...]string{taint.Key, taint.Value, string(taint.Effect)} // a taint may become incomparable
	if said, ok := c.reasons.Load(key); ok {
		return said.(string)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if said, ok := c.reasons.Load(key); ok {
		return said.(string)
	}
	if c.room == 0 {
		return untolerated
	}
	c.room--
	r := explain.Taint(c.matcher, taint)
	if p.redact {
		r = r.Redact()
	}
	text := untolerated + ": " + r.Taint.String()
	if r.HasClosest() {
		text += " (closest: " + r.Closest.String() + ", " + r.Why() + ")"
	}
	c.reasons.Store(key, text)
	return text
}

// PostFilter does not preempt pods. It reports why nodes were left out, because the
// scheduler's message does not.
func (p *Taints) PostFilter(_ context.Context, state fwk.CycleState, pod *corev1.Pod, _ fwk.NodeToStatusReader) (*fwk.PostFilterResult, *fwk.Status) {
	c := p.cycle(state, pod)
	if !c.leftOut {
		return nil, fwk.NewStatus(fwk.Unschedulable)
	}
	return nil, fwk.NewStatus(fwk.Unschedulable, Name+": "+p.summary(c))
}

// summary returns which taints keep the pod away, over all nodes, as in "3 have
// untolerated taint …", the most frequent first.
func (p *Taints) summary(c *cycle) string {
	if !c.explain {
		return untolerated
	}
	summary := p.nodes.summarize(c.matcher)
	if p.redact {
		summary = summary.Redact()
	}
	texts := make([]string, 0, maxReasons+1)
	for _, r := range summary.Reasons {
		texts = append(texts, r.String())
	}
	if summary.More > 0 {
		texts = append(texts, fmt.Sprintf("and %d more", summary.More))
	}
	return cmp.Or(strings.Join(texts, ", "), untolerated)
}

// PreScore keeps the compiled tolerations for Score.
func (p *Taints) PreScore(_ context.Context, state fwk.CycleState, pod *corev1.Pod, _ []fwk.NodeInfo) *fwk.Status {
	state.Write(stateKey, p.cycle(state, pod))
	return nil
}

// Score counts the PreferNoSchedule taints that the pod does not tolerate.
func (p *Taints) Score(_ context.Context, state fwk.CycleState, pod *corev1.Pod, info fwk.NodeInfo) (int64, *fwk.Status) {
	list := kube.Taints(info.Node().Spec.Taints)
	if len(list) == 0 {
		return 0, nil // most nodes
	}
	return int64(p.cycle(state, pod).matcher.Filter(list).PreferNoSchedule), nil
}

const (
	argsVersion = "taints.scheduler/v1"
	argsKind    = "TaintsArgs"
)

// args are the args of the plugin in a KubeSchedulerConfiguration.
type args struct {
	// APIVersion and Kind are optional. If given, they must be those of this version.
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	// Redact leaves keys and values out of messages. It is true if not given: more
	// people can see the status of a pod than the nodes.
	Redact bool `json:"redact"`
}

// decodeArgs refuses unknown fields, so that a misspelled field does not go unnoticed.
func decodeArgs(object runtime.Object) (args, error) {
	text, a := stdjson.RawMessage("{}"), args{APIVersion: argsVersion, Kind: argsKind, Redact: true}
	err := frameworkruntime.DecodeInto(object, &text)
	strict, errText := json.UnmarshalStrict(text, &a)
	if err := errors.Join(append(strict, err, errText)...); err != nil {
		return a, fmt.Errorf("args of %s: %w", Name, err)
	}
	if a.APIVersion != argsVersion || a.Kind != argsKind {
		return a, fmt.Errorf("args of %s are %s of %s, want %s of %s", Name, a.Kind, a.APIVersion, argsKind, argsVersion)
	}
	return a, nil
}
