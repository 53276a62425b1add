// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// An Owner is the controller of a pod. The zero owner means none.
type Owner struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
	// Deployment is the Deployment that owns a ReplicaSet.
	Deployment string `json:"deployment,omitempty"`
}

// ownerOf returns the controller of the pod.
func ownerOf(o *metav1.ObjectMeta) Owner {
	r := metav1.GetControllerOfNoCopy(o)
	if r == nil {
		return Owner{}
	}
	w := Owner{Kind: r.Kind, Name: r.Name}
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

// OwnerName names the object with the pod's template, or the pod itself.
func (p *Pod) OwnerName() string {
	if p.Owner == (Owner{}) {
		return "Pod " + p.String()
	}
	kind, name := p.Owner.Template()
	return kind + " " + p.Namespace + "/" + name
}
