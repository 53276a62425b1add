package taints_test

import (
	"fmt"
	"time"

	"github.com/seed-0529bac1/taints"
)

// A drain: the node is tainted for maintenance, and each pod gets the time that it asked for.
func ExampleEvict() {
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
			fmt.Println(pod.name, "leaves in", e.At.Sub(now), "by its", pod.tolerations[e.Toleration])
		case taints.EvictsNow:
			fmt.Println(pod.name, "leaves now, because of", node[e.Taint])
		}
	}
	// Output:
	// web leaves now, because of maintenance:NoExecute
	// database leaves in 1h0m0s by its maintenance:NoExecute op=Exists for 3600s
	// agent stays
}

// A controller that restarts does not give everybody their full time again: it counts from when the taint came.
func ExampleEvictionPolicy_Evict() {
	came := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	node := []taints.Taint{{Key: taints.NodeUnreachable, Effect: taints.NoExecute, TimeAdded: &came}}
	pod := taints.Compile(taints.AddDefaults(nil, taints.DefaultSeconds{}))

	restarted := came.Add(4 * time.Minute)
	for _, policy := range []taints.EvictionPolicy{{}, {FromTimeAdded: true}} {
		fmt.Println(policy.Evict(pod, node, restarted).At.Format(time.TimeOnly))
	}
	// Output:
	// 12:09:00
	// 12:05:00
}

// A controller holds what is due in a queue: it sleeps until the next deadline and evicts what is due then.
func ExampleEvictionQueue() {
	var queue taints.EvictionQueue[string]
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	node := []taints.Taint{{Key: taints.NodeUnreachable, Effect: taints.NoExecute, TimeAdded: &now}}
	pods := map[string][]taints.Toleration{
		"web":      taints.AddDefaults(nil, taints.DefaultSeconds{}),
		"database": {taints.MustParseToleration(taints.NodeUnreachable + ":NoExecute op=Exists for 30s")},
		"agent":    taints.AddDaemonSetDefaults(nil, false),
	}
	look := func(pod string, node []taints.Taint) {
		policy := taints.EvictionPolicy{FromTimeAdded: true}
		fmt.Println(pod, queue.Update(pod, policy.Evict(taints.Compile(pods[pod]), node, now)))
	}
	for _, pod := range []string{"web", "database", "agent"} {
		look(pod, node)
	}
	next, _ := queue.Next()
	fmt.Println("sleep", next.Sub(now))

	now = next
	for pod := range queue.PopDue(now) {
		fmt.Println("evict", pod)
	}
	look("web", nil) // the node is back in time
	// Output:
	// web Scheduled
	// database Scheduled
	// agent Unchanged
	// sleep 30s
	// evict database
	// web Cancelled
}

// A zone is cut off, and then all are: the first says something of the zone, the second of the controller.
func ExampleDisruptionPolicy_Rates() {
	policy := taints.DefaultDisruptionPolicy()
	for _, zones := range [][]taints.Zone{
		{{Ready: 100, NotReady: 1}, {Ready: 90, NotReady: 10}},
		{{Ready: 100, NotReady: 1}, {Ready: 30, NotReady: 70}},
		{{Ready: 0, NotReady: 101}, {Ready: 0, NotReady: 100}},
	} {
		fmt.Println(policy.State(zones[0]), policy.State(zones[1]), policy.Rates(nil, zones), taints.FullyDisrupted(zones))
	}
	// Output:
	// ZoneNormal ZoneNormal [0.1 0.1] false
	// ZoneNormal ZonePartial [0.1 0.01] false
	// ZoneFull ZoneFull [0 0] true
}
