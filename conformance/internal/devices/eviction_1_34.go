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

// Repels are the effects of taints that prevent the allocation of a device. This
// version stores only NoSchedule and NoExecute, and does not check the effect.
const Repels = taints.AllEffects

// EvictionTime returns when the pods that use the claim are evicted, or nil if
// they stay. The devices of the claim are in the slice, and each rule applies to
// all of them: this version's controller receives slices to which a tracker has
// added the taints of the rules.
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
