// SPDX-License-Identifier: Apache-2.0

package nodeindex

import (
	"strconv"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/test"
)

// compile returns a Matcher for the tolerations in their text forms.
func compile(texts ...string) *taints.Matcher { return taints.Compile(test.Tolerations(texts...)) }

func hard(key string, value int) taints.Taint {
	return taints.Taint{Key: key, Value: strconv.Itoa(value), Effect: taints.NoSchedule}
}

// own returns a list with a taint that no other node has.
func own(i int) []taints.Taint { return []taints.Taint{hard("tenant", i)} }

func exists(key string) taints.Toleration {
	return taints.Toleration{Key: key, Operator: taints.OpExists}
}
