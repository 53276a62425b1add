// SPDX-License-Identifier: Apache-2.0

package lifecycle_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/draw"
	"github.com/seed-0529bac1/taints/internal/reference"
	"github.com/seed-0529bac1/taints/lifecycle"
)

// stateOf reads "Ready=False MemoryPressure=True cordoned".
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

// taintsOf reads taints between spaces, whether they are valid or not.
func taintsOf(text string) []taints.Taint {
	var list []taints.Taint
	for _, field := range strings.Fields(text) {
		name, effect, _ := strings.Cut(field, ":")
		key, value, _ := strings.Cut(name, "=")
		list = append(list, taints.Taint{Key: key, Value: value, Effect: taints.Effect(effect)})
	}
	return list
}

// rulesOf reads rules like "Ready=False not-ready:NoExecute", one a line.
func rulesOf(text string) lifecycle.ConditionRules {
	var rules lifecycle.ConditionRules
	for line := range strings.Lines(text) {
		if fields := strings.Fields(line); len(fields) == 2 {
			kind, status, _ := strings.Cut(fields[0], "=")
			rules = append(rules, lifecycle.ConditionRule{Type: kind, Status: status, Taint: taintsOf(fields[1])[0]})
		}
	}
	return rules
}

const (
	notReady    = taints.NodeNotReady
	unreachable = taints.NodeUnreachable
	memory      = taints.NodeMemoryPressure
	cordon      = taints.NodeUnschedulable
)

func TestConditionTaints(t *testing.T) {
	const prefix = "node.kubernetes.io/"
	for _, tc := range []struct {
		state string
		want  []string
	}{
		{"", nil},
		{"Ready=True MemoryPressure=False DiskPressure=False PIDPressure=False NetworkUnavailable=False", nil},
		{"Ready=False", []string{prefix + "not-ready:NoSchedule", prefix + "not-ready:NoExecute"}},
		{"Ready=Unknown", []string{prefix + "unreachable:NoSchedule", prefix + "unreachable:NoExecute"}},
		{"MemoryPressure=True", []string{prefix + "memory-pressure:NoSchedule"}},
		{"DiskPressure=True", []string{prefix + "disk-pressure:NoSchedule"}},
		{"PIDPressure=True", []string{prefix + "pid-pressure:NoSchedule"}},
		{"NetworkUnavailable=True", []string{prefix + "network-unavailable:NoSchedule"}},
		{"MemoryPressure=Unknown DiskPressure=Unknown PIDPressure=Unknown NetworkUnavailable=Unknown", nil},
		{"cordoned", []string{prefix + "unschedulable:NoSchedule"}},
		{"spec.unschedulable=True", nil},
		{
			"DiskPressure=True Ready=Unknown MemoryPressure=True cordoned",
			[]string{
				prefix + "disk-pressure:NoSchedule", prefix + "unreachable:NoSchedule",
				prefix + "memory-pressure:NoSchedule", prefix + "unschedulable:NoSchedule",
				prefix + "unreachable:NoExecute",
			},
		},
		{
			"Ready= Ready=false ready=False OutOfDisk=True KernelDeadlock=True =True memorypressure=True MemoryPressure=true",
			nil,
		},
		{"DiskPressure=False DiskPressure=True DiskPressure=True", []string{prefix + "disk-pressure:NoSchedule"}},
		{"Ready=True Ready=False", []string{prefix + "not-ready:NoSchedule"}},
		{
			"Ready=False Ready=Unknown",
			[]string{
				prefix + "not-ready:NoSchedule",
				prefix + "unreachable:NoSchedule",
				prefix + "not-ready:NoExecute",
			},
		},
		{"Ready= Ready=False", []string{prefix + "not-ready:NoSchedule"}},
		{"Ready=Unknown Ready=True", []string{prefix + "unreachable:NoSchedule", prefix + "unreachable:NoExecute"}},
	} {
		t.Run(tc.state, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, texts(lifecycle.ConditionTaints(stateOf(tc.state)))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A reconciliation is what rules make of a node.
type reconciliation struct {
	name    string
	current string
	state   string
	add     []string
	remove  []string
}

func checkReconciliations(t *testing.T, rules lifecycle.ConditionRules, rows []reconciliation) {
	t.Helper()
	for _, tc := range rows {
		t.Run(tc.name, func(t *testing.T) {
			got := rules.ReconcileConditions(taintsOf(tc.current), stateOf(tc.state), noon)
			if diff := cmp.Diff(tc.add, texts(got.Add)); diff != "" {
				t.Errorf("Add (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.remove, texts(got.Remove)); diff != "" {
				t.Errorf("Remove (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReconcileConditions(t *testing.T) {
	checkReconciliations(t, lifecycle.DefaultConditionRules(), []reconciliation{
		{"a healthy node", "dedicated=ml:NoSchedule", "Ready=True", nil, nil},
		{
			"goes silent", "dedicated=ml:NoSchedule", "Ready=Unknown",
			[]string{unreachable + ":NoSchedule", unreachable + ":NoExecute"},
			nil,
		},
		{
			"reports again, not ready",
			unreachable + ":NoSchedule " + unreachable + ":NoExecute", "Ready=False",
			[]string{notReady + ":NoSchedule", notReady + ":NoExecute"},
			[]string{unreachable + ":NoSchedule", unreachable + ":NoExecute"},
		},
		{
			"is ready again", notReady + ":NoExecute gpu:NoSchedule " + notReady + ":NoSchedule",
			"Ready=True", nil,
			[]string{notReady + ":NoExecute", notReady + ":NoSchedule"},
		},
		{"is cordoned", "", "Ready=True cordoned", []string{cordon + ":NoSchedule"}, nil},
		{"is uncordoned", cordon + ":NoSchedule", "Ready=True", nil, []string{cordon + ":NoSchedule"}},
		{
			"is uncordoned, a condition says", cordon + ":NoSchedule", "spec.unschedulable=True",
			nil,
			[]string{cordon + ":NoSchedule"},
		},
		{"stays under pressure", memory + ":NoSchedule", "MemoryPressure=True Ready=True", nil, nil},
		{
			"pressure unknown", memory + ":NoSchedule", "MemoryPressure=Unknown Ready=True", nil,
			[]string{memory + ":NoSchedule"},
		},
		{"pressure not reported", memory + ":NoSchedule", "Ready=True", nil, []string{memory + ":NoSchedule"}},
		{
			"another value stays",
			memory + "=x:NoSchedule " + notReady + "=x:NoExecute " + notReady + "=x:NoSchedule",
			"MemoryPressure=True Ready=False", nil, nil,
		},
		{
			"another value goes", memory + "=x:NoSchedule " + notReady + "=x:NoExecute",
			"Ready=True", nil,
			[]string{memory + ":NoSchedule", notReady + ":NoExecute"},
		},
		{
			"effects of others",
			memory + ":NoExecute " + cordon + ":NoExecute " + notReady + ":PreferNoSchedule " +
				unreachable + ": " + notReady + ":noexecute",
			"Ready=True", nil, nil,
		},
		{
			"keys of others",
			taints.NodeOutOfService + ":NoExecute " + taints.CloudProviderShutdown + ":NoSchedule " +
				"node.kubernetes.io/out-of-disk:NoSchedule node.alpha.kubernetes.io/notReady:NoExecute " +
				"node.kubernetes.io/other:NoSchedule",
			"Ready=True", nil, nil,
		},
		{
			"Ready is missing",
			notReady + ":NoSchedule " + notReady + ":NoExecute " + unreachable + ":NoExecute",
			"DiskPressure=False", nil,
			[]string{notReady + ":NoSchedule"},
		},
		{
			"Ready is none of the three",
			unreachable + ":NoSchedule " + unreachable + ":NoExecute", "Ready=Maybe", nil,
			[]string{unreachable + ":NoSchedule"},
		},
		{
			"the first Ready decides about NoExecute",
			notReady + ":NoExecute " + unreachable + ":NoExecute", "Ready=Unknown Ready=True",
			[]string{unreachable + ":NoSchedule"},
			[]string{notReady + ":NoExecute"},
		},
		{
			"twice in the list", memory + ":NoSchedule " + memory + "=x:NoSchedule",
			"Ready=True", nil,
			[]string{memory + ":NoSchedule"},
		},
	})
}

// Pods wait for the node's GPU driver, and leave when it fails for good.
func TestConditionRules(t *testing.T) {
	rules := rulesOf(`
		example.com/GPUReady=        example.com/gpu=starting:NoSchedule
		example.com/GPUReady=Unknown example.com/gpu=starting:NoSchedule
		example.com/GPUReady=False   example.com/gpu=failed:NoSchedule
		example.com/GPUReady=False   example.com/gpu=failed:NoExecute
		example.com/Firmware=Old     example.com/firmware:NoExecute
		example.com/Firmware=Old     example.com/gpu=failed:NoExecute
		spec.unschedulable=True      example.com/drain:NoExecute
		spec.unschedulable=False     example.com/in-use:PreferNoSchedule
	`)
	checkReconciliations(t, rules, []reconciliation{
		{
			"a new node", "", "Ready=True",
			[]string{"example.com/in-use:PreferNoSchedule", "example.com/gpu=starting:NoSchedule"},
			nil,
		},
		{
			"an empty status is none", "", "example.com/GPUReady=",
			[]string{"example.com/gpu=starting:NoSchedule", "example.com/in-use:PreferNoSchedule"},
			nil,
		},
		{
			"the driver is there",
			"example.com/gpu=starting:NoSchedule example.com/in-use:PreferNoSchedule",
			"example.com/GPUReady=True", nil,
			[]string{"example.com/gpu:NoSchedule"},
		},
		{
			"it fails", "example.com/in-use:PreferNoSchedule", "example.com/GPUReady=False",
			[]string{"example.com/gpu=failed:NoSchedule", "example.com/gpu=failed:NoExecute"},
			nil,
		},
		{
			"the value of another rule is rewritten",
			"example.com/gpu=starting:NoSchedule example.com/in-use:PreferNoSchedule",
			"example.com/GPUReady=False",
			[]string{"example.com/gpu=failed:NoSchedule", "example.com/gpu=failed:NoExecute"},
			nil,
		},
		{
			"a value of somebody else's stays",
			"example.com/gpu=mine:NoSchedule example.com/in-use:PreferNoSchedule",
			"example.com/GPUReady=Unknown", nil, nil,
		},
		{
			"a value of somebody else's goes when nothing holds",
			"example.com/gpu=mine:NoSchedule example.com/in-use:PreferNoSchedule",
			"example.com/GPUReady=True", nil,
			[]string{"example.com/gpu:NoSchedule"},
		},
		{
			"a status that a rule names is known",
			"example.com/firmware:NoExecute example.com/in-use:PreferNoSchedule",
			"example.com/GPUReady=True example.com/Firmware=True", nil,
			[]string{"example.com/firmware:NoExecute"},
		},
		{
			"Unknown is known",
			"example.com/firmware:NoExecute example.com/in-use:PreferNoSchedule",
			"example.com/GPUReady=True example.com/Firmware=Unknown", nil,
			[]string{"example.com/firmware:NoExecute"},
		},
		{
			"it is named in another status",
			"example.com/firmware:NoExecute example.com/in-use:PreferNoSchedule",
			"example.com/GPUReady=True example.com/Firmware=New", nil, nil,
		},
		{
			"one of two conditions is not known",
			"example.com/gpu=failed:NoExecute example.com/in-use:PreferNoSchedule",
			"example.com/GPUReady=True", nil, nil,
		},
		{
			"the missing one is named by a rule, the other is not known",
			"example.com/gpu=failed:NoExecute example.com/gpu=starting:NoSchedule example.com/in-use:PreferNoSchedule",
			"", nil, nil,
		},
		{
			"both are known",
			"example.com/gpu=failed:NoExecute example.com/gpu=starting:NoSchedule example.com/in-use:PreferNoSchedule",
			"example.com/Firmware=False", nil,
			[]string{"example.com/gpu:NoExecute"},
		},
		{
			"one of two conditions holds", "example.com/in-use:PreferNoSchedule",
			"example.com/GPUReady=True example.com/Firmware=Old",
			[]string{"example.com/firmware:NoExecute", "example.com/gpu=failed:NoExecute"},
			nil,
		},
		{
			"cordoned", "example.com/in-use:PreferNoSchedule",
			"example.com/GPUReady=True cordoned",
			[]string{"example.com/drain:NoExecute"},
			[]string{"example.com/in-use:PreferNoSchedule"},
		},
		{
			"uncordoned", "example.com/drain:NoExecute", "example.com/GPUReady=True",
			[]string{"example.com/in-use:PreferNoSchedule"},
			[]string{"example.com/drain:NoExecute"},
		},
		{
			"Kubernetes' taints are not these rules'",
			"example.com/in-use:PreferNoSchedule node.kubernetes.io/not-ready:NoSchedule",
			"Ready=True example.com/GPUReady=True", nil, nil,
		},
	})
	t.Run("no rules", func(t *testing.T) {
		checkReconciliations(t, nil, []reconciliation{{"", notReady + ":NoSchedule", "Ready=True cordoned", nil, nil}})
	})
	t.Run("of two values the first rule's counts", func(t *testing.T) {
		rules := rulesOf("A=True x=a:NoExecute\nB=True x=b:NoExecute")
		checkReconciliations(t, rules, []reconciliation{
			{"both", "", "B=True A=True", []string{"x=a:NoExecute"}, nil},
			{"the second was first", "x=b:NoExecute", "B=True A=True", []string{"x=a:NoExecute"}, nil},
			{"the first", "x=a:NoExecute", "B=True A=True", nil, nil},
		})
	})
	t.Run("of two values the first condition's counts", func(t *testing.T) {
		rules := rulesOf("A=True x=a:NoSchedule\nB=True x=b:NoSchedule")
		checkReconciliations(t, rules, []reconciliation{{"", "", "B=True A=True", []string{"x=b:NoSchedule"}, nil}})
	})
	t.Run("a taint of several conditions comes once", func(t *testing.T) {
		rules := rulesOf(`
			A=True first:NoSchedule
			B=True x:NoSchedule
			C=True x:NoSchedule
			D=True y:NoExecute
			E=True y:NoExecute
		`)
		checkReconciliations(t, rules, []reconciliation{
			{
				"all hold", "", "A=True B=True C=True D=True E=True",
				[]string{"first:NoSchedule", "x:NoSchedule", "y:NoExecute"},
				nil,
			},
		})
		got := texts(rules.ConditionTaints(stateOf("A=True B=True C=True D=True E=True")))
		if diff := cmp.Diff([]string{"first:NoSchedule", "x:NoSchedule", "y:NoExecute"}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
	t.Run("a taint without an effect is owned alone", func(t *testing.T) {
		rules := rulesOf("A=True x:")
		checkReconciliations(t, rules, []reconciliation{
			{"comes", "x:NoSchedule", "A=True", []string{"x"}, nil},
			{"goes", "x: x:NoSchedule", "A=False", nil, []string{"x:"}},
		})
	})
	t.Run("a missing condition evicts", func(t *testing.T) {
		rules := rulesOf("Heartbeat= lost:NoExecute")
		checkReconciliations(t, rules, []reconciliation{
			{"missing", "", "", []string{"lost:NoExecute"}, nil},
			{"there", "lost:NoExecute", "Heartbeat=True", nil, []string{"lost:NoExecute"}},
			{"there, and not known", "lost:NoExecute", "Heartbeat=Maybe", nil, nil},
		})
	})
}

// What is added is stamped with the second in UTC, each with a time of its own;
// what stays keeps its own.
func TestReconcileConditionsStamps(t *testing.T) {
	before := time.Unix(1_700_000_000, 0)
	now := time.Date(2026, 11, 21, 2, 24, 15, 999, time.FixedZone("CET", 3600))
	rules := lifecycle.DefaultConditionRules()
	for i := range rules {
		rules[i].Taint.TimeAdded = &before
	}
	current := []taints.Taint{{Key: notReady, Effect: taints.NoSchedule, TimeAdded: &before}}
	for _, reconcile := range []func([]taints.Taint, lifecycle.NodeState,
		time.Time) taints.Changes{lifecycle.ReconcileConditions, rules.ReconcileConditions} {
		c := reconcile(current, stateOf("Ready=False MemoryPressure=True"), now)
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
	}
	for _, taint := range append(rules.ConditionTaints(stateOf("Ready=False cordoned")),
		lifecycle.ConditionTaints(stateOf("Ready=False cordoned"))...) {
		if taint.TimeAdded != nil {
			t.Errorf("%v has a time", taint)
		}
	}
}

func TestConditionJSON(t *testing.T) {
	var node struct {
		Spec   struct{ Unschedulable bool }
		Status lifecycle.NodeState
	}
	err := json.Unmarshal([]byte(`{"status": {"conditions": [{"type": "Ready", "status": "Unknown", "reason": "NodeStatusUnknown", "lastHeartbeatTime": "2026-11-21T01:24:15Z"}]}}`), &node)
	if diff := cmp.Diff(stateOf("Ready=Unknown"), node.Status); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	rules := lifecycle.DefaultConditionRules()
	var back lifecycle.ConditionRules
	text, err := json.Marshal(rules)
	if err == nil {
		err = json.Unmarshal(text, &back)
	}
	if diff := cmp.Diff(rules, back); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	const first = `[{"type":"Ready","status":"False","taint":{"key":"node.kubernetes.io/not-ready","effect":"NoSchedule"}},`
	if !strings.HasPrefix(string(text), first) {
		t.Errorf("got %s", text)
	}
}

// The default rules are the caller's to change.
func TestDefaultConditionRulesAreACopy(t *testing.T) {
	clear(lifecycle.DefaultConditionRules())
	if got := lifecycle.ConditionTaints(stateOf("cordoned")); len(got) != 1 {
		t.Errorf("got %v", got)
	}
}

// A hostile list of conditions takes as many comparisons as it is long.
func TestManyConditions(t *testing.T) {
	state := lifecycle.NodeState{Conditions: make([]lifecycle.Condition, 200_000)}
	for i := range state.Conditions {
		state.Conditions[i] = lifecycle.Condition{
			Type:   []string{"Ready", "DiskPressure", fmt.Sprint(i)}[i%3],
			Status: []string{"False", "True", "Unknown", "x"}[i%4],
		}
	}
	if got := lifecycle.ReconcileConditions(nil, state, noon); len(got.Add) != 4 || got.Remove != nil {
		t.Errorf("got %v", got)
	}
}

var (
	conditionTypes = rapid.SampledFrom([]string{
		"Ready", "MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable",
		"KernelDeadlock", "ready", "", lifecycle.Unschedulable,
	})
	conditionStatuses = rapid.SampledFrom([]string{"True", "False", "Unknown", "true", ""})
	anyCondition      = rapid.Custom(func(t *rapid.T) lifecycle.Condition {
		return lifecycle.Condition{Type: conditionTypes.Draw(t, "type"), Status: conditionStatuses.Draw(t, "status")}
	})
	anyState = rapid.Custom(func(t *rapid.T) lifecycle.NodeState {
		return lifecycle.NodeState{
			Conditions:    rapid.SliceOfN(anyCondition, 0, 6).Draw(t, "conditions"),
			Unschedulable: rapid.Bool().Draw(t, "unschedulable"),
		}
	})

	// An API server keeps the keys and effects of a node's taints unique.
	nodeTaints = rapid.Map(rapid.SliceOfN(draw.ConditionTaint, 0, 8), reference.Firsts)
	anyRules   = rapid.Map(rapid.SliceOfN(rapid.Custom(func(t *rapid.T) lifecycle.ConditionRule {
		return lifecycle.ConditionRule{
			Type:   conditionTypes.Draw(t, "type"),
			Status: conditionStatuses.Draw(t, "status"),
			Taint:  draw.ConditionTaint.Draw(t, "taint"),
		}
	}), 0, 8), func(rules []lifecycle.ConditionRule) lifecycle.ConditionRules { return rules })
)

func ids(list []taints.Taint) map[taints.TaintID]bool {
	m := map[taints.TaintID]bool{}
	for _, t := range list {
		m[t.ID()] = true
	}
	return m
}

// What holds for any rules.
func TestConditionRuleLaws(t *testing.T) { rapid.Check(t, conditionRuleLaws) }
func FuzzConditions(f *testing.F)        { f.Fuzz(rapid.MakeFuzz(conditionRuleLaws)) }

func conditionRuleLaws(t *rapid.T) {
	rules, state := anyRules.Draw(t, "rules"), anyState.Draw(t, "state")
	current := rapid.OneOf(nodeTaints, nodeTaints, rapid.SliceOfN(draw.ConditionTaint, 0, 8)).Draw(t, "taints")
	before := slices.Clone(current)
	wanted := rules.ConditionTaints(state)
	checkConditionTaints(t, rules, state, wanted)

	c := rules.ReconcileConditions(current, state, noon)
	if diff := cmp.Diff(before, current); diff != "" {
		t.Fatalf("wrote to the caller's list (-before +after):\n%s", diff)
	}
	after, changed := c.Apply(current)
	if changed == c.IsZero() {
		t.Fatalf("%v changes %v: %v", c, current, changed)
	}
	for _, taint := range wanted {
		if !ids(after)[taint.ID()] {
			t.Fatalf("%v is missing in %v", taint, after)
		}
	}
	if len(ids(current)) < len(current) {
		return
	}
	if again := rules.ReconcileConditions(after, state, noon.Add(time.Hour)); !again.IsZero() {
		t.Fatalf("applied, and still %v", again)
	}
	for _, taint := range current {
		checkKept(t, rules, state, taint, after)
	}
}

// checkConditionTaints checks that a taint is wanted exactly when a rule holds.
func checkConditionTaints(
	t *rapid.T, rules lifecycle.ConditionRules, state lifecycle.NodeState, wanted []taints.Taint,
) {
	want := map[taints.TaintID]bool{}
	for _, rule := range rules {
		if holds(rule, state) {
			want[rule.Taint.ID()] = true
		}
	}
	if got := ids(wanted); !maps.Equal(got, want) || len(got) != len(wanted) {
		t.Fatalf("ConditionTaints = %v, want %v", wanted, want)
	}
	for _, taint := range wanted {
		if taint.TimeAdded != nil || !slices.ContainsFunc(rules, func(r lifecycle.ConditionRule) bool {
			return holds(r, state) && r.Taint.ID() == taint.ID() && r.Taint.Value == taint.Value
		}) {
			t.Fatalf("no rule leads to %v", taint)
		}
	}
}

// statuses returns those of the conditions of the type, and "" for none.
func statuses(kind string, state lifecycle.NodeState) []string {
	if kind == lifecycle.Unschedulable {
		return []string{map[bool]string{true: "True", false: "False"}[state.Unschedulable]}
	}
	var list []string
	for _, c := range state.Conditions {
		if c.Type == kind {
			list = append(list, c.Status)
		}
	}
	if list == nil {
		return []string{""}
	}
	return list
}

func holds(rule lifecycle.ConditionRule, state lifecycle.NodeState) bool {
	list := statuses(rule.Type, state)
	if rule.Taint.Effect == taints.NoExecute {
		list = list[:1]
	}
	return slices.Contains(list, rule.Status)
}

// checkKept checks that a taint is gone only if rules own it and none holds, and
// has another value only if rules have both.
func checkKept(
	t *rapid.T, rules lifecycle.ConditionRules, state lifecycle.NodeState,
	taint taints.Taint, after []taints.Taint,
) {
	owned, wanted, known := false, false, true
	var values []string
	for _, rule := range rules {
		if rule.Taint.ID() != taint.ID() {
			continue
		}
		owned = true
		wanted = wanted || holds(rule, state)
		values = append(values, rule.Taint.Value)
		status := statuses(rule.Type, state)[0]
		named := slices.ContainsFunc(rules, func(r lifecycle.ConditionRule) bool {
			return r.Type == rule.Type && r.Status == status
		})
		known = known && (named || status == "True" || status == "False" || status == "Unknown")
	}
	goes := owned && !wanted && (known || taint.Effect != taints.NoExecute)
	i := slices.IndexFunc(after, func(a taints.Taint) bool { return a.ID() == taint.ID() })
	switch {
	case goes != (i < 0):
		t.Fatalf("%v should go %v, is in %v", taint, goes, after)
	case i < 0 || after[i].Equal(taint):
	case !wanted || after[i].Value == taint.Value ||
		!slices.Contains(values, taint.Value) || !slices.Contains(values, after[i].Value):
		t.Fatalf("%v became %v", taint, after[i])
	}
}
