package taints_test

import (
	"fmt"
	"time"

	"github.com/seed-0529bac1/taints"
)

// A drain: the node is tainted for maintenance, and each pod gets the time that it asked for.
func ExampleEvictionOf() {
	node := []taints.Taint{taints.MustParseTaint("maintenance:NoExecute")}
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for _, pod := range []struct {
		name        string
		tolerations []taints.Toleration
	}{
		{"web", nil},
		{"database", []taints.Toleration{taints.MustParseToleration("maintenance:NoExecute op=Exists for 3600s")}},
		{"agent", []taints.Toleration{taints.MustParseToleration("op=Exists")}},
	} {
		e := taints.EvictionOf(node, pod.tolerations, now)
		switch e.Outcome {
		case taints.Stays:
			fmt.Println(pod.name, "stays")
		case taints.EvictsAt:
			i, _ := e.Toleration()
			fmt.Println(pod.name, "leaves in", e.At.Sub(now), "by its", pod.tolerations[i])
		case taints.EvictsNow:
			i, _ := e.Taint()
			fmt.Println(pod.name, "leaves now, because of", node[i])
		}
	}
	// Output:
	// web leaves now, because of maintenance:NoExecute
	// database leaves in 1h0m0s by its maintenance:NoExecute op=Exists for 3600s
	// agent stays
}

// A controller that restarts does not give everybody their full time again: it counts from when the taint came.
func ExampleEvictionPolicy_EvictionOf() {
	came := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	node := []taints.Taint{{Key: taints.NodeUnreachable, Effect: taints.NoExecute, TimeAdded: &came}}
	pod := taints.AddDefaults(nil, taints.DefaultSeconds{})

	restarted := came.Add(4 * time.Minute)
	for _, policy := range []taints.EvictionPolicy{{}, {FromTimeAdded: true}} {
		fmt.Println(policy.EvictionOf(node, pod, restarted).At.Format(time.TimeOnly))
	}
	// Output:
	// 12:09:00
	// 12:05:00
}
