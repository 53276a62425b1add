// SPDX-License-Identifier: Apache-2.0

package nodeindex_test

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-0529bac1/taints/nodeindex"
)

func TestAppendScores(t *testing.T) {
	for _, tc := range []struct {
		name   string
		counts []int
		max    int64
		want   []int64
	}{
		{"no nodes", nil, 100, nil},
		{"no taints", []int{0, 0}, 100, []int64{100, 100}},
		{"some", []int{0, 1, 2, 3}, 100, []int64{100, 67, 34, 0}},
		{"all alike", []int{2, 2}, 100, []int64{0, 0}},
		{"out of 10", []int{0, 1, 2, 3}, 10, []int64{10, 7, 4, 0}},
		{"negative counts are none", []int{-5, 0, 2}, 100, []int64{100, 100, 0}},
		{"only negative counts", []int{-5, -1}, 100, []int64{100, 100}},
		{"out of 0", []int{0, 7}, 0, []int64{0, 0}},
		{"the largest product", []int{0, 1, 2, 3}, math.MaxInt64 / 3, []int64{math.MaxInt64 / 3, 2049638230412172402, 1024819115206086201, 0}},
		{"a negative maximum mirrors", []int{0, 1, 2}, -100, []int64{-100, -50, 0}},
		{"the maximum -1", []int{0, 1, 2}, -1, []int64{-1, -1, 0}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, nodeindex.AppendScores(nil, tc.counts, tc.max)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	t.Run("appends", func(t *testing.T) {
		buf := make([]int64, 1, 8)
		got := nodeindex.AppendScores(buf, []int{1, 0}, 100)
		if !slices.Equal(got, []int64{0, 0, 100}) || &got[0] != &buf[0] {
			t.Errorf("got %v", got)
		}
	})
}
