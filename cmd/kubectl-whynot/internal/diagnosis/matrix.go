// SPDX-License-Identifier: Apache-2.0

package diagnosis

import (
	"cmp"
	"slices"

	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
)

// A Matrix shows which groups of nodes accept which kinds of pods.
type Matrix struct {
	Rows    []matrixRow
	Columns []*matrixColumn
	// MoreRows and MoreColumns count the rows and columns that are left out.
	MoreRows, MoreColumns int
}

// The limits of a matrix that is still readable.
const (
	MaxRows    = 200
	MaxColumns = 40
)

// A matrixRow is a group of nodes.
type matrixRow struct {
	GroupRow
	Cells []cell
}

// A matrixColumn is the pods with the same requirements and tolerations.
type matrixColumn struct {
	Pods, Pending int
	Owners        []string // sorted kinds and names
	*cluster.Profile

	running map[*cluster.Group]int
}

// newMatrix returns the matrix of the columns. Columns are sorted by pending
// pods, then by pods, and rows by rejected pods, then by nodes, all in
// descending order.
func newMatrix(c *cluster.Cluster, groups []GroupRow, columns []*matrixColumn) *Matrix {
	slices.SortStableFunc(columns, func(x, y *matrixColumn) int { return cmp.Or(y.Pending-x.Pending, y.Pods-x.Pods) })
	groups = slices.Clone(groups)
	slices.SortStableFunc(groups, func(x, y GroupRow) int { return cmp.Or(y.Rejected-x.Rejected, y.Nodes-x.Nodes) })
	m := &Matrix{Columns: columns[:min(len(columns), MaxColumns)]}
	m.MoreRows, m.MoreColumns = max(len(groups)-MaxRows, 0), len(columns)-len(m.Columns)
	for _, g := range groups[:min(len(groups), MaxRows)] {
		m.Rows = append(m.Rows, matrixRow{GroupRow: g})
	}
	for _, column := range m.Columns {
		cells := cellsOf(c, column.Profile)
		for i := range m.Rows {
			x := *cells[m.Rows[i].Group]
			x.Running = column.running[m.Rows[i].Group]
			m.Rows[i].Cells = append(m.Rows[i].Cells, x)
		}
	}
	return m
}

// columnsOf groups the pods that have not finished by profile. Without exact,
// requested resources and the names of nodes do not count.
func columnsOf(c *cluster.Cluster, pods []*cluster.Pod, exact bool) []*matrixColumn {
	var columns []*matrixColumn
	at := make(map[*cluster.Profile]*matrixColumn)
	for _, p := range pods {
		if p.IsFinished() {
			continue
		}
		profile := p.Family
		if exact {
			profile = p.Profile
		}
		column, ok := at[profile]
		if !ok {
			column = &matrixColumn{Profile: profile, running: make(map[*cluster.Group]int)}
			at[profile] = column
			columns = append(columns, column)
		}
		column.Pods++
		if p.IsPending() {
			column.Pending++
		} else if i, ok := c.NodeAt[p.Node]; ok {
			column.running[c.Nodes[i].Group]++
		}
		column.Owners = append(column.Owners, p.OwnerName())
	}
	for _, column := range columns {
		slices.Sort(column.Owners)
		column.Owners = slices.Compact(column.Owners)
	}
	return columns
}
