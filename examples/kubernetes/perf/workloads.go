// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// A workload is defined in a performance-config.yaml: one of Kubernetes, or
// the one in the folder workloads.
type workload struct {
	Folder string  // of scheduler_perf; "" for the folder workloads
	Case   string  // the test case
	Name   string  // which of its workloads
	Params params  // changed parameters, so that all workloads fit into 45 minutes on two cores
	Floor  float64 // how many times as fast the plugin must be; 0 for usualFloor
	Cost   int     // roughly how many seconds a run takes on two cores
	// Paced workloads run at a fixed pace: objects are updated at a fixed rate, and
	// the scheduler waits for that. Their CPU time counts, not their throughput.
	Paced bool
}

// params are the parameters of a workload, such as numbers of nodes and pods.
type params = map[string]any

// usualFloor leaves room for noise: the plugin must not be slower.
const usualFloor = 0.97

func (w workload) String() string { return w.Case + "/" + w.Name }

func (w workload) floor() float64 { return cmp.Or(w.Floor, usualFloor) }

//go:embed workloads.yaml
var workloadsFile []byte

// allWorkloads returns the workloads in the order in which they are run.
func allWorkloads() (list []workload, err error) {
	err = yaml.UnmarshalStrict(workloadsFile, &list)
	return list, err
}

// file returns the path of the workload's performance-config.yaml.
func (w workload) file(own, kubernetes string) string {
	if w.Folder == "" {
		return fmt.Sprintf("%s/workloads/performance-config.yaml", own)
	}
	return fmt.Sprintf("%s/%s/performance-config.yaml", kubernetes, w.Folder)
}

// catalog lists the workloads with their costs, and the parameters that differ from
// Kubernetes'.
func catalog(chosen []workload, rounds int) string {
	var text strings.Builder
	total := 0
	for _, w := range chosen {
		fmt.Fprintf(&text, "%-70s %3d s a run", w, w.Cost)
		for _, name := range slices.Sorted(maps.Keys(w.Params)) {
			fmt.Fprintf(&text, ", %s %v", name, w.Params[name])
		}
		text.WriteByte('\n')
		total += 2 * rounds * w.Cost
	}
	fmt.Fprintf(&text, "%d workloads, about %d minutes\n", len(chosen), (total+59)/60)
	return text.String()
}
