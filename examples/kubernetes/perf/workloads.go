// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
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

func (w workload) floor() float64 {
	return cmp.Or(w.Floor, usualFloor)
}

// Kubernetes' largest workloads have ten times as many pods.
var workloads = []workload{
	{Folder: "misc", Case: "SchedulingBasic", Name: "5000Nodes_10000Pods", Params: params{"measurePods": 3000}, Cost: 35},
	{Folder: "misc", Case: "SchedulingDaemonset", Name: "15000Nodes", Params: params{"measurePods": 6000}, Cost: 40},
	{Folder: "default_preemption", Case: "PreemptionBasic", Name: "1000Nodes", Cost: 50},
	{Folder: "default_preemption", Case: "PreemptionAsync", Name: "5000Nodes_AsyncPreemptionEnabled", Params: params{"initNodes": 1000, "initPods": 4000, "measurePods": 2000}, Cost: 45},
	{Folder: "default_preemption", Case: "Unschedulable", Name: "5kNodes/100Init/10kPods", Params: params{"measurePods": 3000}, Cost: 35},
	{Folder: "misc", Case: "SchedulingWithMixedChurn", Name: "5000Nodes_10000Pods", Params: params{"measurePods": 3000}, Cost: 30},
	{Folder: "affinity", Case: "SchedulingPodAffinity", Name: "5000Nodes_5000Pods", Params: params{"initPods": 500, "measurePods": 700}, Cost: 45},
	{Folder: "affinity", Case: "SchedulingPodAntiAffinity", Name: "5000Nodes_2000Pods", Params: params{"initPods": 500, "measurePods": 1000}, Cost: 40},
	{Folder: "affinity", Case: "SchedulingNodeAffinity", Name: "5000Nodes_10000Pods", Params: params{"initPods": 500, "measurePods": 2000}, Cost: 40},
	{Folder: "topology_spreading", Case: "TopologySpreading", Name: "5000Nodes_5000Pods", Params: params{"initPods": 1000, "measurePods": 1500}, Cost: 50},
	{Folder: "topology_spreading", Case: "SchedulingWithNodeInclusionPolicy", Name: "5000Nodes", Params: params{"measurePods": 1500}, Cost: 40},
	{Folder: "event_handling", Case: "EventHandlingNodeUpdate", Name: "100Nodes_1000Pods", Paced: true, Cost: 35},
	{Folder: "event_handling", Case: "EventHandlingNodeAdd", Name: "100Nodes_1000Pods", Paced: true, Cost: 30},
	{Folder: "event_handling", Case: "EventHandlingPodUpdate", Name: "1Node_1000Pods", Params: params{"blockerPods": 400, "measurePods": 400}, Paced: true, Cost: 40},

	{Case: "NoTaints", Name: "5000Nodes", Cost: 30},
	{Case: "NoTaints", Name: "15000Nodes", Cost: 45},
	{Case: "Tainted40", Name: "5000Nodes", Cost: 30},
	{Case: "Tainted40", Name: "15000Nodes", Cost: 45},
	// With the plugin, these pods are placed as fast as those of NoTaints. No
	// plugin can be faster: the floor is the resulting ratio.
	{Case: "Tainted80", Name: "5000Nodes", Floor: 1.6, Cost: 40},
	{Case: "Tainted80", Name: "15000Nodes", Floor: 1.6, Cost: 60},
	{Case: "Pool", Name: "5000Nodes", Floor: 3.5, Cost: 40},
	{Case: "Pool", Name: "15000Nodes", Floor: 3.5, Cost: 80},
	{Case: "Teams50", Name: "5000Nodes", Floor: 3.5, Cost: 40},
	{Case: "Teams1000", Name: "15000Nodes", Floor: 8, Cost: 80},
	{Case: "Tenants", Name: "5000Nodes", Cost: 40},
	{Case: "Preferred", Name: "5000Nodes", Cost: 30},
	{Case: "SpreadTainted40", Name: "5000Nodes", Cost: 50},
	{Case: "Waiting", Name: "500Nodes", Paced: true, Cost: 40},
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
