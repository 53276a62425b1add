// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"reflect"
	"strings"

	"github.com/seed-0529bac1/taints"
	corev1 "k8s.io/api/core/v1"
)

// RequestedResources returns the names of the resources that the containers and init
// containers request, for [taints.AddExtendedResourceTolerations]. Names may repeat. A
// nil spec requests nothing. An API server sets the request of a resource that only
// has a limit, before webhooks see the pod.
//
//	names := kube.RequestedResources(&pod.Spec)
//	list := taints.AddExtendedResourceTolerations(kube.Tolerations(pod.Spec.Tolerations), names...)
func RequestedResources(spec *corev1.PodSpec) []string {
	var names []string
	for _, r := range requirements(spec) {
		for name := range r.Requests {
			names = append(names, string(name))
		}
	}
	return names
}

// IsExtendedResource reports whether the name is that of an extended resource, such as
// a GPU (IsExtendedResourceName in Kubernetes). Admission tolerates a taint with such
// a key for the pods that request the resource, where the plugin
// ExtendedResourceToleration is on.
func IsExtendedResource(name corev1.ResourceName) bool {
	return taints.AddExtendedResourceTolerations(nil, string(name)) != nil
}

// IsBestEffort reports whether the pod's QoS class is BestEffort: the class of its
// status or, for a new pod, the class that follows from its resources (GetPodQOS in
// Kubernetes). Other pods get [taints.AddMemoryPressureToleration]. A nil pod needs
// nothing, so it is BestEffort.
func IsBestEffort(pod *corev1.Pod) bool {
	if pod == nil {
		return true
	}
	if pod.Status.QOSClass != "" {
		return pod.Status.QOSClass == corev1.PodQOSBestEffort
	}
	if r := podResources(&pod.Spec); r != nil {
		return needsNothing(r)
	}
	for _, r := range requirements(&pod.Spec) {
		if !needsNothing(r) {
			return false
		}
	}
	return true
}

// requirements returns the resources of each container and init container.
func requirements(spec *corev1.PodSpec) []*corev1.ResourceRequirements {
	if spec == nil {
		return nil
	}
	var all []*corev1.ResourceRequirements
	for _, list := range [...][]corev1.Container{spec.Containers, spec.InitContainers} {
		for i := range list {
			all = append(all, &list[i].Resources)
		}
	}
	return all
}

// podResources returns the resources of the pod as a whole, or nil if they name none
// that a pod can have (IsPodLevelResourcesSet in Kubernetes). The field is in
// k8s.io/api since v0.32, and this module works with older versions. The spec is a
// pointer to a PodSpec.
func podResources(spec any) *corev1.ResourceRequirements {
	field := reflect.ValueOf(spec).Elem().FieldByName("Resources")
	if !field.IsValid() {
		return nil
	}
	r, _ := field.Interface().(*corev1.ResourceRequirements)
	if r == nil {
		return nil
	}
	for _, list := range [...]corev1.ResourceList{r.Requests, r.Limits} {
		for name := range list {
			if name == corev1.ResourceCPU || name == corev1.ResourceMemory ||
				strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix) {
				return r
			}
		}
	}
	return nil
}

// needsNothing reports whether all CPU and memory of the resources is zero.
func needsNothing(r *corev1.ResourceRequirements) bool {
	for _, list := range [...]corev1.ResourceList{r.Requests, r.Limits} {
		if cpu, memory := list[corev1.ResourceCPU], list[corev1.ResourceMemory]; !cpu.IsZero() || !memory.IsZero() {
			return false
		}
	}
	return true
}
