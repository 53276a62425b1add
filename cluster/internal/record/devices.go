// SPDX-License-Identifier: Apache-2.0

package record

import (
	"encoding/json"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	schedulertesting "k8s.io/kubernetes/pkg/scheduler/testing"
	"pgregory.net/rapid"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cluster/internal/controlplane"
	"github.com/seed-0529bac1/taints/dra"
	"github.com/seed-0529bac1/taints/internal/test/draw"
	"github.com/seed-0529bac1/taints/internal/test/recorded"
)

// devices asks about pods that claim a device of a driver of their own. The driver
// has the name of the pod. A share would take as long.
func (r *recorder) devices() {
	answers := recorded.Devices{Pods: make([]recorded.DevicePod, 100)}
	objects := []client.Object{
		controlplane.Node("devices"),
		&resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: "any"}},
	}
	var pods []client.Object
	for i := range answers.Pods {
		pod := &answers.Pods[i]
		pod.Name, pod.Taints = fmt.Sprintf("dev-%04d", i), r.added(next(r, draw.DeviceTaints), 20)
		pod.Tolerations = next(r, rapid.SliceOfN(draw.DeviceLike(pod.Taints, -1, 0, 5, 10, 3600), 0, 4))
		objects = append(objects, slice(pod), claim(pod))
		object := controlplane.Pod(pod.Name)
		object.Spec.NodeSelector = map[string]string{corev1.LabelHostname: "devices"}
		object.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "device", ResourceClaimName: &pod.Name}}
		pods = append(pods, object)
	}
	r.Apply(objects...)
	seen := r.WatchPods()
	r.Apply(pods...)
	r.settle()
	for i := range answers.Pods {
		r.taintLater(&answers.Pods[i])
	}
	r.wait(20 * time.Second) // twice as long as the longest time that ends
	answers.End = time.Now()
	sightings := seen()
	for i := range answers.Pods {
		pod := &answers.Pods[i]
		sighting := sightings[pod.Name]
		pod.Bound, pod.Allocated = sighting.Bound, !sighting.Bound.IsZero()
		if !sighting.Gone.IsZero() {
			pod.Evicted = &sighting.Gone
		}
	}
	r.write("devices.json", fmt.Sprintf(`{"end":%q,"pods":%s}`, answers.End.Format(time.RFC3339Nano), lines(r, answers.Pods)))
}

// added sets when each of the taints was added: up to some seconds ago.
func (r *recorder) added(list []taints.Taint, seconds int) []taints.Taint {
	for i := range list {
		ago := time.Duration(next(r, rapid.IntRange(0, seconds))) * time.Second
		list[i].TimeAdded = new(time.Now().UTC().Add(-ago).Truncate(time.Second))
	}
	return list
}

// slice returns the device of a pod.
func slice(pod *recorded.DevicePod) *resourceapi.ResourceSlice {
	s := schedulertesting.MakeResourceSliceWithAllNodes("pool", pod.Name).Devices("device").Obj()
	s.Name, s.Spec.Devices[0].Taints = pod.Name, dra.DeviceTaints(pod.Taints)
	return s
}

// claim returns the claim of a pod, to its device.
func claim(pod *recorded.DevicePod) *resourceapi.ResourceClaim {
	c := schedulertesting.MakeResourceClaim().Name(pod.Name).Namespace(metav1.NamespaceDefault).RequestWithName("device", "any").Obj()
	device := c.Spec.Devices.Requests[0].Exactly
	device.Selectors = []resourceapi.DeviceSelector{{CEL: &resourceapi.CELDeviceSelector{Expression: fmt.Sprintf("device.driver == %q", pod.Name)}}}
	device.Tolerations = dra.DeviceTolerations(pod.Tolerations)
	return c
}

// taintLater adds a taint, often NoExecute, to the devices of about half of the pods.
func (r *recorder) taintLater(pod *recorded.DevicePod) {
	how := next(r, rapid.SampledFrom([]string{"not", "not", "slice", "rule"}))
	if how == "not" {
		return
	}
	later := r.added([]taints.Taint{next(r, draw.DeviceTaint)}, 7)
	if next(r, rapid.Bool()) {
		later[0].Effect = taints.NoExecute
	}
	pod.Later, pod.ByRule, pod.LaterAt = later, how == "rule", time.Now()
	if pod.ByRule {
		r.Apply(&resourceapi.DeviceTaintRule{
			ObjectMeta: metav1.ObjectMeta{Name: pod.Name},
			Spec: resourceapi.DeviceTaintRuleSpec{
				DeviceSelector: &resourceapi.DeviceTaintSelector{Driver: &pod.Name},
				Taint:          dra.DeviceTaint(later[0]),
			},
		})
		return
	}
	all, err := json.Marshal(append(pod.Taints, later...))
	r.Must(err)
	patch := fmt.Appendf(nil, `[{"op":"add","path":"/spec/devices/0/taints","value":%s}]`, all)
	_, err = r.Client.ResourceV1().ResourceSlices().Patch(r.Context(), pod.Name, types.JSONPatchType, patch, metav1.PatchOptions{})
	r.Must(err)
}
