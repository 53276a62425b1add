// SPDX-License-Identifier: Apache-2.0

// Scheduler places the pods of a small cluster. It filters nodes by their taints
// and free slots, scores the feasible nodes by their PreferNoSchedule taints,
// and explains why a pod fits nowhere. It shows how a scheduler outside
// Kubernetes can use the library.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/explain"
	"github.com/seed-0529bac1/taints/nodeindex"
)

// A node has room for some pods.
type node struct {
	name   string
	slots  int
	taints string // in kubectl's form
}

// A pod has tolerations, in the form of "kubectl describe pod".
type pod struct {
	name        string
	tolerations []string
}

var nodes = []node{
	{"spot-1", 2, "example.com/spot:PreferNoSchedule"},
	{"worker-1", 1, ""},
	{"gpu-1", 2, "nvidia.com/gpu=present:NoSchedule"},
	{"gpu-2", 1, "nvidia.com/gpu=present:NoSchedule,dedicated=ml:NoSchedule"},
}

var pods = []pod{
	{"web-1", nil},
	{"web-2", nil},
	{"web-3", nil},
	{"train", []string{"nvidia.com/gpu:NoSchedule op=Exists", "dedicated=ml:NoSchedule"}},
	{"infer", []string{"nvidia.com/gpu:NoSchedule op=Exists"}},
	{"typo", []string{"nvidia.com/gpus:NoSchedule op=Exists"}},
	{"agent", []string{"op=Exists"}},
}

func main() {
	if err := run(os.Stdout, nodes, pods); err != nil {
		fmt.Fprintln(os.Stderr, "scheduler:", err)
		os.Exit(1)
	}
}

// A scheduler knows the taints of all nodes and their free slots. It needs a lock
// if one goroutine updates the nodes while another places pods.
type scheduler struct {
	index nodeindex.Index[string]
	free  map[string]int
}

func run(out io.Writer, nodes []node, pods []pod) error {
	s := scheduler{free: make(map[string]int)}
	for _, n := range nodes {
		list, err := taints.ParseTaints(n.taints)
		if err != nil {
			return fmt.Errorf("node %s: %w", n.name, err)
		}
		s.index.Set(n.name, list)
		s.free[n.name] = n.slots
	}
	for _, p := range pods {
		var list []taints.Toleration
		for _, text := range p.tolerations {
			t, err := taints.ParseToleration(text)
			if err != nil {
				return fmt.Errorf("pod %s: %w", p.name, err)
			}
			list = append(list, t)
		}
		if _, err := fmt.Fprintf(out, "%s: %s\n", p.name, s.place(taints.Compile(list))); err != nil {
			return err
		}
	}
	return nil
}

// place takes a slot of the best node for a pod. It returns that node, or the
// reason why there is none.
func (s *scheduler) place(m *taints.Matcher) string {
	var names []string
	var soft []int // taints that the pod would rather avoid
	for name, verdict := range s.index.FeasibleVerdicts(m) {
		if s.free[name] > 0 {
			names, soft = append(names, name), append(soft, verdict.PreferNoSchedule)
		}
	}
	if len(names) == 0 {
		return s.why(m)
	}
	best := 0
	scores := nodeindex.AppendScores(nil, soft, 100)
	for i, name := range names {
		if scores[i] > scores[best] || scores[i] == scores[best] && name < names[best] {
			best = i
		}
	}
	s.free[names[best]]--
	return fmt.Sprintf("%s, score %d of %d feasible nodes", names[best], scores[best], len(names))
}

// mostReasons limits how many taints are explained.
const mostReasons = 10

// why returns the reason why a pod fits nowhere.
func (s *scheduler) why(m *taints.Matcher) string {
	summary := explain.SummarizeGroups(m, taints.HardEffects, s.index.Groups(), mostReasons)
	if summary.Feasible > 0 {
		return fmt.Sprintf("pending, %v; those available are full", summary)
	}
	return fmt.Sprintf("pending, %v", summary)
}
