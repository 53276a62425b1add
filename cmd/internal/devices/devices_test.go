// SPDX-License-Identifier: Apache-2.0

package devices

import (
	"fmt"
	"testing"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	"sigs.k8s.io/yaml"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/cases"
)

// A toleration without an effect decides about evictions from Kubernetes 1.38 on. The rule is
// named if that makes a difference before the deadline.
func TestRules(t *testing.T) {
	added := time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)
	after := func(seconds int64) time.Time { return added.Add(time.Duration(seconds) * time.Second) }
	cases.Run(t, "testdata/rules.txt", func(t *testing.T, lines []string) []string {
		var given struct {
			Version     string
			Tolerations []resourceapi.DeviceToleration
			Deadline    *int64
		}
		if err := yaml.UnmarshalStrict([]byte(lines[0]), &given); err != nil {
			t.Fatal(lines, err)
		}
		var o Objects
		o.AddVersion("v1.30.0")
		o.AddVersion(given.Version)
		o.taints = map[Name][]taints.Taint{{"d", "p", "gpu"}: {{Key: "k", Effect: taints.NoExecute, TimeAdded: &added}}}
		var a resourceapi.AllocationResult
		a.Devices.Results = []resourceapi.DeviceRequestAllocationResult{{Driver: "d", Pool: "p", Device: "gpu", Tolerations: given.Tolerations}}
		var deadline time.Time
		if given.Deadline != nil {
			deadline = after(*given.Deadline)
		}
		d, e, rule := Use{Tainted: o.allocated(&a), from138: o.from138}.First(after(1), deadline)
		text := "stays"
		if e.Outcome != taints.Stays {
			text = fmt.Sprint("leaves after ", e.At.Sub(added))
		}
		if rule != "" {
			text += fmt.Sprint(" for ", d.Name, " ", d.Taints[e.Taint].Key, rule)
		}
		return []string{text}
	})
}
