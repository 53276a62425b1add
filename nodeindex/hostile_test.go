// SPDX-License-Identifier: Apache-2.0

package nodeindex

import (
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-0529bac1/taints"
)

// A scene is input that a malicious user may give to a scheduler: the taints of
// the nodes, in the order in which the nodes are added, and a pod's tolerations.
type scene struct {
	name  string
	nodes [][]taints.Taint
	pod   *taints.Matcher
}

// hostileScenes returns scenes of about n nodes.
func hostileScenes(n int) []scene {
	pod := func(n int, toleration func(i string) taints.Toleration) *taints.Matcher {
		return taints.Compile(times(n, func(i int) taints.Toleration { return toleration(strconv.Itoa(i)) }))
	}
	few, some := max(1, n/100), n/20
	tenants := times(n, own)
	numbers := times(n, func(i int) []taints.Taint { return []taints.Taint{hard("score", strconv.Itoa(n-i))} })

	// All subsets of taints that the pod tolerates, each with one that it does not.
	subsets := times(1<<(bits.Len(uint(n))-1), func(i int) []taints.Taint {
		list := []taints.Taint{hard("old", "")}
		for b := range bits.Len(uint(i)) {
			if i>>b&1 == 1 {
				list = append(list, hard("k"+strconv.Itoa(b), ""))
			}
		}
		return list
	})

	// Lists in which the pod tolerates all taints except the last.
	shared := times(39, func(i int) taints.Taint { return hard("shared-"+strconv.Itoa(i), "") })
	long := times(max(1, n/10), func(i int) []taints.Taint {
		return append(slices.Clone(shared), hard("own", strconv.Itoa(i)))
	})

	return []scene{
		{"no tolerations", tenants, nil},
		{"everything", tenants, compile("op=Exists")},
		{"all of one key, one by one", tenants, pod(few, func(i string) taints.Toleration {
			return taints.Toleration{Key: "tenant", Value: i}
		})},
		{"all but the last taint", long, pod(39, func(i string) taints.Toleration { return exists("shared-" + i) })},
		{"a part of the numbers", numbers, compile("score=" + strconv.Itoa(some) + " op=Lt")},
		{"the numbers many times", numbers, pod(few, func(i string) taints.Toleration {
			return taints.Toleration{Key: "score", Operator: taints.OpGt, Value: i}
		})},
		{"subsets below an old taint", subsets, pod(bits.Len(uint(n)), func(i string) taints.Toleration { return exists("k" + i) })},
		{"no key", tenants, taints.Compile([]taints.Toleration{{Value: "7"}})},
		{"tolerations that match nothing", tenants, pod(n, func(string) taints.Toleration {
			return taints.Toleration{Key: "tenant", Operator: "In"}
		})},
		{"tolerations of long keys", tenants, pod(some, func(i string) taints.Toleration {
			return exists(strings.Repeat("k", 65_536) + i)
		})},
		{"soft taints of their own", times(n, func(i int) []taints.Taint {
			return []taints.Taint{soft("deletion", strconv.Itoa(i))}
		}), compile("gpu op=Exists")},
	}
}
