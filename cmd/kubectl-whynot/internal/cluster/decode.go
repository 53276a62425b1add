// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	appsv1 "k8s.io/api/apps/v1"
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
		return c.decodePod(m)
	case "Deployment":
		return decodeAs(m, func(o *appsv1.Deployment) error {
			return c.addTemplate(m.Kind, &o.ObjectMeta, &o.Spec.Template, unscaled(o.Spec.Replicas))
		})
	case "StatefulSet":
		return decodeAs(m, func(o *appsv1.StatefulSet) error {
			return c.addTemplate(m.Kind, &o.ObjectMeta, &o.Spec.Template, unscaled(o.Spec.Replicas))
		})
	case "DaemonSet":
		return decodeAs(m, func(o *appsv1.DaemonSet) error { return c.addTemplate(m.Kind, &o.ObjectMeta, &o.Spec.Template, "") })
	case "Job":
		return decodeAs(m, func(o *batchv1.Job) error {
			return c.addTemplate(m.Kind, &o.ObjectMeta, &o.Spec.Template, cmp.Or(suspended(o.Spec.Suspend), ended(o.Status.Conditions)))
		})
	case "CronJob":
		return decodeAs(m, func(o *batchv1.CronJob) error {
			return c.addTemplate(m.Kind, &o.ObjectMeta, &o.Spec.JobTemplate.Spec.Template, suspended(o.Spec.Suspend))
		})
	}
	c.Others[m.Kind]++
	return nil
}

// unscaled, suspended and ended return why a workload creates no pods, or "".
func unscaled(replicas *int32) string {
	if replicas != nil && *replicas == 0 {
		return "(0 replicas)"
	}
	return ""
}

func suspended(is *bool) string {
	if is != nil && *is {
		return "(suspended)"
	}
	return ""
}

func ended(list []batchv1.JobCondition) string {
	for _, c := range list {
		if (c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed) && c.Status == corev1.ConditionTrue {
			return "(ended)"
		}
	}
	return ""
}

// apiVersions maps the kinds of objects that are evaluated to their API versions.
var apiVersions = map[string]string{
	"Node": "v1", "Pod": "v1", "Status": "v1",
	"Deployment": "apps/v1", "StatefulSet": "apps/v1", "DaemonSet": "apps/v1",
	"Job": "batch/v1", "CronJob": "batch/v1",
}

// decodeAs decodes the manifest and passes the object to add.
func decodeAs[T any](m manifest.Object, add func(*T) error) error {
	o := new(T)
	err := m.Decode(o)
	if err == nil {
		err = add(o)
	}
	return wrap(m, err)
}

// wrap adds the name of the object to the error.
func wrap(m manifest.Object, err error) error {
	if err == nil {
		return nil
	}
	var o struct {
		Metadata struct{ Namespace, Name string }
	}
	m.Decode(&o, json.MatchCaseInsensitiveNames(true))
	name := o.Metadata.Name
	if o.Metadata.Namespace != "" {
		name = o.Metadata.Namespace + "/" + name
	}
	return fmt.Errorf("%s %s: %w", m.Kind, name, err)
}

// decodePod adds a pod. If the pod has a node, it decodes only the needed
// fields, which is much faster.
func (c *Cluster) decodePod(m manifest.Object) error {
	var o placedPod
	if err := m.Decode(&o); err != nil {
		return wrap(m, err)
	}
	if o.Spec.NodeName == "" {
		return decodeAs(m, c.AddPod)
	}
	return wrap(m, c.AddPod(o.pod()))
}

// A placedPod has the needed fields of a pod that has a node.
type placedPod struct {
	Metadata struct {
		Namespace         string                  `json:"namespace"`
		Name              string                  `json:"name"`
		Labels            map[string]string       `json:"labels"`
		DeletionTimestamp *metav1.Time            `json:"deletionTimestamp"`
		OwnerReferences   []metav1.OwnerReference `json:"ownerReferences"`
	} `json:"metadata"`
	Spec struct {
		NodeName     string              `json:"nodeName"`
		NodeSelector map[string]string   `json:"nodeSelector"`
		Affinity     *corev1.Affinity    `json:"affinity"`
		Tolerations  []corev1.Toleration `json:"tolerations"`
	} `json:"spec"`
	Status struct {
		Phase      corev1.PodPhase       `json:"phase"`
		StartTime  *metav1.Time          `json:"startTime"`
		Conditions []corev1.PodCondition `json:"conditions"`
	} `json:"status"`
}

func (o *placedPod) pod() *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: o.Metadata.Namespace, Name: o.Metadata.Name, Labels: o.Metadata.Labels,
			DeletionTimestamp: o.Metadata.DeletionTimestamp, OwnerReferences: o.Metadata.OwnerReferences,
		},
		Spec: corev1.PodSpec{
			NodeName: o.Spec.NodeName, NodeSelector: o.Spec.NodeSelector,
			Affinity: o.Spec.Affinity, Tolerations: o.Spec.Tolerations,
		},
		Status: corev1.PodStatus{
			Phase: o.Status.Phase, StartTime: o.Status.StartTime, Conditions: o.Status.Conditions,
		},
	}
}
