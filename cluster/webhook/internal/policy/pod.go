// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"bytes"
	"cmp"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/sets"
	resourcehelper "k8s.io/component-helpers/resource"
	"sigs.k8s.io/json"

	"github.com/seed-0529bac1/taints"
)

// A user who may create pods controls their contents, and `{}` in a list takes 3
// bytes of JSON but 700 as a corev1.Container. So a pod is decoded without the
// fields that no rule uses, and the decoded fields are bounded.
const (
	maxElements = 1000      // of a list, such as the tolerations
	maxMapSize  = 256 << 10 // bytes of JSON of a map, such as the labels
)

// A pod is the part of a Pod that decisions depend on.
type pod struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name            string        `json:"name"`
		GenerateName    string        `json:"generateName"`
		Labels          table[string] `json:"labels"`
		OwnerReferences list[owner]   `json:"ownerReferences"`
	} `json:"metadata"`
	Spec   *spec `json:"spec"`
	Status struct {
		QOSClass corev1.PodQOSClass `json:"qosClass"`
	} `json:"status"`

	requested []string           // resources that the containers request more than zero of
	class     corev1.PodQOSClass // the QoS class that the pod had before an update, or ""
}

type owner struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Controller bool   `json:"controller"`
}

type spec struct {
	Tolerations    list[taints.Toleration] `json:"tolerations"`  // nil: missing
	NodeSelector   table[string]           `json:"nodeSelector"` // nil: missing
	Containers     list[container]         `json:"containers"`
	InitContainers list[container]         `json:"initContainers"`
	Resources      resources               `json:"resources"`
	HostNetwork    bool                    `json:"hostNetwork"`
}

type container struct {
	Resources resources `json:"resources"`
}

type resources struct {
	Requests table[sign] `json:"requests"`
	Limits   table[sign] `json:"limits"`
}

// decodePod decodes a Pod as an API server sends it, with its defaults.
func decodePod(text []byte) (*pod, error) {
	p := &pod{}
	if err := json.UnmarshalCaseSensitivePreserveInts(text, p); err != nil {
		return nil, err
	}
	if p.APIVersion != "v1" || p.Kind != "Pod" || p.Spec == nil {
		return nil, fmt.Errorf("it is not a Pod of v1 with a spec: its kind is %.100q, its apiVersion %.100q", p.Kind, p.APIVersion)
	}
	return p, p.setRequested()
}

// rawTolerations returns the JSON of a Pod's tolerations, nil if there are none.
func rawTolerations(text []byte) ([]byte, error) {
	var p struct {
		Spec struct {
			Tolerations stdjson.RawMessage `json:"tolerations"`
		} `json:"spec"`
	}
	err := json.UnmarshalCaseSensitivePreserveInts(text, &p)
	if bytes.Equal(p.Spec.Tolerations, []byte("null")) {
		return nil, err
	}
	return p.Spec.Tolerations, err
}

// name returns the pod's name, or the prefix that its name will have.
func (p *pod) name() string {
	return cmp.Or(p.Metadata.Name, p.Metadata.GenerateName)
}

// ofDaemonSet reports whether an owner reference names a DaemonSet as the controller.
func (p *pod) ofDaemonSet() bool {
	return slices.ContainsFunc(p.Metadata.OwnerReferences, func(o owner) bool {
		return o.Controller && o.Kind == "DaemonSet" && strings.HasPrefix(o.APIVersion, "apps/")
	})
}

func (p *pod) containers() []container {
	return slices.Concat(p.Spec.Containers, p.Spec.InitContainers)
}

// setRequested sets requested, sorted. A request of zero is none: it takes no
// device, and the scheduler places the pod on nodes without any.
func (p *pod) setRequested() error {
	names := sets.Set[string]{}
	for _, c := range p.containers() {
		for name, sign := range c.Resources.Requests {
			if sign > 0 {
				names.Insert(name)
			}
		}
		if len(names) > maxElements {
			return fmt.Errorf("it requests more than %d resources", maxElements)
		}
	}
	p.requested = sets.List(names)
	return nil
}

// requestsNone reports whether the pod's requests name the resource, all with zero.
func (p *pod) requestsNone(name string) bool {
	return !slices.Contains(p.requested, name) && slices.ContainsFunc(p.containers(), func(c container) bool {
		_, named := c.Resources.Requests[name]
		return named
	})
}

// bestEffort reports whether the pod's QoS class is BestEffort, as GetPodQOS in
// Kubernetes does. An update keeps the class. For a new pod, no request or limit of
// CPU or memory differs from zero; those of the pod replace those of its containers.
// Kubernetes' admission trusts the class that the creator of a pod wrote into the
// status; this method does not.
func (p *pod) bestEffort() bool {
	if p.class != "" {
		return p.class == corev1.PodQOSBestEffort
	}
	if whole := &p.Spec.Resources; whole.ofPod() {
		return whole.bestEffort()
	}
	return !slices.ContainsFunc(p.containers(), func(c container) bool { return !c.Resources.bestEffort() })
}

// ofPod reports whether the resources of a pod name one that a pod can have as a
// whole, with any quantity.
func (r *resources) ofPod() bool {
	names := slices.AppendSeq(slices.Collect(maps.Keys(r.Requests)), maps.Keys(r.Limits))
	return slices.ContainsFunc(names, func(name string) bool {
		return resourcehelper.IsSupportedPodLevelResource(corev1.ResourceName(name))
	})
}

func (r *resources) bestEffort() bool {
	return r.Requests["cpu"] == 0 && r.Requests["memory"] == 0 && r.Limits["cpu"] == 0 && r.Limits["memory"] == 0
}

// sign is -1, 0 or 1, for a quantity below, equal to or above zero.
type sign int8

// UnmarshalJSON implements [encoding/json.Unmarshaler].
func (s *sign) UnmarshalJSON(text []byte) error {
	var q resource.Quantity
	err := q.UnmarshalJSON(text)
	*s = sign(q.Sign())
	return err
}

// list is a list of at most maxElements elements.
type list[T any] []T

// UnmarshalJSON implements [encoding/json.Unmarshaler]. It counts the elements of a
// long list, which takes no memory, before it decodes them.
func (l *list[T]) UnmarshalJSON(text []byte) error {
	if len(text) > 2*maxElements {
		var elements []struct{}
		if err := json.UnmarshalCaseSensitivePreserveInts(text, &elements); err != nil {
			return err
		}
		if n := len(elements); n > maxElements {
			return fmt.Errorf("a list has %d elements, more than %d", n, maxElements)
		}
	}
	return json.UnmarshalCaseSensitivePreserveInts(text, (*[]T)(l))
}

// table is a map of at most maxMapSize bytes of JSON.
type table[V any] map[string]V

// UnmarshalJSON implements [encoding/json.Unmarshaler].
func (t *table[V]) UnmarshalJSON(text []byte) error {
	if len(text) > maxMapSize {
		return errors.New("the labels, the node selector or the resources of a container have more than 256 KiB")
	}
	return json.UnmarshalCaseSensitivePreserveInts(text, (*map[string]V)(t))
}
