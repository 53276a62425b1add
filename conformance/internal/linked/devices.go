//go:build !otherkubernetes

package linked

import (
	_ "unsafe" // for go:linkname

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubernetes/pkg/controller/devicetainteviction"
)

// A DeviceEviction is when the pods leave that use a claim. It is how the
// device-taint-eviction controller's own struct begins.
type DeviceEviction struct{ When metav1.Time }

// ClaimEviction is how the device-taint-eviction controller computes when the
// pods leave that use the claim; nil where they stay.
//
//go:linkname ClaimEviction k8s.io/kubernetes/pkg/controller/devicetainteviction.(*Controller).claimEvictionTime
func ClaimEviction(tc *devicetainteviction.Controller, claim *resourceapi.ResourceClaim) *DeviceEviction

// ChangeSlice is how the device-taint-eviction controller learns of a slice that
// is new, changed or gone.
//
//go:linkname ChangeSlice k8s.io/kubernetes/pkg/controller/devicetainteviction.(*Controller).handleSliceChange
func ChangeSlice(tc *devicetainteviction.Controller, oldSlice, newSlice *resourceapi.ResourceSlice)
