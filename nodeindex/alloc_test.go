// SPDX-License-Identifier: Apache-2.0

package nodeindex

import (
	"testing"

	"github.com/seed-0529bac1/taints"
)

// No query for a typical pod allocates, nor does a Set that changes nothing, or
// one that moves a node between groups with room.
func TestAllocs(t *testing.T) {
	counts, scores := []int{0, 1, 2}, make([]int64, 0, 3)
	for _, tenants := range []int{3, 1000} {
		var x Index[int]
		for i := range 5_000 {
			x.Set(i, [][]taints.Taint{own(i % tenants), nil}[i%2])
		}
		pod, all := compile("tenant=1:NoSchedule", "gpu op=Exists", "score=3 op=Lt"), compile("op=Exists")
		list, sink, same, other := make([]int, 0, 5_000), 0, own(0), own(2)
		for name, query := range map[string]func(){
			"Set":              func() { x.Set(1, same) },
			"Set of another":   func() { x.Set(1, other); x.Set(1, same) },
			"CountFeasible":    func() { sink += x.CountFeasible(pod) },
			"AppendFeasible":   func() { list = x.AppendFeasible(list[:0], pod) },
			"of all":           func() { list = x.AppendFeasible(list[:0], all) },
			"Feasible":         func() { x.Feasible(pod)(func(n int) bool { sink += n; return true }) },
			"FeasibleVerdicts": func() { x.FeasibleVerdicts(pod)(func(n int, _ taints.Verdict) bool { sink += n; return true }) },
			"AppendScores":     func() { AppendScores(scores, counts, 100) },
			"Groups":           func() { x.Groups()(func(_ []taints.Taint, n int) bool { sink += n; return true }) },
		} {
			if n := testing.AllocsPerRun(20, query); n > 0 {
				t.Errorf("%s among %d tenants: %v allocations", name, tenants, n)
			}
		}
	}
}
