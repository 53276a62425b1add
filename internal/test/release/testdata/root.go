package main

import (
	"fmt"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/explain"
	"github.com/seed-0529bac1/taints/lifecycle"
	"github.com/seed-0529bac1/taints/nodeindex"
	"github.com/seed-0529bac1/taints/tolerationset"
)

func main() {
	node := []taints.Taint{taints.Must(taints.ParseTaint("dedicated=ml:NoExecute"))}
	pod := []taints.Toleration{taints.Must(taints.ParseToleration("dedicated:NoExecute op=Exists for 300s"))}
	m := taints.Compile(pod)
	var nodes nodeindex.Index[string]
	nodes.Set("node", node)
	if nodes.CountFeasible(m) != 1 || !explain.Node(m, node).Schedulable() ||
		!tolerationset.Covers(pod[0], pod[0], taints.Options{}) {
		panic("the pod does not fit")
	}
	var q lifecycle.Queue[string]
	fmt.Println(taints.Filter(node, pod), q.Update("pod", taints.EvictionOf(node, pod, time.Unix(0, 0))))
}
