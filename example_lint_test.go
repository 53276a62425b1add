// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"encoding/json"
	"fmt"

	"github.com/seed-0529bac1/taints"
)

// A linter for charts: the tolerations are valid, and three of them do not do
// what they seem to.
func ExampleLint() {
	for _, f := range taints.Lint([]taints.Toleration{
		taints.MustParseToleration("nvidia.com/gpu:NoSchedule"),
		taints.MustParseToleration("node-role.kubernetes.io/master:NoSchedule op=Exists"),
		taints.MustParseToleration("maintenance:NoExecute op=Exists for 300s"),
		taints.MustParseToleration("maintenance=planned:NoExecute for 3600s"),
	}) {
		fmt.Println(f)
	}
	// Output:
	// tolerations[0]: an empty value tolerates only taints without a value: to tolerate any value set the operator to Exists (empty-value)
	// tolerations[1]: nothing sets taints of this key any more: tolerate node-role.kubernetes.io/control-plane (legacy-key)
	// tolerations[3]: tolerations[2] comes first for its NoExecute taints and tolerates them for 300s, so that its own time, for 3600s, never counts: put it before tolerations[2] (shadowed)
}

// A pod of a DaemonSet may tolerate everything; its template is looked at as the
// controller completes it.
func ExampleLint_daemonSet() {
	template := []taints.Toleration{taints.MustParseToleration("op=Exists")}
	for _, f := range taints.Lint(template) {
		fmt.Println(f.Code)
	}
	fmt.Println(taints.Lint(taints.AddDaemonSetDefaults(template, taints.DaemonSetPod{})))
	// Output:
	// everything
	// []
}

// A company has its own opinion on tolerations of everything.
func ExampleCode() {
	chart := []taints.Toleration{
		taints.MustParseToleration("op=Exists"),
		taints.MustParseToleration("nvidia.com/gpu=a100:NoSchedule"),
	}
	for _, finding := range taints.Lint(chart) {
		switch finding.Code {
		case taints.CodeEverything:
			fmt.Println("allowed for", chart[finding.Toleration])
		case taints.CodeCovered:
			fmt.Println("delete", chart[finding.Toleration])
		default:
			fmt.Println(finding)
		}
	}
	// Output:
	// allowed for op=Exists
	// delete nvidia.com/gpu=a100:NoSchedule
}

// A check in a pipeline writes findings for another program.
func ExampleFinding() {
	findings := taints.Lint([]taints.Toleration{
		taints.MustParseToleration("node-role.kubernetes.io/master op=Exists"),
	})
	text, err := json.Marshal(findings)
	fmt.Println(string(text), err)
	// Output: [{"code":"legacy-key","toleration":0,"advice":"nothing sets taints of this key any more: tolerate node-role.kubernetes.io/control-plane"}] <nil>
}

// An editor marks both lines.
func ExampleFinding_Other() {
	chart := []taints.Toleration{
		taints.MustParseToleration("nvidia.com/gpu op=Exists"),
		taints.MustParseToleration("nvidia.com/gpu=a100:NoSchedule"),
	}
	for _, finding := range taints.Lint(chart) {
		if other, ok := finding.Other(); ok {
			fmt.Println(chart[finding.Toleration], "stands beside", chart[other])
		}
	}
	// Output: nvidia.com/gpu=a100:NoSchedule stands beside nvidia.com/gpu op=Exists
}
