// SPDX-License-Identifier: Apache-2.0

package main

import "testing"

func BenchmarkRows(b *testing.B) {
	for _, row := range rows() {
		for _, ours := range []bool{true, false} {
			name := "ours"
			if !ours {
				name = row.Beside
			}
			b.Run(row.Name+"/"+name, func(b *testing.B) {
				do := row.Side(ours)()
				b.ReportAllocs()
				b.ResetTimer()
				do(b.N)
			})
		}
	}
}
