package taints_test

import (
	"fmt"

	"github.com/seed-0529bac1/taints"
)

// A linter for charts: the tolerations are valid, and three of them do not do what they seem to.
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

// A pod of a DaemonSet may tolerate everything; its template is looked at as the controller completes it.
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
