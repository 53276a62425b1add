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
	watch("gpu-1", []taints.Taint{taints.MustParseTaint("nvidia.com/gpu:NoSchedule")})
	watch("gpu-2", []taints.Taint{taints.MustParseTaint("nvidia.com/gpu:NoExecute")})

	pod := taints.Compile([]taints.Toleration{taints.MustParseToleration("nvidia.com/gpu:NoSchedule op=Exists")})
	mu.RLock()
	defer mu.RUnlock()
	for name := range nodes.Feasible(pod) {
		fmt.Println(name)
	}
	// Unordered output:
	// cpu-1
	// gpu-1
}
