// SPDX-License-Identifier: Apache-2.0

package devices

import (
	"strings"
	"testing"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/seed-0529bac1/taints"
)

// A toleration without an effect decides about evictions from Kubernetes 1.38 on. The rule is
// named if that makes a difference before the deadline.
func TestRules(t *testing.T) {
	added := time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)
	now := added.Add(time.Second)
	tolerates := func(effect resourceapi.DeviceTaintEffect, seconds int64) resourceapi.DeviceToleration {
		o := resourceapi.DeviceToleration{Key: "k", Operator: resourceapi.DeviceTolerationOpExists, Effect: effect}
		if seconds > 0 {
			o.TolerationSeconds = &seconds
		}
		return o
	}
	noExecute, all := resourceapi.DeviceTaintEffectNoExecute, resourceapi.DeviceTaintEffect("")
	type list = []resourceapi.DeviceToleration
	for _, tc := range []struct {
		version     string
		tolerations list
		deadline    int64 // seconds after the taint; 0: none
		leaves      int64 // -1: it stays
		rule        string
	}{
		{"", nil, 0, 0, ""},
		{"v1.37.9", list{tolerates(all, 0)}, 0, 0, until137},
		{"v1.38.0-alpha.1", list{tolerates(all, 0)}, 0, -1, from138},
		{"2.0", list{tolerates(all, 0)}, 0, -1, from138},
		{"unknown", list{tolerates(all, 0)}, 0, 0, until137},
		{"v1.37.2", list{tolerates(noExecute, 0), tolerates(all, 9)}, 0, -1, ""},
		{"v1.37.2", list{tolerates(noExecute, 600), tolerates(all, 60)}, 0, 600, until137},
		{"v1.38.1", list{tolerates(noExecute, 600), tolerates(all, 60)}, 0, 60, from138},
		{"v1.38.1", list{tolerates(noExecute, 600), tolerates(all, 60)}, 30, -1, ""},
		{"v1.38.1", list{tolerates(noExecute, 60), tolerates(all, 600)}, 0, 60, ""},
		{"v1.37.2", list{tolerates(resourceapi.DeviceTaintEffectNoSchedule, 0)}, 0, 0, ""},
	} {
		var o Objects
		o.AddVersion("v1.30.0")
		o.AddVersion(tc.version)
		name := Name{"d", "p", "gpu"}
		o.taints = map[Name][]taints.Taint{name: {{Key: "k", Effect: taints.NoExecute, TimeAdded: &added}}}
		o.Decode("ResourceClaim", func(v any) error {
			*v.(*resourceapi.ResourceClaim) = resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: "c"}, Status: resourceapi.ResourceClaimStatus{
				ReservedFor: []resourceapi.ResourceClaimConsumerReference{{Resource: "pods", Name: "p"}},
				Allocation: &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{
					Results: []resourceapi.DeviceRequestAllocationResult{{Driver: "d", Pool: "p", Device: "gpu", Tolerations: tc.tolerations}},
				}},
			}}
			return nil
		})
		var deadline time.Time
		if tc.deadline > 0 {
			deadline = added.Add(time.Duration(tc.deadline) * time.Second)
		}
		d, e, rule := o.Of(types.NamespacedName{Namespace: "default", Name: "p"}, []string{"c"}).First(now, deadline)
		leaves := int64(-1)
		if e.Outcome != taints.Stays {
			leaves = int64(e.At.Sub(added) / time.Second)
		}
		if leaves != tc.leaves || rule != tc.rule || rule != "" && (d.Name != name || !strings.HasPrefix(d.Taints[e.Taint].Key, "k")) {
			t.Errorf("%+v: leaves after %d, %q: %+v", tc, leaves, rule, d)
		}
	}
}
