// SPDX-License-Identifier: Apache-2.0

//go:build !staging

package conformance

import (
	"math"
	"testing"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/conformance/internal/devices"
	"github.com/seed-0529bac1/taints/dra"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/version"
	componentversion "k8s.io/component-base/version"
	"pgregory.net/rapid"
)

// A use is a device with its taints and the tolerations of the claim to which it
// is allocated.
type use struct {
	taints      []resourceapi.DeviceTaint
	tolerations []resourceapi.DeviceToleration
}

// kubernetesDeviceEviction returns when the device-taint-eviction controller
// evicts the pods that use the devices, which the rules also taint. It returns
// nil if the pods stay.
func kubernetesDeviceEviction(tc *devices.Controller, uses []use, rules []resourceapi.DeviceTaint) *metav1.Time {
	var lists [][]resourceapi.DeviceTaint
	claim := &resourceapi.ResourceClaim{
		Status: resourceapi.ResourceClaimStatus{Allocation: &resourceapi.AllocationResult{}},
	}
	results := &claim.Status.Allocation.Devices.Results
	for i, u := range uses {
		lists = append(lists, u.taints)
		*results = append(*results, resourceapi.DeviceRequestAllocationResult{
			Driver: driver, Pool: pool, Device: deviceName(i), Tolerations: u.tolerations,
		})
	}
	return devices.EvictionTime(tc, claim, slice(nil, lists...), rules)
}

// timeOf returns the time, or the zero time if the pods stay.
func timeOf(eviction *metav1.Time) time.Time {
	if eviction == nil {
		return time.Time{}
	}
	return eviction.Time
}

// deviceEviction returns the library's decision for the pods that use the
// devices: the earliest of the decisions for each device.
func deviceEviction(uses []use, rules []resourceapi.DeviceTaint) taints.Eviction {
	var first taints.Eviction
	for _, u := range uses {
		marks := dra.Taints(withRules(u.taints, rules))
		tolerations := deciding(u.tolerations)
		e := dra.Policy().EvictionOf(dra.Options().Compile(tolerations), marks, observed)
		if first.Outcome == taints.Stays || e.Outcome != taints.Stays && e.At.Before(first.At) {
			first = e
		}
	}
	return first
}

// allEffectsDecide says whether a toleration without an effect decides about an
// eviction in this version of Kubernetes: from 1.38 on.
var allEffectsDecide = version.MustParseGeneric(componentversion.DefaultKubeBinaryVersion).Minor() >= 38

// deciding returns the tolerations that decide about an eviction.
func deciding(list []resourceapi.DeviceToleration) []taints.Toleration {
	if allEffectsDecide {
		return dra.Tolerations(list)
	}
	return dra.NoExecuteTolerations(list)
}

// withRules returns the taints of a device and of the rules in a new list.
func withRules(marks, rules []resourceapi.DeviceTaint) []resourceapi.DeviceTaint {
	return append(marks[:len(marks):len(marks)], rules...)
}

func TestDeviceEviction(t *testing.T) {
	tc := devices.New()
	rapid.Check(t, func(t *rapid.T) {
		rules := draws(t, "rules", 2, drawDeviceTaint)
		uses := draws(t, "devices", 3, func(t *rapid.T) use {
			marks := drawDeviceTaints(t)
			return use{marks, drawDeviceTolerations(t, withRules(marks, rules))}
		})
		want, got := kubernetesDeviceEviction(tc, uses, rules), deviceEviction(uses, rules)
		same(t, "EvictionOf evicts", got.Outcome != taints.Stays, want != nil)
		if want != nil {
			same(t, "EvictionOf", got.At, want.Time)
		}
	})
}

// until returns a toleration of all NoExecute taints for the seconds.
func until(seconds *int64) []resourceapi.DeviceToleration {
	return []resourceapi.DeviceToleration{{
		Operator:          resourceapi.DeviceTolerationOpExists,
		Effect:            resourceapi.DeviceTaintEffectNoExecute,
		TolerationSeconds: seconds,
	}}
}

// broken returns a device with one NoExecute taint, added at the time.
func broken(added *metav1.Time, tolerations []resourceapi.DeviceToleration) []use {
	taint := resourceapi.DeviceTaint{Key: "a", Effect: resourceapi.DeviceTaintEffectNoExecute, TimeAdded: added}
	return []use{{[]resourceapi.DeviceTaint{taint}, tolerations}}
}

func TestDifferenceDeviceSecondsOverflow(t *testing.T) {
	tc := devices.New()
	for _, test := range []struct {
		seconds    int64
		kubernetes time.Duration // after the taint's time
		want       taints.Outcome
	}{
		{9223372036, 9223372036 * time.Second, taints.EvictsAt},
		{9223372037, -9223372036709551616, taints.EvictsAt},
		{18446744074, 290448384, taints.EvictsAt},
		{math.MaxInt64, -time.Second, taints.Stays},
	} {
		uses := broken(&metav1.Time{Time: observed}, until(&test.seconds))
		same(t, "claimEvictionTime", timeOf(kubernetesDeviceEviction(tc, uses, nil)), observed.Add(test.kubernetes))
		got := deviceEviction(uses, nil)
		same(t, "EvictionOf outcome", got.Outcome, test.want)
		if got.Outcome == taints.EvictsAt {
			same(t, "EvictionOf seconds", got.At.Unix()-observed.Unix(), test.seconds)
		}
	}
}

// The API server sets TimeAdded. If the controller receives a taint without it,
// Kubernetes ignores the taint or panics with a nil pointer.
func TestDifferenceDeviceTaintWithoutTime(t *testing.T) {
	tc := devices.New()
	same(t, "claimEvictionTime", kubernetesDeviceEviction(tc, broken(nil, nil), nil), nil)
	same(t, "EvictionOf", deviceEviction(broken(nil, nil), nil).String(), "evicts now")

	seconds := int64(300)
	uses := broken(nil, until(&seconds))
	func() {
		defer func() {
			if recover() == nil {
				t.Error("claimEvictionTime does not end with a nil pointer")
			}
		}()
		kubernetesDeviceEviction(tc, uses, nil)
	}()
	same(t, "EvictionOf", deviceEviction(uses, nil).At, observed.Add(300*time.Second))
}

func TestDifferenceDeviceTaintOfTheFuture(t *testing.T) {
	tc := devices.New()
	later := metav1.Time{Time: observed.Add(time.Hour)}
	uses := broken(&later, nil)
	same(t, "claimEvictionTime", timeOf(kubernetesDeviceEviction(tc, uses, nil)), later.Time)
	same(t, "EvictionOf", deviceEviction(uses, nil).At, observed)

	seconds := int64(300) // both count from that time
	uses = broken(&later, until(&seconds))
	same(t, "claimEvictionTime", timeOf(kubernetesDeviceEviction(tc, uses, nil)), later.Add(300*time.Second))
	same(t, "EvictionOf", deviceEviction(uses, nil).At, later.Add(300*time.Second))
}

// A toleration without an effect matches a NoExecute taint in Kubernetes' allocator, as
// the API documents, and in its controller from 1.38 on. The library follows the
// controller up to 1.37 with NoExecuteTolerations, and from 1.38 on without it.
func TestDifferenceDeviceTolerationOfAllEffects(t *testing.T) {
	tc := devices.New()
	everything := []resourceapi.DeviceToleration{{Operator: resourceapi.DeviceTolerationOpExists}}
	uses := broken(&metav1.Time{Time: observed}, everything)
	same(t, "Allocate", allocate(t, uses[0].taints, everything), true)
	same(t, "claimEvictionTime evicts", kubernetesDeviceEviction(tc, uses, nil) != nil, !allEffectsDecide)
	for want, tolerations := range map[string][]taints.Toleration{
		"evicts now": dra.NoExecuteTolerations(everything),
		"stays":      dra.Tolerations(everything),
	} {
		e := dra.Policy().EvictionOf(dra.Options().Compile(tolerations), dra.Taints(uses[0].taints), observed)
		same(t, "EvictionOf", e.String(), want)
	}
}
