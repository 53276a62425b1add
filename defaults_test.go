// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/test"
)

// long returns the texts of a list, in which "node/" is short for a prefix of Kubernetes.
func long(list string) []string {
	if list == "" {
		return nil
	}
	return strings.Split(strings.ReplaceAll(list, "node/", "node.kubernetes.io/"), ", ")
}

// Each row has the tolerations that are added to those of a pod.
func TestAddToThosePresent(t *testing.T) {
	const (
		notReady    = "node/not-ready:NoExecute op=Exists for 300s"
		unreachable = "node/unreachable:NoExecute op=Exists for 300s"
		memory      = "node/memory-pressure:NoSchedule op=Exists"
	)
	for _, tc := range []struct{ given, defaults, memory string }{
		{"", notReady + ", " + unreachable, memory},
		{"op=Exists", "", ""},
		{":NoExecute op=Exists", "", memory},
		{":NoSchedule op=Exists", notReady + ", " + unreachable, ""},
		{"node/not-ready:NoExecute op=Exists for 5s", unreachable, memory},
		{"node/not-ready=x", unreachable, memory},
		{"node/unreachable:NoExecute, node/not-ready:NoSchedule op=Exists", notReady, memory},
		{"a op=Exists, node/memory-pressure op=Exists", notReady + ", " + unreachable, ""},
		{"node/memory-pressure:NoSchedule", notReady + ", " + unreachable, memory},
		{"node/memory-pressure:NoExecute op=Exists", notReady + ", " + unreachable, memory},
	} {
		given := test.Tolerations(long(tc.given)...)
		for want, got := range map[string][]taints.Toleration{
			tc.defaults: taints.AddDefaultTolerations(given, taints.DefaultTolerationSeconds{}),
			tc.memory:   taints.AddMemoryPressureToleration(given),
		} {
			if diff := test.Difference(append(long(tc.given), long(want)...), test.Texts(got)); diff != "" {
				t.Errorf("%q (-want +got):\n%s", tc.given, diff)
			}
		}
	}
}

func TestAddDaemonSetTolerations(t *testing.T) {
	const (
		notReady    = "node/not-ready:NoExecute op=Exists"
		unreachable = ", node/unreachable:NoExecute op=Exists"
		disk        = ", node/disk-pressure:NoSchedule op=Exists"
		memory      = ", node/memory-pressure:NoSchedule op=Exists"
		pid         = ", node/pid-pressure:NoSchedule op=Exists"
		unsched     = ", node/unschedulable:NoSchedule op=Exists"
		all         = notReady + unreachable + disk + memory + pid + unsched
	)
	for _, tc := range []struct{ name, given, want string }{
		{"nothing there", "", all},
		{"some there", "a" + pid + ", " + notReady, "a" + pid + ", " + notReady + unreachable + disk + memory + unsched},
		{
			"seconds go, in their place", notReady + " for 10s, " + notReady + " for 20s" + unreachable + " for 30s",
			notReady + ", " + notReady + unreachable + disk + memory + pid + unsched,
		},
		{"everything tolerated", "op=Exists", "op=Exists, " + all},
		{"another operator", "node/not-ready:NoExecute for 10s", "node/not-ready:NoExecute for 10s, " + all},
		{
			"another effect", "node/disk-pressure:NoExecute op=Exists for 10s",
			"node/disk-pressure:NoExecute op=Exists for 10s, " + all,
		},
		{"another value", "node/disk-pressure=x:NoSchedule", "node/disk-pressure=x:NoSchedule, " + all},
	} {
		given := test.Tolerations(long(tc.given)...)
		got := taints.AddDaemonSetTolerations(given, taints.DaemonSetPod{})
		if diff := cmp.Diff(long(tc.want), test.Texts(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, diff)
		}
		if diff := cmp.Diff(long(tc.given), test.Texts(given)); diff != "" {
			t.Errorf("%s: the list given was changed (-want +got):\n%s", tc.name, diff)
		}
		network := long(tc.want + ", node/network-unavailable:NoSchedule op=Exists")
		if diff := cmp.Diff(network, test.Texts(taints.AddDaemonSetTolerations(given, taints.DaemonSetPod{HostNetwork: true}))); diff != "" {
			t.Errorf("%s, on the host's network (-want +got):\n%s", tc.name, diff)
		}
	}
}

// The tolerations are sorted, and the names are not. A toleration with Exists and
// a value, which is not valid, is not the toleration to add.
func TestAddExtendedResourceTolerations(t *testing.T) {
	given := []taints.Toleration{{Key: "nvidia.com/gpu", Operator: "Exists", Value: "x", Effect: "NoSchedule"}}
	names := []string{"nvidia.com/gpu", "amd.com/gpu", "cpu", "nvidia.com/gpu", "x.kubernetes.io/y", ""}
	before := slices.Clone(names)
	want := []string{
		"nvidia.com/gpu=x:NoSchedule op=Exists", "amd.com/gpu:NoSchedule op=Exists", "nvidia.com/gpu:NoSchedule op=Exists",
	}
	got := taints.AddExtendedResourceTolerations(given, names...)
	if diff := cmp.Diff(want, test.Texts(got)); diff != "" || !slices.Equal(names, before) {
		t.Errorf("the names are now %q (-want +got):\n%s", names, diff)
	}
}

func TestExtendedResourceNames(t *testing.T) {
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
		if got := taints.AddExtendedResourceTolerations(nil, tc.name) != nil; got != tc.want {
			t.Errorf("%q: %v, want %v", tc.name, got, tc.want)
		}
	}
}

// adders are the Add functions, each with one choice of its other parameters.
var adders = map[string]func([]taints.Toleration) []taints.Toleration{
	"AddDefaultTolerations": func(l []taints.Toleration) []taints.Toleration {
		return taints.AddDefaultTolerations(l, taints.DefaultTolerationSeconds{})
	},
	"AddDaemonSetTolerations": func(l []taints.Toleration) []taints.Toleration {
		return taints.AddDaemonSetTolerations(l, taints.DaemonSetPod{HostNetwork: true})
	},
	"AddExtendedResourceTolerations": func(l []taints.Toleration) []taints.Toleration {
		return taints.AddExtendedResourceTolerations(l, "nvidia.com/gpu", "amd.com/gpu", "cpu")
	},
	"AddMemoryPressureToleration": taints.AddMemoryPressureToleration,
}

func TestAddDefaultTolerationsWithSeconds(t *testing.T) {
	for want, seconds := range map[string]taints.DefaultTolerationSeconds{
		"node/not-ready:NoExecute op=Exists for 10s, node/unreachable:NoExecute op=Exists for 20s":  {NotReady: test.Seconds(10), Unreachable: test.Seconds(20)},
		"node/not-ready:NoExecute op=Exists for 0s, node/unreachable:NoExecute op=Exists for 300s":  {NotReady: test.Seconds(0)},
		"node/not-ready:NoExecute op=Exists for 300s, node/unreachable:NoExecute op=Exists for -1s": {Unreachable: test.Seconds(-1)},
	} {
		if diff := test.Difference(long(want), test.Texts(taints.AddDefaultTolerations(nil, seconds))); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func TestAddedSecondsAreNotShared(t *testing.T) {
	own := int64(60)
	d := taints.DefaultTolerationSeconds{NotReady: &own, Unreachable: &own}
	a, b := taints.AddDefaultTolerations(nil, d), taints.AddDefaultTolerations(nil, d)
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
