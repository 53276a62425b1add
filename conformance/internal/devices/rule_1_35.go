// SPDX-License-Identifier: Apache-2.0

//go:build kubernetes1.34 || kubernetes1.35

package devices

import (
	resourcealpha "k8s.io/api/resource/v1alpha3"
	"k8s.io/kubernetes/pkg/controller/devicetainteviction"
)

type (
	rule     = resourcealpha.DeviceTaintRule
	selector = resourcealpha.DeviceTaintSelector
	effect   = resourcealpha.DeviceTaintEffect
)

// New returns a controller for a cluster without objects.
func New() *Controller {
	client, pods, resources := nothing()
	v1 := resources.V1()
	return devicetainteviction.New(client, pods, v1.ResourceClaims(), v1.ResourceSlices(),
		resources.V1alpha3().DeviceTaintRules(), v1.DeviceClasses(), controllerName)
}
