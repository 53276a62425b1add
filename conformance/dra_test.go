// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"context"
	"fmt"
	"testing"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/conformance/internal/devices"
	"github.com/seed-0529bac1/taints/dra"
	"github.com/seed-0529bac1/taints/explain"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	draapi "k8s.io/dynamic-resource-allocation/api"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	"k8s.io/dynamic-resource-allocation/structured"
	"pgregory.net/rapid"
)

const (
	driver = "gpu.example.com"
	pool   = "devices" // also the name of the slice that holds it
)

var deviceEffects = texts(
	[]string{"NoExecute", "NoExecute", "NoSchedule", "None", ""},
	[]string{"PreferNoSchedule", "NoExecuteWithPodDisruptionBudget", "noExecute", "none", "NoExecute "},
)

// drawDeviceTaint returns a taint as the API server stores it, with a time.
func drawDeviceTaint(t *rapid.T) resourceapi.DeviceTaint {
	return resourceapi.DeviceTaint{
		Key:       keys.Draw(t, "key"),
		Value:     values.Draw(t, "value"),
		Effect:    resourceapi.DeviceTaintEffect(deviceEffects.Draw(t, "effect")),
		TimeAdded: &metav1.Time{Time: rapid.SampledFrom(append(times, observed)).Draw(t, "time")},
	}
}

func drawDeviceTaints(t *rapid.T) []resourceapi.DeviceTaint {
	return draws(t, "taints", 4, drawDeviceTaint)
}

// deviceSeconds are seconds for which time.Duration does not overflow.
var deviceSeconds = sameSeconds[:len(sameSeconds)-1]

func drawDeviceToleration(t *rapid.T) resourceapi.DeviceToleration {
	toleration := resourceapi.DeviceToleration{
		Key:      keys.Draw(t, "key"),
		Operator: resourceapi.DeviceTolerationOperator(operators.Draw(t, "operator")),
		Value:    values.Draw(t, "value"),
		Effect:   resourceapi.DeviceTaintEffect(deviceEffects.Draw(t, "effect")),
	}
	if rapid.Bool().Draw(t, "limited") {
		seconds := rapid.SampledFrom(deviceSeconds).Draw(t, "seconds")
		toleration.TolerationSeconds = &seconds
	}
	return toleration
}

// drawDeviceTolerations returns tolerations. About half of them take their key,
// value and effect from one of the taints.
func drawDeviceTolerations(t *rapid.T, marks []resourceapi.DeviceTaint) []resourceapi.DeviceToleration {
	return draws(t, "tolerations", 6, func(t *rapid.T) resourceapi.DeviceToleration {
		toleration := drawDeviceToleration(t)
		if len(marks) > 0 && rapid.Bool().Draw(t, "meets") {
			mark := rapid.SampledFrom(marks).Draw(t, "taint")
			toleration.Key, toleration.Value, toleration.Effect = mark.Key, mark.Value, mark.Effect
		}
		return toleration
	})
}

func TestDeviceToleratesTaint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mark := drawDeviceTaint(t)
		list := drawDeviceTolerations(t, []resourceapi.DeviceTaint{mark})
		taint, tolerations := dra.Taint(mark), dra.Tolerations(list)
		first := -1
		for i := range list {
			want := resourceclaim.ToleratesTaint(list[i], mark)
			if want && first < 0 {
				first = i
			}
			m := dra.Options().Compile(tolerations[i : i+1])
			same(t, "explain.Node", explain.Taint(m, taint).Tolerated, want)
		}
		want := found{first, first >= 0}
		same(t, "Matcher.Match", foundAt(dra.Options().Compile(tolerations).Match(taint)), want)
		same(t, "Match", foundAt(gateOff.On(tolerations).Match(taint)), want)
		same(t, "dra.Options", dra.Options(), gateOff)
	})
}

// A oneClass lists the one device class of an in-memory cluster.
type oneClass struct{}

var class = resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: "gpu"}}

func (oneClass) List() ([]*resourceapi.DeviceClass, error) {
	return []*resourceapi.DeviceClass{&class}, nil
}

func (oneClass) Get(name string) (*resourceapi.DeviceClass, error) {
	if name != class.Name {
		return nil, fmt.Errorf("no class %q", name)
	}
	return &class, nil
}

var compiled = cel.NewCache(10, cel.Features{})

// allocate requests the only device from the kube-scheduler's allocator, and
// reports whether it can be allocated.
func allocate(t rapid.TB, marks []resourceapi.DeviceTaint, tolerations []resourceapi.DeviceToleration) bool {
	node := corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node"}}
	ctx := context.Background()
	allocator, err := structured.NewAllocator(ctx,
		structured.Features{DeviceTaints: true}, structured.AllocatedState{},
		oneClass{}, slicesFor(structured.NewAllocator, slice(&node.Name, marks)), compiled)
	same(t, "NewAllocator fails", err, nil)
	claim := resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: "claim", Namespace: "default"}}
	claim.Spec.Devices.Requests = []resourceapi.DeviceRequest{{
		Name: "request",
		Exactly: &resourceapi.ExactDeviceRequest{
			DeviceClassName: class.Name,
			AllocationMode:  resourceapi.DeviceAllocationModeExactCount,
			Count:           1,
			Tolerations:     tolerations,
		},
	}}
	results, err := allocator.Allocate(ctx, &node, []*resourceapi.ResourceClaim{&claim})
	same(t, "Allocate fails", err, nil)
	return len(results) == 1
}

// slicesFor returns the slice in a list for the function, whose type for it is one of
// package resourceapi up to Kubernetes 1.37, and from 1.38 on one of package draapi.
func slicesFor[S, A any](
	_ func(context.Context, structured.Features, structured.AllocatedState, structured.DeviceClassLister, []*S, *cel.Cache) (A, error),
	s *resourceapi.ResourceSlice,
) []*S {
	var in S
	switch in := any(&in).(type) {
	case *resourceapi.ResourceSlice:
		*in = *s
	case *draapi.ResourceSlice:
		if err := draapi.Convert_v1_ResourceSlice_To_api_ResourceSlice(s, in, nil); err != nil {
			panic(err) // only for a slice that no API server stores
		}
	}
	return []*S{&in}
}

// slice returns a ResourceSlice with one device for each list of taints. A
// device is named by its index.
func slice(node *string, lists ...[]resourceapi.DeviceTaint) *resourceapi.ResourceSlice {
	s := &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: pool}, Spec: resourceapi.ResourceSliceSpec{
		Driver: driver, NodeName: node, Pool: resourceapi.ResourcePool{Name: pool, ResourceSliceCount: 1},
	}}
	for i, list := range lists {
		s.Spec.Devices = append(s.Spec.Devices, resourceapi.Device{Name: deviceName(i), Taints: list})
	}
	return s
}

func deviceName(i int) string { return fmt.Sprintf("gpu-%d", i) }

func TestDeviceAllocation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		marks := drawDeviceTaints(t)
		tolerations := drawDeviceTolerations(t, marks)
		want := allocate(t, marks, tolerations)
		m := dra.Options().Compile(dra.Tolerations(tolerations))
		_, found := m.FindUntolerated(dra.Taints(marks), devices.Repels)
		same(t, "FindUntolerated finds none", !found, want)
		verdict := m.Filter(dra.Taints(marks))
		got := verdict.Schedulable()
		if devices.Repels == taints.AllEffects {
			got = verdict == taints.Verdict{}
		}
		same(t, "Filter", got, want)
	})
}

// Kubernetes 1.34 does not store a device taint with an effect other than
// NoSchedule and NoExecute, but its allocator rejects a device that has one.
// Later versions have None, and ignore effects that they do not know.
func TestDifferenceDeviceTaintOfAnotherEffect(t *testing.T) {
	for _, effect := range []resourceapi.DeviceTaintEffect{"None", "unknown"} {
		marks := []resourceapi.DeviceTaint{{Key: "a", Effect: effect}}
		same(t, "Allocate", allocate(t, marks, nil), devices.Repels == taints.HardEffects)
		same(t, "Schedulable", dra.Options().Compile().Filter(dra.Taints(marks)).Schedulable(), true)
	}
}
