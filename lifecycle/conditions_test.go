// SPDX-License-Identifier: Apache-2.0

package lifecycle_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/test"
	"github.com/seed-0529bac1/taints/lifecycle"
)

// stateOf parses a state such as "Ready=False MemoryPressure=True cordoned".
func stateOf(text string) lifecycle.NodeState {
	var state lifecycle.NodeState
	for _, field := range strings.Fields(text) {
		if field == "cordoned" {
			state.Unschedulable = true
			continue
		}
		kind, status, _ := strings.Cut(field, "=")
		state.Conditions = append(state.Conditions, lifecycle.Condition{Type: kind, Status: status})
	}
	return state
}

// rulesOf parses rules like "Ready=False not-ready:NoExecute", one per line.
func rulesOf(text string) lifecycle.ConditionRules {
	var rules lifecycle.ConditionRules
	for line := range strings.Lines(text) {
		if fields := strings.Fields(line); len(fields) == 2 {
			kind, status, _ := strings.Cut(fields[0], "=")
			rules = append(rules, lifecycle.ConditionRule{Type: kind, Status: status, Taint: test.Taints(fields[1])[0]})
		}
	}
	return rules
}

// long expands the abbreviated prefix of Kubernetes' keys in the text.
func long(text string) string { return strings.ReplaceAll(text, "node/", "node.kubernetes.io/") }

// A reconciliation holds a node and the taints that rules add and remove. Those
// that rules add to a node without taints are also the result of Taints.
type reconciliation struct{ name, current, state, add, remove string }

func checkReconciliations(t *testing.T, rules lifecycle.ConditionRules, rows []reconciliation) {
	t.Helper()
	for _, tc := range rows {
		t.Run(tc.name, func(t *testing.T) {
			current, state := test.Taints(long(tc.current)), stateOf(tc.state)
			got := rules.Reconcile(current, state, noon)
			if diff := cmp.Diff(long(tc.add), strings.Join(test.Texts(got.Add), " ")); diff != "" {
				t.Errorf("Add (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(long(tc.remove), strings.Join(test.Texts(got.Remove), " ")); diff != "" {
				t.Errorf("Remove (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.Taints(long(tc.current)), current); diff != "" {
				t.Errorf("wrote to the caller's list (-before +after):\n%s", diff)
			}
			fresh := rules.Reconcile(nil, state, noon).Add
			if diff := cmp.Diff(test.Texts(rules.Taints(state)), test.Texts(fresh)); diff != "" {
				t.Errorf("Taints, and Add for no taints (-want +got):\n%s", diff)
			}
			after, _ := got.Apply(current)
			if again := rules.Reconcile(after, state, noon.Add(time.Hour)); !again.IsZero() {
				t.Errorf("applied, and still %v", again)
			}
		})
	}
}

func TestDefaultConditionRules(t *testing.T) {
	const (
		notReady    = "node/not-ready:NoSchedule node/not-ready:NoExecute"
		unreachable = "node/unreachable:NoSchedule node/unreachable:NoExecute"
		memory      = "node/memory-pressure:NoSchedule"
		cordon      = "node/unschedulable:NoSchedule"
	)
	clear(lifecycle.DefaultConditionRules()) // a copy, which the caller may modify
	rules := lifecycle.DefaultConditionRules()
	checkReconciliations(t, rules, []reconciliation{
		{
			"every condition", "",
			"DiskPressure=True Ready=Unknown PIDPressure=True NetworkUnavailable=True MemoryPressure=True cordoned",
			"node/disk-pressure:NoSchedule node/unreachable:NoSchedule node/pid-pressure:NoSchedule " +
				"node/network-unavailable:NoSchedule " + memory + " " + cordon + " node/unreachable:NoExecute", "",
		},
		{"none of them", "", "Ready=True MemoryPressure=False DiskPressure=False PIDPressure=Unknown NetworkUnavailable=False", "", ""},
		{"unknown names", "", "Ready= Ready=false ready=False OutOfDisk=True =True memorypressure=True MemoryPressure=true", "", ""},
		{
			"a repeated condition", "", "PIDPressure=True PIDPressure=True DiskPressure=False DiskPressure=True",
			"node/pid-pressure:NoSchedule node/disk-pressure:NoSchedule", "",
		},
		{"the second Ready does not evict", "", "Ready=True Ready=False", "node/not-ready:NoSchedule", ""},
		{"nor after an empty one", "", "Ready= Ready=False", "node/not-ready:NoSchedule", ""},
		{
			"both repel, and the first evicts", "", "Ready=False Ready=Unknown",
			"node/not-ready:NoSchedule node/unreachable:NoSchedule node/not-ready:NoExecute", "",
		},
		{"a healthy node", "dedicated=ml:NoSchedule", "Ready=True", "", ""},
		{"goes silent", "dedicated=ml:NoSchedule", "Ready=Unknown", unreachable, ""},
		{"reports again, not ready", unreachable, "Ready=False", notReady, unreachable},
		{"is ready again", notReady + " gpu:NoSchedule", "Ready=True", "", notReady},
		{"is cordoned", "", "Ready=True cordoned", cordon, ""},
		{"is uncordoned", cordon, "Ready=True", "", cordon},
		{"is uncordoned, a condition says", cordon, "spec.unschedulable=True", "", cordon},
		{"stays under pressure", memory, "MemoryPressure=True Ready=True", "", ""},
		{"pressure unknown", memory, "MemoryPressure=Unknown Ready=True", "", memory},
		{"pressure not reported", memory, "Ready=True", "", memory},
		{
			"another value stays", "node/memory-pressure=x:NoSchedule node/not-ready=x:NoExecute node/not-ready=x:NoSchedule",
			"MemoryPressure=True Ready=False", "", "",
		},
		{
			"another value goes", "node/memory-pressure=x:NoSchedule node/not-ready=x:NoExecute",
			"Ready=True", "", memory + " node/not-ready:NoExecute",
		},
		{
			"effects of others", "node/memory-pressure:NoExecute node/not-ready:PreferNoSchedule node/not-ready:noexecute",
			"Ready=True", "", "",
		},
		{"keys of others", "node/out-of-service:NoExecute node/other:NoSchedule", "Ready=True", "", ""},
		{
			"Ready is missing", notReady + " node/unreachable:NoExecute",
			"DiskPressure=False", "", "node/not-ready:NoSchedule",
		},
		{"Ready is none of the three", unreachable, "Ready=Maybe", "", "node/unreachable:NoSchedule"},
		{
			"the first Ready decides about NoExecute", "node/not-ready:NoExecute node/unreachable:NoExecute",
			"Ready=Unknown Ready=True", "node/unreachable:NoSchedule", "node/not-ready:NoExecute",
		},
		{"twice in the list", memory + " node/memory-pressure=x:NoSchedule", "Ready=True", "", memory},
	})
	cordoned := stateOf("cordoned")
	for _, got := range [][]taints.Taint{
		rules.Taints(cordoned), rules.Reconcile(nil, cordoned, noon).Add,
	} {
		if diff := cmp.Diff([]string{long(cordon)}, test.Texts(got)); diff != "" {
			t.Errorf("a cordoned node (-want +got):\n%s", diff)
		}
	}
}

// Pods wait for the node's GPU driver, and are evicted when it fails for good.
func TestConditionRules(t *testing.T) {
	rules := rulesOf(`
		GPUReady=               gpu=starting:NoSchedule
		GPUReady=Unknown        gpu=starting:NoSchedule
		GPUReady=False          gpu=failed:NoSchedule
		GPUReady=False          gpu=failed:NoExecute
		Firmware=Old            firmware:NoExecute
		Firmware=Old            gpu=failed:NoExecute
		spec.unschedulable=True drain:NoExecute
		spec.unschedulable=False in-use:PreferNoSchedule
		spec.unschedulable=      never:NoSchedule
	`)
	const inUse, failed = "in-use:PreferNoSchedule", "gpu=failed:NoSchedule gpu=failed:NoExecute"
	checkReconciliations(t, rules, []reconciliation{
		{"a new node", "", "Ready=True", inUse + " gpu=starting:NoSchedule", ""},
		{"a condition named like the cordon is none", "", "spec.unschedulable= GPUReady=True", inUse, ""},
		{"an empty status is none", "", "GPUReady=", inUse + " gpu=starting:NoSchedule", ""},
		{"the driver is there", "gpu=starting:NoSchedule " + inUse, "GPUReady=True", "", "gpu:NoSchedule"},
		{"it fails", inUse, "GPUReady=False", failed, ""},
		{"the value of another rule is rewritten", "gpu=starting:NoSchedule " + inUse, "GPUReady=False", failed, ""},
		{"a value of somebody else's stays", "gpu=mine:NoSchedule " + inUse, "GPUReady=Unknown", "", ""},
		{
			"a value of somebody else's goes when nothing holds", "gpu=mine:NoSchedule " + inUse,
			"GPUReady=True", "", "gpu:NoSchedule",
		},
		{
			"a value of another taint's rule stays", "firmware=failed:NoExecute " + inUse,
			"GPUReady=True Firmware=Old", "gpu=failed:NoExecute", "",
		},
		{
			"a status that a rule does not name is known", "firmware:NoExecute " + inUse,
			"GPUReady=True Firmware=True", "", "firmware:NoExecute",
		},
		{"Unknown is known", "firmware:NoExecute " + inUse, "GPUReady=True Firmware=Unknown", "", "firmware:NoExecute"},
		{"another status is not", "firmware:NoExecute " + inUse, "GPUReady=True Firmware=New", "", ""},
		{"one of two conditions is not known", "gpu=failed:NoExecute " + inUse, "GPUReady=True", "", ""},
		{
			"the missing one is named by a rule, the other is not known",
			"gpu=failed:NoExecute gpu=starting:NoSchedule " + inUse, "", "", "",
		},
		{
			"both are known", "gpu=failed:NoExecute gpu=starting:NoSchedule " + inUse,
			"Firmware=False", "", "gpu:NoExecute",
		},
		{
			"one of two conditions holds", inUse,
			"GPUReady=True Firmware=Old", "firmware:NoExecute gpu=failed:NoExecute", "",
		},
		{"cordoned", inUse, "GPUReady=True cordoned", "drain:NoExecute", inUse},
		{"uncordoned", "drain:NoExecute", "GPUReady=True", inUse, "drain:NoExecute"},
	})
	for _, tc := range []struct {
		rules string
		rows  []reconciliation
	}{
		{"", []reconciliation{{"no rules", "node/not-ready:NoSchedule", "Ready=True cordoned", "", ""}}},
		{"A=True x=a:NoExecute\nB=True x=b:NoExecute", []reconciliation{
			{"of two values the first rule's counts", "", "B=True A=True", "x=a:NoExecute", ""},
			{"the second was first", "x=b:NoExecute", "B=True A=True", "x=a:NoExecute", ""},
			{"the first stays", "x=a:NoExecute", "B=True A=True", "", ""},
		}},
		{"A=True x=a:NoSchedule\nB=True x=b:NoSchedule", []reconciliation{
			{"of two values the first condition's counts", "", "B=True A=True", "x=b:NoSchedule", ""},
		}},
		{"A=True a:NoSchedule\nB=True x:NoSchedule\nC=True x:NoSchedule\nD=True y:NoExecute\nE=True y:NoExecute", []reconciliation{
			{
				"a taint of several conditions comes once", "", "A=True B=True C=True D=True E=True",
				"a:NoSchedule x:NoSchedule y:NoExecute", "",
			},
		}},
		{"=True x:NoExecute\n=True x:NoSchedule\n= y:NoSchedule\n= y:NoExecute", []reconciliation{
			{"a condition without a type", "", "=True", "x:NoSchedule x:NoExecute", ""},
			{"no condition has the empty type", "", "A=True", "y:NoSchedule y:NoExecute", ""},
		}},
		{"A= a:NoExecute\nA= a:NoSchedule\nB= b:NoSchedule\nC=True c:NoSchedule\nA=True a=x:NoSchedule\nspec.unschedulable= u:NoSchedule", []reconciliation{
			{"missing conditions come last", "", "C=True", "c:NoSchedule a:NoSchedule b:NoSchedule a:NoExecute", ""},
			{"so do those with an empty status", "", "B= A= C=True", "c:NoSchedule a:NoSchedule b:NoSchedule a:NoExecute", ""},
			{"all of a repeated type count", "", "A=True A= B=x", "a=x:NoSchedule", ""},
			{"but only the first for NoExecute", "", "A= A=True B=x", "a=x:NoSchedule a:NoExecute", ""},
		}},
		{"A= a:NoSchedule\nA=True x:NoSchedule", []reconciliation{
			{"a status and an empty one", "", "A=True A=", "x:NoSchedule a:NoSchedule", ""},
		}},
		{"A=True x:", []reconciliation{
			{"a taint without an effect is owned alone", "x:NoSchedule", "A=True", "x", ""},
			{"it goes alone", "x: x:NoSchedule", "A=False", "", "x:"},
		}},
		{"Heartbeat= lost:NoExecute", []reconciliation{
			{"a missing condition evicts", "", "", "lost:NoExecute", ""},
			{"it is there", "lost:NoExecute", "Heartbeat=True", "", "lost:NoExecute"},
			{"it is there, and not known", "lost:NoExecute", "Heartbeat=Maybe", "", ""},
		}},
	} {
		checkReconciliations(t, rulesOf(tc.rules), tc.rows)
	}
}

// Each added taint has its own TimeAdded, truncated to the second and in UTC.
// Other taints keep theirs.
func TestReconcileStamps(t *testing.T) {
	before := time.Unix(1_700_000_000, 0)
	now := time.Date(2026, 11, 21, 2, 24, 15, 999, time.FixedZone("CET", 3600))
	rules := lifecycle.DefaultConditionRules()
	for i := range rules {
		rules[i].Taint.TimeAdded = &before
	}
	current := []taints.Taint{{Key: taints.NodeNotReady, Effect: taints.NoSchedule, TimeAdded: &before}}
	c := rules.Reconcile(current, stateOf("Ready=False MemoryPressure=True"), now)
	if len(c.Add) != 2 || c.Add[0].TimeAdded == c.Add[1].TimeAdded {
		t.Fatalf("got %v", c)
	}
	for _, taint := range c.Add {
		if want := time.Date(2026, 11, 21, 1, 24, 15, 0, time.UTC); *taint.TimeAdded != want {
			t.Errorf("%v was added at %v, want %v", taint, taint.TimeAdded, want)
		}
	}
	if list, _ := c.Apply(current); !list[0].TimeAdded.Equal(before) {
		t.Errorf("got %v", list)
	}
	for _, taint := range rules.Taints(stateOf("Ready=False cordoned")) {
		if taint.TimeAdded != nil {
			t.Errorf("%v has a time", taint)
		}
	}
}

// checkJSON checks that the value has the JSON, which is read back to the value.
func checkJSON[V any](t *testing.T, v V, want string) {
	t.Helper()
	var got V
	text, err := json.Marshal(v)
	if err != nil || json.Unmarshal(text, &got) != nil || string(text) != want {
		t.Errorf("got %s, %v, want %s", text, err, want)
	}
	if diff := cmp.Diff(v, got); diff != "" {
		t.Errorf("%s (-written +read):\n%s", text, diff)
	}
}

func TestConditionsJSON(t *testing.T) {
	checkJSON(t, lifecycle.NodeState{}, `{}`)
	checkJSON(t, stateOf("Ready=True cordoned"), `{"conditions":[{"type":"Ready","status":"True"}],"unschedulable":true}`)
	checkJSON(t, rulesOf("A=B a=x:NoSchedule"), `[{"type":"A","status":"B","taint":{"key":"a","value":"x","effect":"NoSchedule"}}]`)
	const status = `{"conditions": [{
		"type": "Ready", "status": "False", "reason": "KubeletNotReady", "message": "down",
		"lastHeartbeatTime": "2026-01-02T03:04:05Z", "lastTransitionTime": "2026-01-02T03:04:05Z"
	}]}`
	var got lifecycle.NodeState // of the status of a node
	if err := json.Unmarshal([]byte(status), &got); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(stateOf("Ready=False"), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
