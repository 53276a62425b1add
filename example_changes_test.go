// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/seed-0529bac1/taints"
)

// A controller makes sure, at each sync, that a node is marked and an old mark is
// gone, and updates the node only if that made a difference.
func ExampleChanges_Apply() {
	ensure := taints.Changes{
		Add:    []taints.Taint{taints.MustParseTaint("example.com/updating:NoSchedule")},
		Remove: []taints.TaintID{{Key: "example.com/outdated", Effect: taints.PreferNoSchedule}},
	}
	node := []taints.Taint{
		taints.MustParseTaint("dedicated=ml:NoSchedule"),
		taints.MustParseTaint("example.com/outdated:PreferNoSchedule"),
	}
	for range 2 {
		var changed bool
		node, changed = ensure.Apply(node)
		fmt.Println(node, changed)
	}
	// Output:
	// [dedicated=ml:NoSchedule example.com/updating:NoSchedule] true
	// [dedicated=ml:NoSchedule example.com/updating:NoSchedule] false
}

// To write the time of a taint anew, remove it first.
func ExampleChanges_Apply_refresh() {
	came := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	now := came.Add(time.Hour)
	node := []taints.Taint{{Key: "maintenance", Effect: taints.NoExecute, TimeAdded: &came}}
	fresh := taints.Taint{Key: "maintenance", Effect: taints.NoExecute, TimeAdded: &now}

	add := taints.Changes{Add: []taints.Taint{fresh}}
	remove := taints.Changes{Remove: []taints.TaintID{fresh.ID()}}
	kept, _ := add.Apply(node)
	without, _ := remove.Apply(node)
	anew, _ := add.Apply(without)
	fmt.Println(kept[0].TimeAdded.Format(time.TimeOnly), anew[0].TimeAdded.Format(time.TimeOnly))
	// Output: 12:00:00 13:00:00
}

// Cluster API puts a taint on a new node, and keeps it as somebody else has
// changed it since.
func ExampleChanges_Ensure() {
	node := []taints.Taint{taints.MustParseTaint("tier=gold:NoSchedule")}
	ensure := taints.Changes{Add: []taints.Taint{
		taints.MustParseTaint("tier=silver:NoSchedule"), taints.MustParseTaint("dedicated=ml:NoSchedule"),
	}}
	fmt.Println(ensure.Ensure(node))
	fmt.Println(ensure.Apply(node))
	// Output:
	// [tier=gold:NoSchedule dedicated=ml:NoSchedule] true
	// [tier=silver:NoSchedule dedicated=ml:NoSchedule] true
}

// A tool that drains nodes asks whether somebody else has tainted the node already.
func ExampleChanges_ApplyStrict() {
	node := []taints.Taint{taints.MustParseTaint("maintenance=alice:NoExecute")}
	mine := taints.Changes{Add: []taints.Taint{taints.MustParseTaint("maintenance=bob:NoExecute")}}

	_, err := mine.ApplyStrict(node, false)
	fmt.Println(errors.Is(err, taints.ErrExists))
	// Output: true
}

// A controller adds NoSchedule taints at once and NoExecute taints as fast as its
// rate limit allows.
func ExampleChanges_Only() {
	changes, err := taints.ParseChanges("failing:NoSchedule", "failing:NoExecute", "ok-")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("at once:", changes.Only(^taints.Evicting))
	fmt.Println("limited:", changes.Only(taints.Evicting))
	// Output:
	// at once: failing:NoSchedule ok:NoSchedule- ok:PreferNoSchedule-
	// limited: failing:NoExecute ok:NoExecute-
}

// A form is checked before there is a node to apply it to.
func ExampleChanges_Validate() {
	changes := taints.Changes{
		Add: []taints.Taint{
			{Key: "gpu", Effect: "NoScedule"},
			{Key: "spot", Effect: taints.NoSchedule},
		},
		RemoveKeys: []string{"spot"},
	}
	var invalid *taints.ErrorList
	if errors.As(changes.Validate(), &invalid) {
		for _, fault := range invalid.Errors {
			fmt.Println(fault)
		}
	}
	// Output:
	// add[0].effect: "NoScedule" is not supported: must be NoSchedule, PreferNoSchedule or NoExecute
	// add[1]: "spot:NoSchedule" is in conflict: a removal names it too; to replace what is there, add with overwrite and do not remove
}

// The arguments of "kubectl taint nodes gpu-1 --overwrite dedicated=db:NoSchedule
// spot-", done on a list.
func ExampleParseChanges() {
	node := []taints.Taint{
		taints.MustParseTaint("dedicated=ml:NoSchedule"),
		taints.MustParseTaint("spot=2h:NoSchedule"),
		taints.MustParseTaint("spot:NoExecute"),
	}
	changes, err := taints.ParseChanges("dedicated=db:NoSchedule", "spot-")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(changes.ApplyStrict(node, true))

	_, err = changes.ApplyStrict(node, false)
	fmt.Println(err)
	// Output:
	// [dedicated=db:NoSchedule] <nil>
	// add[0]: "dedicated=db:NoSchedule" is already there: the node has this key and effect under another value; overwrite would replace it
}

// Every argument that is wrong is reported, with the place of its fault.
func ExampleParseChanges_errors() {
	specs := []string{"dedicated=ml:noschedule", "gpu:NoExecute", "spot=2h-"}
	_, err := taints.ParseChanges(specs...)
	var faults *taints.ErrorList
	if errors.As(err, &faults) {
		for _, fault := range faults.Errors {
			fmt.Println(fault)
		}
	}
	// Output:
	// parse "dedicated=ml:noschedule" at offset 13: specs[0].effect: "noschedule" is not supported: must be NoSchedule, PreferNoSchedule or NoExecute
	// parse "spot=2h-" at offset 7: specs[2].effect: required: must be NoSchedule, PreferNoSchedule or NoExecute
}

// What a log says about an update of a node.
func ExampleReconcile_diff() {
	before := []taints.Taint{
		taints.MustParseTaint("dedicated=ml:NoSchedule"),
		taints.MustParseTaint("spot:PreferNoSchedule"),
	}
	after := []taints.Taint{
		taints.MustParseTaint("maintenance:NoExecute"),
		taints.MustParseTaint("dedicated=db:NoSchedule"),
	}
	fmt.Println(taints.Reconcile(before, before, after))
	// Output: maintenance:NoExecute dedicated=db:NoSchedule spot:PreferNoSchedule-
}

// A machine set's template changed. On this node the cluster has marked memory
// pressure, and a person has given the set's tier taint another value; neither is
// the set's business.
func ExampleReconcile() {
	node := []taints.Taint{
		taints.MustParseTaint("dedicated=ml:NoSchedule"),
		taints.MustParseTaint("tier=gold:PreferNoSchedule"),
		taints.MustParseTaint("node.kubernetes.io/memory-pressure:NoSchedule"),
	}
	old := []taints.Taint{
		taints.MustParseTaint("dedicated=ml:NoSchedule"),
		taints.MustParseTaint("tier=silver:PreferNoSchedule"),
	}
	template := []taints.Taint{taints.MustParseTaint("dedicated=ml:NoExecute")}

	changes := taints.Reconcile(node, old, template)
	fmt.Println(changes)
	fmt.Println(changes.Apply(node))
	// Output:
	// dedicated=ml:NoExecute dedicated:NoSchedule-
	// [tier=gold:PreferNoSchedule node.kubernetes.io/memory-pressure:NoSchedule dedicated=ml:NoExecute] true
}

// Two controllers update a node, each from what it read before. The second one
// compares its snapshot with what it wants and makes that of the fresh list, so
// that it does not take the first one's taint away.
func ExampleReconcile_snapshot() {
	snapshot := []taints.Taint{taints.MustParseTaint("startup:NoExecute")}
	fresh := append(snapshot, taints.MustParseTaint("node.kubernetes.io/disk-pressure:NoSchedule"))

	var desired []taints.Taint // the node has started
	node, _ := taints.Reconcile(fresh, snapshot, desired).Apply(fresh)
	fmt.Println(node)
	// Output: [node.kubernetes.io/disk-pressure:NoSchedule]
}

// Cluster API writes the identities of a machine's taints into an annotation, so
// that it can take off those that it put there.
func ExampleReconcileOwned() {
	annotation := `["dedicated:NoSchedule","startup:NoExecute"]`
	var owned []taints.TaintID
	if err := json.Unmarshal([]byte(annotation), &owned); err != nil {
		fmt.Println(err)
		return
	}
	node := []taints.Taint{
		taints.MustParseTaint("dedicated=ml:NoSchedule"),
		taints.MustParseTaint("startup=1:NoExecute"),
		taints.MustParseTaint("spot:PreferNoSchedule"),
	}
	desired := []taints.Taint{taints.MustParseTaint("dedicated=db:NoSchedule")}
	fmt.Println(taints.ReconcileOwned(node, owned, desired))
	// Output: dedicated=db:NoSchedule startup:NoExecute-
}

// An autoscaler skips nodes that it has marked for deletion.
func ExampleFindTaint() {
	node := []taints.Taint{taints.MustParseTaint("ToBeDeletedByClusterAutoscaler=1763726400:NoSchedule")}
	mark := taints.TaintID{Key: "ToBeDeletedByClusterAutoscaler", Effect: taints.NoSchedule}
	if i, marked := taints.FindTaint(node, mark); marked {
		fmt.Println("marked at", node[i].Value)
	}
	// Output: marked at 1763726400
}

// A job that marks nodes for the night hands its work to another one as JSON.
func ExampleChanges() {
	night := taints.Changes{
		Add:        []taints.Taint{taints.MustParseTaint("batch:NoSchedule")},
		RemoveKeys: []string{"interactive"},
	}
	text, err := json.Marshal(night)
	fmt.Println(string(text), err)
	fmt.Println("kubectl taint nodes gpu-1", night)
	// Output:
	// {"add":[{"key":"batch","effect":"NoSchedule"}],"removeKeys":["interactive"]} <nil>
	// kubectl taint nodes gpu-1 batch:NoSchedule interactive-
}

// A controller that is called for every event writes only what differs.
func ExampleChanges_IsZero() {
	node := []taints.Taint{taints.MustParseTaint("dedicated=ml:NoSchedule")}
	for _, desired := range []string{"dedicated=ml:NoSchedule", "dedicated=db:NoSchedule"} {
		changes := taints.Reconcile(node, node, []taints.Taint{taints.MustParseTaint(desired)})
		if changes.IsZero() {
			continue
		}
		fmt.Println("patch", changes)
	}
	// Output: patch dedicated=db:NoSchedule
}
