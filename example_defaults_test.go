// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"errors"
	"fmt"

	"github.com/seed-0529bac1/taints"
)

// An admission hook, for a pod that requests a GPU and says nothing else: check what
// it brings, then add what the cluster's own plugins would.
func ExampleAddDefaults() {
	tolerations := []taints.Toleration{taints.MustParseToleration("dedicated=ml:NoSchedule")}
	if err := taints.ValidateTolerations(tolerations); err != nil {
		fmt.Println(err)
		return
	}
	tolerations = taints.AddDefaults(tolerations, taints.DefaultSeconds{})
	tolerations = taints.AddExtendedResources(tolerations, "cpu", "memory", "nvidia.com/gpu")
	for _, t := range tolerations {
		fmt.Println(t)
	}
	// Output:
	// dedicated=ml:NoSchedule
	// node.kubernetes.io/not-ready:NoExecute op=Exists for 300s
	// node.kubernetes.io/unreachable:NoExecute op=Exists for 300s
	// nvidia.com/gpu:NoSchedule op=Exists
}

// A latency-critical cluster moves its pods sooner.
func ExampleDefaultSeconds() {
	soon := int64(20)
	for _, t := range taints.AddDefaults(nil, taints.DefaultSeconds{Unreachable: &soon}) {
		fmt.Println(t)
	}
	// Output:
	// node.kubernetes.io/not-ready:NoExecute op=Exists for 300s
	// node.kubernetes.io/unreachable:NoExecute op=Exists for 20s
}

// A log shipper runs on every node, also on cordoned and failing ones, and on the
// host's network.
func ExampleAddDaemonSetDefaults() {
	for _, t := range taints.AddDaemonSetDefaults(nil, taints.DaemonSetPod{HostNetwork: true}) {
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

func ExampleAddExtendedResources() {
	for _, t := range taints.AddExtendedResources(nil, "nvidia.com/gpu", "memory", "amd.com/gpu") {
		fmt.Println(t)
	}
	// Output:
	// amd.com/gpu:NoSchedule op=Exists
	// nvidia.com/gpu:NoSchedule op=Exists
}

func ExampleIsExtendedResourceName() {
	for _, name := range []string{
		"nvidia.com/gpu",
		"cpu",
		"kubernetes.io/x",
		"requests.nvidia.com/gpu",
	} {
		fmt.Println(name, taints.IsExtendedResourceName(name))
	}
	// Output:
	// nvidia.com/gpu true
	// cpu false
	// kubernetes.io/x false
	// requests.nvidia.com/gpu false
}

// A pod with memory requests may stay on, and go to, a node under memory pressure.
func ExampleAddMemoryPressure() {
	fmt.Println(taints.AddMemoryPressure(nil))
	// Output: [node.kubernetes.io/memory-pressure:NoSchedule op=Exists]
}

// Every fault is reported, each with its field and what would be right.
func ExampleValidateTolerations() {
	seconds := int64(60)
	err := taints.ValidateTolerations([]taints.Toleration{
		{Key: "dedicated", Operator: taints.OpExists, Value: "ml"},
		{Key: "gpu", Operator: "In", Effect: taints.NoSchedule, TolerationSeconds: &seconds},
	})
	var invalid *taints.ErrorList
	if errors.As(err, &invalid) {
		for _, fault := range invalid.Errors {
			fmt.Println(fault)
		}
	}
	fmt.Println(errors.Is(err, taints.ErrUnsupported))
	// Output:
	// tolerations[0].value: "ml" is invalid: must be empty, as the operator matches every value
	// tolerations[1].operator: "In" is not supported: must be Exists, Equal, Lt or Gt, or empty for Equal
	// tolerations[1].effect: "NoSchedule" is invalid: must be NoExecute when tolerationSeconds is set
	// true
}

func ExampleOptions_ValidateTolerations() {
	lt := []taints.Toleration{taints.MustParseToleration("score=60 op=Lt")}
	fmt.Println(taints.ValidateTolerations(lt))
	fmt.Println(taints.Options{NoComparison: true}.ValidateTolerations(lt))
	// Output:
	// <nil>
	// tolerations[0].operator: "Lt" is not supported: must be Exists or Equal, or empty for Equal; the comparison operators are switched off
}

func ExampleValidateTaints() {
	err := taints.ValidateTaints([]taints.Taint{
		taints.MustParseTaint("dedicated=ml:NoSchedule"),
		taints.MustParseTaint("dedicated=db:NoSchedule"),
	})
	fmt.Println(err)
	// Output: taints[1]: "dedicated=db:NoSchedule" is a duplicate: a node has at most one taint of a key and effect
}

func ExampleTaint_Validate() {
	fmt.Println(taints.Taint{Key: "Example.com/gpu", Effect: taints.NoSchedule}.Validate())
	// Output: key: "Example.com/gpu" is invalid: must have before the '/' a DNS subdomain: lower case letters, digits, '-' and '.', with a letter or digit at both ends of each part
}

func ExampleToleration_Validate() {
	fmt.Println(taints.Toleration{Operator: taints.OpEqual}.Validate())
	// Output: operator: "Equal" is invalid: must be Exists when the key is empty, which means all keys and values
}

// A controller may only lengthen or shorten what a running pod has.
func ExampleValidateTolerationsUpdate() {
	old := []taints.Toleration{taints.MustParseToleration("maintenance:NoExecute op=Exists for 60s")}
	longer := []taints.Toleration{taints.MustParseToleration("maintenance:NoExecute op=Exists for 600s")}
	fmt.Println(taints.ValidateTolerationsUpdate(old, longer))
	fmt.Println(taints.ValidateTolerationsUpdate(old, nil))
	// Output:
	// <nil>
	// old[0]: "maintenance:NoExecute op=Exists for 60s" is forbidden: an existing toleration cannot be removed or changed, except its tolerationSeconds
}

// The same agent with and without the host's network: only the first runs before
// the node has a network.
func ExampleDaemonSetPod() {
	network := []taints.Taint{taints.MustParseTaint(taints.NodeNetworkUnavailable + ":NoSchedule")}
	for _, pod := range []taints.DaemonSetPod{{HostNetwork: true}, {}} {
		fmt.Println(taints.Filter(network, taints.AddDaemonSetDefaults(nil, pod)).Schedulable())
	}
	// Output:
	// true
	// false
}
