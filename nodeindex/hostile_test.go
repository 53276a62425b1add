// SPDX-License-Identifier: Apache-2.0

package nodeindex

import (
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-0529bac1/taints"
)

// A scene is what somebody may put into a scheduler who means ill: the taints of
// the nodes, in the order in which they come, and a pod's tolerations.
type scene struct {
	name  string
	nodes [][]taints.Taint
	pod   *taints.Matcher
}

// hostileScenes returns scenes of about so many nodes.
func hostileScenes(n int) []scene {
	nodes := func(taint func(i int) taints.Taint) [][]taints.Taint {
		return times(n, func(i int) []taints.Taint { return []taints.Taint{taint(i)} })
	}
	pod := func(n int, toleration func(i string) taints.Toleration) *taints.Matcher {
		return taints.Compile(times(n, func(i int) taints.Toleration { return toleration(strconv.Itoa(i)) }))
	}
	few, some := max(1, n/100), n/20
	tenants, numbers := times(n, own), nodes(func(i int) taints.Taint { return hard("score", strconv.Itoa(n-i)) })
	keyed := nodes(func(i int) taints.Taint { return hard("key-"+strconv.Itoa(i)+"-z", strconv.Itoa(i)) })

	// All subsets of taints that the pod tolerates, beside one that it does not.
	subsets := 1 << (bits.Len(uint(n)) - 1)
	subset := func(i int) (list []taints.Taint) {
		for b := range bits.Len(uint(i)) {
			if i>>b&1 == 1 {
				list = append(list, hard("k"+strconv.Itoa(b), ""))
			}
		}
		return list
	}
	subsetPod := pod(bits.Len(uint(n)), func(i string) taints.Toleration { return exists("k" + i) })

	// Lists of which the pod tolerates all but the last taint, or that one too.
	shared := times(39, func(i int) taints.Taint { return hard("shared-"+strconv.Itoa(i), "") })
	long := times(max(1, n/10), func(i int) []taints.Taint {
		return append(slices.Clone(shared), hard("own", strconv.Itoa(i)))
	})
	tolerated := times(39, func(i int) taints.Toleration { return exists("shared-" + strconv.Itoa(i)) })

	return []scene{
		{"no tolerations", tenants, nil},
		{"everything", tenants, compile("op=Exists")},
		{"all of one key", tenants, compile("tenant op=Exists")},
		{
			"all of one key, in another effect",
			nodes(func(i int) taints.Taint {
				return taints.Taint{Key: "tenant", Value: strconv.Itoa(i), Effect: taints.NoExecute}
			}),
			pod(few, func(string) taints.Toleration {
				return taints.Toleration{Key: "tenant", Operator: taints.OpExists, Effect: taints.NoSchedule}
			}),
		},
		{"all of one key, one by one", tenants, pod(few, func(i string) taints.Toleration {
			return taints.Toleration{Key: "tenant", Value: i}
		})},
		{"all but the last taint", long, taints.Compile(tolerated)},
		{"all taints of long lists", long, taints.Compile(tolerated, []taints.Toleration{exists("own")})},
		{"a part of the numbers", numbers, compile("score=" + strconv.Itoa(some) + " op=Lt")},
		{"the numbers many times", numbers, pod(few, func(i string) taints.Toleration {
			return taints.Toleration{Key: "score", Operator: taints.OpGt, Value: i}
		})},
		{"numbers that nobody has", numbers, pod(few, func(i string) taints.Toleration {
			return taints.Toleration{Key: "score", Operator: taints.OpLt, Value: "-" + i}
		})},
		{"subsets below an old taint", times(subsets, func(i int) []taints.Taint {
			return append([]taints.Taint{hard("old", "")}, subset(i)...)
		}), subsetPod},
		{"subsets below a new taint", times(subsets, func(i int) []taints.Taint {
			return append(subset(i), hard("new", ""))
		}), subsetPod},
		{"no key", tenants, taints.Compile([]taints.Toleration{{Value: "7"}})},
		{"a wildcard", tenants, taints.Options{KeyWildcards: true}.Compile([]taints.Toleration{
			exists("ten*"), exists("gpu"),
		})},
		{"tolerations that match nothing", tenants, pod(n, func(string) taints.Toleration {
			return taints.Toleration{Key: "tenant", Operator: "In"}
		})},
		{"tolerations of other keys", tenants, pod(few, func(i string) taints.Toleration { return exists("other-" + i) })},
		{"tolerations of long keys", keyed, pod(some, func(i string) taints.Toleration {
			return exists(strings.Repeat("k", 65_536) + i + "-of-another")
		})},
		{"tolerations of long values", keyed, pod(some, func(i string) taints.Toleration {
			return taints.Toleration{Key: "key-1-z", Value: strings.Repeat("v", 65_536) + i}
		})},
		{"soft taints of their own", nodes(func(i int) taints.Taint { return soft("deletion", strconv.Itoa(i)) }), compile("gpu op=Exists")},
	}
}
