// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"slices"
	"strings"

	"github.com/seed-0529bac1/taints"
)

// A matrix is what groups of nodes do to kinds of pods.
type matrix struct {
	rows    []*nodeGroup
	columns []*matrixColumn
	cells   [][]matrixCell // by row and column
	// moreRows and moreColumns are how many were left out.
	moreRows, moreColumns int
}

// The largest matrix that people still find their way in.
const (
	maxRows    = 200
	maxColumns = 40
)

// A matrixColumn is pods that select nodes alike and tolerate alike.
type matrixColumn struct {
	profile *profile
	pods    int
	pending int
	owners  []string // kinds and names, in order
	running map[*nodeGroup]int
}

// A matrixCell is what a group does to the pods of a column.
type matrixCell struct {
	verdict  verdict
	selected int // nodes of the group
	running  int // pods of the column on them
	why      []taints.Taint
}

// newMatrix returns the matrix of the pods that have not finished: columns with
// pending pods first, then those with most pods; rows in order of pods kept
// away, then of nodes.
func newMatrix(a *analyst) *matrix {
	m := &matrix{rows: slices.Clone(a.chooser.groups), columns: columnsOf(a.cluster)}
	slices.SortStableFunc(m.columns, func(x, y *matrixColumn) int { return cmp.Or(y.pending-x.pending, y.pods-x.pods) })
	slices.SortStableFunc(m.rows, func(x, y *nodeGroup) int {
		return cmp.Or(y.keeps-x.keeps, len(y.nodes)-len(x.nodes))
	})
	m.moreRows, m.moreColumns = max(len(m.rows)-maxRows, 0), max(len(m.columns)-maxColumns, 0)
	m.rows, m.columns = m.rows[:len(m.rows)-m.moreRows], m.columns[:len(m.columns)-m.moreColumns]
	m.cells = make([][]matrixCell, len(m.rows))
	for i := range m.cells {
		m.cells[i] = make([]matrixCell, len(m.columns))
	}
	for k, c := range m.columns {
		selected := a.chooser.selected(c.profile)
		for i, g := range m.rows {
			m.cells[i][k] = c.cell(g, selected[g])
		}
	}
	return m
}

func (c *matrixColumn) cell(g *nodeGroup, selected int) matrixCell {
	cell := matrixCell{selected: selected, running: c.running[g]}
	cell.verdict, cell.why = c.profile.verdictOn(g, selected)
	return cell
}

// columnsOf folds the pods by profile.
func columnsOf(c *cluster) []*matrixColumn {
	var columns []*matrixColumn
	at := make(map[*profile]*matrixColumn)
	type pair struct {
		column *matrixColumn
		owner  string
	}
	seen := make(map[pair]bool)
	for i := range c.pods {
		p := &c.pods[i]
		if p.isFinished() {
			continue
		}
		column, ok := at[p.family]
		if !ok {
			column = &matrixColumn{profile: p.family, running: make(map[*nodeGroup]int)}
			at[p.family] = column
			columns = append(columns, column)
		}
		column.pods++
		if p.isPending() {
			column.pending++
		} else if i, ok := c.nodeAt[p.node]; ok {
			column.running[c.nodes[i].group]++
		}
		if owner := p.ownerName(); !seen[pair{column, owner}] {
			seen[pair{column, owner}] = true
			column.owners = append(column.owners, owner)
		}
	}
	for _, column := range columns {
		slices.SortFunc(column.owners, strings.Compare)
	}
	return columns
}

// ownerName names the object that has the pod's template, or the pod that has none.
func (p *pod) ownerName() string {
	if p.owner == nil {
		return "Pod " + p.String()
	}
	kind, name := p.owner.template()
	return kind + " " + p.namespace + "/" + name
}
