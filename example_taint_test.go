// SPDX-License-Identifier: Apache-2.0

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
	var fault *taints.FieldError
	if errors.As(err, &fault) {
		fmt.Println(fault.Input)
		fmt.Printf("%*s\n", fault.Offset+1, "^")
	}
	// Output:
	// nvidia.com/gpu a100 NoSchedule <nil>
	// parse "nvidia.com/gpu=a100:noschedule" at offset 20: effect: "noschedule" is not supported: must be NoSchedule, PreferNoSchedule or NoExecute
	// nvidia.com/gpu=a100:noschedule
	//                     ^
}

func ExampleMustParseTaint() {
	maintenance := taints.MustParseTaint("maintenance:NoExecute")
	fmt.Println(maintenance.Key, maintenance.Effect)
	// Output: maintenance NoExecute
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

// A pod for the nodes of a pool tolerates the pool's taint.
func ExampleTaint_Toleration() {
	fmt.Println(taints.MustParseTaint("dedicated=ml:NoSchedule").Toleration())
	// Output: dedicated=ml:NoSchedule
}

func ExampleTaint_AppendTo() {
	line := []byte("gpu-1 ")
	line = taints.MustParseTaint("nvidia.com/gpu=present:NoSchedule").AppendTo(line)
	fmt.Printf("%s\n", line)
	// Output: gpu-1 nvidia.com/gpu=present:NoSchedule
}

// A controller that sees a node again asks whether a taint changed, not whether it
// is the same object.
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
	for _, spec := range []string{
		"dedicated=ml:NoSchedule",
		"dedicated=ml:NoExecute",
		"dedicated=db:NoSchedule",
	} {
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
	fmt.Println(taints.Toleration{
		Key:               taints.NodeNotReady,
		Operator:          taints.OpExists,
		Effect:            taints.NoExecute,
		TolerationSeconds: &seconds,
	})
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

// A node group's taints come in an annotation, as the kubelet's
// --register-with-taints has them.
func ExampleParseTaints() {
	list, err := taints.ParseTaints("dedicated=ml:NoSchedule,spot:PreferNoSchedule")
	fmt.Println(len(list), list, err)

	_, err = taints.ParseTaints("dedicated=ml:NoSchedule,spot")
	fmt.Println(err)
	// Output:
	// 2 [dedicated=ml:NoSchedule spot:PreferNoSchedule] <nil>
	// parse "dedicated=ml:NoSchedule,spot" at offset 28: taints[1].effect: required: must be NoSchedule, PreferNoSchedule or NoExecute
}

func ExampleParseTaintID() {
	id, err := taints.ParseTaintID("dedicated:NoSchedule")
	fmt.Println(id.Key, id.Effect, err)
	// Output: dedicated NoSchedule <nil>
}

// A policy in a configuration file names its effects.
func ExampleEffectSet() {
	var config struct {
		Policy taints.EvictionPolicy `json:"policy"`
	}
	text := `{"policy": {"select": "LongestMatch", "effects": "NoSchedule|NoExecute"}}`
	err := json.Unmarshal([]byte(text), &config)
	fmt.Println(config.Policy.Select, config.Policy.Effects, err)
	// Output: LongestMatch NoSchedule|NoExecute <nil>
}

// An effect that Kubernetes does not know is carried along and keeps no pod away.
func ExampleEffect() {
	report := taints.Taint{Key: "firmware", Value: "old", Effect: "Report"}
	v := taints.Filter([]taints.Taint{report}, nil)
	fmt.Println(report, v.Schedulable(), v)
	// Output: firmware=old:Report true untolerated: 1 other
}

// A drain tells what it will move from what it only keeps away.
func ExampleEffectSet_Has() {
	for _, effect := range []taints.Effect{
		taints.NoSchedule,
		taints.PreferNoSchedule,
		taints.NoExecute,
	} {
		fmt.Println(effect, taints.Hard.Has(effect), taints.Evicting.Has(effect))
	}
	// Output:
	// NoSchedule true false
	// PreferNoSchedule false false
	// NoExecute true true
}

// A controller writes down in an annotation which taints it owns.
func ExampleTaintID() {
	annotation, err := json.Marshal(taints.IDs([]taints.Taint{
		taints.MustParseTaint("dedicated=ml:NoSchedule"), taints.MustParseTaint("startup:NoExecute"),
	}))
	fmt.Println(string(annotation), err)
	// Output: ["dedicated:NoSchedule","startup:NoExecute"] <nil>
}
