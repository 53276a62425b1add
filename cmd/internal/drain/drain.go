// SPDX-License-Identifier: Apache-2.0

// Package drain says what "kubectl drain" does with pods, and which of them disruption
// budgets hold.
package drain

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/spf13/pflag"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/seed-0529bac1/taints/cmd/internal/say"
)

// A Drain is the flags of kubectl and the objects of a cluster, which decide.
type Drain struct {
	Flags      *pflag.FlagSet
	HasBudgets bool // those of the cluster are known

	pods    map[types.NamespacedName]*corev1.Pod // with what matters
	budgets []*Budget
}

// New returns one without objects.
func New() *Drain {
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	f.Bool("force", false, "Also delete pods without a controller.")
	f.Bool("ignore-daemonsets", false, "Go on although pods of DaemonSets stay.")
	f.Bool("delete-emptydir-data", false, "Also delete pods with emptyDir volumes, and their data.")
	f.Bool("disable-eviction", false, "Delete pods in spite of disruption budgets.")
	f.String("pod-selector", "", "Only pods that match this label selector.")
	f.Int("grace-period", -1, "Seconds that pods get to end.")
	f.Duration("timeout", 0, "Time after which kubectl gives up.")
	return &Drain{Flags: f, pods: make(map[types.NamespacedName]*corev1.Pod)}
}

// AddPod adds what matters of the pod.
func (d *Drain) AddPod(name types.NamespacedName, p *corev1.Pod) {
	kept := &corev1.Pod{Status: corev1.PodStatus{Phase: p.Status.Phase, Conditions: p.Status.Conditions}}
	kept.Labels, kept.Annotations, kept.OwnerReferences, kept.DeletionTimestamp = p.Labels, p.Annotations, p.OwnerReferences, p.DeletionTimestamp
	kept.Spec.Volumes = slices.DeleteFunc(slices.Clone(p.Spec.Volumes), func(v corev1.Volume) bool { return v.EmptyDir == nil })
	d.pods[name] = kept
}

// A Budget is a PodDisruptionBudget.
type Budget struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              policyv1.PodDisruptionBudgetSpec `json:"spec"`
	Status            struct {
		policyv1.PodDisruptionBudgetStatus
		Allowed *int32 `json:"disruptionsAllowed"` // nil: there is no status
	} `json:"status"`
}

// AddBudget adds the budget.
func (d *Drain) AddBudget(b *Budget) error {
	d.HasBudgets, d.budgets = true, append(d.budgets, b)
	return nil
}

func (b *Budget) selects(name types.NamespacedName, p *corev1.Pod) bool {
	selector, err := metav1.LabelSelectorAsSelector(b.Spec.Selector)
	return err == nil && name.Namespace == cmp.Or(b.Namespace, metav1.NamespaceDefault) && selector.Matches(labels.Set(p.Labels))
}

// A Verdict is what happens to a pod, and why.
type Verdict struct {
	Leaves, IsRefused bool // kubectl evicts no pod of a node that has a refused one
	Why               string
}

// Of returns what kubectl does with the pod, by its filters, and then the API server.
func (d *Drain) Of(name types.NamespacedName) Verdict {
	p := d.pods[name]
	selector, _ := labels.Parse(d.Flags.Lookup("pod-selector").Value.String()) // it is valid
	owner := ptr.Deref(metav1.GetControllerOfNoCopy(p), metav1.OwnerReference{})
	isDaemons := owner.Kind == "DaemonSet" && cmp.Or(owner.APIVersion, "apps/v1") == "apps/v1"
	switch {
	case !selector.Matches(labels.Set(p.Labels)):
		return Verdict{Why: "not selected by --pod-selector"}
	case metav1.HasAnnotation(p.ObjectMeta, corev1.MirrorPodAnnotationKey) || owner.Kind == "Node":
		return Verdict{Why: "skipped: they are mirrors of pods that belong to their kubelet"}
	case p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed:
		return Verdict{Leaves: true, Why: "only their objects are deleted, as they have finished"}
	}
	var refusals []string
	has := func(flag string) bool { return d.Flags.Lookup(flag).Value.String() == "true" }
	refuse := func(isTrue bool, pods, flag string) {
		if isTrue && !has(flag) {
			refusals = append(refusals, pods+" (use --"+flag+" to override)")
		}
	}
	refuse(isDaemons, "DaemonSet-managed Pods", "ignore-daemonsets")
	refuse(!isDaemons && len(p.Spec.Volumes) > 0, "Pods with local storage", "delete-emptydir-data")
	refuse(owner.Kind == "", "Pods that declare no controller", "force")
	switch {
	case refusals != nil:
		return Verdict{IsRefused: true, Why: "cannot delete " + say.Joined(refusals)}
	case isDaemons:
		return Verdict{Why: "ignored: they are pods of DaemonSets"}
	case p.DeletionTimestamp != nil:
		return Verdict{Leaves: true, Why: "already being deleted"}
	case has("disable-eviction"):
		return Verdict{Leaves: true, Why: "deleted, in spite of disruption budgets"}
	}
	return d.eviction(name, p)
}

// eviction returns what the API server does if it is asked to evict the pod.
func (d *Drain) eviction(name types.NamespacedName, p *corev1.Pod) Verdict {
	budgets := slices.DeleteFunc(slices.Clone(d.budgets), func(b *Budget) bool { return !b.selects(name, p) })
	if len(budgets) == 0 || p.Status.Phase == corev1.PodPending {
		return Verdict{Leaves: true, Why: "evicted"}
	}
	names := say.Each(budgets, func(b *Budget) string { return name.Namespace + "/" + b.Name })
	budget, b, s := say.Noun(len(names), "PodDisruptionBudget")+" "+say.Joined(names), budgets[0], budgets[0].Status
	switch {
	case len(names) > 1:
		return Verdict{Why: budget + " select them, and the API server evicts no pod of several budgets: change a selector"}
	case s.Allowed == nil:
		return Verdict{Leaves: true, Why: "evicted, unless " + budget + " holds them: the input lacks its status"}
	case isUnready(p) && (s.DesiredHealthy > 0 && s.CurrentHealthy >= s.DesiredHealthy || ptr.Deref(b.Spec.UnhealthyPodEvictionPolicy, "") == policyv1.AlwaysAllow):
		return Verdict{Leaves: true, Why: "evicted: " + budget + " does not count them, as they are not ready"}
	case *s.Allowed > 0 && s.ObservedGeneration >= b.Generation:
		return Verdict{Leaves: true, Why: fmt.Sprintf("evicted, up to %d at a time: %s allows more when new pods are ready", *s.Allowed, budget)}
	}
	text := fmt.Sprintf("%s allows no eviction, and kubectl tries again until it does: it needs %s, and %d of %d are healthy", budget,
		say.Count(int(s.DesiredHealthy), "healthy pod"), s.CurrentHealthy, s.ExpectedPods)
	if unready := d.unready(b); len(unready) > 0 {
		text += "; find out why " + say.NamesOf(unready, len(unready)) + say.For(len(unready), " is", " are") + " not ready"
	}
	if s.DesiredHealthy >= s.ExpectedPods {
		text += "; it never allows one for so few pods: add some, let it need fewer, or use --disable-eviction"
	}
	return Verdict{Why: text}
}

// isUnready reports whether the pod says that it is not ready.
func isUnready(p *corev1.Pod) bool {
	isNot := func(c corev1.PodCondition) bool { return c.Type == corev1.PodReady && c.Status != corev1.ConditionTrue }
	return slices.ContainsFunc(p.Status.Conditions, isNot)
}

// unready returns the names of the budget's pods that run and are not ready.
func (d *Drain) unready(b *Budget) (names []string) {
	for name, p := range d.pods {
		if isUnready(p) && p.Status.Phase == corev1.PodRunning && b.selects(name, p) {
			names = append(names, name.Name)
		}
	}
	slices.Sort(names)
	return names
}
