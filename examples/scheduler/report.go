// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// A report is the result of a run.
type report struct {
	Nodes       int          `json:"nodes"`
	Pods        int          `json:"pods"`
	Seed        int          `json:"seed"`
	Interrupted bool         `json:"interrupted"`
	Arrived     int          `json:"arrived"`
	Placed      int          `json:"placed"`
	Kinds       []kindRow    `json:"kinds"`
	Pools       []poolRow    `json:"pools"`
	Pending     []pendingRow `json:"pending"`
	Changes     []changeRow  `json:"changes"`
	WithIndex   effort       `json:"withIndex"`
	WithLoop    *effort      `json:"withLoop,omitempty"` // of the run for comparison
}

// A kindRow counts pods of a kind.
type kindRow struct {
	Name        string   `json:"name"`
	Namespace   string   `json:"namespace"`
	Tolerations []string `json:"tolerations"` // that it brings
	Arrived     int      `json:"arrived"`
	Placed      int      `json:"placed"`
}

// A poolRow counts nodes of a pool, and what was placed there.
type poolRow struct {
	Name     string  `json:"name"`
	Nodes    int     `json:"nodes"`
	Pods     int     `json:"pods"`
	CPU      float64 `json:"cpu"`
	CPUInUse float64 `json:"cpuInUse"`
}

// A pendingRow says why the pods of a kind wait, as it is for the first of them.
type pendingRow struct {
	Kind string `json:"kind"`
	Pods int    `json:"pods"`
	Why  string `json:"why"`
}

// A changeRow counts changes of one sort.
type changeRow struct {
	Name  string `json:"name"`
	Nodes int    `json:"nodes"`
}

// An effort is what a run took.
type effort struct {
	Tries    int   `json:"tries"`
	LookedAt int   `json:"nodesLookedAt"`
	Times    times `json:"nanoseconds"`
}

// simulate runs the simulation and returns the report. To compare, it runs it
// again with a loop in place of the Index. The report of a run that is
// interrupted is of what there is so far.
func simulate(ctx context.Context, o options, clock func() time.Time) (*report, error) {
	s := newSimulation(o, true, clock)
	s.run(ctx)
	r := s.report()
	if !o.compare || s.interrupted {
		return r, nil
	}
	loop := newSimulation(o, false, clock)
	loop.run(ctx)
	other := loop.report()
	r.WithLoop, r.Interrupted = &other.WithIndex, loop.interrupted
	return r, checkSame(s.decisions, loop.decisions, r.Pending, other.Pending, loop.interrupted)
}

// checkSame returns an error unless the loop led to the same placements and
// reasons as the Index, as far as it came.
func checkSame(index, loop []int, reasons, loopReasons []pendingRow, interrupted bool) error {
	if interrupted {
		index = index[:min(len(loop), len(index))]
	}
	switch {
	case !slices.Equal(index, loop):
		return errors.New("the loop places pods elsewhere than the Index")
	case !interrupted && !slices.Equal(reasons, loopReasons):
		return errors.New("the loop has other reasons than the Index for pods to be pending")
	}
	return nil
}

func (s *simulation) report() *report {
	began := s.clock()
	why := s.pendingRows()
	s.times.Explain = s.clock().Sub(began)
	r := &report{
		Nodes: s.options.nodes, Pods: s.pods, Seed: s.seed, Interrupted: s.interrupted,
		Kinds: s.kindRows(), Pools: s.poolRows(), Pending: why, Changes: s.changeRows(),
		WithIndex: effort{len(s.decisions), s.filter.looked(), s.times},
	}
	for _, k := range r.Kinds {
		r.Arrived, r.Placed = r.Arrived+k.Arrived, r.Placed+k.Placed
	}
	return r
}

// pendingRows returns a row for each kind of which pods wait.
func (s *simulation) pendingRows() []pendingRow {
	rows := []pendingRow{}
	for i := range kinds {
		if pods := s.waitingOf(&kinds[i]); len(pods) > 0 {
			rows = append(rows, pendingRow{kinds[i].name, len(pods), s.why(pods[0])})
		}
	}
	return rows
}

func (s *simulation) waitingOf(k *kind) []*pod {
	var pods []*pod
	for _, p := range s.waiting {
		if p.kind == k {
			pods = append(pods, p)
		}
	}
	return pods
}

// why says why the pod waits. Of many reasons it names those of most nodes.
func (s *simulation) why(p *pod) string {
	const most = 3
	m := s.matchers.compile(p.tolerations)
	summary := s.filter.summarize(m)
	if summary.Feasible > 0 {
		return fmt.Sprintf("%d/%d nodes are available: %s",
			summary.Feasible, summary.Nodes, s.shortage(p.kind.request, s.filter.all(m)))
	}
	more := len(summary.Reasons) - most
	if more <= 0 {
		return summary.String()
	}
	summary.Reasons = summary.Reasons[:most]
	return fmt.Sprintf("%s, and %d more", summary, more)
}

// shortage says how many of the nodes have too little left for the request.
func (s *simulation) shortage(request resources, nodes []int) string {
	cpu, memory := 0, 0
	for _, node := range nodes {
		free := s.nodes[node].free
		if free.cpu < request.cpu {
			cpu++
		}
		if free.memory < request.memory {
			memory++
		}
	}
	return fmt.Sprintf("%d with less than %g CPU left, %d with less than %g GiB",
		cpu, request.cpus(), memory, request.gib())
}

func (s *simulation) kindRows() []kindRow {
	rows := []kindRow{}
	for i := range kinds {
		k := &kinds[i]
		rows = append(rows, kindRow{
			Name: k.name, Namespace: k.namespace, Tolerations: append([]string{}, k.tolerations...),
			Arrived: s.arrived[k], Placed: s.arrived[k] - len(s.waitingOf(k)),
		})
	}
	return rows
}

func (s *simulation) poolRows() []poolRow {
	rows := []poolRow{}
	for i := range pools {
		row := poolRow{Name: pools[i].name}
		for j := range s.nodes {
			if n := &s.nodes[j]; n.pool == &pools[i] {
				row.Nodes++
				row.CPU += n.pool.size.cpus()
				row.CPUInUse += n.pool.size.minus(n.free).cpus()
			}
		}
		for _, node := range s.decisions {
			if node != pending && s.nodes[node].pool == &pools[i] {
				row.Pods++
			}
		}
		rows = append(rows, row)
	}
	return rows
}

func (s *simulation) changeRows() []changeRow {
	var rows []changeRow
	for i := range troubles {
		rows = append(rows, changeRow{troubles[i].name, s.began[&troubles[i]]})
	}
	return append(rows, changeRow{"recovered", s.ended})
}
