// SPDX-License-Identifier: Apache-2.0

//go:build !staging

// Package devices runs the device-taint-eviction controller of one Kubernetes
// version: the one that the build tag kubernetes1.34, kubernetes1.35 or
// kubernetes1.36 names, or the newest without a tag. Each version has a different type
// for rules about device taints.
package devices

import (
	_ "unsafe" // for go:linkname

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/client-go/informers"
	corev1 "k8s.io/client-go/informers/core/v1"
	resourceinformers "k8s.io/client-go/informers/resource"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/kubernetes/pkg/controller/devicetainteviction"
)

// A Controller is Kubernetes' device-taint-eviction controller.
type Controller = devicetainteviction.Controller

const controllerName = "device-taint-eviction-controller"

// nothing returns a client and informers for a cluster without objects.
func nothing() (kubernetes.Interface, corev1.PodInformer, resourceinformers.Interface) {
	client := fake.NewClientset()
	factory := informers.NewSharedInformerFactory(client, 0)
	return client, factory.Core().V1().Pods(), factory.Resource()
}

//go:linkname changeSlice k8s.io/kubernetes/pkg/controller/devicetainteviction.(*Controller).handleSliceChange
func changeSlice(tc *devicetainteviction.Controller, oldSlice, newSlice *resourceapi.ResourceSlice)
