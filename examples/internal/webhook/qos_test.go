// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"encoding/json"
	"math/big"
	"regexp"
	"strings"
	"testing"
)

// The classes are those of ComputePodQOS in
// k8s.io/kubernetes/pkg/apis/core/helper/qos, with PodLevelResources on.
func TestQOS(t *testing.T) {
	const both = `{"cpu":"1","memory":"1Gi"}`
	tests := []struct {
		name, spec string
		want       qosClass
	}{
		{"no containers", ``, bestEffort},
		{"no resources", `"containers":[{}]`, bestEffort},
		{"zero", `"containers":[{"resources":{"requests":{"cpu":"0"},"limits":{"memory":"0Gi"}}}]`, bestEffort},
		{"null", `"containers":[{"resources":{"requests":{"cpu":null},"limits":null}}]`, bestEffort},
		{"negative", `"containers":[{"resources":{"requests":{"cpu":"-1"}}}]`, bestEffort},
		{
			"other resources",
			`"containers":[{"resources":{"requests":{"example.com/gpu":"1","ephemeral-storage":"1Gi"}}}]`,
			bestEffort,
		},
		{"ephemeral containers", `"ephemeralContainers":[{"resources":{"requests":{"cpu":"1"}}}]`, bestEffort},
		{"status is not believed", `"containers":[]},"status":{"qosClass":"Guaranteed"`, bestEffort},
		{"a request", `"containers":[{"resources":{"requests":{"cpu":"1"}}}]`, burstable},
		{"a limit", `"containers":[{"resources":{"limits":{"memory":"1"}}}]`, burstable},
		{"a request of one of two", `"containers":[{},{"resources":{"requests":{"cpu":"1m"}}}]`, burstable},
		{
			"an init container's",
			`"containers":[{}],"initContainers":[{"resources":{"requests":{"cpu":"1"}}}]`,
			burstable,
		},
		{"requests only", `"containers":[{"resources":{"requests":` + both + `}}]`, burstable},
		{"limits only", `"containers":[{"resources":{"limits":` + both + `}}]`, burstable},
		{"both, equal", `"containers":[{"resources":{"requests":` + both + `,"limits":` + both + `}}]`, guaranteed},
		{
			"both, written differently",
			`"containers":[{"resources":{"requests":{"cpu":"1000m","memory":"1024Mi"},"limits":` + both + `}}]`,
			guaranteed,
		},
		{
			"both, one less",
			`"containers":[{"resources":{"requests":{"cpu":"999m","memory":"1Gi"},"limits":` + both + `}}]`,
			burstable,
		},
		{"a request missing", `"containers":[{"resources":{"requests":{"cpu":"1"},"limits":` + both + `}}]`, burstable},
		{"a limit missing", `"containers":[{"resources":{"requests":` + both + `,"limits":{"cpu":"1"}}}]`, burstable},
		{"one resource", `"containers":[{"resources":{"requests":{"cpu":"1"},"limits":{"cpu":"1"}}}]`, burstable},
		{"one of two", `"containers":[{"resources":{"requests":` + both + `,"limits":` + both + `}},{}]`, burstable},
		{
			"the other of two",
			`"containers":[{},{"resources":{"requests":` + both + `,"limits":` + both + `}}]`,
			burstable,
		},
		{
			"all but the init container",
			`"containers":[{"resources":{"requests":` + both + `,"limits":` + both + `}}],"initContainers":[{}]`,
			burstable,
		},
		{
			"sums count",
			`"containers":[{"resources":{"requests":{"cpu":"1","memory":"2Gi"},"limits":` +
				both + `}},{"resources":{"requests":{"cpu":"1"},"limits":` + both + `}}]`,
			guaranteed,
		},
		{"the pod's", `"resources":{"requests":` + both + `,"limits":` + both + `},"containers":[{}]`, guaranteed},
		{
			"the pod's instead",
			`"resources":{"requests":{"cpu":"1"}},"containers":[{"resources":{"requests":` + both +
				`,"limits":` + both + `}}]`,
			burstable,
		},
		{"the pod's limits", `"resources":{"limits":` + both + `}`, burstable},
		{"the pod's are empty", `"resources":{},"containers":[{"resources":{"requests":{"cpu":"1"}}}]`, bestEffort},
		{"the pod's are null", `"resources":null,"containers":[{"resources":{"requests":{"cpu":"1"}}}]`, burstable},
	}
	for _, test := range tests {
		decoded, err := decodeJSON([]byte(spec(test.spec)))
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		var r reader
		p := r.pod(value{"object", decoded})
		for range 2 { // the second time as the first
			if got := p.qos(); got != test.want || len(r.problems) > 0 {
				t.Errorf("%s: %s, want %s; %v", test.name, got, test.want, r.problems)
			}
		}
	}
}

func TestQuantity(t *testing.T) {
	for text, want := range map[string]string{
		"0": "0", "1": "1", "+1": "1", "-1": "-1", "1.5": "3/2", "1.": "1", ".5": "1/2", "007": "7",
		"1n": "1/1000000000", "1u": "1/1000000", "500m": "1/2", "1k": "1000", "1M": "1000000", "1G": "1000000000",
		"1T": "1000000000000", "1P": "1000000000000000", "1E": "1000000000000000000",
		"1Ki": "1024", "1.5Mi": "1572864", "1Gi": "1073741824", "1Ti": "1099511627776",
		"1Pi": "1125899906842624", "1Ei": "1152921504606846976",
		"2e3": "2000", "2E3": "2000", "2e+3": "2000", "2e-3": "1/500", "12e0": "12",
	} {
		rat, _ := new(big.Rat).SetString(want)
		if got, ok := parseQuantity(text); !ok || got.Cmp(rat) != 0 {
			t.Errorf("%s: %v %v, want %s", text, got, ok, want)
		}
	}
	for _, text := range []string{
		"", " ", "m", "1 ", " 1", "1x", "1K", "1ki", "1i", "1mi", "1KiB", "1Kii", "1/2", "0x1",
		"1_0", "--1", "+-1", "1-", "1..2", ".", "e3",
		"1e", "1e1.5", "1e1k", "1e101", "1e-101", "1e999999999999999999999", "1EE", "١", strings.Repeat("1", 101),
	} {
		if got, ok := parseQuantity(text); ok {
			t.Errorf("%q: %v", text, got)
		}
	}
	var r reader
	if q := r.quantity(value{"x", json.Number("2")}); q.Cmp(big.NewRat(2, 1)) != 0 || len(r.problems) > 0 {
		t.Errorf("a plain number: %v, %v", q, r.problems)
	}
}

var plainNumber = regexp.MustCompile(`^[0-9]{1,20}(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,2})?$`)

// FuzzQuantity reads any text as a quantity: plain numbers are what they are, and a
// sign changes nothing else.
func FuzzQuantity(f *testing.F) {
	for _, text := range []string{
		"0", "1.5Gi", "500m", "2e3", "1E", "1e-3", "7Ki", ".5", "1.", "1n",
		"12345678901234567890.5k", "--1", "1_0", "0x1", "1/2", "1e101", "\xff",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, ok := parseQuantity(text)
		if plainNumber.MatchString(text) {
			if want, _ := new(big.Rat).SetString(text); !ok || q.Cmp(want) != 0 {
				t.Fatalf("%q is %v, %v, want %v", text, q, ok, want)
			}
		}
		if !ok || strings.HasPrefix(text, "+") || strings.HasPrefix(text, "-") || len(text) >= mostDigits {
			return
		}
		if q.Sign() < 0 {
			t.Fatalf("%q is %v", text, q)
		}
		for sign, want := range map[string]*big.Rat{"+": q, "-": new(big.Rat).Neg(q)} {
			if got, ok := parseQuantity(sign + text); !ok || got.Cmp(want) != 0 {
				t.Fatalf("%q is %v, %v, want %v", sign+text, got, ok, want)
			}
		}
	})
}
