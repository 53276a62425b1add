// SPDX-License-Identifier: Apache-2.0

package tolerationset_test

import (
	"testing"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/test"
	"github.com/seed-0529bac1/taints/tolerationset"
)

func TestFind(t *testing.T) {
	list := test.Tolerations("a=1:NoExecute for 5s", "a=1:NoExecute op=Equal", "a:NoExecute op=Exists", "a=1 op=Lt", "a=1", "b=1:NoExecute", "a=2:NoExecute")
	list = append(list, taints.Toleration{Key: "a", Operator: taints.OpExists, Value: "1", Effect: taints.NoExecute})
	for i, tol := range list {
		want := i
		if i == 1 {
			want = 0 // the same as the first
		}
		if got, found := tolerationset.Find(list, tol.ID()); got != want || !found {
			t.Errorf("%v is at %d, want %d", tol, got, want)
		}
	}
	if _, found := tolerationset.Find(list[1:2], taints.TolerationID{Key: "a", Value: "1", Effect: "NoExecute"}); !found {
		t.Errorf("%v is not found without an operator", list[1])
	}
	for id, want := range map[taints.TolerationID]int{
		{Key: "a", Value: "1", Effect: "NoExecute"}: 0,
		{Key: "a", Value: "1"}:                      4,
		{Key: "a"}:                                  -1,
	} {
		if got, found := tolerationset.Find(list, id); got != want || found != (want >= 0) {
			t.Errorf("%v is at %d, want %d", id, got, want)
		}
	}
}
