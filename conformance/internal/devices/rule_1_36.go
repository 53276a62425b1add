// SPDX-License-Identifier: Apache-2.0

//go:build kubernetes1.36

package devices

import (
	resourceapi "k8s.io/api/resource/v1"
	resourcebeta "k8s.io/api/resource/v1beta2"
	"k8s.io/kubernetes/pkg/controller/devicetainteviction"
)

type rule = resourcebeta.DeviceTaintRule

// New returns a controller for a cluster without objects.
func New() *Controller {
	client, pods, resources := nothing()
	v1 := resources.V1()
	return devicetainteviction.New(client, pods, v1.ResourceClaims(), v1.ResourceSlices(),
		resources.V1beta2().DeviceTaintRules(), v1.DeviceClasses(), controllerName, false)
}

// newRule returns a rule that puts the taint on every device.
func newRule(taint resourceapi.DeviceTaint) *rule {
	return &rule{Spec: resourcebeta.DeviceTaintRuleSpec{
		DeviceSelector: &resourcebeta.DeviceTaintSelector{},
		Taint: resourcebeta.DeviceTaint{
			Key:       taint.Key,
			Value:     taint.Value,
			Effect:    resourcebeta.DeviceTaintEffect(taint.Effect),
			TimeAdded: taint.TimeAdded,
		},
	}}
}
