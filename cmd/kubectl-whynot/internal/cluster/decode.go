// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/manifest"
)

// Decode adds the object of the manifest. It only counts objects of other kinds.
func (c *Cluster) Decode(m manifest.Object) error {
	c.Objects++
	if version := apiVersions[m.Kind]; m.APIVersion != "" && m.APIVersion != version {
		c.Others[m.Kind]++
		return nil
	}
	switch m.Kind {
	case "":
		return errors.New("kind is missing")
	case "Status":
		var status metav1.Status
		m.Decode(&status)
		return errors.New(status.Message)
	case "Node":
		return decodeAs(m, c.AddNode)
	case "Pod":
		return decodeAs(m, func(o *corev1.Pod) error {
			if o.Spec.NodeName == "" { // what is large matters too
				*o = corev1.Pod{}
				if err := m.Decode(o); err != nil {
					return err
				}
			}
			return c.AddPod(o)
		}, skipLarge)
	case "Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob":
		return decodeAs(m, func(o *workload) error { return c.addTemplate(m.Kind, o) })
	}
	c.Others[m.Kind]++
	return nil
}

// A workload has the fields that matter of a Deployment, StatefulSet, DaemonSet,
// Job or CronJob.
type workload struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Replicas    *int32                  `json:"replicas"`
		Suspend     *bool                   `json:"suspend"`
		Template    corev1.PodTemplateSpec  `json:"template"`
		JobTemplate batchv1.JobTemplateSpec `json:"jobTemplate"`
	} `json:"spec"`
	Status struct {
		Conditions []batchv1.JobCondition `json:"conditions"`
	} `json:"status"`
}

// createsNone returns why the workload of the kind creates no pods, or "".
func (w *workload) createsNone(kind string) string {
	isJob, isScaled := kind == "Job" || kind == "CronJob", kind == "Deployment" || kind == "StatefulSet"
	hasEnded := func(c batchv1.JobCondition) bool {
		return (c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed) && c.Status == corev1.ConditionTrue
	}
	switch {
	case isScaled && w.Spec.Replicas != nil && *w.Spec.Replicas == 0:
		return "(0 replicas)"
	case isJob && w.Spec.Suspend != nil && *w.Spec.Suspend:
		return "(suspended)"
	case isJob && slices.ContainsFunc(w.Status.Conditions, hasEnded):
		return "(ended)"
	}
	return ""
}

// apiVersions maps the kinds of objects that are evaluated to their API versions.
var apiVersions = map[string]string{
	"Node": "v1", "Pod": "v1", "Status": "v1",
	"Deployment": "apps/v1", "StatefulSet": "apps/v1", "DaemonSet": "apps/v1",
	"Job": "batch/v1", "CronJob": "batch/v1",
}

// decodeAs decodes the manifest and passes the object to add. Errors have the name
// of the object.
func decodeAs[T any](m manifest.Object, add func(*T) error, options ...json.Options) error {
	o := new(T)
	err := m.Decode(o, options...)
	if err == nil {
		err = add(o)
	}
	if err == nil {
		return nil
	}
	var named struct {
		Metadata struct{ Namespace, Name string }
	}
	m.Decode(&named, json.MatchCaseInsensitiveNames(true))
	name := named.Metadata.Name
	if named.Metadata.Namespace != "" {
		name = named.Metadata.Namespace + "/" + name
	}
	return fmt.Errorf("%s %s: %w", m.Kind, name, err)
}

// skipLarge skips the fields of a pod that are large and, if the pod has a node,
// not needed. This is much faster.
var skipLarge = json.WithUnmarshalers(json.JoinUnmarshalers(
	skip[[]corev1.Container](), skip[[]corev1.Volume](), skip[[]corev1.ContainerStatus](), skip[[]metav1.ManagedFieldsEntry](),
))

func skip[T any]() *json.Unmarshalers {
	return json.UnmarshalFromFunc(func(d *jsontext.Decoder, _ *T) error { return d.SkipValue() })
}
