// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-0529bac1/taints"
)

func TestAddDaemonSetDefaults(t *testing.T) {
	const (
		prefix    = "node.kubernetes.io/"
		notReady  = prefix + "not-ready:NoExecute op=Exists"
		unreach   = prefix + "unreachable:NoExecute op=Exists"
		disk      = prefix + "disk-pressure:NoSchedule op=Exists"
		memory    = prefix + "memory-pressure:NoSchedule op=Exists"
		pid       = prefix + "pid-pressure:NoSchedule op=Exists"
		unsched   = prefix + "unschedulable:NoSchedule op=Exists"
		noNetwork = prefix + "network-unavailable:NoSchedule op=Exists"
	)
	for _, tc := range []struct {
		name        string
		given       []string
		hostNetwork bool
		want        []string
	}{
		{"nothing there", nil, false, []string{notReady, unreach, disk, memory, pid, unsched}},
		{"host network", nil, true, []string{notReady, unreach, disk, memory, pid, unsched, noNetwork}},
		{
			"some there",
			[]string{pid, "gpu op=Exists", notReady},
			false,
			[]string{pid, "gpu op=Exists", notReady, unreach, disk, memory, unsched},
		},
		{
			"seconds go, in their place",
			[]string{"gpu op=Exists", notReady + " for 10s", notReady + " for 20s", unreach + " for 30s"},
			false,
			[]string{"gpu op=Exists", notReady, notReady, unreach, disk, memory, pid, unsched},
		},
		{
			"everything tolerated",
			[]string{"op=Exists"},
			false,
			[]string{"op=Exists", notReady, unreach, disk, memory, pid, unsched},
		},
		{
			"seconds of another operator stay",
			[]string{prefix + "not-ready:NoExecute for 10s"},
			false,
			[]string{prefix + "not-ready:NoExecute for 10s", notReady, unreach, disk, memory, pid, unsched},
		},
		{
			"seconds of another effect stay",
			[]string{prefix + "disk-pressure:NoExecute op=Exists for 10s"},
			false,
			[]string{
				prefix + "disk-pressure:NoExecute op=Exists for 10s",
				notReady,
				unreach,
				disk,
				memory,
				pid,
				unsched,
			},
		},
		{
			"another value",
			[]string{prefix + "disk-pressure=x:NoSchedule"},
			false,
			[]string{prefix + "disk-pressure=x:NoSchedule", notReady, unreach, disk, memory, pid, unsched},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			given := parseTolerations(tc.given...)
			got := taints.AddDaemonSetDefaults(given)
			if tc.hostNetwork {
				got = taints.AddNetworkUnavailable(got)
			}
			if diff := cmp.Diff(tc.want, texts(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.given, texts(given)); diff != "" {
				t.Errorf("the list given was changed (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAddExtendedResources(t *testing.T) {
	for _, tc := range []struct {
		name  string
		given []string
		names []string
		want  []string
	}{
		{"no names", nil, nil, nil},
		{
			"sorted", nil,
			[]string{"nvidia.com/gpu", "amd.com/gpu"},
			[]string{"amd.com/gpu:NoSchedule op=Exists", "nvidia.com/gpu:NoSchedule op=Exists"},
		},
		{
			"once each", nil,
			[]string{"nvidia.com/gpu", "nvidia.com/gpu"},
			[]string{"nvidia.com/gpu:NoSchedule op=Exists"},
		},
		{
			"native ones are passed over", nil,
			[]string{
				"cpu", "memory", "pods", "kubernetes.io/batch-cpu", "x.kubernetes.io/y",
				"requests.nvidia.com/gpu", "",
			},
			nil,
		},
		{
			"there already",
			[]string{"nvidia.com/gpu:NoSchedule op=Exists"},
			[]string{"nvidia.com/gpu"},
			[]string{"nvidia.com/gpu:NoSchedule op=Exists"},
		},
		{
			"a broader one is there",
			[]string{"nvidia.com/gpu op=Exists"},
			[]string{"nvidia.com/gpu"},
			[]string{"nvidia.com/gpu op=Exists", "nvidia.com/gpu:NoSchedule op=Exists"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			names := slices.Clone(tc.names)
			got := taints.AddExtendedResources(parseTolerations(tc.given...), names...)
			if diff := cmp.Diff(tc.want, texts(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if !slices.Equal(names, tc.names) {
				t.Errorf("the names given are now %q", names)
			}
		})
	}
}

// A toleration with Exists and a value, which is not valid, is not the
// toleration to add.
func TestAddExtendedResourcesBesideAValue(t *testing.T) {
	given := []taints.Toleration{{Key: "nvidia.com/gpu", Operator: "Exists", Value: "x", Effect: "NoSchedule"}}
	if got := taints.AddExtendedResources(given, "nvidia.com/gpu"); len(got) != 2 || got[1].Value != "" {
		t.Errorf("got %v", got)
	}
}

func TestIsExtendedResourceName(t *testing.T) {
	for _, tc := range []struct {
		name string
		want bool
	}{
		{"nvidia.com/gpu", true},
		{"example.com/Dongle_1.x", true},
		{"kubernetes.io.example.com/gpu", true},
		{"cpu", false},
		{"", false},
		{"hugepages-2Mi", false},
		{"kubernetes.io/gpu", false},
		{"node.kubernetes.io/gpu", false},
		{"attachable-volumes-aws-ebs", false},
		{"requests.nvidia.com/gpu", false},
		{"/gpu", false},
		{"nvidia.com/", false},
		{"nvidia.com/gpu/x", false},
		{"Nvidia.com/gpu", false},
		{"nvidia.com/gpu!", false},
		{strings.Repeat("a", 244) + "/gpu", true},
		{strings.Repeat("a", 245) + "/gpu", false}, // "requests." before it makes 254
		{"a/" + strings.Repeat("g", 63), true},
		{"a/" + strings.Repeat("g", 64), false},
	} {
		if got := taints.IsExtendedResourceName(tc.name); got != tc.want {
			t.Errorf("%q: %v, want %v", tc.name, got, tc.want)
		}
	}
}

func TestAddMemoryPressure(t *testing.T) {
	const added = "node.kubernetes.io/memory-pressure:NoSchedule op=Exists"
	for _, tc := range []struct {
		given string
		adds  bool
	}{
		{"gpu op=Exists", true},
		{added, false},
		{"node.kubernetes.io/memory-pressure op=Exists", false},
		{"op=Exists", false},
		{":NoSchedule op=Exists", false},
		{":NoExecute op=Exists", true},
		{"node.kubernetes.io/memory-pressure:NoExecute op=Exists", true},
		{"node.kubernetes.io/memory-pressure:NoSchedule", true},
	} {
		want := []string{tc.given}
		if tc.adds {
			want = append(want, added)
		}
		if diff := cmp.Diff(want, texts(taints.AddMemoryPressure(parseTolerations(tc.given)))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.given, diff)
		}
	}
}

// adders are the Add functions, each with one choice of its other parameters.
var adders = map[string]func([]taints.Toleration) []taints.Toleration{
	"AddDefaults": func(l []taints.Toleration) []taints.Toleration {
		return taints.AddDefaults(l, taints.DefaultSeconds{})
	},
	"AddDaemonSetDefaults":  taints.AddDaemonSetDefaults,
	"AddNetworkUnavailable": taints.AddNetworkUnavailable,
	"AddExtendedResources": func(l []taints.Toleration) []taints.Toleration {
		return taints.AddExtendedResources(l, "nvidia.com/gpu", "amd.com/gpu", "cpu")
	},
	"AddMemoryPressure": taints.AddMemoryPressure,
}

// If nothing is missing, the result is the list itself.
func TestAddReturnsACompleteList(t *testing.T) {
	for name, add := range adders {
		once := add([]taints.Toleration{{Key: "gpu", Operator: taints.OpExists}})
		if twice := add(once); &twice[0] != &once[0] || len(twice) != len(once) {
			t.Errorf("%s made a copy", name)
		}
	}
}

func TestAddedSecondsAreNotShared(t *testing.T) {
	own := int64(60)
	d := taints.DefaultSeconds{NotReady: &own, Unreachable: &own}
	a, b := taints.AddDefaults(nil, d), taints.AddDefaults(nil, d)
	pointers := []*int64{
		&own, a[0].TolerationSeconds, a[1].TolerationSeconds, b[0].TolerationSeconds,
		b[1].TolerationSeconds,
	}
	for i, p := range pointers {
		if *p != own {
			t.Errorf("pointer %d is of %d", i, *p)
		}
		if slices.Contains(pointers[i+1:], p) {
			t.Errorf("pointer %d is shared", i)
		}
	}
}
