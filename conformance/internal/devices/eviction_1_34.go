// SPDX-License-Identifier: Apache-2.0

//go:build kubernetes1.34

package devices

import (
	_ "unsafe" // for go:linkname

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubernetes/pkg/controller/devicetainteviction"

	"github.com/seed-0529bac1/taints"
)

// Repels are the taints that keep a device from being allocated. This version
// stores no effect but NoSchedule and NoExecute, and asks for none.
const Repels = taints.AllEffects

// New returns a controller that knows of no object.
func New() *Controller {
	client, pods, resources := nothing()
	v1 := resources.V1()
	return devicetainteviction.New(client, pods, v1.ResourceClaims(), v1.ResourceSlices(),
		resources.V1alpha3().DeviceTaintRules(), v1.DeviceClasses(), controllerName)
}

// EvictionTime returns when the pods leave that use the claim, and nil where they
// stay. The devices of the claim are in the slice, and every rule is about all of
// them: this version's controller sees slices to which a tracker has added the
// taints of rules.
func EvictionTime(
	tc *Controller, claim *resourceapi.ResourceClaim,
	slice *resourceapi.ResourceSlice, rules []resourceapi.DeviceTaint,
) *metav1.Time {
	tainted := slice.DeepCopy()
	for i := range tainted.Spec.Devices {
		device := &tainted.Spec.Devices[i]
		device.Taints = append(device.Taints, rules...)
	}
	changeSlice(tc, nil, tainted)
	defer changeSlice(tc, tainted, nil)
	return evictionTime(tc, claim.Status.Allocation)
}

//go:linkname evictionTime k8s.io/kubernetes/pkg/controller/devicetainteviction.(*Controller).evictionTime
func evictionTime(tc *devicetainteviction.Controller, allocation *resourceapi.AllocationResult) *metav1.Time

//go:linkname changeSlice k8s.io/kubernetes/pkg/controller/devicetainteviction.(*Controller).handleSliceChange
func changeSlice(tc *devicetainteviction.Controller, oldSlice, newSlice *resourceapi.ResourceSlice)
