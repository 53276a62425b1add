// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"fmt"
	"testing"

	"github.com/seed-0529bac1/taints"
)

// The queries that BenchmarkIndex does not have, over the same nodes.
func BenchmarkIndexQueries(b *testing.B) {
	for _, ways := range []int{20, 10_000} {
		x := indexOf(indexScene(100_000, ways))
		for _, pod := range []struct {
			name string
			m    *taints.Matcher
		}{
			{"nothing", nil},
			{"everything", taints.Compile(parseTolerations("op=Exists"))},
		} {
			name := fmt.Sprintf("/nodes=100000/ways=%d/pod=%s", ways, pod.name)
			b.Run("AppendFeasible"+name, func(b *testing.B) {
				b.ReportAllocs()
				var nodes []string
				for b.Loop() {
					nodes = x.AppendFeasible(nodes[:0], pod.m)
				}
			})
			b.Run("FeasibleVerdicts"+name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					for range x.FeasibleVerdicts(pod.m) {
					}
				}
			})
			b.Run("first of Feasible"+name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					for range x.Feasible(pod.m) {
						break
					}
				}
			})
			b.Run("Summarize"+name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					x.Summarize(pod.m)
				}
			})
		}
	}
}
