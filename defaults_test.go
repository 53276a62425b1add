package taints_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-0529bac1/taints"
)

// texts returns what each of the list prints.
func texts[T fmt.Stringer](list []T) []string {
	var text []string
	for _, t := range list {
		text = append(text, t.String())
	}
	return text
}

const (
	notReady300    = "node.kubernetes.io/not-ready:NoExecute op=Exists for 300s"
	unreachable300 = "node.kubernetes.io/unreachable:NoExecute op=Exists for 300s"
)

func TestAddDefaults(t *testing.T) {
	for _, tc := range []struct {
		name  string
		given []string
		d     taints.Defaults
		added []string
	}{
		{"nothing there", nil, taints.DefaultSeconds{}, []string{notReady300, unreachable300}},
		{"others there", []string{"gpu op=Exists"}, taints.DefaultSeconds{}, []string{notReady300, unreachable300}},
		{"own seconds", nil, taints.DefaultSeconds{NotReady: seconds(5), Unreachable: seconds(0)}, []string{"node.kubernetes.io/not-ready:NoExecute op=Exists for 5s", "node.kubernetes.io/unreachable:NoExecute op=Exists for 0s"}},
		{"not-ready there", []string{"node.kubernetes.io/not-ready:NoExecute op=Exists for 10s"}, taints.DefaultSeconds{}, []string{unreachable300}},
		{"unreachable there", []string{"node.kubernetes.io/unreachable:NoExecute op=Exists"}, taints.DefaultSeconds{}, []string{notReady300}},
		{"without an effect", []string{"node.kubernetes.io/not-ready op=Exists"}, taints.DefaultSeconds{}, []string{unreachable300}},
		{"with another effect", []string{"node.kubernetes.io/not-ready:NoSchedule op=Exists"}, taints.DefaultSeconds{}, []string{notReady300, unreachable300}},
		{"whatever operator and value", []string{"node.kubernetes.io/not-ready=x:NoExecute", "node.kubernetes.io/unreachable=5:NoExecute op=Lt"}, taints.DefaultSeconds{}, nil},
		{"everything tolerated", []string{"op=Exists"}, taints.DefaultSeconds{}, nil},
		{"everything tolerated, NoExecute", []string{":NoExecute op=Exists for 1s"}, taints.DefaultSeconds{}, nil},
		{"everything tolerated, NoSchedule", []string{":NoSchedule op=Exists"}, taints.DefaultSeconds{}, []string{notReady300, unreachable300}},
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
		{"some there", []string{pid, "gpu op=Exists", notReady}, false, []string{pid, "gpu op=Exists", notReady, unreach, disk, memory, unsched}},
		{"seconds go, in their place", []string{"gpu op=Exists", notReady + " for 10s", notReady + " for 20s", unreach + " for 30s"}, false, []string{"gpu op=Exists", notReady, notReady, unreach, disk, memory, pid, unsched}},
		{"everything tolerated", []string{"op=Exists"}, false, []string{"op=Exists", notReady, unreach, disk, memory, pid, unsched}},
		{"seconds of another operator stay", []string{prefix + "not-ready:NoExecute for 10s"}, false, []string{prefix + "not-ready:NoExecute for 10s", notReady, unreach, disk, memory, pid, unsched}},
		{"seconds of another effect stay", []string{prefix + "disk-pressure:NoExecute op=Exists for 10s"}, false, []string{prefix + "disk-pressure:NoExecute op=Exists for 10s", notReady, unreach, disk, memory, pid, unsched}},
		{"another value", []string{prefix + "disk-pressure=x:NoSchedule"}, false, []string{prefix + "disk-pressure=x:NoSchedule", notReady, unreach, disk, memory, pid, unsched}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			given := parseTolerations(tc.given...)
			got := taints.AddDaemonSetDefaults(given, tc.hostNetwork)
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
		{"sorted", nil, []string{"nvidia.com/gpu", "amd.com/gpu"}, []string{"amd.com/gpu:NoSchedule op=Exists", "nvidia.com/gpu:NoSchedule op=Exists"}},
		{"once each", nil, []string{"nvidia.com/gpu", "nvidia.com/gpu"}, []string{"nvidia.com/gpu:NoSchedule op=Exists"}},
		{"native ones are passed over", nil, []string{"cpu", "memory", "pods", "kubernetes.io/batch-cpu", "x.kubernetes.io/y", "requests.nvidia.com/gpu", ""}, nil},
		{"there already", []string{"nvidia.com/gpu:NoSchedule op=Exists"}, []string{"nvidia.com/gpu"}, []string{"nvidia.com/gpu:NoSchedule op=Exists"}},
		{"a broader one is there", []string{"nvidia.com/gpu op=Exists"}, []string{"nvidia.com/gpu"}, []string{"nvidia.com/gpu op=Exists", "nvidia.com/gpu:NoSchedule op=Exists"}},
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

// adders are the Add functions, each with one choice of its other parameters.
var adders = map[string]func([]taints.Toleration) []taints.Toleration{
	"AddDefaults":          func(l []taints.Toleration) []taints.Toleration { return taints.AddDefaults(l, taints.DefaultSeconds{}) },
	"AddDaemonSetDefaults": func(l []taints.Toleration) []taints.Toleration { return taints.AddDaemonSetDefaults(l, true) },
	"AddExtendedResources": func(l []taints.Toleration) []taints.Toleration {
		return taints.AddExtendedResources(l, "nvidia.com/gpu", "amd.com/gpu", "cpu")
	},
	"AddMemoryPressure": taints.AddMemoryPressure,
	"Merge":             func(l []taints.Toleration) []taints.Toleration { return taints.Merge(l, mergedTolerations) },
}

var mergedTolerations = parseTolerations(notReady300, "dedicated=ml:NoSchedule")

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
	pointers := []*int64{&own, a[0].TolerationSeconds, a[1].TolerationSeconds, b[0].TolerationSeconds, b[1].TolerationSeconds}
	pointers = append(pointers, mergedTolerations[0].TolerationSeconds, taints.Merge(nil, mergedTolerations)[0].TolerationSeconds, taints.Merge(nil, mergedTolerations)[0].TolerationSeconds)
	for i, p := range pointers {
		if slices.Contains(pointers[i+1:], p) {
			t.Errorf("pointer %d is shared", i)
		}
	}
}

// conditions reads "Ready=False MemoryPressure=True".
func conditions(text string) []taints.Condition {
	var list []taints.Condition
	for _, field := range strings.Fields(text) {
		kind, status, _ := strings.Cut(field, "=")
		list = append(list, taints.Condition{Type: kind, Status: status})
	}
	return list
}

func TestConditionTaints(t *testing.T) {
	const prefix = "node.kubernetes.io/"
	for _, tc := range []struct {
		conditions    string
		unschedulable bool
		want          []string
	}{
		{"", false, nil},
		{"Ready=True MemoryPressure=False DiskPressure=False PIDPressure=False NetworkUnavailable=False", false, nil},
		{"Ready=False", false, []string{prefix + "not-ready:NoSchedule", prefix + "not-ready:NoExecute"}},
		{"Ready=Unknown", false, []string{prefix + "unreachable:NoSchedule", prefix + "unreachable:NoExecute"}},
		{"MemoryPressure=True", false, []string{prefix + "memory-pressure:NoSchedule"}},
		{"DiskPressure=True", false, []string{prefix + "disk-pressure:NoSchedule"}},
		{"PIDPressure=True", false, []string{prefix + "pid-pressure:NoSchedule"}},
		{"NetworkUnavailable=True", false, []string{prefix + "network-unavailable:NoSchedule"}},
		{"MemoryPressure=Unknown DiskPressure=Unknown PIDPressure=Unknown NetworkUnavailable=Unknown", false, nil},
		{"", true, []string{prefix + "unschedulable:NoSchedule"}},
		{"DiskPressure=True Ready=Unknown MemoryPressure=True", true, []string{prefix + "disk-pressure:NoSchedule", prefix + "unreachable:NoSchedule", prefix + "memory-pressure:NoSchedule", prefix + "unschedulable:NoSchedule", prefix + "unreachable:NoExecute"}},
		{"Ready= Ready=false ready=False OutOfDisk=True KernelDeadlock=True =True memorypressure=True MemoryPressure=true", false, nil},
		{"DiskPressure=False DiskPressure=True DiskPressure=True", false, []string{prefix + "disk-pressure:NoSchedule"}},
		{"Ready=True Ready=False", false, []string{prefix + "not-ready:NoSchedule"}},
		{"Ready=False Ready=Unknown", false, []string{prefix + "not-ready:NoSchedule", prefix + "unreachable:NoSchedule", prefix + "not-ready:NoExecute"}},
		{"Ready= Ready=False", false, []string{prefix + "not-ready:NoSchedule"}},
		{"Ready=Unknown Ready=True", false, []string{prefix + "unreachable:NoSchedule", prefix + "unreachable:NoExecute"}},
	} {
		t.Run(tc.conditions, func(t *testing.T) {
			got := taints.ConditionTaints(conditions(tc.conditions), tc.unschedulable)
			if diff := cmp.Diff(tc.want, texts(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			for _, taint := range got {
				if taint.TimeAdded != nil {
					t.Errorf("%v has a time", taint)
				}
			}
		})
	}
}

func TestReconcileConditions(t *testing.T) {
	const (
		notReady    = taints.NodeNotReady
		unreachable = taints.NodeUnreachable
		memory      = taints.NodeMemoryPressure
		cordon      = taints.NodeUnschedulable
	)
	for _, tc := range []struct {
		name          string
		current       []string
		conditions    string
		unschedulable bool
		add           []string
		remove        []string
	}{
		{"a healthy node", []string{"dedicated=ml:NoSchedule"}, "Ready=True", false, nil, nil},
		{"goes silent", []string{"dedicated=ml:NoSchedule"}, "Ready=Unknown", false, []string{unreachable + ":NoSchedule", unreachable + ":NoExecute"}, nil},
		{"reports again, not ready", []string{unreachable + ":NoSchedule", unreachable + ":NoExecute"}, "Ready=False", false, []string{notReady + ":NoSchedule", notReady + ":NoExecute"}, []string{unreachable + ":NoSchedule", unreachable + ":NoExecute"}},
		{"is ready again", []string{notReady + ":NoExecute", "gpu:NoSchedule", notReady + ":NoSchedule"}, "Ready=True", false, nil, []string{notReady + ":NoExecute", notReady + ":NoSchedule"}},
		{"is cordoned", nil, "Ready=True", true, []string{cordon + ":NoSchedule"}, nil},
		{"is uncordoned", []string{cordon + ":NoSchedule"}, "Ready=True", false, nil, []string{cordon + ":NoSchedule"}},
		{"stays under pressure", []string{memory + ":NoSchedule"}, "MemoryPressure=True Ready=True", false, nil, nil},
		{"pressure unknown", []string{memory + ":NoSchedule"}, "MemoryPressure=Unknown Ready=True", false, nil, []string{memory + ":NoSchedule"}},
		{"pressure not reported", []string{memory + ":NoSchedule"}, "Ready=True", false, nil, []string{memory + ":NoSchedule"}},
		{"another value stays", []string{memory + "=x:NoSchedule", notReady + "=x:NoExecute", notReady + "=x:NoSchedule"}, "MemoryPressure=True Ready=False", false, nil, nil},
		{"another value goes", []string{memory + "=x:NoSchedule", notReady + "=x:NoExecute"}, "Ready=True", false, nil, []string{memory + ":NoSchedule", notReady + ":NoExecute"}},
		{"effects of others", []string{memory + ":NoExecute", cordon + ":NoExecute", notReady + ":PreferNoSchedule", unreachable + ":", notReady + ":noexecute"}, "Ready=True", false, nil, nil},
		{"keys of others", []string{taints.NodeOutOfService + ":NoExecute", taints.NodeOutOfDisk + ":NoSchedule", taints.CloudProviderShutdown + ":NoSchedule", taints.NodeAlphaNotReady + ":NoExecute", "node.kubernetes.io/other:NoSchedule"}, "Ready=True", false, nil, nil},
		{"Ready is missing", []string{notReady + ":NoSchedule", notReady + ":NoExecute", unreachable + ":NoExecute"}, "DiskPressure=False", false, nil, []string{notReady + ":NoSchedule"}},
		{"Ready is none of the three", []string{unreachable + ":NoSchedule", unreachable + ":NoExecute"}, "Ready=Maybe", false, nil, []string{unreachable + ":NoSchedule"}},
		{"the first Ready decides about NoExecute", []string{notReady + ":NoExecute", unreachable + ":NoExecute"}, "Ready=Unknown Ready=True", false, []string{unreachable + ":NoSchedule"}, []string{notReady + ":NoExecute"}},
		{"twice in the list", []string{memory + ":NoSchedule", memory + "=x:NoSchedule"}, "Ready=True", false, nil, []string{memory + ":NoSchedule"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			current := listOf(strings.Join(tc.current, " "))
			got := taints.ReconcileConditions(current, conditions(tc.conditions), tc.unschedulable, time.Unix(1_800_000_000, 0))
			if diff := cmp.Diff(tc.add, texts(got.Add)); diff != "" {
				t.Errorf("Add (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.remove, texts(got.Remove)); diff != "" {
				t.Errorf("Remove (-want +got):\n%s", diff)
			}
		})
	}
}

// What conditions add is stamped with the second in UTC, each with a time of its own; what stays keeps its own.
func TestReconcileConditionsStamps(t *testing.T) {
	before, now := time.Unix(1_700_000_000, 0), time.Date(2026, 11, 21, 2, 24, 15, 999, time.FixedZone("CET", 3600))
	current := []taints.Taint{{Key: taints.NodeNotReady, Effect: taints.NoSchedule, TimeAdded: &before}}
	c := taints.ReconcileConditions(current, conditions("Ready=False MemoryPressure=True"), false, now)
	if len(c.Add) != 2 || c.Add[0].TimeAdded == c.Add[1].TimeAdded {
		t.Fatalf("got %v", c)
	}
	for _, taint := range c.Add {
		if want := time.Date(2026, 11, 21, 1, 24, 15, 0, time.UTC); *taint.TimeAdded != want {
			t.Errorf("%v was added at %v, want %v", taint, taint.TimeAdded, want)
		}
	}
	list, err := c.ApplyStrict(current, true)
	if err != nil || list[0].TimeAdded == &before || !list[0].TimeAdded.Equal(before) {
		t.Errorf("got %v, %v", list, err)
	}
}

func TestConditionJSON(t *testing.T) {
	var node struct {
		Status struct {
			Conditions []taints.Condition `json:"conditions"`
		} `json:"status"`
	}
	err := json.Unmarshal([]byte(`{"status": {"conditions": [{"type": "Ready", "status": "Unknown", "reason": "NodeStatusUnknown", "lastHeartbeatTime": "2026-11-21T01:24:15Z"}]}}`), &node)
	if diff := cmp.Diff(conditions("Ready=Unknown"), node.Status.Conditions); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}
