// SPDX-License-Identifier: Apache-2.0

//go:build !otherkubernetes && !staging

package conformance

import (
	"testing"

	"github.com/seed-0529bac1/taints/conformance/internal/work"
	"github.com/seed-0529bac1/taints/internal/measure"
)

// BenchmarkWork does each piece of work both ways in one run.
func BenchmarkWork(b *testing.B) {
	for _, row := range work.Rows() {
		for _, side := range []struct {
			name string
			make measure.Side
		}{{"ours", row.Ours}, {row.Beside, row.Other}} {
			b.Run(row.Name+"/"+side.name, func(b *testing.B) {
				do := side.make()
				b.ReportAllocs()
				for b.Loop() {
					do(1)
				}
			})
		}
	}
}
