// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"errors"
	"fmt"
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

// A fault of a list has an index; a fault of one taint has none.
func ExampleFieldError_Index() {
	taint := taints.Taint{Key: "gpu"}
	for _, err := range []error{
		taints.ValidateTaints([]taints.Taint{taints.MustParseTaint("spot:NoSchedule"), taint}),
		taint.Validate(),
	} {
		var fault *taints.FieldError
		if errors.As(err, &fault) {
			fmt.Println(fault.Index())
		}
	}
	// Output:
	// 1 true
	// -1 false
}

// A command points at the fault in what was typed.
func ExampleParseError() {
	_, err := taints.ParseChanges("dedicated=ml:NoSchedule", "gpu:NoShedule")
	var fault *taints.ParseError
	if errors.As(err, &fault) {
		fmt.Println(fault.Input)
		fmt.Println(strings.Repeat(" ", fault.Offset) + "^ " + fault.Err.Error())
	}
	fmt.Println(errors.Is(err, taints.ErrUnsupported), errors.Is(err, taints.ErrDuplicate))
	// Output:
	// gpu:NoShedule
	//     ^ specs[1].effect: "NoShedule" is not supported: must be NoSchedule, PreferNoSchedule or NoExecute
	// true false
}

// A webhook answers with every fault of a tenant's pod at once, and with another
// code for what is not allowed.
func ExampleValidationError() {
	allow := []taints.Toleration{taints.MustParseToleration("tenant=blue:NoSchedule")}
	err := taints.ValidateAllowed([]taints.Toleration{
		taints.MustParseToleration("tenant=blue:NoSchedule"),
		taints.MustParseToleration("tenant=green:NoSchedule"),
		taints.MustParseToleration("op=Exists"),
	}, allow)
	code := 422
	if errors.Is(err, taints.ErrForbidden) {
		code = 403
	}
	var invalid *taints.ValidationError
	if errors.As(err, &invalid) {
		fmt.Println(code, "for", len(invalid.Fields), "tolerations")
	}
	// Output: 403 for 2 tolerations
}
