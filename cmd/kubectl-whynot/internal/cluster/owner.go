// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// An Owner is the controller of a pod. The zero owner means none.
type Owner struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
	// Deployment is the Deployment that owns a ReplicaSet.
	Deployment string `json:"deployment,omitempty"`
	CronJob    string `json:"-"` // that owns a Job
}

// ownerOf returns the controller of the pod.
func ownerOf(o *metav1.ObjectMeta) Owner {
	r := metav1.GetControllerOfNoCopy(o)
	if r == nil {
		return Owner{}
	}
	w := Owner{Kind: r.Kind, Name: r.Name}
	if r.Kind == "Job" {
		w.CronJob = cronJob(r.Name, o.CreationTimestamp.Time)
	}
	if hash := o.Labels["pod-template-hash"]; r.Kind == "ReplicaSet" && hash != "" {
		if name, ok := strings.CutSuffix(r.Name, "-"+hash); ok {
			w.Deployment = name
		}
	}
	return w
}

// Template returns the kind and name of the object with the pod's template.
func (o Owner) Template() (kind, name string) {
	if o.Deployment != "" {
		return "Deployment", o.Deployment
	}
	return o.Kind, o.Name
}

// cronJob returns the CronJob of a Job with a pod that was created at the time. A
// CronJob's Jobs end in the minutes since 1970, by which they are due. The same
// digits may be a date: CronJobs have these names since 2021.
func cronJob(name string, created time.Time) string {
	i := strings.LastIndexByte(name, '-')
	minutes, err := strconv.ParseInt(name[i+1:], 10, 64)
	due := time.Unix(minutes*60, 0)
	isLater := !created.IsZero() && (created.Before(due) || created.Sub(due) > 30*24*time.Hour)
	if i < 1 || len(name)-i != 9 || err != nil || due.Year() < 2021 || isLater {
		return ""
	}
	return name[:i]
}

// OwnerName names the object with the pod's template, or the pod itself.
func (p *Pod) OwnerName() string {
	if p.Owner == (Owner{}) {
		return "Pod " + p.String()
	}
	kind, name := p.Owner.Template()
	return kind + " " + p.Namespace + "/" + name
}

// notEvaluatedOf names the rules of the spec that the program does not evaluate
// and that may keep the pod off nodes.
func notEvaluatedOf(s *corev1.PodSpec) []string {
	var words []string
	add := func(has bool, word string) {
		if has {
			words = append(words, word)
		}
	}
	if a := s.Affinity; a != nil {
		add(a.PodAffinity != nil && len(a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution) > 0, "pod affinity")
		add(a.PodAntiAffinity != nil && len(a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution) > 0,
			"pod anti-affinity")
	}
	containers := slices.Concat(s.InitContainers, s.Containers)
	add(len(s.TopologySpreadConstraints) > 0, "topology spread constraints")
	add(hasRequests(s, containers), "resource requests")
	add(slices.ContainsFunc(containers, hasHostPort), "host ports")
	add(slices.ContainsFunc(s.Volumes, hasClaim), "volume claims")
	add(slices.ContainsFunc(s.Volumes, isOfNodes), "volumes that only some nodes can attach")
	add(len(s.ResourceClaims) > 0, "resource claims")
	add(s.SchedulerName != "" && s.SchedulerName != corev1.DefaultSchedulerName, "the scheduler "+s.SchedulerName)
	return words
}

func hasRequests(s *corev1.PodSpec, containers []corev1.Container) bool {
	return len(s.Overhead) > 0 || s.Resources != nil && len(s.Resources.Requests) > 0 ||
		slices.ContainsFunc(containers, func(c corev1.Container) bool { return len(c.Resources.Requests) > 0 })
}

func hasHostPort(c corev1.Container) bool {
	return slices.ContainsFunc(c.Ports, func(p corev1.ContainerPort) bool { return p.HostPort != 0 })
}

func hasClaim(v corev1.Volume) bool { return v.PersistentVolumeClaim != nil || v.Ephemeral != nil }

// isOfNodes reports whether the scheduler checks which nodes can attach the
// volume although it has no claim.
func isOfNodes(v corev1.Volume) bool {
	return v.AWSElasticBlockStore != nil || v.AzureDisk != nil || v.Cinder != nil || v.CSI != nil ||
		v.GCEPersistentDisk != nil || v.ISCSI != nil || v.RBD != nil
}
