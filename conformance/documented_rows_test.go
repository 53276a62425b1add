// SPDX-License-Identifier: Apache-2.0

//go:build !otherkubernetes

package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/conformance/internal/convert"
	"github.com/seed-0529bac1/taints/conformance/internal/gated"
	"github.com/seed-0529bac1/taints/conformance/internal/linked"
	"github.com/seed-0529bac1/taints/explain"
	"github.com/seed-0529bac1/taints/internal/test/reference"
	"github.com/seed-0529bac1/taints/kube"
	"github.com/seed-0529bac1/taints/lifecycle"
	"github.com/seed-0529bac1/taints/tolerationset"
	"github.com/spf13/pflag"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/kubernetes/fake"
	cloudhelpers "k8s.io/cloud-provider/node/helpers"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubectl/pkg/describe"
	"k8s.io/kubernetes/pkg/apis/core"
	corehelper "k8s.io/kubernetes/pkg/apis/core/helper"
	v1helper "k8s.io/kubernetes/pkg/apis/core/v1/helper"
	"k8s.io/kubernetes/pkg/apis/core/validation"
	"k8s.io/kubernetes/pkg/controller"
	"k8s.io/kubernetes/pkg/controller/daemon"
	"k8s.io/kubernetes/pkg/controller/tainteviction"
	nodeutil "k8s.io/kubernetes/pkg/controller/util/node"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	plugins "k8s.io/kubernetes/pkg/scheduler/framework/plugins/helper"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodeunschedulable"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/tainttoleration"
	utilflag "k8s.io/kubernetes/pkg/util/flag"
	utiltaints "k8s.io/kubernetes/pkg/util/taints"
	"k8s.io/kubernetes/plugin/pkg/admission/defaulttolerationseconds"
	"pgregory.net/rapid"
)

// The properties of this file are rows of documented.

// matchTaint asks the types of k8s.io/api and of the internal API.
func matchTaint(t *rapid.T) {
	taint, other := drawTaint(t), drawTaint(t)
	internal := convert.ToCoreTaints([]corev1.Taint{taint, other})
	got := kube.Taint(taint).ID() == kube.Taint(other).ID()
	same(t, "the IDs are equal", got, taint.MatchTaint(&other))
	same(t, "the IDs are equal in the internal API", got, internal[0].MatchTaint(internal[1]))
	same(t, "String", kube.Taint(taint).String(), internal[0].ToString())
}

// matchToleration gives Kubernetes no empty operators.
func matchToleration(t *rapid.T) {
	toleration, second := drawToleration(t), drawToleration(t)
	if rapid.Bool().Draw(t, "alike") {
		operator := second.Operator
		second = toleration
		second.Operator = operator
	}
	list := []corev1.Toleration{toleration, second}
	for i := range list {
		if list[i].Operator == "" {
			list[i].Operator = corev1.TolerationOpEqual
		}
	}
	internal := convert.ToCoreTolerations(list)
	got := kube.Toleration(toleration).ID() == kube.Toleration(second).ID()
	same(t, "the IDs are equal", got, list[0].MatchToleration(&list[1]))
	same(t, "the IDs are equal in the internal API", got, internal[0].MatchToleration(&internal[1]))
}

func findUntolerated(t *rapid.T) {
	list, tolerations := drawTaints(t), drawTolerations(t)
	want := found{-1, false}
	if taint, ok := gated.FindUntolerated(list, tolerations, plugins.DoNotScheduleTaintsFilterFunc(), true); ok {
		want = found{slices.Index(list, taint), true}
	}
	got := foundAt(taints.FindUntolerated(kube.Taints(list), kube.Tolerations(tolerations), taints.HardEffects))
	same(t, "FindUntolerated", got, want)
}

func addOrUpdateToleration(t *rapid.T) {
	tolerations, more := drawMerge(t)
	spec := corev1.PodSpec{Tolerations: tolerations}
	internal := &core.Pod{Spec: core.PodSpec{Tolerations: convert.ToCoreTolerations(tolerations)}}
	added := convert.ToCoreTolerations(more)
	for i := range more {
		v1helper.AddOrUpdateTolerationInPodSpec(&spec, &more[i])
		corehelper.AddOrUpdateTolerationInPod(internal, &added[i])
	}
	got := tolerationset.Merge(kube.Tolerations(tolerations), kube.Tolerations(more), taints.Options{})
	sameMerge(t, spec.Tolerations, got, tolerations, more)
	sameMerge(t, convert.FromCoreTolerations(internal.Spec.Tolerations), got, tolerations, more)
}

// updateWithDefaults adds the defaults to the new pod as an API server does.
func updateWithDefaults(t *rapid.T) {
	tolerations, more := drawUpdate(t)
	defaulttolerationseconds.RegisterFlags(pflag.NewFlagSet("", pflag.ContinueOnError)) // sets the defaults
	plugin := defaulttolerationseconds.NewDefaultTolerationSeconds()
	plugin.InspectFeatureGates(utilfeature.DefaultFeatureGate)
	defaulted := admit(t, plugin, &core.Pod{Spec: core.PodSpec{Tolerations: convert.ToCoreTolerations(more)}})
	theirs := linked.ValidateOnlyAddedTolerations(convert.ToCoreTolerations(defaulted), convert.ToCoreTolerations(tolerations),
		field.NewPath("tolerations"), validation.PodValidationOptions{AllowTaintTolerationComparisonOperators: true})
	err := tolerationset.ValidateUpdate(kube.Tolerations(tolerations), taints.AddDefaultTolerations(kube.Tolerations(more), taints.DefaultTolerationSeconds{}), taints.Options{})
	same(t, "ValidateUpdate succeeds", err == nil, len(theirs) == 0)
}

func deleteTaintsByKey(t *rapid.T) {
	list, key := drawTaints(t), keys.Draw(t, "key")
	want, deleted := utiltaints.DeleteTaintsByKey(list, key)
	got, changed := taints.Changes{RemoveKeys: []string{key}}.Apply(kube.Taints(list))
	same(t, "Apply", got, kube.Taints(want))
	same(t, "Apply changes", changed, deleted)
	found := slices.ContainsFunc(kube.Taints(list), func(t taints.Taint) bool { return t.Key == key })
	same(t, "the key is found", found, utiltaints.TaintKeyExists(list, key))
}

func taintSetFilter(t *rapid.T) {
	list := drawTaints(t)
	want := utiltaints.TaintSetFilter(list, func(taint *corev1.Taint) bool { return taint.Effect == "NoExecute" })
	var got []corev1.Taint
	for i := range taints.Untolerated(kube.Taints(list), nil, taints.Effects(taints.NoExecute)) {
		got = append(got, list[i])
	}
	same(t, "Untolerated", got, want)
}

func checkTaintValidation(t *rapid.T) {
	taint := drawTaint(t)
	want := utiltaints.CheckTaintValidation(taint) == nil && taint.Effect != ""
	same(t, "Validate succeeds", kube.Taint(taint).Validate() == nil, want)
}

// registerString gives each taint without a value Kubernetes' other form.
func registerString(t *rapid.T) {
	list := drawTaints(t)
	var want []string
	for _, taint := range list {
		text := utilflag.RegisterWithTaintsVar{Value: &[]corev1.Taint{taint}}.String()
		if taint.Value == "" {
			text = taint.ToString()
		}
		want = append(want, text)
	}
	var got []string
	for _, taint := range kube.Taints(list) {
		got = append(got, taint.String())
	}
	same(t, "String", got, want)
}

// scheduled are the pod, and a node with the taints, of a plugin of the scheduler.
func scheduled(list []corev1.Taint, tolerations []corev1.Toleration) (*corev1.Pod, *corev1.Node) {
	return &corev1.Pod{Spec: corev1.PodSpec{Tolerations: tolerations}}, &corev1.Node{Spec: corev1.NodeSpec{Taints: list}}
}

func schedulableAfterNodeChange(t *rapid.T) {
	before, after, tolerations := drawTaints(t), drawTaints(t), drawTolerations(t)
	plugin := newPlugin[*tainttoleration.TaintToleration](t, tainttoleration.New)
	_, old := scheduled(before, nil)
	pod, node := scheduled(after, tolerations)
	hint, err := linked.AfterNodeChange(plugin, quiet, pod, old, node)
	same(t, "the hint fails", err, nil)
	got := !taints.Filter(kube.Taints(before), kube.Tolerations(tolerations)).Schedulable() && taints.Filter(kube.Taints(after), kube.Tolerations(tolerations)).Schedulable()
	same(t, "schedulable", got, hint == fwk.Queue)
	hint, err = linked.AfterNodeChange(plugin, quiet, pod, nil, node)
	same(t, "the hint for a new node fails", err, nil)
	same(t, "schedulable on a new node", taints.Filter(kube.Taints(after), kube.Tolerations(tolerations)).Schedulable(), hint == fwk.Queue)
}

func newPlugin[P any](t *rapid.T, create func(context.Context, runtime.Object, fwk.Handle, feature.Features) (fwk.Plugin, error)) P {
	plugin, err := create(context.Background(), nil, nil, gated.PluginFeatures(true))
	same(t, "New fails", err, nil)
	return plugin.(P)
}

// schedulableAfterTolerationChange expects that Kubernetes treats every change as
// relevant, and that tolerations that merge into others open no node.
func schedulableAfterTolerationChange(t *rapid.T) {
	tolerations, more := draws(t, "tolerations", 4, drawSmallToleration), draws(t, "more", 2, drawSmallToleration)
	plugin := newPlugin[*tainttoleration.TaintToleration](t, tainttoleration.New)
	old, _ := scheduled(nil, tolerations)
	pod, _ := scheduled(nil, more)
	hint, err := linked.AfterTolerationChange(plugin, quiet, pod, old, pod)
	same(t, "the hint fails", err, nil)
	relevant := len(tolerationset.Merge(kube.Tolerations(tolerations), kube.Tolerations(more), taints.Options{})) > len(tolerations)
	same(t, "relevant to Kubernetes", relevant && hint != fwk.Queue, false)
	list := []corev1.Taint{drawCommonTaint(t)}
	opens := firstMatch(tolerations, &list[0], true) < 0 && firstMatch(more, &list[0], true) >= 0
	same(t, "opens a node and is not relevant", opens && !relevant, false)
}

// reasonNotMatch expects that the message names the taint where Kubernetes reports its
// reason, which is the same for all taints.
func reasonNotMatch(t *rapid.T) {
	list, tolerations := []corev1.Taint{drawCommonTaint(t)}, drawTolerations(t)
	matcher := taints.Compile(kube.Tolerations(tolerations))
	groups := func(yield func([]taints.Taint, int) bool) { yield(kube.Taints(list), 1) }
	_, untolerated := gated.FindUntolerated(list, tolerations, plugins.DoNotScheduleTaintsFilterFunc(), true)
	got := explain.SummarizeGroups(matcher, taints.HardEffects, groups, 10).String()
	same(t, got+" names the taint", strings.Contains(got, list[0].ToString()), untolerated)
	same(t, "Kubernetes' reason names it", strings.Contains(tainttoleration.ErrReasonNotMatch, list[0].Key), false)
}

func nodeUnschedulable(t *rapid.T) {
	tolerations := drawTolerations(t)
	for i := range tolerations {
		if rapid.Bool().Draw(t, "meets") {
			tolerations[i].Key = corev1.TaintNodeUnschedulable
		}
	}
	plugin := newPlugin[*nodeunschedulable.NodeUnschedulable](t, nodeunschedulable.New)
	pod, node := scheduled(nil, tolerations)
	node.Spec.Unschedulable = true
	info := framework.NewNodeInfo()
	info.SetNode(node)
	_, got := taints.Match(taints.Taint{Key: taints.NodeUnschedulable, Effect: taints.NoSchedule}, kube.Tolerations(tolerations))
	same(t, "Match", got, plugin.Filter(context.Background(), nil, pod, info).IsSuccess())
	hint, err := linked.UncordonedAfterTolerationChange(plugin, quiet, pod, pod, pod)
	same(t, "the hint fails", err, nil)
	same(t, "Match of other tolerations", got, hint == fwk.Queue)
	node.Spec.Unschedulable = false
	same(t, "a node that is not cordoned", plugin.Filter(context.Background(), nil, pod, info).IsSuccess(), true)
}

// timedWorkerQueue changes the pending eviction of a pod several times. The caller
// of Kubernetes' functions cancels what is pending if a pod stays, and before AddWork,
// which otherwise keeps it.
func timedWorkerQueue(t *rapid.T) {
	c, queue, ctx := newTimedController(), lifecycle.Queue[string]{NewestWins: true}, context.Background()
	args := tainteviction.NewWorkArgs(aPod.Name, aPod.Namespace)
	pod := args.KeyFromWorkArgs()
	compare := func() {
		now := c.clock.Now()
		at, pending := c.pending()
		for range queue.PopDue(now) {
			same(t, "evicted in Kubernetes", len(c.fired), 1)
			<-c.fired
		}
		same(t, "evicted in Kubernetes alone", len(c.fired), 0)
		due, ok := queue.Due(pod)
		same(t, "pending", ok, pending)
		same(t, "due", due, at)
	}
	for range rapid.IntRange(1, 6).Draw(t, "steps") {
		c.clock.Step(time.Duration(rapid.IntRange(0, 30).Draw(t, "pass")) * time.Second)
		compare()
		now := c.clock.Now()
		operation := rapid.SampledFrom([]string{"cancel", "cancel all", "add", "update", "update"}).Draw(t, "operation")
		switch operation {
		case "cancel":
			if rapid.Bool().Draw(t, "worker") {
				var worker *tainteviction.TimedWorker = c.queue.GetWorkerUnsafe(pod)
				worker.Cancel()
			}
			c.queue.CancelWork(quiet, pod)
			queue.Delete(pod)
		case "cancel all":
			c.queue.CancelAndWait()
			queue = lifecycle.Queue[string]{NewestWins: true}
		default:
			l := drawLook(t)
			list, tolerations := l.marks, l.tolerations
			e := taints.EvictionOf(kube.Taints(list), kube.Tolerations(tolerations), now)
			switch {
			case e.Outcome == taints.Stays:
				c.queue.CancelWork(quiet, pod)
			case operation == "add":
				c.queue.CancelWork(quiet, pod)
				c.queue.AddWork(ctx, args, now, e.At)
			default:
				c.queue.UpdateWork(ctx, args, now, e.At)
			}
			queue.Update(pod, taints.EvictionOf(kube.Taints(list), kube.Tolerations(tolerations), now))
		}
		compare()
	}
}

// conditionRules compares the rules for NoSchedule and, for the condition Ready, for
// NoExecute. Kubernetes' map does not have the one for a cordon.
func conditionRules(t *rapid.T) {
	text := func(condition, status, key string, effect taints.Effect) string {
		return condition + " " + status + ": " + taints.Taint{Key: key, Effect: effect}.String()
	}
	got, want := map[string]bool{}, map[string]bool{
		text(lifecycle.Cordoned, "True", taints.NodeUnschedulable, taints.NoSchedule): true,
	}
	for _, r := range lifecycle.DefaultConditionRules() {
		got[text(r.Type, r.Status, r.Taint.Key, r.Taint.Effect)] = true
	}
	for condition, keys := range linked.ConditionTaintKeys {
		for status, key := range keys {
			want[text(string(condition), string(status), key, taints.NoSchedule)] = true
			if condition == corev1.NodeReady {
				want[text(string(condition), string(status), key, taints.NoExecute)] = true
			}
		}
	}
	same(t, "DefaultConditionRules", got, want)
}

// A nodeChange changes the node in a cluster in memory.
type nodeChange func(*fake.Clientset, *corev1.Node) error

// onNode returns the taints of a node after the change. They have gone through JSON.
func onNode(t *rapid.T, list []corev1.Taint, change nodeChange) []taints.Taint {
	client, node := newClient(), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node"}, Spec: corev1.NodeSpec{Taints: list}}
	_, err := client.CoreV1().Nodes().Create(context.Background(), node, metav1.CreateOptions{})
	same(t, "Create fails", err, nil)
	same(t, "the change fails", change(client, node), nil)
	node, err = client.CoreV1().Nodes().Get(context.Background(), node.Name, metav1.GetOptions{})
	same(t, "Get fails", err, nil)
	return stored(t, kube.Taints(node.Spec.Taints))
}

// stored returns the taints after they have gone through the JSON of k8s.io/api.
func stored(t *rapid.T, list []taints.Taint) []taints.Taint {
	var copied []corev1.Taint
	text, err := json.Marshal(kube.CoreTaints(list))
	same(t, "the taints have no JSON", err, nil)
	same(t, "the taints cannot be read", json.Unmarshal(text, &copied), nil)
	return kube.Taints(copied)
}

func pointers(list []corev1.Taint) (all []*corev1.Taint) {
	for i := range list {
		all = append(all, &list[i])
	}
	return all
}

func addOrUpdateTaintOnNode(t *rapid.T) {
	before, after, ctx := drawTaints(t), drawTaints(t), context.Background()
	got, _ := taints.Changes{Add: kube.Taints(after)}.Apply(kube.Taints(before))
	alone, add := once(before, after...), pointers(unique(after))
	for _, change := range []nodeChange{
		func(c *fake.Clientset, _ *corev1.Node) error {
			return controller.AddOrUpdateTaintOnNode(ctx, c, "node", add...)
		},
		func(c *fake.Clientset, _ *corev1.Node) error {
			return cloudhelpers.AddOrUpdateTaintOnNode(c, "node", add...)
		},
	} {
		want := withTimesOf(stored(t, kube.Taints(alone)), onNode(t, alone, change))
		same(t, "Apply", stored(t, got), want)
	}
}

func removeTaintOffNode(t *rapid.T) {
	before, gone, ctx := drawTaints(t), drawTaints(t), context.Background()
	owned := reference.IDs(kube.Taints(gone))
	got, _ := taints.Changes{Remove: owned}.Apply(kube.Taints(before))
	remove := pointers(gone)
	for _, change := range []nodeChange{
		func(c *fake.Clientset, n *corev1.Node) error {
			return controller.RemoveTaintOffNode(ctx, c, "node", n, remove...)
		},
		func(c *fake.Clientset, n *corev1.Node) error {
			return cloudhelpers.RemoveTaintOffNode(c, "node", n, remove...)
		},
	} {
		same(t, "Apply", stored(t, got), onNode(t, before, change))
	}
}

// swapTaints ignores times, because Kubernetes sets them.
func swapTaints(t *rapid.T) {
	before, after, gone := drawTaints(t), drawTaints(t), drawTaints(t)
	owned := reference.IDs(kube.Taints(gone))
	got, _ := taints.Changes{Add: kube.Taints(after), Remove: owned}.Apply(kube.Taints(before))
	gone = slices.DeleteFunc(gone, func(taint corev1.Taint) bool { return utiltaints.TaintExists(after, &taint) })
	want := onNode(t, once(before, after...), func(c *fake.Clientset, n *corev1.Node) error {
		swapped := nodeutil.SwapNodeControllerTaint(context.Background(), c, pointers(unique(after)), pointers(gone), n)
		same(t, "SwapNodeControllerTaint succeeds", swapped, true)
		return nil
	})
	same(t, "Apply", reference.Joined(stored(t, got)), reference.Joined(want))
}

func nodeShouldRunDaemonPod(t *rapid.T) {
	list, tolerations := drawTaints(t), drawTolerations(t)
	pod, node := scheduled(list, tolerations)
	runs, stays := daemon.NodeShouldRunDaemonPod(quiet, node, &appsv1.DaemonSet{
		Spec: appsv1.DaemonSetSpec{Template: corev1.PodTemplateSpec{Spec: pod.Spec}},
	})
	v := taints.Filter(kube.Taints(list), taints.AddDaemonSetTolerations(kube.Tolerations(tolerations), taints.DaemonSetPod{}))
	same(t, "Schedulable", v.Schedulable(), runs)
	same(t, "NoExecute is 0", v.NoExecute == 0, stays)
}

func notReadyTaint(t *rapid.T) {
	list := drawTaints(t)
	notReady := corev1.Taint{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoSchedule}
	node := &core.Node{Spec: core.NodeSpec{Taints: convert.ToCoreTaints(once(list, notReady))}}
	linked.AddNotReadyTaint(node)
	got, _ := taints.Changes{Add: []taints.Taint{{Key: taints.NodeNotReady, Effect: taints.NoSchedule}}}.Ensure(kube.Taints(list))
	same(t, "Ensure", convert.ToCoreTaints(kube.CoreTaints(got)), node.Spec.Taints)
}

func printTaints(t *rapid.T) {
	taint := drawTaint(t)
	var b bytes.Buffer
	linked.PrintTaints(describe.NewPrefixWriter(&b), "", "", "", []corev1.Taint{taint})
	same(t, "String", ":"+kube.Taint(taint).String()+"\n", b.String())
}

// cloudTaints draws taints with the keys that the cloud's controllers look for.
func cloudTaints(t *rapid.T) {
	list := drawTaints(t)
	for i := range list {
		list[i].Key = rapid.SampledFrom([]string{
			list[i].Key, "node.cloudprovider.kubernetes.io/uninitialized", "ToBeDeletedByClusterAutoscaler",
		}).Draw(t, "key")
	}
	i := slices.IndexFunc(kube.Taints(list), func(t taints.Taint) bool { return t.Key == "node.cloudprovider.kubernetes.io/uninitialized" })
	theirs := linked.GetCloudTaint(list)
	same(t, "the cloud's taint is found", i >= 0, theirs != nil)
	if i >= 0 {
		same(t, "the cloud's taint", list[i], *theirs)
	}
	got, _ := taints.Changes{RemoveKeys: []string{"node.cloudprovider.kubernetes.io/uninitialized"}}.Apply(kube.Taints(list))
	same(t, "Apply", got, kube.Taints(linked.ExcludeCloudTaint(list)))
	untainted := !slices.ContainsFunc(kube.Taints(list), func(t taints.Taint) bool { return t.Key == "ToBeDeletedByClusterAutoscaler" })
	same(t, "without the autoscaler's taint", untainted, linked.NodeUnTaintedPredicate(&corev1.Node{Spec: corev1.NodeSpec{Taints: list}}))
}
