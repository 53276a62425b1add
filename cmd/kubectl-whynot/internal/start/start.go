// SPDX-License-Identifier: Apache-2.0

// Package start says what a pod that has a node waits for before it starts: its containers,
// events and volumes.
package start

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/ptr"

	"github.com/seed-0529bac1/taints/cmd/internal/lists"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
)

// Facts are what an input says of pods of one name. Most of it is in no order. No pod waits
// by nil facts.
type Facts struct {
	name        string
	pods        map[cluster.PodName]*corev1.Pod
	events      []corev1.Event // warnings about pods of the name
	attachments []storagev1.VolumeAttachment
	claims      map[cluster.PodName]corev1.PersistentVolumeClaim
}

// New returns facts about the pods of the name.
func New(name string) *Facts {
	return &Facts{name: name, pods: make(map[cluster.PodName]*corev1.Pod), claims: make(map[cluster.PodName]corev1.PersistentVolumeClaim)}
}

// Readers returns what reads the kinds of objects that matter.
func (f *Facts) Readers() cluster.Readers {
	return cluster.Readers{
		"Event": cluster.Reader(func(e *corev1.Event) error {
			of := e.InvolvedObject
			if of.Kind == "Pod" && of.Name == f.name && e.Type == corev1.EventTypeWarning && e.Reason != "FailedScheduling" {
				f.events = append(f.events, *e)
			}
			return nil
		}),
		"VolumeAttachment": cluster.Reader(func(a *storagev1.VolumeAttachment) error {
			f.attachments = append(f.attachments, *a)
			return nil
		}),
		"PersistentVolumeClaim": cluster.Reader(func(c *corev1.PersistentVolumeClaim) error {
			f.claims[cluster.PodName{Namespace: c.Namespace, Name: c.Name}] = *c
			return nil
		}),
	}
}

// AddPod adds the pod if it has the name.
func (f *Facts) AddPod(name cluster.PodName, o *corev1.Pod) {
	if name.Name == f.name {
		f.pods[name] = o.DeepCopy()
	}
}

// claimsOf returns the claims of the pod's volumes.
func (f *Facts) claimsOf(p *cluster.Pod) (claims []cluster.PodName) {
	for _, v := range f.pods[p.PodName].Spec.Volumes {
		switch {
		case v.PersistentVolumeClaim != nil:
			claims = append(claims, cluster.PodName{Namespace: p.Namespace, Name: v.PersistentVolumeClaim.ClaimName})
		case v.Ephemeral != nil:
			claims = append(claims, cluster.PodName{Namespace: p.Namespace, Name: p.Name + "-" + v.Name})
		}
	}
	return claims
}

// waitsOf says what the containers wait for. That others of the pod have to come first is no
// reason if one says more.
func waitsOf(o *corev1.Pod) (waits []string) {
	var vague []string
	isDeleting := o.DeletionTimestamp != nil
	isPending, isSidecar := o.Status.Phase == corev1.PodPending, make(map[string]bool)
	ready := readinessOf(o)
	for _, c := range o.Spec.InitContainers {
		isSidecar[c.Name] = ptr.Deref(c.RestartPolicy, "") == corev1.ContainerRestartPolicyAlways
	}
	for i, s := range slices.Concat(o.Status.InitContainerStatuses, o.Status.ContainerStatuses) {
		isInit := i < len(o.Status.InitContainerStatuses)
		name := "container " + s.Name
		if isInit {
			name = "init " + name
		}
		switch w := s.State.Waiting; {
		case isDeleting && s.State.Running != nil:
			waits = append(waits, name+" still runs")
		case isDeleting:
		case ready.Status == corev1.ConditionFalse && s.State.Running != nil && !s.Ready && !isInit:
			waits = append(waits, name+" runs, and is not ready"+endOf(&s))
		case w == nil && isInit && isPending && s.State.Running != nil && !(isSidecar[s.Name] && ptr.Deref(s.Started, false)):
			waits = append(waits, name+" runs, and the others wait for it")
		case w == nil:
		case w.Reason == "PodInitializing" || w.Reason == "ContainerCreating" || w.Reason == "":
			vague = append(vague, strings.TrimSuffix(name+" waits ("+w.Reason+")", " ()"))
		default:
			waits = append(waits, strings.TrimSuffix(name+" waits: "+w.Reason+" ("+say.Shortened(w.Message)+")", " ()")+endOf(&s))
		}
	}
	if ready.Reason == "ReadinessGatesNotReady" {
		waits = append(waits, "it is not Ready: "+say.Shortened(ready.Message))
	}
	if len(waits) == 0 {
		waits = vague
	}
	return waits
}

// readinessOf returns the condition that says whether a pod that runs is ready.
func readinessOf(o *corev1.Pod) (ready corev1.PodCondition) {
	for _, c := range o.Status.Conditions {
		if c.Type == corev1.PodReady && o.Status.Phase == corev1.PodRunning && o.DeletionTimestamp == nil {
			ready = c
		}
	}
	return ready
}

// endOf says how the container last ended, if it has.
func endOf(s *corev1.ContainerStatus) string {
	last := s.LastTerminationState.Terminated
	if last == nil {
		return ""
	}
	text := fmt.Sprintf(", restarted %s; it last ended with exit code %d (%s)", say.Count(int(s.RestartCount), "time"), last.ExitCode, last.Reason)
	return strings.TrimSuffix(text, " ()")
}

// Waits reports whether the input has a pod of the name that has a node and waits, or is being
// deleted, and returns the claims of its volumes.
func (f *Facts) Waits(p *cluster.Pod) (claims []cluster.PodName, waits bool) {
	if f == nil || f.pods[p.PodName] == nil || p.Node == "" || p.IsFinished() {
		return nil, false
	}
	return f.claimsOf(p), p.Phase == corev1.PodPending || p.Deleting || len(waitsOf(f.pods[p.PodName])) > 0
}

// Texts says what the pod, or its deletion, waits for.
func (f *Facts) Texts(c *cluster.Cluster, p *cluster.Pod, now time.Time) []string {
	claims, waits := f.Waits(p)
	if !waits {
		return nil
	}
	texts := say.FirstOf(waitsOf(f.pods[p.PodName]), 3)
	if i, known := c.NodeAt[p.Node]; known && c.Nodes[i].IsSilent() {
		texts = append(texts, "the kubelet of its node does not answer")
	} else if len(texts) == 0 && !p.Deleting {
		texts = append(texts, "its kubelet has not reported on its containers")
	}
	return slices.Concat(texts, f.claimTexts(claims, now), f.volumeTexts(c, p, now), f.eventTexts(p, now))
}

// claimTexts says which of the claims a kubelet does not mount, or not for long.
func (f *Facts) claimTexts(claims []cluster.PodName, now time.Time) (texts []string) {
	for _, name := range claims {
		c, text := f.claims[name], "claim "+name.Name
		switch phase := cmp.Or(c.Status.Phase, corev1.ClaimBound); {
		case c.DeletionTimestamp != nil:
			after := ", and no kubelet starts new pods with it"
			if slices.Contains(c.Finalizers, "kubernetes.io/pvc-protection") { // kubelets still mount it
				after = ", and goes when no pod uses it"
			}
			texts = append(texts, say.Since(text+" is being deleted", []time.Time{c.DeletionTimestamp.Time}, now, after))
		case phase == corev1.ClaimLost:
			texts = append(texts, text+" is Lost: its volume "+c.Spec.VolumeName+" does not exist, or is another claim's")
		case phase != corev1.ClaimBound:
			texts = append(texts, text+" is not bound to a volume")
		}
	}
	return texts
}

// volumeTexts says where the volumes are that keep the pod, and which pods have them.
func (f *Facts) volumeTexts(c *cluster.Cluster, p *cluster.Pod, now time.Time) (texts []string) {
	for _, a := range f.elsewhere(p) {
		text := "volume " + volumeOf(&a) + " is still attached to node " + a.Spec.NodeName
		if _, known := c.NodeAt[a.Spec.NodeName]; !known {
			text += ", which is not in the input: if it was deleted, Kubernetes detaches the volume within minutes, unless its driver fails"
		}
		if a.DeletionTimestamp != nil {
			text = strings.Replace(text, "still attached to", "being detached from", 1)
		}
		if e := a.Status.DetachError; e != nil {
			text += " (" + say.Shortened(e.Message) + ")"
		}
		texts = append(texts, text)
	}
	for _, o := range f.Holders(c, p) {
		text := "pod " + o.String() + " still has its volume on node " + o.Node
		i, known := c.NodeAt[o.Node]
		isSilent := known && c.Nodes[i].IsSilent()
		switch {
		case o.Deleting && !isSilent && o.Ends.After(now):
			text += ", and ends by " + o.Ends.UTC().Format(time.RFC3339) + " (" + say.Relative(o.Ends.Unix()-now.Unix()) + ")"
		case o.Deleting:
			text += ", and stays Terminating"
		}
		if isSilent {
			text += ", as the kubelet there does not answer"
		}
		texts = append(texts, text)
	}
	for _, a := range f.attachments {
		if e := a.Status.AttachError; e != nil && a.Spec.NodeName == p.Node && f.has(p, &a) {
			texts = append(texts, "volume "+volumeOf(&a)+" is not attached: "+say.Shortened(e.Message))
		}
	}
	return texts
}

// eventTexts has the newest warnings, of two reasons.
func (f *Facts) eventTexts(p *cluster.Pod, now time.Time) (texts []string) {
	byReason := lists.Grouped(f.warnings(p), func(e corev1.Event) string { return e.Reason })
	for _, same := range byReason[:min(2, len(byReason))] {
		text := "event " + same[0].Reason
		if at := timeOf(same[0]); !at.IsZero() {
			text += ", " + say.Relative(at.Unix()-now.Unix())
		}
		message := strings.Join(strings.Fields(same[0].Message), " ")
		texts = append(texts, text+": "+strings.TrimRight(say.Shortened(message), "."))
	}
	return texts
}

// warnings returns the events of the pod, newest first.
func (f *Facts) warnings(p *cluster.Pod) []corev1.Event {
	uid := f.pods[p.PodName].UID
	list := slices.DeleteFunc(slices.Clone(f.events), func(e corev1.Event) bool {
		of := e.InvolvedObject
		return of.Namespace != p.Namespace || uid != "" && of.UID != "" && of.UID != uid
	})
	slices.SortStableFunc(list, func(a, b corev1.Event) int { return timeOf(b).Compare(timeOf(a)) })
	return list
}

// timeOf returns when the event was last seen, or zero.
func timeOf(e corev1.Event) time.Time {
	return cmp.Or(ptr.Deref(e.Series, corev1.EventSeries{}).LastObservedTime.Time, e.LastTimestamp.Time, e.EventTime.Time, e.CreationTimestamp.Time)
}

func volumeOf(a *storagev1.VolumeAttachment) string {
	return ptr.Deref(a.Spec.Source.PersistentVolumeName, "")
}

// has reports whether the pod has the attached volume, by its claims or, without these, by an
// event that names it.
func (f *Facts) has(p *cluster.Pod, a *storagev1.VolumeAttachment) bool {
	name := volumeOf(a)
	isOf := func(claim cluster.PodName) bool { return f.claims[claim].Spec.VolumeName == name }
	names := func(e corev1.Event) bool { return strings.Contains(e.Message, `"`+name+`"`) }
	return name != "" && (slices.ContainsFunc(f.claimsOf(p), isOf) || slices.ContainsFunc(f.warnings(p), names))
}

// elsewhere returns the attachments to other nodes of volumes that one node alone may have,
// and the pod's does not.
func (f *Facts) elsewhere(p *cluster.Pod) []storagev1.VolumeAttachment {
	free := sets.New[string]() // volumes that do not keep the pod
	for _, c := range f.claims {
		if slices.Contains(c.Spec.AccessModes, corev1.ReadWriteMany) || slices.Contains(c.Spec.AccessModes, corev1.ReadOnlyMany) {
			free.Insert(c.Spec.VolumeName)
		}
	}
	for _, a := range f.attachments {
		if a.Status.Attached && a.Spec.NodeName == p.Node {
			free.Insert(volumeOf(&a))
		}
	}
	return slices.DeleteFunc(slices.Clone(f.attachments), func(a storagev1.VolumeAttachment) bool {
		return !a.Status.Attached || !f.has(p, &a) || free.Has(volumeOf(&a))
	})
}

// Holders returns the pods on other nodes that have a volume for which the pod waits: those
// that an event names, and those of the same owner where the volume is attached.
func (f *Facts) Holders(c *cluster.Cluster, p *cluster.Pod) (pods []*cluster.Pod) {
	if _, waits := f.Waits(p); !waits {
		return nil
	}
	attached, named := sets.New[string](), sets.New[string]() // nodes, and pods
	for _, a := range f.elsewhere(p) {
		attached.Insert(a.Spec.NodeName)
	}
	for _, e := range f.warnings(p) {
		_, list, _ := strings.Cut(e.Message, "already used by pod(s) ")
		named.Insert(strings.Split(list, ", ")...)
	}
	return slices.DeleteFunc(slices.Clone(c.Pods), func(o *cluster.Pod) bool {
		isHolder := named.Has(o.Name) || o.OwnerName() == p.OwnerName() && attached.Has(o.Node)
		return !isHolder || o.Namespace != p.Namespace || o.Node == "" || o.Node == p.Node || o.IsFinished()
	})
}
