// SPDX-License-Identifier: Apache-2.0

package dra_test

import (
	"testing"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/dra"
	"github.com/seed-0529bac1/taints/internal/test/recorded"
)

// Whether the kube-scheduler of a live cluster allocated a tainted device to a
// pod, and when the device-taint-eviction controller evicted the pod.
func TestRecordedDevices(t *testing.T) {
	recorded.Each(t, "devices.json", func(t *testing.T, answers recorded.Devices) {
		answers.Check(t, recorded.DeviceRules{
			Options: dra.Options(),
			Policy:  dra.Policy(),
			NoExecute: func(list []taints.Toleration) []taints.Toleration {
				return dra.NoExecuteTolerations(dra.DeviceTolerations(list))
			},
		})
	})
}
