// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/seed-0529bac1/taints/cluster/internal/rows"
)

// TestBestEffort expects the classes of GetPodQOS in Kubernetes, as the module
// conformance does. Only a pod of another class may tolerate memory pressure.
func TestBestEffort(t *testing.T) {
	type test struct {
		Name       string
		Spec       json.RawMessage
		Class      string // of the pod that is updated; "" for a new pod
		BestEffort bool
	}
	const pressure = "node.kubernetes.io/memory-pressure:NoSchedule op=Exists"
	p := policyOf(`{"cluster": {"allowedTolerations": []}}`)
	for _, test := range rows.Read[test](t, "besteffort.yaml") {
		spec, old := fields(test.Spec), ""
		if test.Class != "" {
			old = podOf(spec + `},"status":{"qosClass":"` + test.Class + `"`)
		}
		if spec != "" {
			spec += ","
		}
		lie := `},"status":{"qosClass":"Guaranteed"` // what the author wrote into the status
		d := p.Validate(request("web", podOf(spec+tolerating(pressure)+lie), old))
		if got := d.Refusal != nil && d.Refusal.Kind == notAllowed; got != test.BestEffort || d.Refusal != nil && !got {
			t.Errorf("%s: %v, want %v: %v", test.Name, got, test.BestEffort, d.Refusal)
		}
	}
}

// TestBadPods checks that an object that is not a pod, or exceeds a limit, is refused.
func TestBadPods(t *testing.T) {
	repeat := func(n int, format string) string {
		var list []string
		for i := range n {
			list = append(list, strings.ReplaceAll(format, "#", fmt.Sprint(i)))
		}
		return strings.Join(list, ",")
	}
	type test struct{ Pod, Want string }
	for _, test := range append(rows.Read[test](t, "bad-pods.yaml"),
		test{podOf(`"tolerations":[` + repeat(1001, `{}`) + `]`), "a list has 1001 elements, more than 1000"},
		test{podOf(`"initContainers":[` + repeat(200_000, `{}`) + `]`), "a list has 200000 elements, more than 1000"},
		test{podOf(`"nodeSelector":{` + repeat(20_000, `"key-#":"value"`) + `}`), "have more than 256 KiB"},
		test{podOf(`"containers":[{"resources":{"requests":{` + repeat(1001, `"r/#":1`) + `}}}]`), "it requests more than 1000 resources"},
	) {
		for _, d := range []Decision{
			testPolicy().Mutate(request("web", test.Pod, "")),
			testPolicy().Validate(request("web", test.Pod, "")),
			testPolicy().Validate(request("web", test.Pod, podOf(tolerating("a")))),
		} {
			if d.Refusal == nil || d.Refusal.Code != 400 || d.Refusal.Kind != "unreadable" || !strings.Contains(d.Refusal.Message, test.Want) {
				t.Errorf("%.100s: %+v, want %s", test.Pod, d.Refusal, test.Want)
			}
		}
	}
	most := `"tolerations":[` + repeat(1000, `{"key":"spot"}`) + `],"containers":[` + repeat(1000, `{"resources":{"requests":{"r/#":1}}}`) + `]`
	if d := testPolicy().Validate(request("web", podOf(most), "")); d.Refusal != nil {
		t.Errorf("a thousand of each: %+v", d.Refusal)
	}
}

func TestAudit(t *testing.T) {
	type test struct {
		Name string
		Pod  corev1.Pod
		Want []string
	}
	for _, test := range rows.Read[test](t, "audit.yaml") {
		got, err := testPolicy().Audit(&test.Pod)
		if diff := cmp.Diff(test.Want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", test.Name, err, diff)
		}
	}
}
