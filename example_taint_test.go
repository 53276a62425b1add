package taints_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/seed-0529bac1/taints"
)

func ExampleParseTaint() {
	taint, err := taints.ParseTaint("nvidia.com/gpu=a100:NoSchedule")
	fmt.Println(taint.Key, taint.Value, taint.Effect, err)

	_, err = taints.ParseTaint("nvidia.com/gpu=a100:noschedule")
	fmt.Println(err)
	var parse *taints.ParseError
	if errors.As(err, &parse) {
		fmt.Println(parse.Input)
		fmt.Printf("%*s\n", parse.Offset+1, "^")
	}
	// Output:
	// nvidia.com/gpu a100 NoSchedule <nil>
	// parse taint "nvidia.com/gpu=a100:noschedule" at offset 20: effect: "noschedule" is not supported: must be NoSchedule, PreferNoSchedule or NoExecute
	// nvidia.com/gpu=a100:noschedule
	//                     ^
}

func ExampleMustParseTaint() {
	maintenance := taints.MustParseTaint("maintenance:NoExecute")
	fmt.Println(maintenance.Key, maintenance.Effect)
	// Output: maintenance NoExecute
}

// The arguments of "kubectl taint nodes gpu-1 --overwrite dedicated=db:NoSchedule spot-", done on a list.
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
	fmt.Println(err)
	// Output:
	// parse change "dedicated=ml:noschedule" at offset 13: specs[0].effect: "noschedule" is not supported: must be NoSchedule, PreferNoSchedule or NoExecute
	// parse change "spot=2h-" at offset 7: specs[2].effect: required: must be NoSchedule, PreferNoSchedule or NoExecute
}

// A tool that drains nodes asks whether somebody else has tainted the node already.
func ExampleChanges_Apply() {
	node := []taints.Taint{taints.MustParseTaint("maintenance=alice:NoExecute")}
	mine := taints.Changes{Add: []taints.Taint{taints.MustParseTaint("maintenance=bob:NoExecute")}}

	_, err := mine.ApplyStrict(node, false)
	fmt.Println(errors.Is(err, taints.ErrExists))
	// Output: true
}

// What a log says about an update of a node.
func ExampleDiff() {
	before := []taints.Taint{taints.MustParseTaint("dedicated=ml:NoSchedule"), taints.MustParseTaint("spot:PreferNoSchedule")}
	after := []taints.Taint{taints.MustParseTaint("maintenance:NoExecute"), taints.MustParseTaint("dedicated=db:NoSchedule")}
	fmt.Println(taints.Diff(before, after))
	// Output: maintenance:NoExecute dedicated=db:NoSchedule spot:PreferNoSchedule-
}

// A machine set's template changed. On this node the cluster has marked memory pressure, and a person has given the set's
// tier taint another value; neither is the set's business.
func ExampleReconcile() {
	node := []taints.Taint{
		taints.MustParseTaint("dedicated=ml:NoSchedule"),
		taints.MustParseTaint("tier=gold:PreferNoSchedule"),
		taints.MustParseTaint("node.kubernetes.io/memory-pressure:NoSchedule"),
	}
	old := []taints.Taint{taints.MustParseTaint("dedicated=ml:NoSchedule"), taints.MustParseTaint("tier=silver:PreferNoSchedule")}
	template := []taints.Taint{taints.MustParseTaint("dedicated=ml:NoExecute")}

	changes := taints.Reconcile(node, old, template)
	fmt.Println(changes)
	fmt.Println(changes.ApplyStrict(node, true))
	// Output:
	// dedicated=ml:NoExecute dedicated:NoSchedule-
	// [tier=gold:PreferNoSchedule node.kubernetes.io/memory-pressure:NoSchedule dedicated=ml:NoExecute] <nil>
}

// A node object of Kubernetes decodes as it is.
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

func ExampleTaint_AppendTo() {
	line := []byte("gpu-1 ")
	line = taints.MustParseTaint("nvidia.com/gpu=present:NoSchedule").AppendTo(line)
	fmt.Printf("%s\n", line)
	// Output: gpu-1 nvidia.com/gpu=present:NoSchedule
}

// A controller that sees a node again asks whether a taint changed, not whether it is the same object.
func ExampleTaint_Equal() {
	utc := time.Date(2026, 11, 21, 1, 24, 15, 0, time.UTC)
	elsewhere := utc.In(time.FixedZone("CET", 3600))
	a := taints.Taint{Key: taints.NodeNotReady, Effect: taints.NoExecute, TimeAdded: &utc}
	b := taints.Taint{Key: taints.NodeNotReady, Effect: taints.NoExecute, TimeAdded: &elsewhere}
	fmt.Println(a.Equal(b))
	// Output: true
}

// A node has at most one taint of a key and effect, so these make a map key.
func ExampleTaint_ID() {
	byID := map[taints.TaintID]string{}
	for _, spec := range []string{"dedicated=ml:NoSchedule", "dedicated=ml:NoExecute", "dedicated=db:NoSchedule"} {
		taint := taints.MustParseTaint(spec)
		byID[taint.ID()] = taint.Value
	}
	fmt.Println(len(byID), byID[taints.TaintID{Key: "dedicated", Effect: taints.NoSchedule}])
	// Output: 2 db
}

// Nodes whose taints differ only in order and time belong to one group.
func ExampleTaint_Compare() {
	list := []taints.Taint{
		taints.MustParseTaint("spot:PreferNoSchedule"),
		taints.MustParseTaint("dedicated=ml:NoSchedule"),
		taints.MustParseTaint("dedicated=ml:NoExecute"),
	}
	slices.SortFunc(list, taints.Taint.Compare)
	fmt.Println(list)
	// Output: [dedicated=ml:NoExecute dedicated=ml:NoSchedule spot:PreferNoSchedule]
}

func ExampleEffects() {
	set := taints.Effects(taints.NoSchedule, taints.NoExecute)
	fmt.Println(set, set == taints.Hard, set.Has(taints.PreferNoSchedule))
	// Output: NoSchedule|NoExecute true false
}

func ExampleParseToleration() {
	for _, text := range []string{
		"nvidia.com/gpu:NoSchedule op=Exists",
		"node.kubernetes.io/unreachable:NoExecute op=Exists for 300s",
		"sla.example.com/failure-score=60 op=Lt",
		"op=Exists",
	} {
		t, err := taints.ParseToleration(text)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("key %q, operator %q, value %q, effect %q\n", t.Key, t.Operator, t.Value, t.Effect)
	}
	// Output:
	// key "nvidia.com/gpu", operator "Exists", value "", effect "NoSchedule"
	// key "node.kubernetes.io/unreachable", operator "Exists", value "", effect "NoExecute"
	// key "sla.example.com/failure-score", operator "Lt", value "60", effect ""
	// key "", operator "Exists", value "", effect ""
}

func ExampleMustParseToleration() {
	anything := taints.MustParseToleration("op=Exists")
	fmt.Println(anything.Tolerates(taints.MustParseTaint("dedicated=ml:NoExecute")))
	// Output: true
}

func ExampleToleration_String() {
	seconds := int64(300)
	fmt.Println(taints.Toleration{Key: taints.NodeNotReady, Operator: taints.OpExists, Effect: taints.NoExecute, TolerationSeconds: &seconds})
	fmt.Println(taints.Toleration{Key: "dedicated", Value: "ml"})
	// Output:
	// node.kubernetes.io/not-ready:NoExecute op=Exists for 300s
	// dedicated=ml
}

func ExampleToleration_AppendTo() {
	line := taints.MustParseToleration("dedicated=ml:NoSchedule").AppendTo([]byte("tolerates "))
	fmt.Printf("%s\n", line)
	// Output: tolerates dedicated=ml:NoSchedule
}

func ExampleToleration_Equal() {
	a := taints.MustParseToleration("dedicated=ml")
	b := taints.Toleration{Key: "dedicated", Operator: taints.OpEqual, Value: "ml"}
	fmt.Println(a.Equal(b))
	// Output: true
}
