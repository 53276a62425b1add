// SPDX-License-Identifier: Apache-2.0

package lists

import (
	"fmt"
	"slices"
	"testing"
)

func TestLists(t *testing.T) {
	words := []string{"b", "aa", "c", "", "dd"}
	lengths := Each(words, func(s string) int { return len(s) })
	groups := Grouped(words, func(s string) int { return len(s) })
	if got := fmt.Sprint(lengths, groups); got != "[1 2 1 0 2] [[b c] [aa dd] []]" {
		t.Error(got)
	}
	bools := []bool{true, false, true, false}
	if slices.SortFunc(bools, CompareBools); !slices.Equal(bools, []bool{false, false, true, true}) {
		t.Error(bools)
	}
}
