// SPDX-License-Identifier: Apache-2.0

package nodeindex

import (
	"strconv"

	"github.com/seed-0529bac1/taints"
)

// parse returns the taints in their text forms.
func parse(specs ...string) []taints.Taint {
	return times(len(specs), func(i int) taints.Taint { return taints.Must(taints.ParseTaint(specs[i])) })
}

// compile returns a Matcher for the tolerations in their text forms.
func compile(specs ...string) *taints.Matcher {
	return taints.Compile(times(len(specs), func(i int) taints.Toleration {
		return taints.Must(taints.ParseToleration(specs[i]))
	}))
}

func times[T any](n int, f func(i int) T) []T {
	all := make([]T, n)
	for i := range all {
		all[i] = f(i)
	}
	return all
}

func hard(key string, value int) taints.Taint {
	return taints.Taint{Key: key, Value: strconv.Itoa(value), Effect: taints.NoSchedule}
}

// own returns a list with a taint that no other node has.
func own(i int) []taints.Taint { return []taints.Taint{hard("tenant", i)} }

func exists(key string) taints.Toleration {
	return taints.Toleration{Key: key, Operator: taints.OpExists}
}
