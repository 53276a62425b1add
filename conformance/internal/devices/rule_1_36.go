// SPDX-License-Identifier: Apache-2.0

//go:build kubernetes1.36

package devices

import (
	resourcebeta "k8s.io/api/resource/v1beta2"
	"k8s.io/kubernetes/pkg/controller/devicetainteviction"
)

type (
	rule     = resourcebeta.DeviceTaintRule
	selector = resourcebeta.DeviceTaintSelector
	effect   = resourcebeta.DeviceTaintEffect
)

// New returns a controller for a cluster without objects.
func New() *Controller {
	client, pods, resources := nothing()
	v1 := resources.V1()
	return devicetainteviction.New(client, pods, v1.ResourceClaims(), v1.ResourceSlices(),
		resources.V1beta2().DeviceTaintRules(), v1.DeviceClasses(), controllerName, false)
}
