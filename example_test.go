// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"fmt"

	"github.com/seed-0529bac1/taints"
)

// A scheduler keeps a node pool for one team and asks which nodes a pod may use.
func Example() {
	nodes := []struct {
		name   string
		taints []taints.Taint
	}{
		{"general-1", nil},
		{"ml-1", []taints.Taint{taints.MustParseTaint("dedicated=ml:NoSchedule")}},
		{"spot-1", []taints.Taint{taints.MustParseTaint("spot:PreferNoSchedule")}},
	}
	for _, pod := range []struct {
		name        string
		tolerations []taints.Toleration
	}{
		{"web", nil},
		{
			"train",
			[]taints.Toleration{{Key: "dedicated", Value: "ml", Effect: taints.NoSchedule}},
		},
	} {
		m := taints.Compile(pod.tolerations)
		for _, node := range nodes {
			v := m.Filter(node.taints)
			fmt.Printf("%-5s on %-9s schedulable %-5v avoid %v\n", pod.name, node.name, v.Schedulable(), v.Avoid())
		}
	}
	// Output:
	// web   on general-1 schedulable true  avoid false
	// web   on ml-1      schedulable false avoid false
	// web   on spot-1    schedulable true  avoid true
	// train on general-1 schedulable true  avoid false
	// train on ml-1      schedulable true  avoid false
	// train on spot-1    schedulable true  avoid true
}
