// SPDX-License-Identifier: Apache-2.0

package diagnosis

import (
	"cmp"
	"slices"
	"strings"

	"github.com/seed-0529bac1/taints"
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
	*GroupRow
	Cells []matrixCell
}

// A matrixColumn is the pods with the same requirements and tolerations.
type matrixColumn struct {
	Pods, Pending int
	Owners        []string // sorted kinds and names

	profile *cluster.Profile
	running map[*cluster.Group]int
}

// Requirements names the node selector and required node affinity.
func (c *matrixColumn) Requirements() string { return c.profile.Requirements() }

// Tolerations returns the tolerations of the pods.
func (c *matrixColumn) Tolerations() []taints.Toleration { return c.profile.Tolerations }

// A matrixCell shows whether a group accepts the pods of a column.
type matrixCell struct {
	Verdict     verdict
	Matching    int // nodes of the group
	Running     int // pods of the column on them
	Untolerated []taints.Taint
}

// newMatrix returns the matrix of the columns. Columns are sorted by pending
// pods, then by pods, and rows by rejected pods, then by nodes, all in
// descending order. The groups have the indexes of a.chooser.groups.
func newMatrix(a *analyst, groups []GroupRow, columns []*matrixColumn) *Matrix {
	slices.SortStableFunc(columns, func(x, y *matrixColumn) int { return cmp.Or(y.Pending-x.Pending, y.Pods-x.Pods) })
	m := &Matrix{Columns: columns[:min(len(columns), MaxColumns)]}
	m.MoreColumns = len(columns) - len(m.Columns)
	order := make([]int, len(groups))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, k int) int {
		return cmp.Or(groups[k].Rejected-groups[i].Rejected, groups[k].Nodes-groups[i].Nodes)
	})
	m.MoreRows = max(len(order)-MaxRows, 0)
	order = order[:len(order)-m.MoreRows]
	for _, i := range order {
		m.Rows = append(m.Rows, matrixRow{GroupRow: &groups[i]})
	}
	for _, c := range m.Columns {
		matching := a.chooser.Matching(c.profile)
		for at, i := range order {
			g := a.chooser.Groups[i]
			cell := matrixCell{Matching: matching[g], Running: c.running[g]}
			cell.Verdict, cell.Untolerated = verdictOn(c.profile, g, matching[g])
			m.Rows[at].Cells = append(m.Rows[at].Cells, cell)
		}
	}
	return m
}

// columnsOf groups the pods that have not finished by profile.
func columnsOf(c *cluster.Cluster, pods []*cluster.Pod) []*matrixColumn {
	var columns []*matrixColumn
	at := make(map[*cluster.Profile]*matrixColumn)
	for _, p := range pods {
		if p.IsFinished() {
			continue
		}
		column, ok := at[p.Family]
		if !ok {
			column = &matrixColumn{profile: p.Family, running: make(map[*cluster.Group]int)}
			at[p.Family] = column
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
		slices.SortFunc(column.Owners, strings.Compare)
		column.Owners = slices.Compact(column.Owners)
	}
	return columns
}
