// SPDX-License-Identifier: Apache-2.0

package purpose

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/cases"
	"github.com/seed-0529bac1/taints/cmd/internal/lists"
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
		{"node.kubernetes.io/not-ready:NoSchedule", all, Purpose{State: Unhealthy, Because: "Kubernetes sets it"}},
		{"example.com/quarantine:NoSchedule", Evidence{IsMarked: true, IsWanted: true, IsNamed: true}, Purpose{State: Fenced, Because: "its words say so"}},
		{"example.com/quarantine:NoSchedule", all, Purpose{}},
		{"offline-jobs=true:NoSchedule", Evidence{IsChosen: true}, Purpose{}},
		{"offline-jobs=true:NoSchedule", Evidence{IsListed: true}, Purpose{}},
		{"offline-jobs=true:NoSchedule", Evidence{IsChosen: true, IsListed: true}, Purpose{IsPool: true}},
		{"offline-jobs=true:NoSchedule", Evidence{IsChosen: true, IsNamed: true}, Purpose{IsPool: true}},
		{"example.com/cni=pending:NoSchedule", Evidence{IsListed: true, IsNamed: true}, Purpose{State: Starting, Because: "its words say so"}},
		{"team=repair:NoSchedule", Evidence{}, Purpose{}},
		{"team=repair:NoSchedule", Evidence{IsMarked: true}, Purpose{IsPool: true}},
		{"example.com/gpu-health=degraded:NoSchedule", Evidence{}, Purpose{State: Unhealthy, Because: "its words say so"}},
		{"node.kubernetes.io/not-ready:NoSchedule", Evidence{Fault: "condition X is True"}, Purpose{State: Unhealthy, Because: "Kubernetes sets it"}},
		{"example.com/quarantine:NoSchedule", Evidence{Fault: "condition X is True"}, Purpose{State: Unhealthy, Because: "condition X is True"}},
		{"dedicated=ml:NoSchedule", Evidence{Fault: "condition X is True", Startup: "NodePool p", IsNamed: true}, Purpose{State: Unhealthy, Because: "condition X is True"}},
		{"example.com/x:NoSchedule", Evidence{Startup: "NodePool p", IsNamed: true}, Purpose{State: Starting, Because: "NodePool p has it among its startupTaints"}},
		{"example.com/x:NoSchedule", Evidence{IsListed: true}, Purpose{IsPool: true}},
		{"example.com/x:NoSchedule", Evidence{IsMarked: true}, Purpose{IsPool: true}},
		{"example.com/x:NoSchedule", Evidence{IsWanted: true}, Purpose{IsPool: true}},
		{"example.com/x:NoSchedule", Evidence{IsNamed: true}, Purpose{IsPool: true}},
		{"example.com/x:NoSchedule", Evidence{}, Purpose{}},
		{"dedicated=ml:NoSchedule", Evidence{IsLater: true, IsMarked: true, IsWanted: true, IsNamed: true}, Purpose{}},
		{"dedicated=ml:NoSchedule", Evidence{IsLater: true, IsListed: true}, Purpose{IsPool: true}},
		{"dedicated=ml:NoSchedule", Evidence{IsLater: true, IsChosen: true, IsMarked: true}, Purpose{IsPool: true}},
		{"quarantine:NoSchedule", Evidence{IsLater: true}, Purpose{State: Fenced, Because: "its words say so"}},
		{"dedicated=ml:NoSchedule", Evidence{}, Purpose{IsPool: true}},
		{"nvidia.com/gpu:NoSchedule", Evidence{}, Purpose{IsPool: true}},
	} {
		if got := Of(taints.Must(taints.ParseTaint(tc.taint)), tc.e); got != tc.want {
			t.Errorf("%s, %+v: %+v, want %+v", tc.taint, tc.e, got, tc.want)
		}
	}
}

// TestCases has what the package says of words: of taints, conditions, annotations, labels and
// clients. A case has those of which it says the same.
func TestCases(t *testing.T) {
	conditions := []lifecycle.Condition{
		{Type: "Ready", Status: "False"}, {Type: "GpuXid", Status: "True"}, {Type: "KernelDeadlock", Status: "False"}, {Type: "NVLinkHealthy", Status: "False"},
	}
	taintOf := func(text string) taints.Taint {
		key, value, _ := strings.Cut(text, "=")
		return taints.Taint{Key: key, Value: value}
	}
	says := func(is bool, yes, no string) string { return map[bool]string{true: yes, false: no}[is] }
	for name, answer := range map[string]func(text string) string{
		"faults":  func(text string) string { return cmp.Or(Fault(taintOf(text), conditions), "no fault") },
		"clients": func(text string) string { return says(IsPerson(text), "a person", "another") },
		"splits":  func(text string) string { return cmp.Or(strings.Join(split(text), " "), "none") },
		"annotations": func(text string) string {
			key, value, _ := strings.Cut(text, "=")
			return says(saysHeld(key, value), "somebody has the node", "nothing")
		},
		"conditions": func(text string) string {
			name, status, _ := strings.Cut(text, "=")
			return says(isHarmless(lifecycle.Condition{Type: name, Status: status}), "well", "sick")
		},
		"known": func(text string) string {
			e := Known(taintOf(text))
			return says(e.State == None || e.IsGuess, "not in the table", string(e.State))
		},
		"words": func(text string) string {
			state, isPool := reading(taintOf(text))
			return cmp.Or(string(state), says(isPool, "pool", "unknown"))
		},
		"marks": func(text string) string {
			taint, label, _ := strings.Cut(text, " beside ")
			key, value, _ := strings.Cut(label, "=")
			hasResource := func(name string) bool { return name == "vendor.com/chip" }
			return says(Marks(taintOf(taint), map[string]string{key: value}, hasResource), "the same pool", "nothing")
		},
	} {
		t.Run(name, func(t *testing.T) {
			cases.Run(t, "testdata/"+name+".txt", func(_ *testing.T, lines []string) []string { return slices.Compact(lists.Each(lines, answer)) })
		})
	}
}
