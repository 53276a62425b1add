// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-0529bac1/taints"
)

const (
	notReady300    = "node.kubernetes.io/not-ready:NoExecute op=Exists for 300s"
	unreachable300 = "node.kubernetes.io/unreachable:NoExecute op=Exists for 300s"
)

func TestAddDefaults(t *testing.T) {
	for _, tc := range []struct {
		name  string
		given []string
		d     taints.DefaultSeconds
		added []string
	}{
		{"nothing there", nil, taints.DefaultSeconds{}, []string{notReady300, unreachable300}},
		{
			"others there",
			[]string{"gpu op=Exists"},
			taints.DefaultSeconds{},
			[]string{notReady300, unreachable300},
		},
		{
			"own seconds", nil,
			taints.DefaultSeconds{NotReady: seconds(5), Unreachable: seconds(0)},
			[]string{
				"node.kubernetes.io/not-ready:NoExecute op=Exists for 5s",
				"node.kubernetes.io/unreachable:NoExecute op=Exists for 0s",
			},
		},
		{
			"not-ready there",
			[]string{"node.kubernetes.io/not-ready:NoExecute op=Exists for 10s"},
			taints.DefaultSeconds{},
			[]string{unreachable300},
		},
		{
			"unreachable there",
			[]string{"node.kubernetes.io/unreachable:NoExecute op=Exists"},
			taints.DefaultSeconds{},
			[]string{notReady300},
		},
		{
			"without an effect",
			[]string{"node.kubernetes.io/not-ready op=Exists"},
			taints.DefaultSeconds{},
			[]string{unreachable300},
		},
		{
			"with another effect",
			[]string{"node.kubernetes.io/not-ready:NoSchedule op=Exists"},
			taints.DefaultSeconds{},
			[]string{notReady300, unreachable300},
		},
		{
			"whatever operator and value",
			[]string{
				"node.kubernetes.io/not-ready=x:NoExecute",
				"node.kubernetes.io/unreachable=5:NoExecute op=Lt",
			},
			taints.DefaultSeconds{},
			nil,
		},
		{"everything tolerated", []string{"op=Exists"}, taints.DefaultSeconds{}, nil},
		{"everything tolerated, NoExecute", []string{":NoExecute op=Exists for 1s"}, taints.DefaultSeconds{}, nil},
		{
			"everything tolerated, NoSchedule",
			[]string{":NoSchedule op=Exists"},
			taints.DefaultSeconds{},
			[]string{notReady300, unreachable300},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := taints.AddDefaults(parseTolerations(tc.given...), tc.d)
			if diff := cmp.Diff(slices.Concat(tc.given, tc.added), texts(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

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
			got := taints.AddDaemonSetDefaults(given, taints.DaemonSetPod{HostNetwork: tc.hostNetwork})
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

// A toleration that differs in its operator, value or effect alone is another
// one: it keeps its seconds, and does not keep the default from being added.
func TestAddForeverBesideNearMisses(t *testing.T) {
	const gpu = "nvidia.com/gpu"
	daemon := func(l []taints.Toleration) []taints.Toleration {
		return taints.AddDaemonSetDefaults(l, taints.DaemonSetPod{})
	}
	resource := func(l []taints.Toleration) []taints.Toleration { return taints.AddExtendedResources(l, gpu) }
	for _, tc := range []struct {
		name  string
		add   func([]taints.Toleration) []taints.Toleration
		same  taints.Toleration
		added int // where the same is not there
	}{
		{
			"AddDaemonSetDefaults", daemon,
			taints.Toleration{Key: taints.NodeNotReady, Operator: taints.OpExists, Effect: taints.NoExecute},
			6,
		},
		{
			"AddExtendedResources", resource,
			taints.Toleration{Key: gpu, Operator: taints.OpExists, Effect: taints.NoSchedule},
			1,
		},
	} {
		for name, change := range map[string]func(*taints.Toleration){
			"value":           func(t *taints.Toleration) { t.Value = "x" },
			"operator":        func(t *taints.Toleration) { t.Operator = taints.OpEqual },
			"no operator":     func(t *taints.Toleration) { t.Operator = "" },
			"no effect":       func(t *taints.Toleration) { t.Effect = "" },
			"another effect":  func(t *taints.Toleration) { t.Effect = taints.PreferNoSchedule },
			"key":             func(t *taints.Toleration) { t.Key += "x" },
			"none, the same":  func(*taints.Toleration) {},
			"no key, nothing": func(t *taints.Toleration) { t.Key = "" },
		} {
			given := tc.same
			given.TolerationSeconds = seconds(5)
			change(&given)
			want, kept := tc.added, given.TolerationSeconds
			if name == "none, the same" {
				want, kept = tc.added-1, nil
			}
			got := tc.add([]taints.Toleration{given})
			if len(got) != 1+want || got[0].TolerationSeconds != kept {
				t.Errorf("%s beside %v (%s): %v", tc.name, given, name, got)
			}
			if given.TolerationSeconds == nil || *given.TolerationSeconds != 5 {
				t.Errorf("%s changed what was given", tc.name)
			}
		}
	}
}

// adders are the Add functions, each with one choice of its other parameters.
var adders = map[string]func([]taints.Toleration) []taints.Toleration{
	"AddDefaults": func(l []taints.Toleration) []taints.Toleration {
		return taints.AddDefaults(l, taints.DefaultSeconds{})
	},
	"AddDaemonSetDefaults": func(l []taints.Toleration) []taints.Toleration {
		return taints.AddDaemonSetDefaults(l, taints.DaemonSetPod{HostNetwork: true})
	},
	"AddExtendedResources": func(l []taints.Toleration) []taints.Toleration {
		return taints.AddExtendedResources(l, "nvidia.com/gpu", "amd.com/gpu", "cpu")
	},
	"AddMemoryPressure": taints.AddMemoryPressure,
}

// Room behind a list may belong to somebody else: it is never written to.
func TestAddDoesNotWriteToTheCallersArray(t *testing.T) {
	for name, add := range adders {
		array := make([]taints.Toleration, 20)
		array[0] = taints.Toleration{Key: "gpu", Operator: taints.OpExists}
		before := slices.Clone(array)
		got := add(array[:1])
		if len(got) < 2 || &got[0] == &array[0] {
			t.Errorf("%s: got %v in the caller's array", name, got)
		}
		if diff := cmp.Diff(before, array); diff != "" {
			t.Errorf("%s wrote to the caller's array (-before +after):\n%s", name, diff)
		}
	}
}

// Where nothing is missing the list itself comes back.
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
		if slices.Contains(pointers[i+1:], p) {
			t.Errorf("pointer %d is shared", i)
		}
	}
}
