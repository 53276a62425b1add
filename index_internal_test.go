package taints

import (
	"fmt"
	"testing"
)

// BenchmarkBranches sets manyBranches: up to where a loop over the branches is no slower than a look into the map.
func BenchmarkBranches(b *testing.B) {
	for _, n := range []int{1, 2, 4, 8, 12, 16, 32} {
		list := branches[int]{}
		for range n {
			list.list = append(list.list, &group[int]{last: new(distinctTaint)})
		}
		table := branches[int]{list: list.list, at: make(map[*distinctTaint]int)}
		for i, g := range table.list {
			table.at[g.last] = i
		}
		for name, branches := range map[string]*branches[int]{"loop": &list, "map": &table} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				i := 0
				for b.Loop() {
					i++
					branches.find(list.list[i%n].last)
				}
			})
		}
	}
}
