// SPDX-License-Identifier: Apache-2.0

// Package drain says what "kubectl drain" does with pods, and which of them disruption
// budgets hold.
package drain

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/seed-0529bac1/taints/cmd/internal/lists"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
)

// A Drain is the flags of kubectl and the objects of a cluster, which decide.
type Drain struct {
	Flags      *pflag.FlagSet
	HasBudgets bool // those of the cluster are known
	pods       map[types.NamespacedName]*pod
	owned      map[string]int         // those that have not finished, by owner
	unready    []types.NamespacedName // of those that run
	budgets    map[string][]*Budget   // by namespace
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
	f.Int("skip-wait-for-delete-timeout", 0, "Do not wait for pods that have been deleted for longer than these seconds.")
	return &Drain{Flags: f, pods: make(map[types.NamespacedName]*pod), owned: make(map[string]int), budgets: make(map[string][]*Budget)}
}

// A pod is what matters of one.
type pod struct {
	labels                                                                        labels.Set
	phase                                                                         corev1.PodPhase
	owner                                                                         string // its namespace, kind and name
	isManaged, isDaemons, isMirror, isMachine, hasEmptyDir, isUnready, isDeleting bool
	isOperated                                                                    bool // the owner is no object of Kubernetes
}

// AddPod adds the pod. It is ready unless it says that it is not.
func (d *Drain) AddPod(name types.NamespacedName, in *corev1.Pod) {
	owner := ptr.Deref(metav1.GetControllerOfNoCopy(in), metav1.OwnerReference{})
	p := &pod{
		labels: in.Labels, phase: in.Status.Phase, owner: name.Namespace + "/" + owner.Kind + " " + owner.Name, isManaged: owner.Kind != "", isDeleting: in.DeletionTimestamp != nil,
		isDaemons:   owner.Kind == "DaemonSet" && cmp.Or(owner.APIVersion, "apps/v1") == "apps/v1",
		isOperated:  strings.Contains(owner.APIVersion, "."),
		isMachine:   owner.Kind == "VirtualMachineInstance" || in.Labels["kubevirt.io"] == "virt-launcher",
		isMirror:    metav1.HasAnnotation(in.ObjectMeta, corev1.MirrorPodAnnotationKey) || owner.Kind == "Node",
		hasEmptyDir: slices.ContainsFunc(in.Spec.Volumes, func(v corev1.Volume) bool { return v.EmptyDir != nil }),
		isUnready:   slices.ContainsFunc(in.Status.Conditions, func(c corev1.PodCondition) bool { return c.Type == corev1.PodReady && c.Status != corev1.ConditionTrue }),
	}
	if p.phase != corev1.PodSucceeded && p.phase != corev1.PodFailed {
		d.owned[p.owner]++
	}
	if d.pods[name] = p; p.isUnready && p.phase == corev1.PodRunning {
		d.unready = append(d.unready, name)
	}
}

// A Budget is a PodDisruptionBudget.
type Budget struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              policyv1.PodDisruptionBudgetSpec `json:"spec"`
	Status            struct {
		policyv1.PodDisruptionBudgetStatus
		Allowed *int32 `json:"disruptionsAllowed"` // nil: there is no status
	} `json:"status"`
	selector labels.Selector
}

// AddBudget adds the budget. One with an invalid selector matches no pod.
func (d *Drain) AddBudget(b *Budget) (err error) {
	d.HasBudgets = true
	if b.selector, err = metav1.LabelSelectorAsSelector(b.Spec.Selector); err == nil {
		b.Namespace = cmp.Or(b.Namespace, metav1.NamespaceDefault)
		d.budgets[b.Namespace] = append(d.budgets[b.Namespace], b)
	}
	return nil
}

// A Verdict is what happens to a pod, and why.
type Verdict struct {
	Leaves, IsRefused bool // kubectl evicts no pod of a node that has a refused one
	Migrates          bool // it stays until KubeVirt has another one on another node
	Why               string

	budget  string // that allows so many evictions now; empty: none limits them
	allowed int
}

// Limit sets what becomes of pods that budgets let go, in the order in which kubectl evicts
// them. A budget allows more evictions when new pods are ready. Pods that are not replaced
// use it up, and then kubectl evicts no others.
func Limit(list []*Verdict, isReplaced func(i int) bool) {
	pods, lost := make(map[string]int), make(map[string]int) // by budget
	for _, v := range list {
		pods[v.budget]++
	}
	for i, v := range list {
		switch name := v.budget; {
		case name == "" || pods[name] <= v.allowed:
		case lost[name] == v.allowed:
			*v = Verdict{Why: fmt.Sprintf("%s allows only %s until new pods are ready, and no other node takes new pods: kubectl tries again without end. "+
				"Drain fewer nodes at once, or let other nodes take the pods", name, say.Count(v.allowed, "eviction"))}
		case isReplaced(i):
			v.Why = fmt.Sprintf("evicted, up to %d at a time: %s allows more when new pods are ready", v.allowed, name)
		default:
			lost[name]++
		}
	}
}

// Of returns what kubectl does with the pod, by its filters, and then the API server.
func (d *Drain) Of(name types.NamespacedName) Verdict {
	p := d.pods[name]
	selector, _ := labels.Parse(d.Flags.Lookup("pod-selector").Value.String()) // it is valid
	switch {
	case !selector.Matches(p.labels):
		return Verdict{Why: "not selected by --pod-selector"}
	case p.isMirror:
		return Verdict{Why: "skipped: they are mirrors of pods that belong to their kubelet"}
	case p.phase == corev1.PodSucceeded || p.phase == corev1.PodFailed:
		return Verdict{Leaves: true, Why: "only their objects are deleted, as they have finished"}
	}
	var refusals []string
	has := func(flag string) bool { return d.Flags.Lookup(flag).Value.String() == "true" }
	refuse := func(isTrue bool, pods, flag, price string) {
		if isTrue && !has(flag) {
			refusals = append(refusals, pods+" (use --"+flag+" to override"+price+")")
		}
	}
	loss := ", which loses that data"
	if p.isMachine {
		loss = ": the emptyDir volumes of a virtual machine have no data to keep"
	}
	refuse(p.isDaemons, "DaemonSet-managed Pods", "ignore-daemonsets", "")
	refuse(!p.isDaemons && p.hasEmptyDir, "Pods with local storage", "delete-emptydir-data", loss)
	refuse(!p.isManaged, "Pods that declare no controller", "force", ", which loses them: nothing makes them again")
	switch {
	case refusals != nil:
		return Verdict{IsRefused: true, Why: "cannot delete " + say.Joined(refusals)}
	case p.isDaemons:
		return Verdict{Why: "ignored: they are pods of DaemonSets"}
	case p.isDeleting:
		return Verdict{Leaves: true, Why: "already being deleted"}
	}
	v := Verdict{Leaves: true, Why: "deleted, in spite of disruption budgets"}
	budgets := slices.DeleteFunc(slices.Clone(d.budgets[name.Namespace]), func(b *Budget) bool { return !b.selector.Matches(p.labels) })
	switch {
	case !has("disable-eviction"):
		v = d.eviction(name, p, budgets)
	case len(budgets) > 0:
		v.Why = "deleted, in spite of " + namesOf(budgets)
	}
	switch {
	case !v.Leaves:
	case p.isMachine && (d.HasBudgets || has("disable-eviction")):
		v.Why += shutsDown
	case p.isMachine:
		v.Why += shutsDown + ", unless its evictionStrategy makes KubeVirt migrate it"
	case p.hasEmptyDir:
		v.Why += ", and the data in their emptyDir volumes is lost"
	}
	return v
}

// KubeVirt's webhook for evictions migrates a machine, and its budget holds the pod.
const shutsDown, migrates = ", which shuts the virtual machine down", ": KubeVirt migrates the virtual machine to another node, " +
	"and kubectl tries again until then. One that cannot migrate stays until its owner stops it. Do not use --disable-eviction" + shutsDown

// namesOf names the budgets.
func namesOf(list []*Budget) string {
	names := lists.Each(list, func(b *Budget) string { return b.Namespace + "/" + b.Name })
	return say.Noun(len(names), "PodDisruptionBudget") + " " + say.Joined(names)
}

// eviction returns what the API server does if it is asked to evict the pod, which the
// budgets select.
func (d *Drain) eviction(name types.NamespacedName, p *pod, budgets []*Budget) Verdict {
	if len(budgets) == 0 || p.phase == corev1.PodPending {
		return Verdict{Leaves: true, Why: "evicted"}
	}
	budget, b, s := namesOf(budgets), budgets[0], budgets[0].Status
	none := budget + " allows no eviction"
	switch {
	case len(budgets) > 1:
		return Verdict{Why: budget + " select them, and the API server evicts no pod of several budgets: change a selector"}
	case s.Allowed == nil:
		return Verdict{Leaves: true, Why: "evicted, unless " + budget + " holds them: the input lacks its status"}
	case p.isUnready && (s.DesiredHealthy > 0 && s.CurrentHealthy >= s.DesiredHealthy || ptr.Deref(b.Spec.UnhealthyPodEvictionPolicy, "") == policyv1.AlwaysAllow):
		return Verdict{Leaves: true, Why: "evicted: " + budget + " does not count them, as they are not ready"}
	case s.ObservedGeneration < b.Generation:
		return Verdict{Why: fmt.Sprintf("%s, and kubectl tries again until it does: its status is older than its spec, observedGeneration %d of generation %d",
			none, s.ObservedGeneration, b.Generation)}
	case *s.Allowed > 0:
		return Verdict{Leaves: true, Why: "evicted", budget: budget, allowed: int(*s.Allowed)}
	}
	if p.isMachine {
		return Verdict{Why: none + migrates, Migrates: true}
	}
	text := fmt.Sprintf("%s, and kubectl tries again until it does: it needs %s, and %d of %d are healthy", none,
		say.Count(int(s.DesiredHealthy), "healthy pod"), s.CurrentHealthy, s.ExpectedPods)
	others := slices.DeleteFunc(slices.Clone(d.unready), func(o types.NamespacedName) bool {
		return o.Namespace != name.Namespace || !b.selector.Matches(d.pods[o].labels)
	})
	unready := lists.Each(others, func(o types.NamespacedName) string { return o.Name })
	if slices.Sort(unready); len(unready) > 0 {
		text += "; find out why " + say.NamesOf(unready, len(unready)) + say.For(len(unready), " is", " are") + " not ready"
	}
	owner := metav1.GetControllerOfNoCopy(b)
	most, least := ptr.Deref(b.Spec.MaxUnavailable, intstr.FromInt32(1)), ptr.Deref(b.Spec.MinAvailable, intstr.IntOrString{})
	switch {
	case owner != nil:
		text += "; " + owner.Kind + " " + owner.Name + " owns the budget, and its operator undoes changes: find out why it holds the pods"
	case p.isOperated && s.DesiredHealthy >= s.ExpectedPods && int(s.ExpectedPods) >= d.owned[p.owner]:
		text += "; " + path.Base(p.owner) + " made the pod, and its operator may let it go when that is safe: find out whether it does before anybody changes the budget"
	case p.isUnready:
		text += "; unhealthyPodEvictionPolicy: AlwaysAllow lets pods go that are not ready"
	case most.String() == "0", most.String() == "0%", least.String() == "100%":
		text += "; it never allows one, however many pods there are: ask who set it, or change it"
	case s.DesiredHealthy < s.ExpectedPods:
	case !p.isManaged:
		text += "; it never allows one for so few pods: let it need fewer. Nothing makes the pod again"
	case int(s.ExpectedPods) < d.owned[p.owner]:
		text += "; it selects only some pods of " + path.Base(p.owner) + ", such as a primary: another pod has to take over, which an operator does. If it does not, find out why"
	default:
		text += "; it never allows one for so few pods: add some, or let it need fewer"
	}
	return Verdict{Why: text}
}
