// SPDX-License-Identifier: Apache-2.0

package recorded

import (
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/test"
	"github.com/seed-0529bac1/taints/lifecycle"
	"github.com/seed-0529bac1/taints/tolerationset"
)

// Check holds the library against the answers in the files of a folder, which may
// lack files, and returns how many answers each file has. [Devices] are apart,
// because module dra has their rules.
func Check(t *testing.T, folder fs.FS) map[string]int {
	sizes := map[string]int{}
	file(t, folder, "validate.json", sizes, checkValidation)
	file(t, folder, "update.json", sizes, checkUpdates)
	file(t, folder, "schedule.json", sizes, checkScheduling)
	file(t, folder, "evict.json", sizes, checkEvictions)
	file(t, folder, "defaults.json", sizes, checkDefaults)
	file(t, folder, "conditions.json", sizes, checkConditions)
	return sizes
}

// file checks the answers in a file, if the folder has it.
func file[T any](t *testing.T, folder fs.FS, name string, sizes map[string]int, check func(*testing.T, T) int) {
	t.Run(name, func(t *testing.T) {
		found := File(t, folder, name, func(t *testing.T, answers T) { sizes[name] = check(t, answers) })
		if !found {
			t.Skip("not recorded")
		}
	})
}

// checkBoth reports an error unless a tenth of the answers, or more, is yes, and a
// tenth is no.
func checkBoth(t *testing.T, question string, yes, all int) {
	t.Helper()
	if 10*min(yes, all-yes) < all || all == 0 {
		t.Errorf("%d of %d %s: too few of one kind", yes, all, question)
	}
}

func taintsByNode(nodes []Node) map[string][]taints.Taint {
	m := map[string][]taints.Taint{}
	for _, n := range nodes {
		m[n.Name] = n.Taints
	}
	return m
}

func checkValidation(t *testing.T, lists []List) int {
	accepted := 0
	for i, list := range lists {
		err := taints.ValidateTaints(list.Taints)
		if list.Tolerations != nil {
			err = taints.ValidateTolerations(list.Tolerations)
		}
		if list.Accepted {
			accepted++
		}
		if (err == nil) != list.Accepted {
			t.Errorf("list %d: accepted %v by Kubernetes, got %v", i, list.Accepted, err)
			continue
		}
		sameFields(t, i, err, list.Causes, list.Tolerations)
	}
	checkBoth(t, "lists accepted", accepted, len(lists))
	return len(lists)
}

// sameFields compares the fields with errors.
func sameFields(t *testing.T, i int, err error, causes Causes, tolerations []taints.Toleration) {
	t.Helper()
	want, got := map[string]bool{}, map[string]bool{}
	for _, cause := range causes {
		want[kubernetesField(cause.Field, cause.Type, tolerations)] = true
	}
	for _, f := range test.Errors(err) {
		if f.List == "old" { // a toleration that is missing in the new list
			got["tolerations"] = true
			continue
		}
		field := f.Field
		if field == "value" && f.List == "tolerations" {
			// The API server names the operator for the missing key and for the value.
			if t := tolerations[f.Index]; noKey(t) && t.Operator != taints.OpLt && t.Operator != taints.OpGt {
				field = "operator"
			}
		}
		got[f.List+"["+strconv.Itoa(f.Index)+"]"+strings.TrimSuffix("."+field, ".")] = true
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got))); diff != "" {
		t.Errorf("%d: fields with errors (-Kubernetes +got):\n%s", i, diff)
	}
}

func checkUpdates(t *testing.T, updates []Update) int {
	accepted, dropped := 0, 0
	for i, update := range updates {
		defaulted := taints.AddDefaultTolerations(update.New, taints.DefaultTolerationSeconds{})
		err := tolerationset.ValidateUpdate(update.Old, defaulted, taints.Options{})
		if (err == nil) != update.Accepted {
			t.Errorf("update %d: accepted %v by Kubernetes, got %v", i, update.Accepted, err)
		}
		sameFields(t, i, err, update.Causes, defaulted)
		if update.Accepted {
			accepted++
		}
		if update.Accepted && tolerationset.ValidateUpdate(update.Old, update.New, taints.Options{}) != nil {
			dropped++
		}
	}
	checkBoth(t, "updates accepted", accepted, len(updates))
	if dropped == 0 {
		t.Error("no accepted update drops a default toleration")
	}
	return len(updates)
}

// kubernetesField converts the field in an API server's error to the field in
// this package's error. The API server reports the operator if the value of an
// Equal or Exists toleration is wrong.
func kubernetesField(field, kind string, tols []taints.Toleration) string {
	_, field, _ = strings.Cut(field, ".")
	list, ok := strings.CutSuffix(field, "].operator")
	if !ok || kind != "FieldValueInvalid" {
		return field
	}
	index, _ := strconv.Atoi(strings.TrimPrefix(list, "tolerations["))
	if noKey(tols[index]) {
		return field
	}
	return list + "].value"
}

// noKey reports whether the operator is wrong because there is no key.
func noKey(t taints.Toleration) bool { return t.Key == "" && t.Operator != taints.OpExists }

func checkScheduling(t *testing.T, answers Schedule) int {
	nodes := taintsByNode(answers.Nodes)
	pinned, scheduled := 0, 0
	for _, pod := range answers.Pods {
		if pod.Node == "" {
			continue // not tied to a node
		}
		list, ok := nodes[pod.Node]
		if !ok {
			t.Fatalf("%s: no node %q", pod.Name, pod.Node)
		}
		pinned++
		if pod.Scheduled {
			scheduled++
		}
		if got := taints.Filter(list, pod.Tolerations).Schedulable(); got != pod.Scheduled {
			t.Errorf("%s on %v with %v: schedulable %v, want %v",
				pod.Name, list, pod.Tolerations, got, pod.Scheduled)
		}
	}
	checkBoth(t, "pods placed", scheduled, pinned)
	return pinned
}

func checkEvictions(t *testing.T, answers Evictions) int {
	nodes := taintsByNode(answers.Nodes)
	zero := time.Unix(1_800_000_000, 0)
	outcomes := map[taints.Outcome]int{}
	for _, pod := range answers.Pods {
		e := taints.EvictionOf(nodes[pod.Node], pod.Tolerations, zero)
		outcomes[e.Outcome]++
		after := e.At.Sub(zero).Seconds()
		gone := e.Outcome != taints.Stays && after <= Watched
		switch {
		case gone != (pod.EvictedAfterSeconds != nil):
			t.Errorf("%s: evicted after %v seconds, got %+v", pod.Name, pod.EvictedAfterSeconds, e)
		case gone && (*pod.EvictedAfterSeconds < after || *pod.EvictedAfterSeconds > after+1.5):
			t.Errorf("%s: evicted after %v seconds, got %v", pod.Name, *pod.EvictedAfterSeconds, after)
		}
	}
	if len(outcomes) != 3 {
		t.Errorf("outcomes %v, want all three", outcomes)
	}
	return len(answers.Pods)
}

func checkDefaults(t *testing.T, pods []DefaultedPod) int {
	for i, pod := range pods {
		tols := pod.Given
		if pod.DaemonSet {
			tols = taints.AddDaemonSetTolerations(tols, taints.DaemonSetPod{HostNetwork: pod.HostNetwork})
		}
		tols = taints.AddDefaultTolerations(tols, taints.DefaultTolerationSeconds{})
		if pod.QOS != "BestEffort" {
			tols = tolerationset.Minimize(taints.AddMemoryPressureToleration(tols), taints.Options{})
		}
		tols = taints.AddExtendedResourceTolerations(tols, pod.Extended...)
		if diff := cmp.Diff(pod.Got, tols); diff != "" {
			t.Errorf("pod %d, %+v (-Kubernetes +got):\n%s", i, pod, diff)
		}
	}
	return len(pods)
}

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func checkConditions(t *testing.T, nodes []ConditionsNode) int {
	rules := lifecycle.DefaultConditionRules()
	for _, node := range nodes {
		state := lifecycle.NodeState{
			Conditions:    []lifecycle.Condition{{Type: "Ready", Status: node.Ready}},
			Unschedulable: node.Unschedulable,
		}
		for kind, status := range node.Conditions {
			state.Conditions = append(state.Conditions, lifecycle.Condition{Type: kind, Status: status})
		}
		got, _ := rules.Reconcile(node.Given, state, noon).Apply(node.Given)
		if diff := cmp.Diff(
			slices.Sorted(slices.Values(test.Texts(node.Got))),
			slices.Sorted(slices.Values(test.Texts(got))),
		); diff != "" {
			t.Errorf("%s, %+v (-Kubernetes +got):\n%s", node.Name, node, diff)
		}
		if diff := cmp.Diff(test.Texts(node.Given), test.Texts(got[:len(node.Given)])); diff != "" {
			t.Errorf("%s: what was given (-want +got):\n%s", node.Name, diff)
		}
		if c := rules.Reconcile(node.Got, state, noon.Add(time.Hour)); !c.IsZero() {
			t.Errorf("%s: %v to do where Kubernetes is done", node.Name, c)
		}
	}
	return len(nodes)
}
