// SPDX-License-Identifier: Apache-2.0

package recorded_test

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/test"
	"github.com/seed-0529bac1/taints/internal/test/recorded"
	"github.com/seed-0529bac1/taints/tolerationset"
)

type recordedNode struct {
	Name   string
	Taints []taints.Taint
}

func taintsByNode(nodes []recordedNode) map[string][]taints.Taint {
	m := map[string][]taints.Taint{}
	for _, n := range nodes {
		m[n.Name] = n.Taints
	}
	return m
}

type recordedCauses []struct{ Field, Type string }

type recordedList struct {
	Taints      []taints.Taint
	Tolerations []taints.Toleration
	Accepted    bool
	Causes      recordedCauses
}

// The API server's answer to lists: accepted or not, and the fields with errors.
func TestRecordedValidation(t *testing.T) { recorded.Each(t, "validate.json", testRecordedValidation) }

func testRecordedValidation(t *testing.T, lists []recordedList) {
	if len(lists) != 1200 {
		t.Fatalf("%d lists, want 1200", len(lists))
	}
	for i, list := range lists {
		err := taints.ValidateTaints(list.Taints)
		if list.Tolerations != nil {
			err = taints.ValidateTolerations(list.Tolerations)
		}
		if (err == nil) != list.Accepted {
			t.Errorf("list %d: accepted %v by Kubernetes, got %v", i, list.Accepted, err)
			continue
		}
		sameFields(t, i, err, list.Causes, list.Tolerations)
	}
}

// sameFields compares the fields with errors.
func sameFields(t *testing.T, i int, err error, causes recordedCauses, tolerations []taints.Toleration) {
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

type recordedUpdate struct {
	Old, New []taints.Toleration
	Accepted bool
	Causes   recordedCauses
}

// The API server's answer to changes of a pod's tolerations. It puts the two
// default tolerations back before it validates.
func TestRecordedUpdates(t *testing.T) {
	recorded.Each(t, "update.json", func(t *testing.T, updates []recordedUpdate) {
		if len(updates) != 600 {
			t.Fatalf("%d updates, want 600", len(updates))
		}
		dropped := 0
		for i, update := range updates {
			defaulted := taints.AddDefaultTolerations(update.New, taints.DefaultTolerationSeconds{})
			err := tolerationset.ValidateUpdate(update.Old, defaulted, taints.Options{})
			if (err == nil) != update.Accepted {
				t.Errorf("update %d: accepted %v by Kubernetes, got %v", i, update.Accepted, err)
			}
			sameFields(t, i, err, update.Causes, defaulted)
			if update.Accepted && tolerationset.ValidateUpdate(update.Old, update.New, taints.Options{}) != nil {
				dropped++
			}
		}
		if dropped == 0 {
			t.Error("no accepted update drops a default toleration")
		}
	})
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

type recordedSchedule struct {
	Nodes []recordedNode
	Pods  []struct {
		Name, Node  string
		Tolerations []taints.Toleration
		Scheduled   bool
	}
}

// Whether the kube-scheduler placed pods, each tied to one of 40 nodes.
func TestRecordedScheduling(t *testing.T) { recorded.Each(t, "schedule.json", testRecordedScheduling) }

func testRecordedScheduling(t *testing.T, answers recordedSchedule) {
	nodes := taintsByNode(answers.Nodes)
	scheduled := map[bool]int{}
	for _, pod := range answers.Pods {
		if pod.Node == "" {
			continue // not tied to a node
		}
		list, ok := nodes[pod.Node]
		if !ok {
			t.Fatalf("%s: no node %q", pod.Name, pod.Node)
		}
		scheduled[pod.Scheduled]++
		if got := taints.Filter(list, pod.Tolerations).Schedulable(); got != pod.Scheduled {
			t.Errorf("%s on %v with %v: schedulable %v, want %v",
				pod.Name, list, pod.Tolerations, got, pod.Scheduled)
		}
	}
	if scheduled[true] < 100 || scheduled[false] < 100 {
		t.Errorf("%d placed and %d refused pods, want more", scheduled[true], scheduled[false])
	}
}

type recordedEvictions struct {
	Nodes []recordedNode
	Pods  []struct {
		Name, Node          string
		Tolerations         []taints.Toleration
		EvictedAfterSeconds *float64
	}
}

// When the taint-eviction controller deleted pods, within 35 seconds of watching.
func TestRecordedEviction(t *testing.T) { recorded.Each(t, "evict.json", testRecordedEviction) }

func testRecordedEviction(t *testing.T, answers recordedEvictions) {
	if len(answers.Pods) != 300 {
		t.Fatalf("%d pods, want 300", len(answers.Pods))
	}
	nodes := taintsByNode(answers.Nodes)
	zero := time.Unix(1_800_000_000, 0)
	outcomes := map[taints.Outcome]int{}
	for _, pod := range answers.Pods {
		e := taints.EvictionOf(nodes[pod.Node], pod.Tolerations, zero)
		outcomes[e.Outcome]++
		after := e.At.Sub(zero).Seconds()
		gone := e.Outcome != taints.Stays && after <= 35
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
}

// A defaultedPod is a pod to which admission, and for some pods the DaemonSet
// controller, added tolerations.
type defaultedPod struct {
	Given                  []taints.Toleration
	QOS                    string
	Extended               []string // resources
	DaemonSet, HostNetwork bool
	Got                    []taints.Toleration
}

func TestRecordedDefaults(t *testing.T) { recorded.Each(t, "defaults.json", testRecordedDefaults) }

func testRecordedDefaults(t *testing.T, pods []defaultedPod) {
	if len(pods) < 20 {
		t.Fatalf("%d pods only", len(pods))
	}
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
}
