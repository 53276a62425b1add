// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/explain"
)

// May the pod be placed on the node? README.md shows this example.
func Example() {
	node := []taints.Taint{{Key: "nvidia.com/gpu", Value: "present", Effect: taints.NoSchedule}}
	pod := []taints.Toleration{{Key: "nvidia.com/gpu", Operator: taints.OpExists}}

	m := taints.Compile(pod) // once for a pod, then for every node
	fmt.Println(m.Filter(node).Schedulable())
	// Output: true
}

// When does a running pod leave the node? README.md shows this example.
func Example_eviction() {
	node := []taints.Taint{{Key: "maintenance", Effect: taints.NoExecute}}
	pod := []taints.Toleration{taints.Must(taints.ParseToleration("maintenance:NoExecute op=Exists for 600s"))}

	noticed := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	fmt.Println(taints.EvictionOf(node, pod, noticed))
	// Output: evicts at 2026-11-21T12:10:00Z, after 600s
}

// Why is the pod kept off the node? README.md shows this example.
func Example_explanation() {
	node := []taints.Taint{taints.Must(taints.ParseTaint("dedicated=ml:NoSchedule"))}
	pod := []taints.Toleration{taints.Must(taints.ParseToleration("dedicated=ML:NoSchedule"))}

	fmt.Println(explain.Node(taints.Compile(pod), node))
	// Output: dedicated=ml:NoSchedule is not tolerated (closest: dedicated=ML:NoSchedule, the value differs only in letter case)
}

func ExampleParseTaint() {
	taint, err := taints.ParseTaint("nvidia.com/gpu=a100:NoSchedule")
	fmt.Println(taint.Key, taint.Value, taint.Effect, err)

	_, err = taints.ParseTaint("nvidia.com/gpu=a100:noschedule")
	fmt.Println(err)
	var fieldErr *taints.FieldError
	if errors.As(err, &fieldErr) {
		fmt.Println(fieldErr.Input)
		fmt.Printf("%*s\n", fieldErr.Offset+1, "^")
	}
	// Output:
	// nvidia.com/gpu a100 NoSchedule <nil>
	// parse "nvidia.com/gpu=a100:noschedule" at offset 20: effect: "noschedule" is not supported: must be NoSchedule, PreferNoSchedule or NoExecute
	// nvidia.com/gpu=a100:noschedule
	//                     ^
}

// The taints of a Kubernetes node object decode directly.
func ExampleTaint() {
	var node struct {
		Spec struct {
			Taints []taints.Taint `json:"taints"`
		} `json:"spec"`
	}
	err := json.Unmarshal([]byte(`{"spec": {"taints": [
		{"key": "node.kubernetes.io/unreachable", "effect": "NoExecute", "timeAdded": "2026-11-21T01:24:15Z"},
		{"key": "dedicated", "value": "ml", "effect": "NoSchedule"}]}}`), &node)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, taint := range node.Spec.Taints {
		fmt.Println(taint, taint.TimeAdded)
	}
	// Output:
	// node.kubernetes.io/unreachable:NoExecute 2026-11-21 01:24:15 +0000 UTC
	// dedicated=ml:NoSchedule <nil>
}

// A node group's taints come in an annotation, as the kubelet's
// --register-with-taints has them.
func ExampleParseTaints() {
	list, err := taints.ParseTaints("dedicated=ml:NoSchedule,spot:PreferNoSchedule")
	fmt.Println(len(list), list, err)

	_, err = taints.ParseTaints("dedicated=ml:NoSchedule,spot")
	fmt.Println(err)
	// Output:
	// 2 [dedicated=ml:NoSchedule spot:PreferNoSchedule] <nil>
	// parse "spot" at offset 4: taints[1].effect is required: must be NoSchedule, PreferNoSchedule or NoExecute
}

// A provisioner opens a node only for pods that tolerate everything there, soft
// taints included.
func ExampleVerdict_AllTolerated() {
	spot := taints.Filter([]taints.Taint{taints.Must(taints.ParseTaint("spot:PreferNoSchedule"))}, nil)
	fmt.Println(spot.Schedulable(), spot.AllTolerated())
	// Output: true false
}

// A program for different clusters takes the rules from a flag: the threshold
// counts only in clusters with the comparison operators on.
func ExampleOptions() {
	node := []taints.Taint{taints.Must(taints.ParseTaint("failure-score=4:NoSchedule"))}
	pod := []taints.Toleration{taints.Must(taints.ParseToleration("failure-score=6 op=Lt"))}
	for _, gate := range []bool{true, false} {
		cluster := taints.Options{NoComparison: !gate}
		fmt.Println(cluster.On(pod).Filter(node))
	}
	// Output:
	// all tolerated
	// untolerated: 1 NoSchedule
}

// The DaemonSet controller deletes a pod that does not tolerate the NoExecute taints
// of its node, and otherwise leaves it there.
func ExampleFindUntolerated() {
	node, _ := taints.ParseTaints("dedicated=ml:NoSchedule,maintenance=disk:NoExecute")
	pod := taints.AddDaemonSetTolerations(nil, taints.DaemonSetPod{})
	if i, found := taints.FindUntolerated(node, pod, taints.Effects(taints.NoExecute)); found {
		fmt.Println("delete the pod, because of", node[i])
	}
	// Output: delete the pod, because of maintenance=disk:NoExecute
}

// A drain: the node is tainted for maintenance, and each pod gets its
// tolerationSeconds.
func ExampleEvictionOf() {
	node := []taints.Taint{taints.Must(taints.ParseTaint("maintenance:NoExecute"))}
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for _, pod := range []struct {
		name        string
		tolerations []taints.Toleration
	}{
		{"web", nil},
		{"database", []taints.Toleration{taints.Must(taints.ParseToleration("maintenance:NoExecute op=Exists for 3600s"))}},
		{"agent", []taints.Toleration{taints.Must(taints.ParseToleration("op=Exists"))}},
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

// A controller that restarts does not give every pod its full time again,
// because the seconds run from the time at which the taint was added.
func ExampleEvictionPolicy() {
	came := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	node := []taints.Taint{{Key: taints.NodeUnreachable, Effect: taints.NoExecute, TimeAdded: &came}}
	pod := taints.AddDefaultTolerations(nil, taints.DefaultTolerationSeconds{})

	restarted := came.Add(4 * time.Minute)
	for _, policy := range []taints.EvictionPolicy{{}, {FromTimeAdded: true}} {
		fmt.Println(policy.EvictionOf(taints.Compile(pod), node, restarted).At.Format(time.TimeOnly))
	}
	// Output:
	// 12:09:00
	// 12:05:00
}

// A pod was placed on a node that had had a taint for a long time. It gets its
// full time there, because its seconds run from its arrival.
// Otherwise the pod would be evicted at once each time it is placed there.
func ExampleEvictionPolicy_arrival() {
	arrived := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	added := arrived.Add(-24 * time.Hour)
	node := []taints.Taint{{Key: "maintenance", Effect: taints.NoExecute, TimeAdded: &added}}
	pod := []taints.Toleration{taints.Must(taints.ParseToleration("maintenance:NoExecute op=Exists for 600s"))}

	policy := taints.EvictionPolicy{FromTimeAdded: true, Arrival: arrived}
	later := arrived.Add(time.Minute) // whenever the controller looks
	fmt.Println(policy.EvictionOf(taints.Compile(pod), node, later).At.Format(time.TimeOnly))
	// Output: 12:10:00
}

// A controller waits until the startup taints that it knows, by key or by prefix,
// are gone. The keys come from a flag, which may be empty.
func ExampleTolerationsFor_keys() {
	known := []taints.Taint{{Key: "node.cilium.io/agent-not-ready"}, {Key: ""}}
	for _, prefix := range []string{"readiness.k8s.io/"} {
		known = append(known, taints.Taint{Key: prefix + "*"})
	}
	startup := taints.Options{KeyWildcards: true}.Compile(taints.TolerationsFor(known...))

	node, _ := taints.ParseTaints("dedicated=ml:NoSchedule,readiness.k8s.io/network:NoExecute,node.cilium.io/agent-not-ready=1:NoExecute")
	for _, taint := range startup.Tolerated(node, taints.AllEffects) {
		fmt.Println("waiting for", taint)
	}
	// Output:
	// waiting for readiness.k8s.io/network:NoExecute
	// waiting for node.cilium.io/agent-not-ready=1:NoExecute
}

// A node is initialized once it has none of the taints it was created with.
func ExampleTolerationsFor() {
	created, _ := taints.ParseTaints("node.cilium.io/agent-not-ready=true:NoExecute,example.com/starting:NoSchedule")
	startup := taints.Compile(taints.TolerationsFor(created...))

	node, _ := taints.ParseTaints("dedicated=ml:NoSchedule,node.cilium.io/agent-not-ready:NoExecute")
	for _, taint := range startup.Tolerated(node, taints.AllEffects) {
		fmt.Println("waiting for", taint)
	}
	// Output: waiting for node.cilium.io/agent-not-ready:NoExecute
}

// An operator protects a node, unless an administrator has set its key already,
// with any value and effect.
func ExampleChanges_Ensure_unlessPresent() {
	mine := taints.Must(taints.ParseTaint("dedicated=ml:NoSchedule"))
	for _, spec := range []string{"spot:PreferNoSchedule", "dedicated=db:NoExecute"} {
		node, _ := taints.ParseTaints(spec)
		changed := false
		if !slices.ContainsFunc(node, func(t taints.Taint) bool { return t.Key == mine.Key }) {
			node, changed = taints.Changes{Add: []taints.Taint{mine}}.Ensure(node)
		}
		fmt.Println(node, changed)
	}
	// Output:
	// [spot:PreferNoSchedule dedicated=ml:NoSchedule] true
	// [dedicated=db:NoExecute] false
}

// A controller is called for an update of a node only if its taints have changed.
// The order counts here; without it, compare by Reconcile(before, before, after).
func ExampleTaint_Equal() {
	before, _ := taints.ParseTaints("dedicated=ml:NoSchedule,spot:PreferNoSchedule")
	after, _ := taints.ParseTaints("spot:PreferNoSchedule,dedicated=ml:NoSchedule")
	fmt.Println(slices.EqualFunc(before, after, taints.Taint.Equal))
	fmt.Println(taints.Reconcile(before, before, after).IsZero())
	// Output:
	// false
	// true
}

// A scheduler hashes the taints of several nodes. Each taint occurs once, and neither
// the order of the nodes nor the times matter.
func ExampleTaint_Compare() {
	first, _ := taints.ParseTaints("dedicated=ml:NoSchedule,dedicated=ml:NoExecute")
	second, _ := taints.ParseTaints("dedicated=db:NoSchedule,dedicated=ml:NoExecute")
	union := slices.Concat(second, first)
	for i := range union {
		union[i].TimeAdded = nil
	}
	slices.SortFunc(union, taints.Taint.Compare)
	union = slices.CompactFunc(union, taints.Taint.Equal)
	fmt.Println(union)
	// Reconcile compares the taints of one node: it sees only one with a key and effect.
	fmt.Println(taints.Reconcile(union, union, second).IsZero())
	// Output:
	// [dedicated=db:NoSchedule dedicated=ml:NoExecute dedicated=ml:NoSchedule]
	// true
}

// An agent tolerates each taint of the control plane's nodes, with its value.
func ExampleTaint_Toleration() {
	nodes, _ := taints.ParseTaints("control-plane:NoSchedule,dedicated=ml:NoSchedule,control-plane:NoExecute")
	agent := []taints.Toleration{taints.Must(taints.ParseToleration("dedicated=ml:NoSchedule"))}
	for _, taint := range nodes {
		if needed := taint.Toleration(); !slices.ContainsFunc(agent, needed.Equal) {
			agent = append(agent, needed)
		}
	}
	fmt.Println(agent)
	// Output: [dedicated=ml:NoSchedule control-plane:NoSchedule control-plane:NoExecute]
}

// Some projects write "key", "key:Effect" and ":Effect" for the operator Exists. An
// empty text stays an error: it must not become the toleration of everything.
func ExampleParseToleration_exists() {
	parse := func(s string) (taints.Toleration, error) {
		if s != "" && !strings.Contains(s, "=") {
			s += " op=Exists"
		}
		return taints.ParseToleration(s)
	}
	for _, s := range []string{"gpu", "gpu:NoSchedule", ":NoSchedule", "gpu=a100:NoSchedule", "gpu=", "gpu:", ":", ""} {
		t, err := parse(s)
		fmt.Printf("%q: %v, %v\n", s, t, err != nil)
	}
	// Output:
	// "gpu": gpu op=Exists, false
	// "gpu:NoSchedule": gpu:NoSchedule op=Exists, false
	// ":NoSchedule": :NoSchedule op=Exists, false
	// "gpu=a100:NoSchedule": gpu=a100:NoSchedule, false
	// "gpu=": gpu, false
	// "gpu:": , true
	// ":": , true
	// "": , true
}

// Karpenter's NodePools have two lists, in which no key and effect may repeat.
func ExampleErrorList() {
	permanent := []taints.Taint{taints.Must(taints.ParseTaint("gpu:NoSchedule"))}
	startup := []taints.Taint{taints.Must(taints.ParseTaint("cni:NoExecute")), taints.Must(taints.ParseTaint("gpu=x:NoSchedule"))}
	err := taints.ValidateTaints(slices.Concat(permanent, startup))
	var list taints.ErrorList
	if errors.As(err, &list) {
		for _, fieldErr := range list {
			if fieldErr.Index >= len(permanent) {
				fieldErr.List, fieldErr.Index = "startupTaints", fieldErr.Index-len(permanent)
			}
		}
		fmt.Println(list)
	}
	// Output: startupTaints[1]: "gpu=x:NoSchedule" is a duplicate: a node has at most one taint with a given key and effect
}

// An admission webhook gets a pod that requests a GPU. It validates the pod's
// tolerations and then adds those that the cluster's own plugins would add.
func ExampleAddDefaultTolerations() {
	tolerations := []taints.Toleration{taints.Must(taints.ParseToleration("dedicated=ml:NoSchedule"))}
	if err := taints.ValidateTolerations(tolerations); err != nil {
		fmt.Println(err)
		return
	}
	tolerations = taints.AddDefaultTolerations(tolerations, taints.DefaultTolerationSeconds{})
	tolerations = taints.AddExtendedResourceTolerations(tolerations, "cpu", "memory", "nvidia.com/gpu")
	for _, t := range tolerations {
		fmt.Println(t)
	}
	// Output:
	// dedicated=ml:NoSchedule
	// node.kubernetes.io/not-ready:NoExecute op=Exists for 300s
	// node.kubernetes.io/unreachable:NoExecute op=Exists for 300s
	// nvidia.com/gpu:NoSchedule op=Exists
}

// A log shipper runs on every node, even a cordoned or failing one, and uses the
// host network.
func ExampleAddDaemonSetTolerations() {
	for _, t := range taints.AddDaemonSetTolerations(nil, taints.DaemonSetPod{HostNetwork: true}) {
		fmt.Println(t)
	}
	// Output:
	// node.kubernetes.io/not-ready:NoExecute op=Exists
	// node.kubernetes.io/unreachable:NoExecute op=Exists
	// node.kubernetes.io/disk-pressure:NoSchedule op=Exists
	// node.kubernetes.io/memory-pressure:NoSchedule op=Exists
	// node.kubernetes.io/pid-pressure:NoSchedule op=Exists
	// node.kubernetes.io/unschedulable:NoSchedule op=Exists
	// node.kubernetes.io/network-unavailable:NoSchedule op=Exists
}

// Every error is reported, each with its field and what would be right.
func ExampleValidateTolerations() {
	seconds := int64(60)
	err := taints.ValidateTolerations([]taints.Toleration{
		{Key: "dedicated", Operator: taints.OpExists, Value: "ml"},
		{Key: "gpu", Operator: "NoSuchOperator", Effect: taints.NoSchedule, TolerationSeconds: &seconds},
	})
	var invalid taints.ErrorList
	if errors.As(err, &invalid) {
		for _, fieldErr := range invalid {
			fmt.Println(fieldErr)
		}
	}
	fmt.Println(errors.Is(err, taints.ErrNotSupported))
	// Output:
	// tolerations[0].value: "ml" is invalid: must be empty, as the operator matches every value
	// tolerations[1].operator: "NoSuchOperator" is not supported: must be Exists, Equal, Lt or Gt, or empty for Equal
	// tolerations[1].effect: "NoSchedule" is invalid: must be NoExecute when tolerationSeconds is set
	// true
}

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
	var ids []taints.TaintID
	for _, taint := range desired {
		ids = append(ids, taint.ID())
	}
	record, err := json.Marshal(ids)
	fmt.Println(string(record), err)
	// Output:
	// dedicated=db:NoSchedule startup:NoExecute-
	// ["dedicated:NoSchedule"] <nil>
}

// A controller that records the keys of its taints owns the taints of the node with
// these keys.
func ExampleReconcileOwned_keys() {
	node, _ := taints.ParseTaints("dedicated=ml:NoSchedule,startup=1:NoExecute,startup:NoSchedule")
	recorded := []string{"startup"}
	var owned []taints.TaintID
	for _, taint := range node {
		if slices.Contains(recorded, taint.Key) {
			owned = append(owned, taint.ID())
		}
	}
	fmt.Println(taints.ReconcileOwned(node, owned, nil))
	// Output: startup:NoExecute- startup:NoSchedule-
}

// A project with effects of its own tells them apart by the taint: in an EffectSet,
// all effects that Kubernetes does not know are one element.
func ExampleUntolerated_ownEffects() {
	cluster := []taints.Taint{{Key: "region", Value: "eu", Effect: "PreferNoSelect"}, {Key: "gpu", Effect: "NoSelect"}}
	for _, taint := range taints.Untolerated(cluster, nil, taints.Effects("NoSelect")) {
		fmt.Println(taint, "rejects the cluster:", taint.Effect == "NoSelect")
	}
	// Output:
	// region=eu:PreferNoSelect rejects the cluster: false
	// gpu:NoSelect rejects the cluster: true
}

// A pod's own tolerations and those of its namespace answer as one list.
func ExampleCompile_lists() {
	pod := []taints.Toleration{taints.Must(taints.ParseToleration("dedicated=ml"))}
	namespace := []taints.Toleration{taints.Must(taints.ParseToleration("spot op=Exists"))}
	node, _ := taints.ParseTaints("dedicated=ml:NoSchedule,spot:NoSchedule")
	fmt.Println(taints.Compile(pod, namespace).Filter(node))
	// Output: all tolerated
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
	var texts []string
	for _, taint := range desired {
		texts = append(texts, taint.String())
	}
	record := strings.Join(texts, ",")
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
