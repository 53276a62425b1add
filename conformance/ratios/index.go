// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/seed-0529bac1/taints/conformance/internal/table"
	"github.com/seed-0529bac1/taints/conformance/internal/work"
	"github.com/seed-0529bac1/taints/internal/measure"
)

// The clusters that -index measures. A plain loop over more than mostInLoop
// nodes is left out.
var (
	indexNodes = []int{1_000, 15_000, 100_000, 1_000_000}
	indexWays  = []int{1, 20, 500, 10_000}
)

const mostInLoop = 100_000

// writeIndex measures an Index over clusters of many sizes beside a loop over
// Kubernetes' helper, and writes two tables: of queries, and of updates and memory.
func writeIndex(w io.Writer, nodes, ways []int, repeats int, slice time.Duration) error {
	queries := [][]string{
		{"nodes", "taint sets", "pod tolerates", "feasible", "count", "list", "Kubernetes' loop", "count", "list"},
	}
	updates := [][]string{{"nodes", "taint sets", "Set, new taints", "Delete and Set", "memory per node"}}
	for _, n := range nodes {
		for _, sets := range ways {
			if sets > n*2/5 {
				continue
			}
			c := work.NewCluster(n, sets)
			queries = append(queries, indexQueries(c, n, sets, repeats, slice)...)
			updates = append(updates, indexUpdates(c, n, sets, repeats, slice))
		}
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s, Go %s\n\n", machine(), runtime.Version()[len("go"):])
	table.Write(&b, queries)
	b.WriteByte('\n')
	table.Write(&b, updates)
	_, err := w.Write(b.Bytes())
	return err
}

// indexQueries returns a line for each pod.
func indexQueries(c *work.Cluster, nodes, sets, repeats int, slice time.Duration) (lines [][]string) {
	for _, pod := range work.Pods() {
		m := pod.Compile()
		count := best(repeats, slice, func(n int) {
			for range n {
				c.Index.CountFeasible(m)
			}
		})
		list := best(repeats, slice, func(n int) {
			for range n {
				for range c.Index.Feasible(m) {
				}
			}
		})
		line := []string{
			fmt.Sprint(nodes), fmt.Sprint(sets), pod.Name, fmt.Sprint(c.Index.CountFeasible(m)),
			duration(count), duration(list), "", "", "",
		}
		if nodes <= mostInLoop {
			loop := best(repeats, slice, func(n int) {
				for range n {
					c.Feasible(pod, func(string) {})
				}
			})
			line[6], line[7], line[8] = duration(loop), times(loop/count), times(loop/list)
		}
		lines = append(lines, line)
	}
	return lines
}

// indexUpdates returns the line of a cluster, and lets go of its index.
func indexUpdates(c *work.Cluster, nodes, sets, repeats int, slice time.Duration) []string {
	i := 0
	step := func() int { // through all nodes, in no order
		i = (i + 7919) % nodes
		return i
	}
	set := best(repeats, slice, func(n int) {
		for range n {
			c.Set(step(), step())
		}
	})
	deleteAndSet := best(repeats, slice, func(n int) {
		for range n {
			node := step()
			c.Index.Delete(c.Names[node])
			c.Set(node, node)
		}
	})
	with := heap()
	c.Index = nil
	memory := with - heap()
	runtime.KeepAlive(c) // its nodes are not the index's
	return []string{
		fmt.Sprint(nodes), fmt.Sprint(sets), duration(set), duration(deleteAndSet),
		fmt.Sprintf("%d B", memory/int64(nodes)),
	}
}

// best returns the least time of one of the pieces of work that f does.
func best(repeats int, slice time.Duration, f func(n int)) float64 {
	m := measure.New(f, slice)
	least := m.Nanoseconds()
	for range repeats - 1 {
		least = min(least, m.Nanoseconds())
	}
	return least
}

// heap returns the size of what is alive.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
