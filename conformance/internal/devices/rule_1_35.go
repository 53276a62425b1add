// SPDX-License-Identifier: Apache-2.0

//go:build kubernetes1.35

package devices

import (
	resourceapi "k8s.io/api/resource/v1"
	resourcealpha "k8s.io/api/resource/v1alpha3"
	"k8s.io/kubernetes/pkg/controller/devicetainteviction"
)

type rule = resourcealpha.DeviceTaintRule

// New returns a controller for a cluster without objects.
func New() *Controller {
	client, pods, resources := nothing()
	v1 := resources.V1()
	return devicetainteviction.New(client, pods, v1.ResourceClaims(), v1.ResourceSlices(),
		resources.V1alpha3().DeviceTaintRules(), v1.DeviceClasses(), controllerName)
}

// newRule returns a rule that puts the taint on every device.
func newRule(taint resourceapi.DeviceTaint) *rule {
	return &rule{Spec: resourcealpha.DeviceTaintRuleSpec{
		DeviceSelector: &resourcealpha.DeviceTaintSelector{},
		Taint: resourcealpha.DeviceTaint{
			Key:       taint.Key,
			Value:     taint.Value,
			Effect:    resourcealpha.DeviceTaintEffect(taint.Effect),
			TimeAdded: taint.TimeAdded,
		},
	}}
}
