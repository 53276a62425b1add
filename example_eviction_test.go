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

// A node controller sleeps until the pod has to leave.
func ExampleEviction_Wait() {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	node := []taints.Taint{taints.MustParseTaint("maintenance:NoExecute")}
	pod := []taints.Toleration{taints.MustParseToleration("maintenance:NoExecute op=Exists for 600s")}

	e := taints.EvictionOf(node, pod, now)
	fmt.Println(e.Wait(now.Add(4 * time.Minute)))
	fmt.Println(e.Wait(now.Add(time.Hour)))
	fmt.Println(taints.EvictionOf(nil, pod, now).Wait(now))
	// Output:
	// 6m0s true
	// 0s true
	// 0s false
}

// A cluster of clusters lets workloads leave a failed member for NoSchedule taints
// too, and gives each the longest time that any of its tolerations asks for.
func ExampleEvictionPolicy_Compile() {
	policy := taints.EvictionPolicy{Select: taints.LongestMatch, Effects: taints.Hard}
	workload := policy.Compile([]taints.Toleration{
		taints.MustParseToleration("cluster-unreachable op=Exists"),
		taints.MustParseToleration(":NoExecute op=Exists for 30s"),
	})
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	fmt.Println(workload.EvictionOf([]taints.Taint{taints.MustParseTaint("cluster-unreachable:NoExecute")}, now))
	fmt.Println(workload.EvictionOf([]taints.Taint{taints.MustParseTaint("cordoned:NoSchedule")}, now))
	fmt.Println(workload.EvictionOf([]taints.Taint{taints.MustParseTaint("draining:NoExecute")}, now))
	// Output:
	// stays
	// evicts now
	// evicts at 2026-11-21T12:00:30Z, after 30s
}

// Which of several tolerations counts for a taint of any effect.
func ExampleEvictionPolicy_Choose() {
	tolerations := []taints.Toleration{
		taints.MustParseToleration("degraded:NoExecute op=Exists for 60s"),
		taints.MustParseToleration("degraded:NoExecute op=Exists"),
		taints.MustParseToleration("degraded:NoExecute op=Exists for 10s"),
	}
	degraded := taints.MustParseTaint("degraded:NoExecute")
	for _, selection := range []taints.Selection{taints.FirstMatch, taints.LongestMatch, taints.ShortestMatch, taints.ForeverElseShortest} {
		i, _ := taints.EvictionPolicy{Select: selection}.Choose(degraded, tolerations)
		fmt.Println(selection, tolerations[i])
	}
	// Output:
	// FirstMatch degraded:NoExecute op=Exists for 60s
	// LongestMatch degraded:NoExecute op=Exists
	// ShortestMatch degraded:NoExecute op=Exists for 10s
	// ForeverElseShortest degraded:NoExecute op=Exists
}
