// SPDX-License-Identifier: Apache-2.0

package diagnosis

import (
	"cmp"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
)

// A Matrix says which groups of nodes accept which groups of pods.
type Matrix struct {
	Nodes []GroupRow // columns
	Rows  []*matrixRow
	// Others counts the groups of nodes without a column, and MorePods the pods that
	// are left out.
	Others, MorePods int
}

// A matrixRow is pods that the same groups of nodes accept. Waiting counts those that
// are pending or do not exist yet, and Running the others by their nodes.
type matrixRow struct {
	Pods, Waiting int
	Owners        sets.Set[string]
	Running       map[*cluster.Group]int
	Cells         []*cell        // for each column
	Others        map[string]int // the other groups of nodes, by verdict
	text          string         // equal for rows that look the same
}

// The limits of a matrix that is still readable.
const (
	maxColumns = 8
	maxRows    = 60
)

// newMatrix returns the matrix of the pods that wait for a node or have one that is
// known. Those that wait come first, then the largest groups. The groups of nodes are
// those that reject the most pending pods, then the largest.
func newMatrix(c *cluster.Cluster, r *Report, pods []*cluster.Pod) *Matrix {
	var groups []GroupRow
	groupOf := func(g GroupRow) *cluster.Group { return g.Group }
	for _, same := range cluster.Grouped(slices.Concat(r.FirstGroups(maxColumns/2), r.Groups), groupOf) {
		groups = append(groups, same[0])
	}
	m := &Matrix{Nodes: groups}
	if len(groups) > maxColumns+1 {
		m.Nodes, m.Others = groups[:maxColumns], len(groups)-maxColumns
	}
	pods = slices.DeleteFunc(slices.Clone(pods), func(p *cluster.Pod) bool {
		_, isKnown := c.NodeAt[p.Node]
		isBound := p.IsStatic() || p.Pinned && p.Owner.Kind != "DaemonSet"
		return !p.IsPending() && (!isKnown || isBound || p.IsFinished())
	})
	slices.SortStableFunc(pods, func(a, b *cluster.Pod) int { return order(b.IsPending(), a.IsPending()) })
	kinds := cluster.Grouped(pods, requirements)
	slices.SortStableFunc(kinds, func(a, b []*cluster.Pod) int {
		return cmp.Or(order(b[0].IsPending(), a[0].IsPending()), len(b)-len(a))
	})
	for i, kind := range kinds {
		if i < maxRows {
			m.add(c, kind, cellsOf(c, requirements(kind[0]), groups))
		} else {
			m.MorePods += len(kind)
		}
	}
	slices.SortStableFunc(m.Rows, func(x, y *matrixRow) int { return cmp.Or(y.Waiting-x.Waiting, y.Pods-x.Pods) })
	return m
}

// requirements returns a profile for all pods of a workload. Only a DaemonSet's pods
// are each for another node.
func requirements(p *cluster.Pod) *cluster.Profile {
	if p.NamesNodes() && p.Owner.Kind != "DaemonSet" {
		return p.Profile
	}
	return p.Family
}

// add adds the pods to the row that looks the same, or to a new one.
func (m *Matrix) add(c *cluster.Cluster, pods []*cluster.Pod, cells []*cell) {
	columns := len(m.Nodes)
	row := &matrixRow{Owners: sets.New[string](), Running: make(map[*cluster.Group]int), Cells: cells[:columns], Others: make(map[string]int)}
	for _, x := range cells[columns:] {
		row.Others[x.Verdict]++
	}
	row.text = fmt.Sprint(row.Others)
	for _, x := range row.Cells {
		if row.text += "\n"; x.Matching > 0 {
			row.text += fmt.Sprint(x.Matching, cluster.TextOf(x.Untolerated))
		}
	}
	if i := slices.IndexFunc(m.Rows, func(x *matrixRow) bool { return x.text == row.text }); i >= 0 {
		row = m.Rows[i]
	} else {
		m.Rows = append(m.Rows, row)
	}
	for _, p := range pods {
		row.Pods++
		row.Owners.Insert(p.OwnerName())
		if p.IsPending() {
			row.Waiting++
		} else {
			row.Running[c.Nodes[c.NodeAt[p.Node]].Group]++
		}
	}
}
