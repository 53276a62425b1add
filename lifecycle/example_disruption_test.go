// SPDX-License-Identifier: Apache-2.0

package lifecycle_test

import (
	"encoding/json"
	"fmt"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/lifecycle"
)

// A zone is cut off, and then all are: the first says something of the zone, the
// second of the controller.
func ExampleDisruptionPolicy_Rates() {
	policy := lifecycle.DefaultDisruptionPolicy()
	for _, zones := range [][]lifecycle.Zone{
		{{Ready: 100, NotReady: 1}, {Ready: 90, NotReady: 10}},
		{{Ready: 100, NotReady: 1}, {Ready: 30, NotReady: 70}},
		{{Ready: 0, NotReady: 101}, {Ready: 0, NotReady: 100}},
	} {
		fmt.Println(policy.State(zones[0]), policy.State(zones[1]), policy.Rates(nil, zones),
			lifecycle.FullyDisrupted(zones))
	}
	// Output:
	// ZoneNormal ZoneNormal [0.1 0.1] false
	// ZoneNormal ZonePartial [0.1 0.01] false
	// ZoneFull ZoneFull [0 0] true
}

// A controller that keeps a rate limiter for each zone asks when a zone's state
// changes.
func ExampleDisruptionPolicy_RateOf() {
	policy := lifecycle.DefaultDisruptionPolicy()
	before := lifecycle.Zone{Ready: 98, NotReady: 2}
	after := lifecycle.Zone{Ready: 40, NotReady: 60}
	if state := policy.State(after); state != policy.State(before) {
		rate := policy.RateOf(state, after.Ready+after.NotReady)
		fmt.Printf("%v: a node every %.0f seconds\n", state, 1/rate)
	}
	// Output: ZonePartial: a node every 100 seconds
}

// Which zones evict is part of a status that a controller shows.
func ExampleDisruptionPolicy_State() {
	policy := lifecycle.DefaultDisruptionPolicy()
	status, err := json.Marshal(map[string]lifecycle.ZoneState{
		"east": policy.State(lifecycle.Zone{Ready: 12}),
		"west": policy.State(lifecycle.Zone{Ready: 2, NotReady: 10}),
	})
	fmt.Println(string(status), err)
	// Output: {"east":"ZoneNormal","west":"ZonePartial"} <nil>
}

// When no zone has a ready node, Kubernetes takes back the taints that it set.
func ExampleFullyDisrupted() {
	zones := []lifecycle.Zone{{NotReady: 3}, {NotReady: 5}}
	node := []taints.Taint{
		taints.MustParseTaint("node.kubernetes.io/unreachable:NoExecute"),
		taints.MustParseTaint("gpu:NoExecute"),
	}
	if lifecycle.FullyDisrupted(zones) {
		node, _ = taints.Changes{Remove: []taints.TaintID{
			{Key: taints.NodeNotReady, Effect: taints.NoExecute},
			{Key: taints.NodeUnreachable, Effect: taints.NoExecute},
		}}.Apply(node)
	}
	fmt.Println(node)
	// Output: [gpu:NoExecute]
}

// A controller's flags start from what the kube-controller-manager does.
func ExampleDefaultDisruptionPolicy() {
	policy := lifecycle.DefaultDisruptionPolicy()
	policy.LargeZone = 10 // a small cluster
	fmt.Println(policy.RateOf(lifecycle.ZonePartial, 20))
	// Output: 0.01
}

// An operator would rather wait than move pods when a third of a zone is gone.
func ExampleDisruptionPolicy() {
	careful := lifecycle.DisruptionPolicy{Threshold: 0.3, Rate: 0.1}
	fmt.Println(careful.Rates(nil, []lifecycle.Zone{{Ready: 19, NotReady: 1}, {Ready: 12, NotReady: 8}}))
	// Output: [0.1 0]
}

// A controller counts the nodes of each zone by their Ready condition.
func ExampleZone() {
	zones := map[string]lifecycle.Zone{}
	for _, node := range []struct {
		zone  string
		ready bool
	}{{"east", true}, {"west", false}, {"west", false}, {"west", false}} {
		z := zones[node.zone]
		if node.ready {
			z.Ready++
		} else {
			z.NotReady++
		}
		zones[node.zone] = z
	}
	fmt.Println(zones, lifecycle.DefaultDisruptionPolicy().State(zones["west"]))
	// Output: map[east:{1 0} west:{0 3}] ZoneFull
}

// An alert goes out when a zone is cut off.
func ExampleZoneState() {
	switch state := lifecycle.DefaultDisruptionPolicy().State(lifecycle.Zone{Ready: 30, NotReady: 70}); state {
	case lifecycle.ZoneNormal:
	case lifecycle.ZonePartial:
		fmt.Println("part of the zone is silent:", state)
	case lifecycle.ZoneFull:
		fmt.Println("the zone is silent:", state)
	}
	// Output: part of the zone is silent: ZonePartial
}
