// SPDX-License-Identifier: Apache-2.0

package lifecycle_test

import (
	"strings"
	"testing"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/lifecycle"
)

func TestAllocs(t *testing.T) {
	newest := lifecycle.Queue[int]{NewestWins: true}
	var keep lifecycle.Queue[int]
	for i := range 100 {
		newest.Update(i, evicted(int64(i%10)+1, noon))
		keep.Update(i, evicted(int64(i%10)+1, noon))
	}
	policy, zones, rates := lifecycle.DefaultDisruptionPolicy(),
		[]lifecycle.Zone{{Ready: 1, NotReady: 3}, {NotReady: 5}}, make([]float64, 0, 2)
	soon := []taints.Eviction{evicted(7, noon), evicted(9, noon)}
	again, now := evicted(7, noon.Add(time.Second)), taints.Eviction{Outcome: taints.EvictsNow, At: noon}
	failed := stateOf("Ready=Unknown DiskPressure=True PIDPressure=False")
	rules := lifecycle.DefaultConditionRules()
	tainted := rules.Taints(failed)
	sink := 0
	for name, f := range map[string]func(){
		"Update, moving": func() {
			sink++
			newest.Update(3, soon[sink%2])
		},
		"Update, canceling and scheduling": func() { newest.Update(4, taints.Eviction{}); newest.Update(4, now) },
		"Update, keeping a timer":          func() { keep.Update(3, again) },
		"Delete, and Update, scheduling":   func() { keep.Delete(4); keep.Update(4, now) },
		"Update, scheduling, and PopDue": func() {
			newest.Update(5, taints.Eviction{Outcome: taints.EvictsNow, At: noon.Add(-time.Hour)})
			newest.PopDue(noon.Add(-time.Minute))(func(pod int, _ time.Time) bool { sink += pod; return true })
		},
		"All":         func() { keep.All()(func(pod int, _ time.Time) bool { sink += pod; return true }) },
		"Next":        func() { newest.Next() },
		"Due":         func() { newest.Due(7) },
		"AppendRates": func() { policy.AppendRates(rates, zones) },
		"Reconcile, a healthy node": func() {
			rules.Reconcile(nil, lifecycle.NodeState{Conditions: failed.Conditions[2:]}, noon)
		},
		"Reconcile, nothing to do": func() { rules.Reconcile(tainted, failed, noon) },
	} {
		want := 0.0
		if strings.Contains(name, "scheduling") {
			want = 1
		}
		if n := testing.AllocsPerRun(100, f); n != want {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
