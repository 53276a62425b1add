// SPDX-License-Identifier: Apache-2.0

package tolerationset_test

import (
	"testing"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/tolerationset"
)

func TestBruteMinimize(t *testing.T) {
	eachList(t, func(o taints.Options, list []bruteToleration) {
		tols, dropped := tolerationsOf(list), map[int]bool{}
		got := tolerationset.Minimize(tols, o)
		part := got // of equal entries, the first remain
		for i := range list {
			if len(part) > 0 && part[0].Equal(tols[i]) && part[0].Operator == tols[i].Operator {
				part = part[1:]
			} else {
				dropped[i] = true
			}
		}
		if len(part) > 0 {
			t.Fatalf("%v is not of %v", got, tols)
		}
		checkDropped(t, o, list, dropped)
		minimal := without(list, dropped)
		for i := range minimal {
			if minimal[i].empty() || before(minimal, i) || after(minimal, i) {
				t.Fatalf("under %+v %v became %v, where %v can go", o, tols, got, got[i])
			}
		}
	})
}
