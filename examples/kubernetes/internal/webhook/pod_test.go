// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"encoding/json"
	"strings"
	"testing"
)

// readPod reads a pod that is in order as the webhooks do.
func readPod(t *testing.T, text string) *pod {
	t.Helper()
	decoded, err := decodeJSON(strings.NewReader(text), podShape, mostKept)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	var r reader
	p := r.pod(value{"object", decoded})
	if len(r.problems) > 0 {
		t.Fatalf("%s: %q", text, r.problems)
	}
	return p
}

// The classes are those of ComputePodQOS in
// k8s.io/kubernetes/pkg/apis/core/helper/qos, with PodLevelResources on.
func TestBestEffort(t *testing.T) {
	const both = `{"cpu":"1","memory":"1Gi"}`
	for _, test := range []struct {
		name, spec string
		want       bool
	}{
		{"no containers", ``, true},
		{"no resources", `"containers":[{}]`, true},
		{"zero", `"containers":[{"resources":{"requests":{"cpu":"0"},"limits":{"memory":"0Gi"}}}]`, true},
		{"null", `"containers":[{"resources":{"requests":{"cpu":null},"limits":null}}]`, true},
		{"negative", `"containers":[{"resources":{"requests":{"cpu":"-1"}}}]`, true},
		{
			"other resources",
			`"containers":[{"resources":{"requests":{"example.com/gpu":"1","ephemeral-storage":"1Gi"}}}]`,
			true,
		},
		{"ephemeral containers", `"ephemeralContainers":[{"resources":{"requests":{"cpu":"1"}}}]`, true},
		{"status is not believed", `"containers":[]},"status":{"qosClass":"Guaranteed"`, true},
		{"a request", `"containers":[{"resources":{"requests":{"cpu":"1"}}}]`, false},
		{"a limit", `"containers":[{"resources":{"limits":{"memory":"1"}}}]`, false},
		{"the first of two", `"containers":[{"resources":{"limits":` + both + `}},{}]`, false},
		{"the second of two", `"containers":[{},{"resources":{"requests":{"cpu":"1m"}}}]`, false},
		{
			"an init container's",
			`"containers":[{}],"initContainers":[{"resources":{"requests":{"cpu":"1"}}}]`,
			false,
		},
		{"both", `"containers":[{"resources":{"requests":` + both + `,"limits":` + both + `}}]`, false},
		{"the pod's", `"resources":{"limits":` + both + `},"containers":[{}]`, false},
		{"the pod's are empty", `"resources":{},"containers":[{"resources":{"requests":{"cpu":"1"}}}]`, true},
		{"the pod's are null", `"resources":null,"containers":[{"resources":{"requests":{"cpu":"1"}}}]`, false},
	} {
		if got := readPod(t, spec(test.spec)).bestEffort; got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

func TestIsPositive(t *testing.T) {
	for json, want := range map[any]bool{
		"0": false, "0.0": false, "-0": false, "0m": false, "0Gi": false, "0E": false, "0e3": false, "0E5": false,
		"-1": false, "-1.5Gi": false, "-1e3": false, "": false, nil: false,
		"1": true, "+1": true, "500m": true, ".5": true, "1.5Gi": true, "0.1E": true, "1E": true, "1e-3": true,
		"1n": true, "007": true, json.Number("0"): false, json.Number("2"): true, json.Number("-2"): false,
		json.Number("0e9"): false,
	} {
		var r reader
		if got := r.isPositive(value{"x", json}); got != want || len(r.problems) > 0 {
			t.Errorf("%v: %v, %q", json, got, r.problems)
		}
	}
}

func TestRequested(t *testing.T) {
	p := readPod(t, spec(`"containers":[{"resources":{"requests":{"b":"1","a":"1"},"limits":{"d":"1"}}}],
		"initContainers":[{"resources":{"requests":{"c":1,"b":1}}},{}], "resources":{"requests":{"cpu":"1"}}`))
	if got := strings.Join(p.requested, " "); got != "a b c" {
		t.Errorf("got %s", got)
	}
}
