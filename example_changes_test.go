// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"encoding/json"
	"fmt"

	"github.com/seed-0529bac1/taints"
)

// At each sync a controller ensures that a node has a new taint and not an old
// one. It updates the node only if that changed anything.
func ExampleChanges_Apply() {
	ensure := taints.Changes{
		Add:    []taints.Taint{taints.Must(taints.ParseTaint("example.com/updating:NoSchedule"))},
		Remove: []taints.TaintID{{Key: "example.com/outdated", Effect: taints.PreferNoSchedule}},
	}
	node, _ := taints.ParseTaints("dedicated=ml:NoSchedule,example.com/outdated:PreferNoSchedule")
	for range 2 {
		var changed bool
		node, changed = ensure.Apply(node)
		fmt.Println(node, changed)
	}
	// Output:
	// [dedicated=ml:NoSchedule example.com/updating:NoSchedule] true
	// [dedicated=ml:NoSchedule example.com/updating:NoSchedule] false
}

// Cluster API adds a taint to a new node, and keeps the value that another
// client has given it since.
func ExampleChanges_Ensure() {
	node := []taints.Taint{taints.Must(taints.ParseTaint("tier=gold:NoSchedule"))}
	ensure := taints.Changes{Add: []taints.Taint{
		taints.Must(taints.ParseTaint("tier=silver:NoSchedule")), taints.Must(taints.ParseTaint("dedicated=ml:NoSchedule")),
	}}
	fmt.Println(ensure.Ensure(node))
	fmt.Println(ensure.Apply(node))
	// Output:
	// [tier=gold:NoSchedule dedicated=ml:NoSchedule] true
	// [tier=silver:NoSchedule dedicated=ml:NoSchedule] true
}

// The arguments of "kubectl taint nodes gpu-1 --overwrite
// dedicated=db:NoSchedule spot-", applied to a list.
func ExampleParseChanges() {
	node, _ := taints.ParseTaints("dedicated=ml:NoSchedule,spot=2h:NoSchedule,spot:NoExecute")
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
	// add[0]: "dedicated=db:NoSchedule" is forbidden: the node has another value for this key and effect; overwriting would replace it
}

// A machine set's template changed. On this node, Kubernetes has added a taint
// for memory pressure, and an administrator has given the set's tier taint
// another value. The machine set leaves both alone.
func ExampleReconcile() {
	node := []taints.Taint{
		taints.Must(taints.ParseTaint("dedicated=ml:NoSchedule")),
		taints.Must(taints.ParseTaint("tier=gold:PreferNoSchedule")),
		taints.Must(taints.ParseTaint("node.kubernetes.io/memory-pressure:NoSchedule")),
	}
	old, _ := taints.ParseTaints("dedicated=ml:NoSchedule,tier=silver:PreferNoSchedule")
	template := []taints.Taint{taints.Must(taints.ParseTaint("dedicated=ml:NoExecute"))}

	changes := taints.Reconcile(node, old, template)
	fmt.Println(changes)
	fmt.Println(changes.Apply(node))
	// Output:
	// dedicated=ml:NoExecute dedicated:NoSchedule-
	// [tier=gold:PreferNoSchedule node.kubernetes.io/memory-pressure:NoSchedule dedicated=ml:NoExecute] true
}

// Cluster API records the identities of a machine's taints in an annotation, so
// that it removes only taints that it added.
func ExampleReconcileOwned() {
	annotation := `["dedicated:NoSchedule","startup:NoExecute"]`
	var owned []taints.TaintID
	if err := json.Unmarshal([]byte(annotation), &owned); err != nil {
		fmt.Println(err)
		return
	}
	node, _ := taints.ParseTaints("dedicated=ml:NoSchedule,startup=1:NoExecute,spot:PreferNoSchedule")
	desired := []taints.Taint{taints.Must(taints.ParseTaint("dedicated=db:NoSchedule"))}
	fmt.Println(taints.ReconcileOwned(node, owned, desired))
	record, err := json.Marshal(taints.TaintIDs(desired))
	fmt.Println(string(record), err)
	// Output:
	// dedicated=db:NoSchedule startup:NoExecute-
	// ["dedicated:NoSchedule"] <nil>
}

// An operator records what it last applied in an annotation of the node. The
// record can be out of date although no taint changes.
func ExampleReconcile_lastApplied() {
	annotation := "pool=a:NoSchedule,burst:PreferNoSchedule"
	node, _ := taints.ParseTaints("pool=a:NoSchedule,node.kubernetes.io/disk-pressure:NoSchedule")
	desired := []taints.Taint{taints.Must(taints.ParseTaint("pool=a:NoSchedule"))}

	lastApplied, err := taints.ParseTaints(annotation)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, changed := taints.Reconcile(node, lastApplied, desired).Apply(node)
	record := taints.FormatTaints(desired)
	fmt.Println(changed, record != annotation, record)
	// Output: false true pool=a:NoSchedule
}

// An operator removes its startup taint, and every taint with an old key.
func ExampleChanges_remove() {
	node, _ := taints.ParseTaints("startup=1:NoExecute,old:NoSchedule,old:NoExecute,spot:PreferNoSchedule")
	startup := taints.Must(taints.ParseTaint("startup:NoExecute"))
	done := taints.Changes{Remove: []taints.TaintID{startup.ID()}, RemoveKeys: []string{"old"}}
	fmt.Println(done)
	fmt.Println(done.Apply(node))
	// Output:
	// startup:NoExecute- old-
	// [spot:PreferNoSchedule] true
}
