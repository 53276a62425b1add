// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"slices"
	"testing"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/test"
	"github.com/seed-0529bac1/taints/internal/test/reference"
)

// Matching, filtering, eviction, successful validation and parsing, and printing
// into a buffer must not allocate.
func TestAllocs(t *testing.T) {
	list := test.Taints("dedicated=ml:NoSchedule", "nvidia.com/gpu=present:NoSchedule",
		"spot:PreferNoSchedule", "score=40:NoExecute", "x:NoExecute")
	added := time.Unix(0, 0)
	list[3].TimeAdded = &added
	tols := test.Tolerations(
		"dedicated=ml:NoSchedule", "score=60:NoExecute op=Lt for 300s", "score=20:NoExecute op=Gt for 60s",
		"x=y:NoExecute", "readiness.k8s.io/gpu op=Exists", "x:NoExecute op=Exists for 9999999999999s",
	)
	var (
		m       = taints.Compile(tols)
		devices = taints.EvictionPolicy{ForDevices: true, FromTimeAdded: true, Arrival: added}
		now     = time.Now()
		buf     = make([]byte, 0, 256)
		sink    int
	)
	var none *taints.Matcher
	off := taints.Options{NoComparison: true}
	visit := func(i int, _ *taints.Taint) bool { sink += i; return true }
	for name, f := range map[string]func(){
		"Tolerates":                     func() { tols[1].Tolerates(list[3]) },
		"Match":                         func() { m.Match(list[3]) },
		"FindUntolerated":               func() { taints.FindUntolerated(list, tols, taints.HardEffects) },
		"Matcher.FindUntolerated":       func() { m.FindUntolerated(list, taints.HardEffects) },
		"Filter":                        func() { taints.Filter(list, tols) },
		"Matcher.Filter":                func() { m.Filter(list) },
		"Effects":                       func() { sink += int(taints.Effects(taints.NoSchedule, taints.NoExecute)) },
		"EvictionOf":                    func() { taints.EvictionOf(list, tols, now) },
		"Matcher.EvictionOf":            func() { m.EvictionOf(list, now) },
		"Changes.Apply, nothing to do":  func() { taints.Changes{}.Apply(list) },
		"Matcher.Tolerations":           func() { m.Tolerations()(func(taints.Toleration) bool { sink++; return true }) },
		"On, Match":                     func() { off.On(tols).Match(list[3]) },
		"On, FindUntolerated":           func() { off.On(tols).FindUntolerated(list, taints.HardEffects) },
		"On, Filter":                    func() { off.On(tols).Filter(list) },
		"On, EvictionOf":                func() { off.On(tols).EvictionOf(list, now) },
		"On, Untolerated":               func() { off.On(tols).Untolerated(list, taints.AllEffects)(visit) },
		"On, Tolerated":                 func() { off.On(tols).Tolerated(list, taints.AllEffects)(visit) },
		"EvictionPolicy.EvictionOf":     func() { devices.EvictionOf(m, list, now) },
		"On, EvictionPolicy.EvictionOf": func() { devices.EvictionOf(off.On(tols), list, now) },
		"On, one toleration":            func() { off.On([]taints.Toleration{tols[1]}).Match(list[3]) },
		"On, range": func() {
			for i := range off.On(tols).Untolerated(list, taints.AllEffects) {
				sink += i
			}
		},
		"Reconcile, nothing to do": func() { taints.Reconcile(list, nil, nil) },
		"FindTaint":                func() { taints.FindTaint(list, list[3].ID()) },
		"Matcher.EvictionOf, nil":  func() { none.EvictionOf(list, now) },
		"ValidateTaints":           func() { mustBe(nil, taints.ValidateTaints(list)) },
		"ValidateTolerations":      func() { mustBe(nil, taints.ValidateTolerations(tols)) },
		"Taint.Validate":           func() { mustBe(nil, list[1].Validate()) },
		"Toleration.Validate":      func() { mustBe(nil, tols[1].Validate()) },
		"ParseTaint":               func() { taints.Must(taints.ParseTaint("example.com/gpu=x:NoSchedule")) },
		"ParseToleration":          func() { taints.Must(taints.ParseToleration("score=60:NoExecute op=Lt")) },
		"Taint.AppendTo":           func() { list[1].AppendTo(buf) },
		"Toleration.AppendTo":      func() { tols[1].AppendTo(buf) },
		"Taint.Equal":              func() { list[3].Equal(list[3]) },
		"Toleration.Equal":         func() { tols[1].Equal(tols[2]) },
		"ID":                       func() { _ = list[0].ID() == list[1].ID() },
		"AddMemoryPressureToleration, nothing to add": func() { sink += len(taints.AddMemoryPressureToleration(parsed)) },
		"Untolerated":         func() { taints.Untolerated(list, tols, taints.AllEffects)(visit) },
		"Matcher.Tolerated":   func() { m.Tolerated(list, taints.AllEffects)(visit) },
		"Matcher.Untolerated": func() { m.Untolerated(list, taints.AllEffects)(visit) },
	} {
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
	list = list[:3] // without a time, which is copied
	other, ids := slices.Clone(list), reference.IDs(list)
	other[1].Value = "absent"
	for name, tc := range map[string]struct {
		most float64 // under the race detector
		f    func()
	}{
		"Reconcile, and Apply":      {2, func() { taints.Reconcile(list, list, other).Apply(list) }},
		"ReconcileOwned, and Apply": {2, func() { taints.ReconcileOwned(list, ids, other).Apply(list) }},
		"Taint.String":              {1, func() { _ = list[1].String() }},
		"Toleration.String":         {1, func() { _ = tols[1].String() }},
		"a removal parsed":          {1, func() { taints.ParseChanges("example.com/gpu-") }},
		"seconds parsed":            {1, func() { taints.ParseToleration("score=60:NoExecute op=Lt for 300s") }},
		"one change parsed":         {3, func() { taints.ParseChanges("example.com/gpu=x:NoSchedule") }},
		"Compile":                   {4, func() { taints.Compile(tols) }},
		"Compile without seconds":   {4, func() { taints.Compile(tols[:1]) }},
	} {
		if n := testing.AllocsPerRun(100, tc.f); n > tc.most {
			t.Errorf("%s: %v allocations, want at most %v", name, n, tc.most)
		}
	}
}

// Changes that are already made, the usual case for a controller, do not
// allocate, whatever taints they name and wherever those are in the list.
func TestAllocsOfChangesThatAreMade(t *testing.T) {
	node := test.Taints("a=x:NoSchedule", "b:NoExecute", "c:NoSchedule", "c:NoExecute")
	for name, c := range map[string]taints.Changes{
		"nothing":         {},
		"the first":       {Add: node[:1]},
		"the last":        {Add: node[3:]},
		"all":             {Add: node},
		"in another way":  {Add: test.Taints("c:NoExecute", "a=x:NoSchedule")},
		"gone":            {Remove: reference.IDs(test.Taints("a:NoExecute")), RemoveKeys: []string{"d"}},
		"there and gone":  {Add: node[1:3], RemoveKeys: []string{"d"}},
		"taken and added": {Add: node, Remove: reference.IDs(node[1:]), RemoveKeys: []string{"a"}},
	} {
		if n := testing.AllocsPerRun(100, func() {
			_, applied := c.Apply(node)
			if _, ensured := c.Ensure(node); applied || ensured {
				t.Errorf("%s: changed", name)
			}
			if !taints.Reconcile(node, node, node).IsZero() || !taints.ReconcileOwned(node, c.Remove, node).IsZero() {
				t.Errorf("%s: not reconciled", name)
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

var parsed = test.Tolerations("node.kubernetes.io/memory-pressure op=Exists")

func mustBe(want, got error) {
	if got != want {
		panic(got)
	}
}
