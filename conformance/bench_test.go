package conformance

import (
	"testing"

	"github.com/seed-0529bac1/taints/conformance/internal/work"
)

// BenchmarkWork does each piece of work in both ways, in one run.
func BenchmarkWork(b *testing.B) {
	for _, row := range work.Rows() {
		for _, side := range []struct {
			name string
			do   func(n int)
		}{{"ours", row.Ours}, {"kubernetes", row.Kubernetes}} {
			b.Run(row.Name+"/"+side.name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					side.do(1)
				}
			})
		}
	}
}
