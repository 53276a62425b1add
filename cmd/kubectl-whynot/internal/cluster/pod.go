// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"cmp"
	"errors"
	"path"
	"reflect"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/devices"
	"github.com/seed-0529bac1/taints/cmd/internal/jobs"
	"github.com/seed-0529bac1/taints/cmd/internal/lists"
	"github.com/seed-0529bac1/taints/cmd/internal/manifest"
	"github.com/seed-0529bac1/taints/cmd/internal/names"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/internal/workload"
	"github.com/seed-0529bac1/taints/kube"
)

// A Pod is a pod, or one that a workload would create.
type Pod struct {
	PodName
	Node     string    // empty: none
	Arrived  time.Time // when it was assigned to the node; zero: unknown
	Phase    corev1.PodPhase
	Deleting bool
	Template bool   // it does not exist: a workload in the input would create it
	LeftOut  bool   // by the filter
	Pinned   bool   // to its node: its affinity names no other
	Changed  bool   // its spec was, since it was made
	Owner    *Owner // not nil; pods share it
	*Profile
	*Wait
}

// A Wait is what is only known of a pod that is pending, has finished, is being deleted, has
// claims, or is for an index that has failed.
type Wait struct {
	Claims    []string // the names of its resource claims
	Devices   devices.Use
	Gates     []string // scheduling gates
	Message   string   // of the scheduler, or of the status of a pod that has finished
	Reason    string   // the kubelet's, of a pod that has finished; empty: none
	Scheduler string   // empty: the default one
	Revision  string   // of the template that made it; empty: unknown
	Nominated string   // the node that the scheduler intends for it; empty: none
	Failure   string   // why the workload cannot create it
	Mistakes  []string // describes fields around tolerations that an API server refuses
	IsNew     bool     // no API server has accepted it, or its workload
	IsRefused bool     // nor would one, for its tolerations
	NodeName  string   // the node that it goes to without the scheduler, once it exists; empty: none

	HostNetwork   bool
	CountsTainted []string  // topology keys of its hard spread constraints, which count nodes that their taints keep it off
	IndexFailures int       // of its index of a Job
	Ends          time.Time // the grace period of a pod that is being deleted
	Finalizers    []string  // of such a pod
}

var noWait = &Wait{} // of all other pods

// A PodName is the full name of a pod.
type PodName = types.NamespacedName

// ComparePodNames compares by namespace, then by name.
func ComparePodNames(a, b PodName) int {
	return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
}

// OwnerName names the object with the pod's template, or the pod itself.
func (p *Pod) OwnerName() string {
	switch {
	case *p.Owner == (Owner{}):
		return "Pod " + p.String()
	case p.IsStatic():
		return "static pod " + p.String()
	}
	return p.Owner.fullName(p.Namespace)
}

// IsStatic reports whether a kubelet made the pod from a file or a URL. Then the pod
// in the API server, its mirror, is only a copy.
func (p *Pod) IsStatic() bool { return p.Owner.Kind == "Node" }

// AddPod adds a pod if it matches the filter.
func (c *Cluster) AddPod(o *corev1.Pod) error { return c.addPod(o, nil) }

func (c *Cluster) addPod(o *corev1.Pod, mistakes []string) error {
	if err := names.CheckObject(&o.ObjectMeta); err != nil {
		return err
	}
	p := &Pod{
		PodName: PodName{Namespace: cmp.Or(o.Namespace, c.Namespace), Name: o.Name}, Owner: c.shared(ownerOf(&o.ObjectMeta)), Wait: noWait,
		Node: o.Spec.NodeName, Phase: o.Status.Phase, Deleting: o.DeletionTimestamp != nil, Changed: o.Generation > 1,
	}
	if !c.Only.matches(p.Namespace, o.Labels) {
		if c.leftOut[p.PodName] == nil {
			c.noteOn(p.Node, o, p)
		}
		c.leftOut[p.PodName] = p
		return nil
	}
	bound := c.bind(p, o)
	names, isPinned := namedNodes(requiredAffinity(&o.Spec))
	p.Pinned = isPinned && p.Node != "" && !slices.ContainsFunc(names, func(name string) bool { return name != p.Node })
	p.Profile = cmp.Or(bound, c.profileOf(&o.Spec, p.IsPending() || p.Name == c.Asked || isPinned && !p.Pinned))
	var scheduled corev1.PodCondition
	for _, c := range o.Status.Conditions {
		if c.Type == corev1.PodScheduled && (c.Status == corev1.ConditionTrue) != p.IsPending() {
			scheduled = c
		}
	}
	switch {
	case p.IsPending():
		p.Wait = waitOf(&o.ObjectMeta, &o.Spec, mistakes)
		p.Message, p.Nominated = scheduled.Message, o.Status.NominatedNodeName
	case p.IsFinished(): // the kubelet may have rejected it
		p.Wait = &Wait{Message: say.Shortened(strings.Trim(o.Status.Reason+": "+o.Status.Message, ": ")), Reason: o.Status.Reason}
	case jobs.IndexFailures(o) > 0:
		p.Wait = &Wait{IndexFailures: jobs.IndexFailures(o)}
	}
	if p.Deleting {
		p.Wait = new(*p.Wait)
		p.Ends, p.Finalizers = o.DeletionTimestamp.Time, o.Finalizers
	}
	if names := devices.Names(o); names != nil {
		p.Wait = new(*p.Wait)
		p.Claims = names
	}
	// Without the condition, when the kubelet accepted it.
	p.Arrived = cmp.Or(scheduled.LastTransitionTime, ptr.Deref(o.Status.StartTime, metav1.Time{})).Time
	if twin := c.PodNamed[p.PodName]; twin != nil {
		return checkTwins(p, twin)
	}
	if c.OnPod != nil {
		c.OnPod(p.PodName, o)
	}
	c.noteOn(p.Node, o, p)
	c.PodNamed[p.PodName] = p
	c.Pods = append(c.Pods, p)
	return nil
}

// bind returns the profile of a pod on the node that its manifest names, or nil. No API
// server has the pod, so that it is not there yet.
func (c *Cluster) bind(p *Pod, o *corev1.Pod) *Profile {
	isNew := isManifest(&o.ObjectMeta) && o.Status.Phase == "" && len(o.Spec.Containers) > 0 && *p.Owner == (Owner{})
	if !isNew || p.Node == "" {
		return nil
	}
	p.Node, o.Spec.Tolerations = "", admitted(o.Spec.Tolerations)
	return c.boundProfile(&o.Spec)
}

// checkTwins returns an error if two objects with one name differ in what matters.
func checkTwins(a, b any) error {
	if !reflect.DeepEqual(a, b) {
		return errors.New("there are two of these with this name, and they differ")
	}
	return nil
}

// isManifest reports whether no API server has accepted the object yet.
func isManifest(o *metav1.ObjectMeta) bool { return o.UID == "" && o.CreationTimestamp.IsZero() }

func waitOf(o *metav1.ObjectMeta, s *corev1.PodSpec, mistakes []string) *Wait {
	w := &Wait{IsNew: isManifest(o), Mistakes: mistakes, HostNetwork: s.HostNetwork, NodeName: s.NodeName, Revision: o.Labels[appsv1.ControllerRevisionHashLabelKey]}
	w.IsRefused = w.IsNew && (len(mistakes) > 0 || manifest.IsRefused(kube.Tolerations(s.Tolerations)))
	w.Gates = lists.Each(s.SchedulingGates, func(g corev1.PodSchedulingGate) string { return g.Name })
	for _, t := range s.TopologySpreadConstraints {
		if t.WhenUnsatisfiable == corev1.DoNotSchedule && ptr.Deref(t.NodeTaintsPolicy, "") != corev1.NodeInclusionPolicyHonor {
			w.CountsTainted = append(w.CountsTainted, t.TopologyKey)
		}
	}
	w.Claims = devices.Names(&corev1.Pod{Spec: *s})
	if s.SchedulerName != corev1.DefaultSchedulerName {
		w.Scheduler = s.SchedulerName
	}
	return w
}

// IsPending reports whether the pod is waiting for a node.
func (p *Pod) IsPending() bool {
	return p.Node == "" && (p.Phase == corev1.PodPending || p.Phase == "") && !p.Deleting
}

// IsFinished reports whether the pod has finished and cannot be evicted.
func (p *Pod) IsFinished() bool { return p.Phase == corev1.PodSucceeded || p.Phase == corev1.PodFailed }

// Finalizer names the finalizers that keep a pod that is being deleted.
func (p *Pod) Finalizer() string {
	n := len(p.Finalizers)
	return say.Noun(n, "finalizer") + " " + say.NamesOf(p.Finalizers, n)
}

// An Owner is the controller of a pod. The zero owner means none.
type Owner struct {
	Kind       string `json:"kind"` // with another API group than Kubernetes' and OpenShift's, as in Rollout.argoproj.io
	Name       string `json:"name"`
	Controller string `json:"controller,omitempty"` // kind and name of what owns the owner, such as the Deployment of a ReplicaSet
}

// ownerOf returns the controller. The name of a ReplicaSet has its Deployment, and the
// pods of a ReplicationController know its DeploymentConfig.
func ownerOf(o *metav1.ObjectMeta) Owner {
	r := metav1.GetControllerOfNoCopy(o)
	switch {
	case metav1.HasAnnotation(*o, corev1.MirrorPodAnnotationKey):
		return Owner{Kind: "Node"}
	case r == nil:
		return Owner{}
	}
	w := Owner{Kind: r.Kind, Name: r.Name}
	group, _, ok := strings.Cut(r.APIVersion, "/")
	if ok && path.Dir(apiVersions[r.Kind]) != group || !names.IsObject(r.Name) { // no object of Kubernetes has such a name
		w.Kind += "." + cmp.Or(group, "unknown")
	}
	hash, config := o.Labels["pod-template-hash"], o.Annotations["openshift.io/deployment-config.name"]
	name, hasHash := strings.CutSuffix(r.Name, "-"+hash)
	switch {
	case w.Kind == "ReplicaSet" && hash != "" && hasHash:
		w.Controller = "Deployment " + name
	case w.Kind == "ReplicationController" && names.IsObject(config):
		w.Controller = "DeploymentConfig " + config
	}
	return w
}

// Template returns the kind and name of the object with the pod's template.
func (o Owner) Template() (kind, name string) {
	if kind, name, ok := strings.Cut(o.Controller, " "); ok {
		return kind, name
	}
	return o.Kind, o.Name
}

func (o Owner) fullName(namespace string) string {
	kind, name := o.Template()
	return kind + " " + namespace + "/" + name
}

// A Workload is an object in the input that makes pods, or objects that do.
type Workload struct {
	Kind string
	PodName
	Tolerations []taints.Toleration // of the template, as it was written
	Effective   []taints.Toleration // with those that the DaemonSet controller adds
	Paused      bool                // its rollout
	OnDelete    bool                // it replaces only pods that are deleted
	Partition   int                 // a StatefulSet replaces only pods whose number is at least this
	Stalled     string              // why its rollout does not progress
	Source      string              // what made it from a chart or files; empty: not known
	Bound       *Profile            // of the template, if it names the node of its pods; nil: it does not
	NodeName    string              // of the template
	None        string              // why it creates no pods; empty: it does
	Job         *jobs.Limits        // of the Job, or of those that a CronJob makes
	Misplaced   int                 // pods of a DaemonSet on nodes that it would make none for, by its status
	IsPlugin    bool                // a device plugin, which brings extended resources
	Exists      bool                // it has pods or a status
	ForWindows  bool                // its pods run on Windows

	pod        *Pod   // that it would create; nil: none
	controller Owner  // of the workload itself
	isMade     bool   // the input has a pod of it
	isReady    bool   // its status says that no pod is missing
	isUpdated  bool   // its status says that the template of now made all pods
	revision   string // of this template; empty: unknown
	wantsNone  bool   // its status says that no pods are wanted
	failure    string // why it cannot create pods
}

// addWorkload adds a workload with the pod that it would create, if any.
func (c *Cluster) addWorkload(kind string, o *workload.Object, mistakes []string) error {
	if err := names.CheckObject(&o.ObjectMeta); err != nil {
		return err
	}
	w := &Workload{
		Kind: kind, PodName: PodName{Namespace: cmp.Or(o.Namespace, c.Namespace), Name: o.Name},
		Paused: o.Spec.Paused, OnDelete: o.Spec.UpdateStrategy.Type == "OnDelete", Partition: o.Spec.UpdateStrategy.RollingUpdate.Partition,
		Source: o.Source(), Stalled: o.Condition("Progressing", "False"), failure: o.Condition("ReplicaFailure", "True"),
		controller: ownerOf(&o.ObjectMeta), isReady: o.IsReady(kind), isUpdated: o.IsUpdated(), revision: o.Status.UpdateRevision,
		Misplaced: int(o.Status.NumberMisscheduled), Exists: o.Status.ObservedGeneration > 0,
		wantsNone: kind == "DaemonSet" && o.Status.DesiredNumberScheduled == 0, Job: jobs.Of(o.Job(kind), o.Status.Failed, o.Status.FailedIndexes),
	}
	template := &o.Job(kind).Template
	spec := &template.Spec
	w.IsPlugin = strings.Contains(o.Name, "device-plugin") || slices.ContainsFunc(spec.Volumes, func(v corev1.Volume) bool {
		return v.HostPath != nil && strings.HasPrefix(v.HostPath.Path, "/var/lib/kubelet/device-plugins")
	})
	w.ForWindows = isForWindows(spec)
	w.Tolerations = kube.Tolerations(spec.Tolerations)
	if w.Effective = w.Tolerations; kind == "DaemonSet" {
		w.Effective = taints.AddDaemonSetTolerations(w.Tolerations, taints.DaemonSetPod{HostNetwork: spec.HostNetwork})
	}
	spec.Tolerations = admitted(kube.CoreTolerations(w.Effective))
	if w.NodeName = spec.NodeName; w.NodeName != "" {
		w.Bound = c.boundProfile(spec)
	}
	owner, why := Owner{Kind: kind, Name: o.Name}, o.CreatesNone(kind)
	wait := waitOf(&o.ObjectMeta, spec, mistakes)
	if w.None = why; wait.IsRefused {
		why, w.isReady = "", false
	}
	if isSelected := c.Only.matches(w.Namespace, template.Labels); why == "" && (isSelected || kind == "DaemonSet" && w.IsPlugin) {
		w.pod = &Pod{
			LeftOut: !isSelected, PodName: PodName{Namespace: w.Namespace, Name: strings.ToLower(kind) + "/" + o.Name}, Owner: c.shared(owner),
			Template: true, Profile: cmp.Or(w.Bound, c.profileOf(spec, true)), Wait: wait,
		}
	}
	if twin := c.Workloads[owner.fullName(w.Namespace)]; twin != nil {
		return checkTwins(w, twin)
	}
	c.Workloads[owner.fullName(w.Namespace)], c.inOrder = w, append(c.inOrder, w)
	if spec.RuntimeClassName != nil {
		c.Unevaluated.Insert(runtimeClasses)
	}
	if why != "" {
		c.Others[kind+" "+why]++
	}
	return nil
}

// MadeBy names what owns the workload, and has its own idea of the template, or returns "".
func (w *Workload) MadeBy() string {
	if w == nil || w.controller == (Owner{}) {
		return ""
	}
	kind, _, _ := strings.Cut(w.controller.Kind, ".")
	return kind + " " + w.controller.Name
}

func isForWindows(s *corev1.PodSpec) bool {
	isWindows := func(c corev1.Container) bool {
		return strings.Contains(c.Image, "windows") || strings.Contains(c.Image, "nanoserver") || strings.Contains(c.Image, "servercore")
	}
	return s.OS != nil && s.OS.Name == corev1.Windows || s.NodeSelector[corev1.LabelOSStable] == "windows" || slices.ContainsFunc(s.Containers, isWindows)
}

// workload returns the owner, not what owns it, or nil.
func (c *Cluster) workload(namespace string, o Owner) *Workload {
	return c.Workloads[Owner{Kind: o.Kind, Name: o.Name}.fullName(namespace)]
}

// Maker returns the object that made the pod, or that made what did. If neither is in the
// input, it knows nothing.
func (c *Cluster) Maker(p *Pod) *Workload {
	return cmp.Or(c.workload(p.Namespace, *p.Owner), c.Workloads[p.OwnerName()], unknown)
}

var unknown = &Workload{}

// MadeBy returns the workload with the template that made the pod, or nil if that may have
// changed since then. Nobody changes the template of a Deployment's ReplicaSet.
func (c *Cluster) MadeBy(p *Pod) *Workload {
	owner, top := c.workload(p.Namespace, *p.Owner), c.Workloads[p.OwnerName()]
	switch {
	case owner != nil && owner != top:
		return owner
	case top != nil && (top.isUpdated || p.Revision != "" && p.Revision == top.revision):
		return top
	}
	return nil
}

// resolve follows the owner's controllers in the input, and marks them as having a pod.
func (c *Cluster) resolve(namespace string, o Owner, levels int) Owner {
	w := c.workload(namespace, o)
	switch {
	case levels == 0:
	case w != nil: // what it says counts, not its name
		w.isMade, o.Controller = true, ""
		if kind, name := c.resolve(namespace, w.controller, levels-1).Template(); kind != "" {
			o.Controller = kind + " " + name
		}
	case o.Controller != "":
		kind, name := o.Template()
		if top := c.resolve(namespace, Owner{Kind: kind, Name: name}, levels-1); top.Controller != "" {
			o.Controller = top.Controller
		}
	}
	return o
}

const maxLevels = 5 // of owners
