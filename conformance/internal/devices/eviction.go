// SPDX-License-Identifier: Apache-2.0

//go:build !kubernetes1.34 && !staging

package devices

import (
	"strconv"
	_ "unsafe" // for go:linkname

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubernetes/pkg/controller/devicetainteviction"

	"github.com/seed-0529bac1/taints/conformance/internal/linked"
)

// EvictionTime returns when the pods that use the claim are evicted, or nil if
// they stay. The devices of the claim are in the slice, and each rule applies to
// all of them.
func EvictionTime(
	tc *Controller, claim *resourceapi.ResourceClaim,
	slice *resourceapi.ResourceSlice, rules []resourceapi.DeviceTaint,
) *metav1.Time {
	evicting := make(map[string]*rule)
	for i, taint := range rules {
		if taint.Effect == resourceapi.DeviceTaintEffectNoExecute { // handleRuleChange keeps only these
			evicting[strconv.Itoa(i)] = everywhere(taint)
		}
	}
	*linked.Field[map[string]*rule](tc, "evictingRules") = evicting
	changeSlice(tc, nil, slice)
	defer changeSlice(tc, slice, nil)
	if e := claimEvictionTime(tc, claim); e != nil {
		return &e.when
	}
	return nil
}

// An eviction has the first field of the controller's own struct.
type eviction struct{ when metav1.Time }

//go:linkname claimEvictionTime k8s.io/kubernetes/pkg/controller/devicetainteviction.(*Controller).claimEvictionTime
func claimEvictionTime(tc *devicetainteviction.Controller, claim *resourceapi.ResourceClaim) *eviction

// everywhere returns a rule that puts the taint on every device.
func everywhere(taint resourceapi.DeviceTaint) *rule {
	r := new(rule)
	r.Spec.DeviceSelector = new(selector)
	to := &r.Spec.Taint
	to.Key, to.Value, to.Effect, to.TimeAdded = taint.Key, taint.Value, effect(taint.Effect), taint.TimeAdded
	return r
}
