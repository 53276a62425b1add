// SPDX-License-Identifier: Apache-2.0

package shrink_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/seed-0529bac1/taints/internal/shrink"
)

// Maps and lists move to less room exactly when there was room for more than
// eight entries and fewer than a quarter of that are left. So they add a
// constant to the time of each deletion.
func TestRoomIsGivenBack(t *testing.T) {
	moves := func(room, left int) bool { return room > 8 && left < room/4 }
	address := func(m map[int]int) uintptr { return reflect.ValueOf(m).Pointer() }
	for n := range 130 {
		var m shrink.Map[int, int]
		list, want := make([]int, n), make([]int, n)
		for i := range n {
			m.Set(i, i)
			list[i], want[i] = i, i
		}
		most, room := n, n
		for left := n - 1; left >= 0; left-- {
			before := m.Entries
			m.Delete(left)
			if moved := address(m.Entries) != address(before); moved != moves(most, left) {
				t.Fatalf("a map for %d with %d left is another: %v", most, left, moved)
			}
			if moves(most, left) {
				most = left
			}
			if m.Room() != most || len(m.Entries) != left {
				t.Fatalf("a map for %d with %d entries, want %d with %d", m.Room(), len(m.Entries), most, left)
			}
			if list = shrink.Last(list); moves(room, left) {
				room = 2 * left
			}
			if cap(list) != room || !slices.Equal(list, want[:left]) {
				t.Fatalf("%v with room for %d, want %v with %d", list, cap(list), want[:left], room)
			}
		}
	}
}

// At moves the last element, calls moved with it, and clears the freed slot.
func TestAt(t *testing.T) {
	for _, place := range []func(n int) int{
		func(int) int { return 0 },
		func(n int) int { return n / 2 },
		func(n int) int { return n - 1 },
	} {
		list := make([]*int, 1024)
		for i := range list {
			list[i] = new(int)
		}
		want, whole := slices.Clone(list), list
		for len(list) > 0 {
			i, last, calls := place(len(list)), len(want)-1, 0
			want[i] = want[last]
			want = want[:last]
			list = shrink.At(list, i, func(moved *int) {
				if calls++; moved != want[:last+1][last] {
					t.Fatal("another element is announced")
				}
			})
			if calls != 1 || !slices.Equal(list, want) {
				t.Fatalf("the list of %d is another, after %d calls", len(list), calls)
			}
			if cap(list) > max(shrink.Few, shrink.Sparse*(len(list)+1)) {
				t.Fatalf("room for %d, with %d elements", cap(list), len(list))
			}
			if len(list) < cap(list) && list[:len(list)+1][len(list)] != nil {
				t.Fatal("a forgotten slot keeps its element")
			}
		}
		if whole[1023] != nil {
			t.Error("the first list keeps its last element")
		}
	}
}
