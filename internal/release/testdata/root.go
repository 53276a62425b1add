package main

import (
	"fmt"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/lifecycle"
)

func main() {
	node := []taints.Taint{taints.MustParseTaint("dedicated=ml:NoExecute")}
	pod := []taints.Toleration{taints.MustParseToleration("dedicated:NoExecute op=Exists for 300s")}
	var q lifecycle.Queue[string]
	fmt.Println(taints.Filter(node, pod), q.Update("pod", taints.EvictionOf(node, pod, time.Unix(0, 0))))
}
