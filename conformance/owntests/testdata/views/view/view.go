// Package view returns what the library removes as taints of k8s.io/api. It
// decides nothing.
package view

import (
	"github.com/seed-0529bac1/taints"
	v1 "k8s.io/api/core/v1"
)

// Removals returns what the changes remove as taints. One without an effect stands
// for all taints of its key.
func Removals(c taints.Changes) (list []v1.Taint) {
	for _, id := range c.Remove {
		list = append(list, v1.Taint{Key: id.Key, Effect: v1.TaintEffect(id.Effect)})
	}
	for _, key := range c.RemoveKeys {
		list = append(list, v1.Taint{Key: key})
	}
	return list
}
