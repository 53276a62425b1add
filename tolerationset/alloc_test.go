// SPDX-License-Identifier: Apache-2.0

package tolerationset_test

import (
	"testing"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/tolerationset"
)

// The tolerations of a pod.
var usual = []taints.Toleration{
	taints.Must(taints.ParseToleration("node.kubernetes.io/not-ready:NoExecute op=Exists for 300s")),
	taints.Must(taints.ParseToleration("node.kubernetes.io/unreachable:NoExecute op=Exists for 300s")),
	taints.Must(taints.ParseToleration("maintenance:NoExecute op=Exists for 60s")),
	taints.Must(taints.ParseToleration("maintenance=planned:NoExecute for 600s")),
	taints.Must(taints.ParseToleration("score=60:NoSchedule op=Lt")),
	taints.Must(taints.ParseToleration("dedicated=ml:NoSchedule")),
	taints.Must(taints.ParseToleration("dedicated=db op=Equal")),
	taints.Must(taints.ParseToleration("nvidia.com/gpu:NoSchedule op=Exists")),
}

func TestAllocs(t *testing.T) {
	var none taints.Options
	for name, f := range map[string]func(){
		"Covers":          func() { tolerationset.Covers(usual[5], usual[6], none) },
		"Find":            func() { tolerationset.Find(usual, usual[5].ID()) },
		"Covers Lt":       func() { tolerationset.Covers(usual[4], usual[4], none) },
		"ValidateAllowed": func() { must(t, tolerationset.ValidateAllowed(usual, usual, none) == nil) },
		"ValidateUpdate":  func() { must(t, tolerationset.ValidateUpdate(usual, usual, none) == nil) },
		"Merge nothing":   func() { must(t, identical(tolerationset.Merge(usual, usual, none), usual)) },
		"Reconcile nothing": func() {
			_, changed := tolerationset.Reconcile(usual, usual[3:], usual[1:])
			must(t, !changed)
		},
	} {
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
	if n := testing.AllocsPerRun(100, func() { tolerationset.Merge(usual[:4], usual[4:], none) }); n > 2 { // 1 without -race
		t.Errorf("Merge: %v allocations", n)
	}
}

func must(t *testing.T, is bool) {
	if !is {
		t.Helper()
		t.Error("it is otherwise")
	}
}
