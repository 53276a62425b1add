// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-0529bac1/taints"
)

// A form shows each fault at its field.
func ExampleFieldError() {
	err := taints.ValidateTolerations([]taints.Toleration{
		taints.MustParseToleration("gpu op=Exists"),
		{Key: "dedicated", Operator: "In", Value: "ml"},
	})
	var fault *taints.FieldError
	if errors.As(err, &fault) {
		fmt.Println(fault.List, fault.Field, fault.Value, errors.Is(fault, taints.ErrUnsupported))
		fmt.Println(fault.Detail)
	}
	// Output:
	// tolerations operator In true
	// must be Exists, Equal, Lt or Gt, or empty for Equal
}

// A command points at the fault in what was typed.
func ExampleFieldError_offset() {
	_, err := taints.ParseChanges("dedicated=ml:NoSchedule", "gpu:NoShedule")
	var fault *taints.FieldError
	if errors.As(err, &fault) {
		fmt.Println(fault.Input)
		fmt.Println(strings.Repeat(" ", fault.Offset)+"^", fault.Detail)
	}
	fmt.Println(errors.Is(err, taints.ErrUnsupported), errors.Is(err, taints.ErrDuplicate))
	// Output:
	// gpu:NoShedule
	//     ^ must be NoSchedule, PreferNoSchedule or NoExecute
	// true false
}

// A webhook builds an error of its own in the same form.
func ExampleErrorList() {
	err := error(&taints.ErrorList{Errors: []*taints.FieldError{{
		List: "tolerations", Index: 2, Value: "op=Exists", Kind: taints.ErrForbidden, Detail: "name the keys that you need",
	}}})
	fmt.Println(err, errors.Is(err, taints.ErrForbidden))
	// Output: tolerations[2]: "op=Exists" is forbidden: name the keys that you need true
}

// An operator counts the duplicates, and shows what is misspelled.
func ExampleErrorList_Of() {
	err := taints.ValidateTaints([]taints.Taint{
		taints.MustParseTaint("gpu:NoSchedule"),
		taints.MustParseTaint("gpu:NoSchedule"),
		{Key: "spot", Effect: "NoShedule"},
	})
	var list *taints.ErrorList
	if errors.As(err, &list) {
		fmt.Println(len(list.Of(taints.ErrDuplicate)), list.Of(taints.ErrUnsupported)[0])
	}
	// Output: 1 taints[2].effect: "NoShedule" is not supported: must be NoSchedule, PreferNoSchedule or NoExecute
}

// Karpenter's NodePools have two lists whose keys and effects may not repeat in
// either.
func ExampleErrorList_Split() {
	permanent := []taints.Taint{taints.MustParseTaint("gpu:NoSchedule")}
	startup := []taints.Taint{taints.MustParseTaint("cni:NoExecute"), taints.MustParseTaint("gpu=x:NoSchedule")}
	err := taints.ValidateTaints(slices.Concat(permanent, startup))
	var list *taints.ErrorList
	if errors.As(err, &list) {
		_, second := list.Split(len(permanent))
		for _, f := range second.Errors {
			f.List = "startupTaints"
			fmt.Println(f)
		}
	}
	// Output: startupTaints[1]: "gpu=x:NoSchedule" is a duplicate: a node has at most one taint of a key and effect
}
