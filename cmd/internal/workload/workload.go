// SPDX-License-Identifier: Apache-2.0

// Package workload says which pods a workload wants and has, by its spec and its status.
package workload

import (
	"cmp"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// An Object has the fields of all kinds of workloads that matter.
type Object struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		batchv1.JobSpec        // of which a part is also in other kinds
		Replicas        *int32 `json:"replicas"`
		Paused          bool   `json:"paused"`
		UpdateStrategy  struct {
			Type          string `json:"type"`
			RollingUpdate struct {
				Partition int `json:"partition"`
			} `json:"rollingUpdate"`
		} `json:"updateStrategy"`
		JobTemplate batchv1.JobTemplateSpec `json:"jobTemplate"`
	} `json:"spec"`
	Status struct {
		appsv1.DaemonSetStatus                    // of which a part is also in other kinds
		Replicas               int32              `json:"replicas"`
		UpdatedReplicas        int32              `json:"updatedReplicas"`
		UpdateRevision         string             `json:"updateRevision"`
		ReadyReplicas          int32              `json:"readyReplicas"`
		Ready                  int32              `json:"ready"`
		Failed                 int                `json:"failed"`
		FailedIndexes          string             `json:"failedIndexes"`
		LastSuccessfulTime     *metav1.Time       `json:"lastSuccessfulTime"`
		Conditions             []metav1.Condition `json:"conditions"`
	} `json:"status"`
}

// Job returns the spec of a Job, or of those that a CronJob makes.
func (o *Object) Job(kind string) *batchv1.JobSpec {
	if kind == "CronJob" {
		return &o.Spec.JobTemplate.Spec
	}
	return &o.Spec.JobSpec
}

// sources are the labels and annotations that name what has made an object from a chart or
// files.
var sources = [][2]string{
	{"argocd.argoproj.io/tracking-id", "Argo CD application"}, // with the object's name, after a colon
	{"argocd.argoproj.io/instance", "Argo CD application"},
	{"helm.toolkit.fluxcd.io/name", "HelmRelease"},
	{"kustomize.toolkit.fluxcd.io/name", "Kustomization"},
	{"meta.helm.sh/release-name", "Helm release"},
}

// Source names what has made the object, and undoes changes of it, as in Helm release web,
// or returns "".
func (o *Object) Source() string {
	for _, s := range sources {
		if name, _, _ := strings.Cut(cmp.Or(o.Annotations[s[0]], o.Labels[s[0]]), ":"); name != "" {
			return s[1] + " " + name
		}
	}
	return ""
}

// Condition returns the message of the condition if it has the status, or "".
func (o *Object) Condition(name string, status metav1.ConditionStatus) string {
	if c := meta.FindStatusCondition(o.Status.Conditions, name); c != nil && c.Status == status {
		return cmp.Or(c.Message, c.Reason, name)
	}
	return ""
}

// CreatesNone returns why the workload of the kind creates no pods, or "".
func (o *Object) CreatesNone(kind string) string {
	isJob := strings.HasSuffix(kind, "Job")
	ends := []string{"Complete", "Failed", "SuccessCriteriaMet", "FailureTarget"}
	switch {
	case !isJob && kind != "DaemonSet" && o.Spec.Replicas != nil && *o.Spec.Replicas == 0:
		return "(0 replicas)"
	case isJob && (ptr.Deref(o.Spec.Suspend, false) || ptr.Deref(o.Job(kind).Suspend, false)):
		return "(suspended)"
	case isJob && ptr.Deref(o.Job(kind).Parallelism, 1) == 0:
		return "(parallelism 0)"
	case kind == "Job" && slices.ContainsFunc(ends, func(name string) bool { return o.Condition(name, "True") != "" }):
		return "(ended)"
	}
	return ""
}

// IsReady reports whether the status says that all pods run.
func (o *Object) IsReady(kind string) bool {
	switch s := &o.Status; kind {
	case "CronJob":
		return s.LastSuccessfulTime != nil
	case "Job":
		return s.Ready >= ptr.Deref(o.Spec.Parallelism, 1)
	case "DaemonSet":
		return o.isSeen() && s.NumberReady >= s.DesiredNumberScheduled && (s.ObservedGeneration > 0 || s.NumberReady > 0)
	default:
		return o.isSeen() && s.ReadyReplicas >= ptr.Deref(o.Spec.Replicas, 1)
	}
}

// IsUpdated reports whether the status says that the template of now made all pods.
func (o *Object) IsUpdated() bool {
	s := &o.Status
	updated, all := s.UpdatedReplicas+s.UpdatedNumberScheduled, s.Replicas+s.CurrentNumberScheduled
	return o.isSeen() && updated > 0 && updated >= all
}

// isSeen reports whether the status is about the spec of now.
func (o *Object) isSeen() bool { return o.Status.ObservedGeneration >= o.Generation }
