// SPDX-License-Identifier: Apache-2.0

//go:build !kubernetes1.34 && !staging

package devices

import (
	"reflect"
	"strconv"
	_ "unsafe" // for go:linkname

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubernetes/pkg/controller/devicetainteviction"
)

// EvictionTime returns when the pods that use the claim are evicted, or nil if
// they stay. The devices of the claim are in the slice, and each rule applies to
// all of them.
func EvictionTime(
	tc *Controller, claim *resourceapi.ResourceClaim,
	slice *resourceapi.ResourceSlice, rules []resourceapi.DeviceTaint,
) *metav1.Time {
	evicting := field(tc, "evictingRules")
	evicting.Set(reflect.MakeMap(evicting.Type()))
	for i, taint := range rules {
		if taint.Effect == resourceapi.DeviceTaintEffectNoExecute { // handleRuleChange keeps only these
			rule := everywhere(taint, evicting.Type().Elem().Elem())
			evicting.SetMapIndex(reflect.ValueOf(strconv.Itoa(i)), rule)
		}
	}
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

// everywhere returns a rule that puts the taint on every device. The type of a
// rule is in another version of the API in each version of Kubernetes.
func everywhere(taint resourceapi.DeviceTaint, ruleType reflect.Type) reflect.Value {
	rule := reflect.New(ruleType)
	spec := rule.Elem().FieldByName("Spec")
	selector, to := spec.FieldByName("DeviceSelector"), spec.FieldByName("Taint")
	selector.Set(reflect.New(selector.Type().Elem()))
	to.FieldByName("Key").SetString(taint.Key)
	to.FieldByName("Value").SetString(taint.Value)
	to.FieldByName("Effect").SetString(string(taint.Effect))
	to.FieldByName("TimeAdded").Set(reflect.ValueOf(taint.TimeAdded))
	return rule
}
