// SPDX-License-Identifier: Apache-2.0

package dra_test

import (
	"fmt"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/dra"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A scheduler checks whether a device can be allocated for a request.
func ExampleOptions() {
	device := resourceapi.Device{Name: "gpu-0", Taints: []resourceapi.DeviceTaint{
		{Key: "example.com/firmware", Value: "outdated", Effect: "None"},
		{Key: "example.com/maintenance", Effect: resourceapi.DeviceTaintEffectNoSchedule},
	}}
	request := resourceapi.ExactDeviceRequest{Tolerations: []resourceapi.DeviceToleration{
		{Key: "example.com/degraded", Operator: resourceapi.DeviceTolerationOpExists},
	}}

	m := dra.Options().Compile(dra.Tolerations(request.Tolerations))
	i, found := m.FindUntolerated(dra.Taints(device.Taints), taints.HardEffects)
	if found {
		fmt.Println(device.Name, "has", dra.Taint(device.Taints[i]))
	}
	// Output: gpu-0 has example.com/maintenance:NoSchedule
}

// A controller computes when a pod that uses two devices is evicted.
func ExamplePolicy() {
	noon := metav1.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC)
	devices := map[string][]resourceapi.DeviceTaint{
		"gpu-0": {{
			Key:       "example.com/degraded",
			Effect:    resourceapi.DeviceTaintEffectNoExecute,
			TimeAdded: &noon,
		}},
		"gpu-1": nil,
	}
	tenMinutes := int64(600)
	tolerations := []resourceapi.DeviceToleration{{
		Key: "example.com/degraded", Operator: resourceapi.DeviceTolerationOpExists,
		Effect: resourceapi.DeviceTaintEffectNoExecute, TolerationSeconds: &tenMinutes,
	}}
	allocation := resourceapi.DeviceAllocationResult{Results: []resourceapi.DeviceRequestAllocationResult{
		{Device: "gpu-0", Tolerations: tolerations},
		{Device: "gpu-1", Tolerations: tolerations},
	}}

	var first taints.Eviction
	now := noon.Add(4 * time.Minute)
	for _, result := range allocation.Results {
		tolerations := dra.NoExecuteTolerations(result.Tolerations)
		e := dra.Policy().EvictionOf(dra.Options().On(tolerations), dra.Taints(devices[result.Device]), now)
		if first.Outcome == taints.Stays || e.Outcome != taints.Stays && e.At.Before(first.At) {
			first = e
		}
	}
	wait, _ := first.Wait(now)
	fmt.Println(first)
	fmt.Println("in", wait)
	// Output:
	// evicts at 2026-11-21T12:10:00Z, after 600s
	// in 6m0s
}

// A toleration of all effects allows a device to be allocated. It keeps the pod on a
// device with a NoExecute taint only from Kubernetes 1.38 on.
func ExampleNoExecuteTolerations() {
	device := []resourceapi.DeviceTaint{{Key: "example.com/degraded", Effect: resourceapi.DeviceTaintEffectNoExecute}}
	tolerations := []resourceapi.DeviceToleration{{Operator: resourceapi.DeviceTolerationOpExists}}

	fmt.Println(dra.Options().On(dra.Tolerations(tolerations)).Filter(dra.Taints(device)))
	until137 := dra.Options().Compile(dra.NoExecuteTolerations(tolerations))
	from138 := dra.Options().Compile(dra.Tolerations(tolerations))
	fmt.Println(dra.Policy().EvictionOf(until137, dra.Taints(device), time.Now()))
	fmt.Println(dra.Policy().EvictionOf(from138, dra.Taints(device), time.Now()))
	// Output:
	// all tolerated
	// evicts now
	// stays
}

// A controller lets the claims that it creates onto devices with the taints that a
// user accepts.
func ExampleDeviceTolerations() {
	accepted, err := taints.ParseTaints("example.com/degraded:NoSchedule,example.com/firmware=old:NoSchedule")
	if err != nil {
		panic(err)
	}
	var request resourceapi.ExactDeviceRequest
	request.Tolerations = dra.DeviceTolerations(taints.TolerationsFor(accepted...))

	for _, t := range request.Tolerations {
		fmt.Println(t.Key, t.Operator, t.Effect)
	}
	// Output:
	// example.com/degraded Exists NoSchedule
	// example.com/firmware Exists NoSchedule
}

// A driver taints a device.
func ExampleDeviceTaints() {
	changes := taints.Changes{Add: []taints.Taint{{Key: "example.com/degraded", Effect: taints.NoExecute}}}
	var device resourceapi.Device
	list, changed := changes.Apply(dra.Taints(device.Taints))
	device.Taints = dra.DeviceTaints(list)

	fmt.Println(device.Taints[0].Key, device.Taints[0].Effect, changed)
	// Output: example.com/degraded NoExecute true
}
