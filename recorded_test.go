// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/recorded"
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

// The API server's answer to 1,200 lists: accepted or not, and the fields at fault.
func TestRecordedValidation(t *testing.T) {
	var lists []struct {
		Taints      []taints.Taint
		Tolerations []taints.Toleration
		Accepted    bool
		Causes      []struct{ Field, Type string }
	}
	recorded.Read(t, "validate.json", &lists)
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
		want := map[string]bool{}
		for _, cause := range list.Causes {
			want[kubernetesField(cause.Field, cause.Type, list.Tolerations)] = true
		}
		got := map[string]bool{}
		for _, f := range faultsOf(t, err) {
			got[f.List+"["+strconv.Itoa(f.Index)+"]"+strings.TrimSuffix("."+f.Field, ".")] = true
		}
		if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got))); diff != "" {
			t.Errorf("list %d: fields at fault (-Kubernetes +got):\n%s", i, diff)
		}
	}
}

// kubernetesField converts the field in an API server's error to the field in
// this package's error. The API server reports the operator if the value of an
// Equal or Exists toleration is at fault.
func kubernetesField(field, kind string, tols []taints.Toleration) string {
	_, field, _ = strings.Cut(field, ".")
	list, ok := strings.CutSuffix(field, "].operator")
	if !ok || kind != "FieldValueInvalid" {
		return field
	}
	index, _ := strconv.Atoi(strings.TrimPrefix(list, "tolerations["))
	if t := tols[index]; t.Key == "" && t.Operator != taints.OpExists {
		return field
	}
	return list + "].value"
}

func faultsOf(t *testing.T, err error) []*taints.FieldError {
	t.Helper()
	if err == nil {
		return nil
	}
	v, ok := err.(taints.ErrorList)
	if !ok {
		t.Fatalf("%T is no ErrorList", err)
	}
	return v
}

// Whether the kube-scheduler placed 399 pods, each tied to one of 40 nodes.
func TestRecordedScheduling(t *testing.T) {
	var answers struct {
		Nodes []recordedNode
		Pods  []struct {
			Name, Node  string
			Tolerations []taints.Toleration
			Scheduled   bool
		}
	}
	recorded.Read(t, "schedule.json", &answers)
	nodes := taintsByNode(answers.Nodes)
	placed, refused := 0, 0
	for _, pod := range answers.Pods {
		if pod.Node == "" {
			continue // not tied to a node
		}
		list, ok := nodes[pod.Node]
		if !ok {
			t.Fatalf("%s: no node %q", pod.Name, pod.Node)
		}
		if pod.Scheduled {
			placed++
		} else {
			refused++
		}
		if got := taints.Filter(list, pod.Tolerations).Schedulable(); got != pod.Scheduled {
			t.Errorf("%s on %v with %v: schedulable %v, want %v",
				pod.Name, list, pod.Tolerations, got, pod.Scheduled)
		}
		if got := taints.Compile(pod.Tolerations).Filter(list).Schedulable(); got != pod.Scheduled {
			t.Errorf("%s, compiled: schedulable %v, want %v", pod.Name, got, pod.Scheduled)
		}
	}
	if placed != 244 || refused != 155 {
		t.Errorf("%d placed and %d refused pods, want 244 and 155", placed, refused)
	}
}

// When the taint-eviction controller deleted 300 pods, within 35 seconds of watching.
func TestRecordedEviction(t *testing.T) {
	var answers struct {
		Nodes []recordedNode
		Pods  []struct {
			Name, Node          string
			Tolerations         []taints.Toleration
			EvictedAfterSeconds *float64
		}
	}
	recorded.Read(t, "evict.json", &answers)
	if len(answers.Pods) != 300 {
		t.Fatalf("%d pods, want 300", len(answers.Pods))
	}
	nodes := taintsByNode(answers.Nodes)
	zero := time.Unix(1_800_000_000, 0)
	outcomes := map[taints.Outcome]int{}
	for _, pod := range answers.Pods {
		e := taints.EvictionOf(nodes[pod.Node], pod.Tolerations, zero)
		if c := taints.Compile(pod.Tolerations).EvictionOf(nodes[pod.Node], zero); c != e {
			t.Errorf("%s: %+v, compiled %+v", pod.Name, e, c)
		}
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

// The tolerations of 108 pods after admission and after the DaemonSet
// controller.
func TestRecordedDefaults(t *testing.T) {
	for i, pod := range recorded.Defaults(t) {
		tols := pod.Given
		if pod.DaemonSet {
			tols = taints.AddDaemonSetDefaults(tols)
			if pod.HostNetwork {
				tols = taints.AddNetworkUnavailable(tols)
			}
		}
		tols = taints.AddDefaults(tols, taints.DefaultSeconds{})
		if pod.QOS != "BestEffort" {
			tols = restrictionMerge(taints.AddMemoryPressure(tols))
		}
		tols = taints.AddExtendedResources(tols, pod.Extended...)
		if diff := cmp.Diff(pod.Got, tols); diff != "" {
			t.Errorf("pod %d, %+v (-Kubernetes +got):\n%s", i, pod, diff)
		}
	}
}

// restrictionMerge does what the PodTolerationRestriction plugin does when it
// adds to a list: MergeTolerations in k8s.io/kubernetes/pkg/util/tolerations,
// which drops entries that another entry covers.
func restrictionMerge(all []taints.Toleration) []taints.Toleration {
	covers := func(a, b taints.Toleration) bool {
		if cmp.Equal(a, b) {
			return true
		}
		if a.Key != b.Key && (a.Key != "" || a.Operator != "Exists") || a.Effect != b.Effect && a.Effect != "" {
			return false
		}
		if s := a.TolerationSeconds; a.Effect == "NoExecute" && s != nil &&
			(b.TolerationSeconds == nil || *b.TolerationSeconds > *s) {
			return false
		}
		return a.Operator == "Exists" ||
			(a.Operator == "Equal" || a.Operator == "") && b.Operator == "Equal" && a.Value == b.Value
	}
	var merged []taints.Toleration
	for i, t := range all {
		covered := slices.ContainsFunc(merged, func(m taints.Toleration) bool { return covers(m, t) }) ||
			slices.ContainsFunc(all[i+1:], func(u taints.Toleration) bool {
				return !cmp.Equal(t, u) && covers(u, t)
			})
		if !covered {
			merged = append(merged, t)
		}
	}
	return merged
}
