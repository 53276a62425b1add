// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"time"

	"github.com/seed-0529bac1/taints"
)

// A drain: the node is tainted for maintenance, and each pod gets the time that
// it asked for.
func ExampleEvictionOf() {
	node := []taints.Taint{taints.MustParseTaint("maintenance:NoExecute")}
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for _, pod := range []struct {
		name        string
		tolerations []taints.Toleration
	}{
		{"web", nil},
		{
			"database",
			[]taints.Toleration{taints.MustParseToleration("maintenance:NoExecute op=Exists for 3600s")},
		},
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

// A controller that restarts does not give everybody their full time again: it
// counts from when the taint came.
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

// A pod came to a node that had long been tainted. It has its full time there, as
// the controller counts from when the pod came: otherwise it would be evicted at
// once, as often as it is placed there.
func ExampleEvictionPolicy_EvictionOf_arrival() {
	arrived := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	added := arrived.Add(-24 * time.Hour)
	node := []taints.Taint{{Key: "maintenance", Effect: taints.NoExecute, TimeAdded: &added}}
	pod := []taints.Toleration{taints.MustParseToleration("maintenance:NoExecute op=Exists for 600s")}

	policy := taints.EvictionPolicy{FromTimeAdded: true, Arrival: arrived}
	later := arrived.Add(time.Minute) // whenever the controller looks
	fmt.Println(policy.EvictionOf(node, pod, later).At.Format(time.TimeOnly))
	// Output: 12:10:00
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
	for _, selection := range []taints.Selection{
		taints.FirstMatch,
		taints.LongestMatch,
		taints.ShortestMatch,
		taints.ForeverElseShortest,
	} {
		i, _ := taints.EvictionPolicy{Select: selection}.Choose(degraded, tolerations)
		fmt.Println(selection, tolerations[i])
	}
	// Output:
	// FirstMatch degraded:NoExecute op=Exists for 60s
	// LongestMatch degraded:NoExecute op=Exists
	// ShortestMatch degraded:NoExecute op=Exists for 10s
	// ForeverElseShortest degraded:NoExecute op=Exists
}

// An agent compiles each pod once, and asks again whenever the node's taints change.
func ExampleMatcher_EvictionOf() {
	pod := taints.Compile(taints.AddDefaults(nil, taints.DefaultSeconds{}))
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for _, spec := range []string{
		"spot:NoSchedule",
		"node.kubernetes.io/unreachable:NoExecute",
		"maintenance:NoExecute",
	} {
		fmt.Println(spec, pod.EvictionOf([]taints.Taint{taints.MustParseTaint(spec)}, now))
	}
	// Output:
	// spot:NoSchedule stays
	// node.kubernetes.io/unreachable:NoExecute evicts at 2026-11-21T12:05:00Z, after 300s
	// maintenance:NoExecute evicts now
}

// Two teams have each put a time into a pod; the cluster's policy is that the
// longest counts.
func ExampleMatcher_Choose() {
	tolerations := []taints.Toleration{
		taints.MustParseToleration("maintenance:NoExecute op=Exists for 60s"),
		taints.MustParseToleration("maintenance:NoExecute op=Exists for 600s"),
	}
	pod := taints.EvictionPolicy{Select: taints.LongestMatch}.Compile(tolerations)
	fmt.Println(pod.Choose(taints.MustParseTaint("maintenance:NoExecute")))
	// Output: 1 true
}

// A controller keeps what it has decided in a status.
func ExampleEviction() {
	node := []taints.Taint{taints.MustParseTaint("maintenance:NoExecute")}
	pod := []taints.Toleration{taints.MustParseToleration("maintenance:NoExecute op=Exists for 600s")}
	e := taints.EvictionOf(node, pod, time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC))
	status, err := json.Marshal(e)
	fmt.Println(string(status), err)
	// Output: {"outcome":"EvictsAt","tolerated":true,"at":"2026-11-21T12:10:00Z","from":"2026-11-21T12:00:00Z","seconds":600} <nil>
}

// What to do with a pod follows from the outcome alone.
func ExampleOutcome() {
	node := []taints.Taint{taints.MustParseTaint("maintenance:NoExecute")}
	switch outcome := taints.EvictionOf(node, nil, time.Now()).Outcome; outcome {
	case taints.Stays:
		fmt.Println("nothing to do")
	case taints.EvictsAt:
		fmt.Println("set a timer")
	case taints.EvictsNow:
		fmt.Println(outcome, "means: delete it")
	}
	// Output: EvictsNow means: delete it
}

// A flag of a command names the rule.
func ExampleSelection() {
	var rule taints.Selection
	flags := flag.NewFlagSet("drain", flag.ContinueOnError)
	flags.TextVar(&rule, "select", taints.FirstMatch, "which toleration counts")
	fmt.Println(flags.Parse([]string{"-select", "ShortestMatch"}), rule)

	fmt.Println(rule.UnmarshalText([]byte("shortest")))
	// Output:
	// <nil> ShortestMatch
	// parse "shortest" at offset 0: "shortest" is not supported: must be one of FirstMatch, LongestMatch, ShortestMatch, ForeverElseShortest
}

// A cluster of clusters lets a workload leave a member that is cordoned.
func ExampleEvictionPolicy() {
	members := taints.EvictionPolicy{Effects: taints.Hard}
	cordoned := []taints.Taint{taints.MustParseTaint("cordoned:NoSchedule")}
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	fmt.Println(members.EvictionOf(cordoned, nil, now))
	fmt.Println(taints.EvictionOf(cordoned, nil, now)) // a pod on a node
	// Output:
	// evicts now
	// stays
}
