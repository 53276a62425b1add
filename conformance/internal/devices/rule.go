// SPDX-License-Identifier: Apache-2.0

//go:build !staging && !kubernetes1.34 && !kubernetes1.35 && !kubernetes1.36

package devices

import (
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/kubernetes/pkg/controller/devicetainteviction"
)

type (
	rule     = resourceapi.DeviceTaintRule
	selector = resourceapi.DeviceTaintSelector
	effect   = resourceapi.DeviceTaintEffect
)

// New returns a controller for a cluster without objects.
func New() *Controller {
	client, pods, resources := nothing()
	v1 := resources.V1()
	return devicetainteviction.New(client, pods, v1.ResourceClaims(), v1.ResourceSlices(), v1.DeviceTaintRules(),
		v1.DeviceClasses(), controllerName)
}
