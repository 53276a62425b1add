// SPDX-License-Identifier: Apache-2.0

package tolerationset_test

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/tolerationset"
)

// An operator adds a toleration unless the pod has it, for any time, and counts
// the pods with each toleration.
func ExampleFind() {
	gpu := taints.Must(taints.ParseToleration("nvidia.com/gpu:NoExecute op=Exists for 60s"))
	pods := [][]taints.Toleration{
		{taints.Must(taints.ParseToleration("nvidia.com/gpu:NoExecute op=Exists"))},
		{taints.Must(taints.ParseToleration("nvidia.com/gpu op=Exists"))},
	}
	count := map[taints.TolerationID]int{}
	for i := range pods {
		if _, found := tolerationset.Find(pods[i], gpu.ID()); !found {
			pods[i] = append(pods[i], gpu)
		}
		for _, t := range pods[i] {
			count[t.ID()]++
		}
	}
	fmt.Println(pods)
	fmt.Println(count[gpu.ID()])
	// Output:
	// [[nvidia.com/gpu:NoExecute op=Exists] [nvidia.com/gpu op=Exists nvidia.com/gpu:NoExecute op=Exists for 60s]]
	// 2
}

// A storage operator keeps the tolerations that it has applied to a Deployment in
// an annotation, as JSON. Users may add others by hand.
func ExampleReconcile() {
	const annotation = `[{"key":"storage","operator":"Exists"},{"key":"old","effect":"NoSchedule"}]`
	current := []taints.Toleration{
		taints.Must(taints.ParseToleration("storage op=Exists")),
		taints.Must(taints.ParseToleration("added-by-hand:NoSchedule")),
		taints.Must(taints.ParseToleration("old:NoSchedule")),
	}
	setting := []taints.Toleration{
		taints.Must(taints.ParseToleration("storage op=Exists")),
		taints.Must(taints.ParseToleration("new:NoSchedule")),
	}
	var lastApplied []taints.Toleration
	if err := json.Unmarshal([]byte(annotation), &lastApplied); err != nil {
		panic(err)
	}
	tolerations, changed := tolerationset.Reconcile(current, lastApplied, setting)
	fmt.Println(changed, tolerations)
	if !slices.EqualFunc(setting, lastApplied, taints.Toleration.Equal) {
		record, err := json.Marshal(setting)
		fmt.Println(string(record), err)
	}
	// Output:
	// true [storage op=Exists added-by-hand:NoSchedule new:NoSchedule]
	// [{"key":"storage","operator":"Exists"},{"key":"new","effect":"NoSchedule"}] <nil>
}

// An operator adds the toleration that its pods need, unless one of the user's
// tolerates as much for as long.
func ExampleCovers() {
	needed := taints.Must(taints.ParseToleration("storage=ssd:NoSchedule"))
	for _, text := range []string{"storage op=Exists", "storage=hdd"} {
		user := []taints.Toleration{taints.Must(taints.ParseToleration(text))}
		if !slices.ContainsFunc(user, func(t taints.Toleration) bool {
			return tolerationset.Covers(t, needed, taints.Options{})
		}) {
			user = append(user, needed)
		}
		fmt.Println(user)
	}
	// Output:
	// [storage op=Exists]
	// [storage=hdd storage=ssd:NoSchedule]
}

// A pod keeps the times that it sets. Its namespace adds the rest.
func ExampleMerge() {
	pod := []taints.Toleration{
		taints.Must(taints.ParseToleration("tenant=a:NoSchedule")),
		taints.Must(taints.ParseToleration("node.kubernetes.io/unreachable:NoExecute op=Exists for 20s")),
	}
	namespace := []taints.Toleration{
		taints.Must(taints.ParseToleration("tenant=shared:NoSchedule")),
		taints.Must(taints.ParseToleration("node.kubernetes.io/unreachable:NoExecute op=Exists for 600s")),
	}
	for _, t := range tolerationset.Merge(pod, namespace, taints.Options{}) {
		fmt.Println(t)
	}
	// Output:
	// tenant=a:NoSchedule
	// node.kubernetes.io/unreachable:NoExecute op=Exists for 20s
	// tenant=shared:NoSchedule
}

// Projects mean different things by merging what they desire with what is there. In
// each, the desired tolerations come first, so what users edited wins.
func ExampleMerge_meanings() {
	parse := func(text string) taints.Toleration { return taints.Must(taints.ParseToleration(text)) }
	desired := []taints.Toleration{parse("spot op=Exists"), parse("maintenance=a:NoExecute for 600s")}
	current := []taints.Toleration{
		parse("spot op=Exists"),                     // repeated
		parse("maintenance=a:NoExecute for 300s"),   // with another time
		parse("maintenance=b:NoExecute"),            // with another value
		parse("maintenance:NoSchedule"),             // with another effect
		parse("spot=large:NoSchedule"), parse("db"), // tolerated already, and not
	}
	merge := func(same func(d, t taints.Toleration) bool) []taints.Toleration {
		return slices.Concat(desired, slices.DeleteFunc(slices.Clone(current), func(t taints.Toleration) bool {
			return slices.ContainsFunc(desired, func(d taints.Toleration) bool { return same(d, t) })
		}))
	}
	print := func(list []taints.Toleration) { fmt.Println(list[len(desired):]) }
	print(merge(func(d, t taints.Toleration) bool { return d.Equal(t) }))
	print(merge(func(d, t taints.Toleration) bool { return d.ID() == t.ID() }))
	print(merge(func(d, t taints.Toleration) bool { return d.Key == t.Key && d.Effect == t.Effect }))
	print(merge(func(d, t taints.Toleration) bool { return d.Key == t.Key }))
	o := taints.Options{NoComparison: true} // no API server checked the lists
	print(tolerationset.Minimize(tolerationset.Merge(desired, current, o), o))
	// Output:
	// [maintenance=a:NoExecute for 300s maintenance=b:NoExecute maintenance:NoSchedule spot=large:NoSchedule db]
	// [maintenance=b:NoExecute maintenance:NoSchedule spot=large:NoSchedule db]
	// [maintenance:NoSchedule spot=large:NoSchedule db]
	// [db]
	// [maintenance=b:NoExecute maintenance:NoSchedule db]
}

// A chart has accumulated tolerations over the years.
func ExampleMinimize() {
	chart := []taints.Toleration{
		taints.Must(taints.ParseToleration("nvidia.com/gpu=a100:NoSchedule")),
		taints.Must(taints.ParseToleration("nvidia.com/gpu=h100:NoSchedule")),
		taints.Must(taints.ParseToleration("dedicated=ml:NoSchedule")),
		taints.Must(taints.ParseToleration("nvidia.com/gpu op=Exists")),
	}
	fmt.Println(tolerationset.Minimize(chart, taints.Options{}))
	// Output: [dedicated=ml:NoSchedule nvidia.com/gpu op=Exists]
}

// A namespace may use the GPU nodes, and stay on a failed node for ten minutes.
func ExampleValidateAllowed() {
	allow := []taints.Toleration{
		taints.Must(taints.ParseToleration("nvidia.com/gpu:NoSchedule op=Exists")),
		taints.Must(taints.ParseToleration("node.kubernetes.io/unreachable:NoExecute op=Exists for 600s")),
	}
	pod := []taints.Toleration{
		taints.Must(taints.ParseToleration("nvidia.com/gpu=a100:NoSchedule")),
		taints.Must(taints.ParseToleration("node.kubernetes.io/unreachable:NoExecute op=Exists")),
	}
	fmt.Println(tolerationset.ValidateAllowed(pod, allow, taints.Options{}))
	// Output: tolerations[1]: "node.kubernetes.io/unreachable:NoExecute op=Exists" is forbidden: no entry of the allow-list tolerates as much for as long
}

// A linter for charts: the tolerations are valid, and three of them do not do
// what they seem to.
func ExampleLint() {
	chart := []taints.Toleration{
		taints.Must(taints.ParseToleration("nvidia.com/gpu:NoSchedule")),
		taints.Must(taints.ParseToleration("node-role.kubernetes.io/master:NoSchedule op=Exists")),
		taints.Must(taints.ParseToleration("maintenance:NoExecute op=Exists for 300s")),
		taints.Must(taints.ParseToleration("maintenance=planned:NoExecute for 3600s")),
	}
	for _, finding := range tolerationset.Lint(chart, taints.Options{}) {
		fmt.Println(finding)
	}
	// Output:
	// tolerations[0] (empty-value): Its empty value matches only taints without a value; for any value, set the operator to Exists.
	// tolerations[1] (legacy-key): Nothing sets taints with this key anymore; tolerate node-role.kubernetes.io/control-plane instead.
	// tolerations[3] (shadowed): tolerations[2] matches all its NoExecute taints first and tolerates them for 300s. So its 3600s never applies; move it before tolerations[2].
}

// A running pod's tolerations may only get other seconds.
func ExampleValidateUpdate() {
	old := []taints.Toleration{taints.Must(taints.ParseToleration("maintenance:NoExecute op=Exists for 60s"))}
	longer := []taints.Toleration{taints.Must(taints.ParseToleration("maintenance:NoExecute op=Exists for 600s"))}
	fmt.Println(tolerationset.ValidateUpdate(old, longer, taints.Options{}))
	fmt.Println(tolerationset.ValidateUpdate(old, nil, taints.Options{}))
	// Output:
	// <nil>
	// old[0]: "maintenance:NoExecute op=Exists for 60s" is forbidden: an existing toleration cannot be removed or changed, except its tolerationSeconds
}
