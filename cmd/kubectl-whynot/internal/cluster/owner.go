// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"strconv"
	"strings"
	"time"

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
