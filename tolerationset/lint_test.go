// SPDX-License-Identifier: Apache-2.0

package tolerationset_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/known"
	"github.com/seed-0529bac1/taints/internal/test"
	"github.com/seed-0529bac1/taints/tolerationset"
)

// codes returns each finding as "INDEX CODE", with " by INDEX" if another
// toleration is the reason.
func codes(findings []tolerationset.Finding) string {
	var all []string
	for _, f := range findings {
		text := fmt.Sprint(f.Toleration, " ", f.Code)
		if f.Other != -1 {
			text += fmt.Sprint(" by ", f.Other)
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

func TestLint(t *testing.T) {
	const daemon = "op=Exists, node/not-ready:NoExecute op=Exists, node/unreachable:NoExecute op=Exists, " +
		"node/disk-pressure:NoSchedule op=Exists, node/memory-pressure:NoSchedule op=Exists, node/pid-pressure:NoSchedule op=Exists"
	for _, tc := range []struct{ name, list, want string }{
		{"as it should be", "team=a:NoSchedule, gpu op=Exists, score=60 op=Gt, down:NoExecute op=Exists for 60s", ""},

		// TestBruteLint checks which tolerations are covered or shadowed.
		{"a chain", "a=1, a=2 op=Lt, a op=Exists", "0 covered by 2, 1 covered by 2"},
		{"covered, and nothing else", "a op=Exists, a", "1 covered by 0"},
		{"added for an extended resource", "x.io/gpu op=Exists, x.io/gpu:NoSchedule op=Exists", ""},
		{"added with host network", "op=Exists, node/network-unavailable:NoSchedule op=Exists", "0 everything"},
		{"but not of another name", "a op=Exists, a:NoSchedule op=Exists", "1 covered by 0"},
		{"but not for one value", "x.io/gpu op=Exists, x.io/gpu=a:NoSchedule", "1 covered by 0"},
		{"but not for every effect", "op=Exists, x.io/gpu op=Exists", "0 everything, 1 covered by 0"},
		{"the first", "a:NoExecute op=Exists for 9s, a:NoExecute op=Exists for 8s, a=b", "1 shadowed by 0, 2 shadowed by 0"},
		{"needed beside one that is shadowed", "a=b:NoExecute for 6s, a=b:NoExecute for 9s, a:NoExecute op=Exists for 6s", "1 shadowed by 0"},
		{"shadowed by the second", "b=1, a:NoExecute op=Exists for 9s, a:NoExecute op=Exists for 8s", "2 shadowed by 1"},
		{"added, but shadowed", "node/not-ready:NoExecute op=Exists for 300s, node/not-ready:NoExecute op=Exists", "1 shadowed by 0"},

		{"no time", "a:NoExecute op=Exists for 0s, b:NoExecute op=Exists for -1s", "0 no-time, 1 no-time"},
		{"a second", "a:NoExecute op=Exists for 1s", ""},
		{"away at once", "node/not-ready:NoExecute op=Exists for 0s, node/unreachable:NoExecute op=Exists for 0s", ""},
		{"minus one is not forever", "node/not-ready:NoExecute op=Exists for -1s", "0 no-time"},
		{"no time that never counts", "a:NoExecute op=Exists for 9s, a=b:NoExecute for 0s", "1 shadowed by 0"},

		{"everything", "op=Exists", "0 everything"},
		{"every NoSchedule", ":NoSchedule op=Exists", "0 everything"},
		{"every NoExecute", ":NoExecute op=Exists for 300s", "0 everything"},
		{"every PreferNoSchedule", ":PreferNoSchedule op=Exists", ""},
		{"every key", "* op=Exists", "0 everything"},
		{"every key with a value", "*=v", ""},
		{"a daemon", daemon + ", node/unschedulable:NoSchedule op=Exists", ""},
		{"not quite a daemon", daemon, "0 everything"},
		{"not quite either", daemon + ", node/unschedulable:NoSchedule", "0 everything, 6 covered by 0"},
		{"not of a daemon", ":NoExecute op=Exists for 5s, node/not-ready:NoExecute op=Exists for 5s", "0 everything, 1 covered by 0"},

		{"legacy keys", "node/out-of-disk op=Exists, role/master:NoSchedule", "0 legacy-key, 1 legacy-key"},
		{
			"old legacy keys",
			"node.alpha.kubernetes.io/notReady:NoExecute op=Exists for 5s, node.alpha.kubernetes.io/unreachable op=Exists",
			"0 legacy-key, 1 legacy-key",
		},
		{"beside its successor", "role/master:NoSchedule op=Exists, role/control-plane:NoSchedule op=Exists", ""},
		{"after its successor", "role/control-plane:NoSchedule op=Exists, role/master:NoSchedule op=Exists", ""},
		{
			"beside its successor for less time",
			"role/master:NoExecute op=Exists, role/control-plane:NoExecute op=Exists for 5s", "0 legacy-key",
		},
		{"beside another", "role/master:NoSchedule op=Exists, role/control-plane:NoExecute op=Exists", "0 legacy-key"},
		{"beginning like a legacy key", "role/master* op=Exists", ""},

		{"misspelled keys", "node/notready op=Exists, role/controlplane op=Exists", "0 misspelled-key, 1 misspelled-key"},
		{"in other letter case", "node/NOT-READY op=Exists, node/Unreachable op=Exists", "0 misspelled-key, 1 misspelled-key"},
		{"keys of others", "node.example.com/not-ready op=Exists, role/worker op=Exists", ""},
		{"beginning like a known key", "node/unreachabl* op=Exists", ""},

		{"an empty value", "dedicated:NoSchedule, team", "0 empty-value, 1 empty-value"},
		{"where there is none", "role/control-plane:NoSchedule, node/not-ready:NoExecute for 5s", ""},
		{
			"where there is one",
			"node.cloudprovider.kubernetes.io/uninitialized:NoSchedule, node/out-of-service", "0 empty-value, 1 empty-value",
		},
		{"several findings", "node/notready:NoExecute for 0s", "0 no-time, 0 misspelled-key, 0 empty-value"},

		{
			"thresholds out of reach",
			"a=-9223372036854775808 op=Lt, a=-1 op=Lt, a=0 op=Lt, a=9223372036854775807 op=Gt",
			"0 threshold, 1 covered by 2, 2 threshold, 3 threshold",
		},
		{"thresholds within reach", "a=1 op=Lt, b=9223372036854775806 op=Gt, c=-9223372036854775808 op=Gt", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			text := strings.NewReplacer("node/", "node.kubernetes.io/", "role/", "node-role.kubernetes.io/").Replace(tc.list)
			list := test.Tolerations(strings.Split(text, ", ")...)
			if got := codes(tolerationset.Lint(list, taints.Options{KeyWildcards: true})); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// Every key of Kubernetes is known. Without its last letter, it is misspelled.
func TestLintKnowsTheKeys(t *testing.T) {
	for _, key := range append(known.NodeKeys[:], "node.kubernetes.io/out-of-service",
		"node.cloudprovider.kubernetes.io/uninitialized", "node.cloudprovider.kubernetes.io/shutdown",
		"node-role.kubernetes.io/control-plane") {
		if findings := tolerationset.Lint(test.Tolerations(key+" op=Exists"), taints.Options{}); findings != nil {
			t.Errorf("%s: %v", key, findings)
		}
		findings := tolerationset.Lint(test.Tolerations(key[:len(key)-1]+" op=Exists"), taints.Options{})
		want := []tolerationset.Finding{{
			Code: tolerationset.CodeMisspelledKey, Other: -1, Advice: "The key may be misspelled; Kubernetes sets " + key + ".",
		}}
		if diff := cmp.Diff(want, findings); diff != "" {
			t.Errorf("%s without its last letter (-want +got):\n%s", key, diff)
		}
	}
}

// The texts contain no keys and values except those that Kubernetes sets.
func TestFindingTexts(t *testing.T) {
	var got []string
	for _, list := range [][]string{
		{
			":NoExecute op=Exists for 300s", "secret:NoExecute op=Exists for 3600s", "secret=a:NoSchedule", "secret op=Exists",
			":NoSchedule op=Exists", "node-role.kubernetes.io/master:PreferNoSchedule op=Exists",
		},
		{
			"secret:PreferNoSchedule", "secret=0:PreferNoSchedule op=Lt", "secret:NoExecute op=Exists for 0s",
			"others:NoExecute op=Exists for -1s",
		},
		{"op=Exists"},
		{"a:NoExecute op=Exists", "a:NoExecute op=Exists for 5s"},
	} {
		got = append(got, test.Texts(tolerationset.Lint(test.Tolerations(list...), taints.Options{}))...)
	}
	const onlyDaemons = " That is right only for daemons; name the keys that the pod needs."
	want := []string{
		"tolerations[0] (everything): It tolerates every NoExecute taint, including those of not-ready and unreachable nodes." +
			onlyDaemons,
		"tolerations[1] (shadowed): tolerations[0] matches all its NoExecute taints first and tolerates them for 300s. " +
			"So its 3600s never applies; move it before tolerations[0].",
		"tolerations[2] (covered): Redundant: tolerations[3] already covers it; remove it.",
		"tolerations[3] (shadowed): tolerations[0] matches all its NoExecute taints first and tolerates them for 300s. " +
			"So it never tolerates them forever; move it before tolerations[0].",
		"tolerations[4] (everything): It tolerates every NoSchedule taint, " +
			"including those of cordoned nodes and of nodes low on memory or disk." + onlyDaemons,
		"tolerations[5] (legacy-key): Nothing sets taints with this key anymore; " +
			"tolerate node-role.kubernetes.io/control-plane instead.",
		"tolerations[0] (empty-value): Its empty value matches only taints without a value; " +
			"for any value, set the operator to Exists.",
		"tolerations[1] (threshold): No valid integer (0 to max int64) satisfies it; change the value.",
		"tolerations[2] (no-time): The pod may be placed on a node with such a taint, and is then evicted at once. " +
			"Omit the toleration to avoid these nodes, or its tolerationSeconds to stay forever.",
		"tolerations[3] (no-time): Negative tolerationSeconds mean zero, and a node with such a taint evicts the pod at once. " +
			"Omit them to tolerate the taint forever.",
		"tolerations[0] (everything): It tolerates every taint, including those of cordoned, not-ready and unreachable nodes." +
			onlyDaemons,
		"tolerations[1] (shadowed): tolerations[0] matches all its NoExecute taints first and tolerates them forever. " +
			"So its 5s never applies; move it before tolerations[0].",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The tolerations that Kubernetes adds to a pod have no findings, in any order.
func TestLintOfDefaults(t *testing.T) {
	adders := [4]func([]taints.Toleration) []taints.Toleration{
		func(list []taints.Toleration) []taints.Toleration {
			return taints.AddDefaultTolerations(list, taints.DefaultTolerationSeconds{})
		},
		func(list []taints.Toleration) []taints.Toleration {
			return taints.AddDaemonSetTolerations(list, taints.DaemonSetPod{HostNetwork: true})
		},
		func(list []taints.Toleration) []taints.Toleration {
			return taints.AddExtendedResourceTolerations(list, "nvidia.com/gpu", "example.com/fpga")
		},
		taints.AddMemoryPressureToleration,
	}
	for n := range 4 * 4 * 4 * 4 {
		var list []taints.Toleration
		for ; n > 0; n /= 4 {
			list = adders[n%4](list)
		}
		if findings := tolerationset.Lint(list, taints.Options{}); findings != nil {
			t.Fatalf("%v", findings)
		}
	}
}
