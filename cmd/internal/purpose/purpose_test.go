// SPDX-License-Identifier: Apache-2.0

package purpose

import (
	"testing"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/lifecycle"
)

// TestOf has taints, what the rest of a cluster says of them, and what they are for. What
// says a state outweighs all of that.
func TestOf(t *testing.T) {
	all := Evidence{IsListed: true, IsMarked: true, IsWanted: true, IsNamed: true}
	for _, tc := range []struct {
		taint string
		e     Evidence
		want  Purpose
	}{
		{"node.kubernetes.io/not-ready:NoSchedule", all, Purpose{ForState, Unhealthy, "Kubernetes sets it"}},
		{"example.com/quarantine:NoSchedule", Evidence{IsMarked: true, IsWanted: true, IsNamed: true}, Purpose{ForState, Fenced, "its words say so"}},
		{"example.com/quarantine:NoSchedule", all, Purpose{Kind: Unknown}},
		{"offline-jobs=true:NoSchedule", Evidence{IsChosen: true}, Purpose{Kind: Unknown}},
		{"offline-jobs=true:NoSchedule", Evidence{IsListed: true}, Purpose{Kind: Unknown}},
		{"offline-jobs=true:NoSchedule", Evidence{IsChosen: true, IsListed: true}, Purpose{ForPool, None, "a pool has it among its taints"}},
		{"offline-jobs=true:NoSchedule", Evidence{IsChosen: true, IsNamed: true}, Purpose{ForPool, None, "other pods tolerate it"}},
		{"example.com/cni=pending:NoSchedule", Evidence{IsListed: true, IsNamed: true}, Purpose{ForState, Starting, "its words say so"}},
		{"team=repair:NoSchedule", Evidence{}, Purpose{Kind: Unknown}},
		{"team=repair:NoSchedule", Evidence{IsMarked: true}, Purpose{ForPool, None, "a node has a resource or label of its name"}},
		{"example.com/gpu-health=degraded:NoSchedule", Evidence{}, Purpose{ForState, Unhealthy, "its words say so"}},
		{"node.kubernetes.io/not-ready:NoSchedule", Evidence{Fault: "condition X is True"}, Purpose{ForState, Unhealthy, "Kubernetes sets it"}},
		{"example.com/quarantine:NoSchedule", Evidence{Fault: "condition X is True"}, Purpose{ForState, Unhealthy, "condition X is True"}},
		{"dedicated=ml:NoSchedule", Evidence{Fault: "condition X is True", Startup: "NodePool p", IsNamed: true}, Purpose{ForState, Unhealthy, "condition X is True"}},
		{"example.com/x:NoSchedule", Evidence{Startup: "NodePool p", IsNamed: true}, Purpose{ForState, Starting, "NodePool p has it among its startupTaints"}},
		{"example.com/x:NoSchedule", Evidence{IsListed: true}, Purpose{ForPool, None, "a pool has it among its taints"}},
		{"example.com/x:NoSchedule", Evidence{IsMarked: true}, Purpose{ForPool, None, "a node has a resource or label of its name"}},
		{"example.com/x:NoSchedule", Evidence{IsWanted: true}, Purpose{ForPool, None, "the pods ask for such nodes"}},
		{"example.com/x:NoSchedule", Evidence{IsNamed: true}, Purpose{ForPool, None, "other pods tolerate it"}},
		{"example.com/x:NoSchedule", Evidence{}, Purpose{Kind: Unknown}},
		{"dedicated=ml:NoSchedule", Evidence{IsLater: true, IsMarked: true, IsWanted: true, IsNamed: true}, Purpose{Kind: Unknown}},
		{"dedicated=ml:NoSchedule", Evidence{IsLater: true, IsListed: true}, Purpose{ForPool, None, "a pool has it among its taints"}},
		{"dedicated=ml:NoSchedule", Evidence{IsLater: true, IsChosen: true, IsMarked: true}, Purpose{ForPool, None, "a node has a resource or label of its name"}},
		{"quarantine:NoSchedule", Evidence{IsLater: true}, Purpose{ForState, Fenced, "its words say so"}},
		{"dedicated=ml:NoSchedule", Evidence{}, Purpose{ForPool, None, "its words say so"}},
		{"nvidia.com/gpu:NoSchedule", Evidence{}, Purpose{ForPool, None, "its words say so"}},
	} {
		if got := Of(taints.Must(taints.ParseTaint(tc.taint)), tc.e); got != tc.want {
			t.Errorf("%s, %+v: %+v, want %+v", tc.taint, tc.e, got, tc.want)
		}
	}
}

// A taint names a condition that says that something is wrong, by its key or value.
func TestFault(t *testing.T) {
	conditions := []lifecycle.Condition{
		{Type: "Ready", Status: "False"}, {Type: "GpuXid", Status: "True"}, {Type: "KernelDeadlock", Status: "False"}, {Type: "NVLinkHealthy", Status: "False"},
	}
	for text, want := range map[string]string{
		"example.com/gpu-xid=79:NoSchedule":                  "condition GpuXid is True",
		"node-fault=GpuXid:NoSchedule":                       "condition GpuXid is True",
		"nvidia.com/GpuXid:NoSchedule":                       "condition GpuXid is True",
		"nvlink-healthy=false:NoSchedule":                    "condition NVLinkHealthy is False",
		"kernel-deadlock:NoSchedule":                         "", // its condition is well
		"nvidia.com/gpu:NoSchedule":                          "",
		"node.kubernetes.io/not-ready:NoSchedule":            "",
		"node.kubernetes.io/disk-pressure=GpuXid:NoSchedule": "", // it has its own rules
	} {
		if got := Fault(taints.Must(taints.ParseTaint(text)), conditions); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestMarks(t *testing.T) {
	for _, tc := range []struct {
		taint, label, value string
		want                bool
	}{
		{"vendor.com/chip:NoSchedule", "", "", true}, // the resource
		{"a.b/x:NoSchedule", "a.b/x", "", true},
		{"a.b/x:NoSchedule", "a.b/x", "w", true},
		{"a.b/x=v:NoSchedule", "a.b/x", "v", true},
		{"a.b/x=v:NoSchedule", "a.b/x", "w", false},
		{"a.b/x=v:NoSchedule", "x", "v", true},
		{"a.b/x:NoSchedule", "x", "", false},
		{"x=v:NoSchedule", "x", "v", true},
		{"x=v:NoSchedule", "y", "v", false},
	} {
		hasResource := func(name string) bool { return name == "vendor.com/chip" }
		if got := Marks(taints.Must(taints.ParseTaint(tc.taint)), map[string]string{tc.label: tc.value}, hasResource); got != tc.want {
			t.Errorf("%s, %s=%s: %v", tc.taint, tc.label, tc.value, got)
		}
	}
}
