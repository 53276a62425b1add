// SPDX-License-Identifier: Apache-2.0

package nodeindex

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints"
)

// BenchmarkQueries queries an index in which every second node has the taint of
// a tenant. The number of tenants is lists.
func BenchmarkQueries(b *testing.B) {
	for _, lists := range []int{20, 10_000} {
		var x Index[int]
		for i := range 100_000 {
			x.Set(i, nil)
			if i%2 > 0 {
				x.Set(i, own(i/2%lists))
			}
		}
		var found []int
		for _, pod := range []string{"", "tenant=1:NoSchedule", "op=Exists"} {
			m := compile(strings.Fields(pod)...)
			for name, query := range map[string]func(){
				"CountFeasible":  func() { x.CountFeasible(m) },
				"AppendFeasible": func() { found = x.AppendFeasible(found[:0], m) },
				"Feasible":       func() { x.Feasible(m)(func(int) bool { return true }) },
				"Verdicts":       func() { x.Verdicts(m)(func(int, taints.Verdict) bool { return true }) },
			} {
				b.Run(fmt.Sprintf("lists=%d/pod=%s/%s", lists, pod, name), func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						query()
					}
				})
			}
		}
	}
}
