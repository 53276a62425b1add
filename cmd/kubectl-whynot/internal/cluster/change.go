// SPDX-License-Identifier: Apache-2.0

package cluster

import "slices"

// With returns a finished cluster with other taints and cordons of some nodes. Both
// clusters share their pods and profiles.
func (c *Cluster) With(changed map[int]Node) *Cluster {
	d := *c
	d.Nodes, d.Groups, d.labels = slices.Clone(c.Nodes), nil, make(map[string]map[string]int)
	for i, n := range changed {
		if n.Taints = n.Own; n.Cordoned {
			n.Taints = withCordon(n.Own)
		}
		d.Nodes[i] = n
	}
	d.group()
	return &d
}
