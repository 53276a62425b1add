// SPDX-License-Identifier: Apache-2.0

package nodeindex_test

import (
	"fmt"
	"sync"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/nodeindex"
)

// A scheduler whose nodes change while it queries them needs a lock.
func ExampleIndex() {
	var (
		mu    sync.RWMutex
		nodes nodeindex.Index[string]
	)
	watch := func(name string, list []taints.Taint) { // in the goroutine of an informer
		mu.Lock()
		defer mu.Unlock()
		nodes.Set(name, list)
	}
	watch("cpu-1", nil)
	watch("gpu-1", []taints.Taint{taints.Must(taints.ParseTaint("nvidia.com/gpu:NoSchedule"))})
	watch("gpu-2", []taints.Taint{taints.Must(taints.ParseTaint("nvidia.com/gpu:NoExecute"))})

	pod := taints.Compile([]taints.Toleration{taints.Must(taints.ParseToleration("nvidia.com/gpu:NoSchedule op=Exists"))})
	mu.RLock()
	defer mu.RUnlock()
	for name := range nodes.Feasible(pod) {
		fmt.Println(name)
	}
	// Unordered output:
	// cpu-1
	// gpu-1
}

// A spot pool is for pods that tolerate it. PreferNoSchedule makes other pods
// use other nodes while those have room.
func ExampleAppendScores() {
	spot := taints.Must(taints.ParseTaint("spot:PreferNoSchedule"))
	nodes := [][]taints.Taint{nil, {spot}, {spot, taints.Must(taints.ParseTaint("old-kernel:PreferNoSchedule"))}}
	for _, pod := range [][]taints.Toleration{nil, {taints.Must(taints.ParseToleration("spot op=Exists"))}} {
		m := taints.Compile(pod)
		var counts []int
		for _, node := range nodes {
			counts = append(counts, m.Filter(node).PreferNoSchedule)
		}
		fmt.Println(counts, nodeindex.AppendScores(nil, counts, 100))
	}
	// Output:
	// [0 1 2] [100 50 0]
	// [0 0 1] [100 100 0]
}
