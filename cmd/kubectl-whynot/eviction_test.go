// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/seed-0529bac1/taints"
)

// at returns a Node with a NoExecute taint of the key k that came before testNow.
func at(name string, ago time.Duration) string {
	added := testNow.Add(-ago).Format(time.RFC3339)
	return fmt.Sprintf(
		`{"kind":"Node","metadata":{"name":%q},"spec":{"taints":[{"key":"k","value":"v","effect":"NoExecute",`+
			`"timeAdded":%q}]}}`,
		name, added,
	)
}

// arrived returns the Pod with the times, unless they are zero, at which it was
// scheduled and its kubelet took it, so long before testNow.
func arrived(pod string, scheduled, started time.Duration) string {
	var status []string
	if scheduled != 0 {
		status = append(status, fmt.Sprintf(`"conditions":[{"type":"Ready","status":"True"},`+
			`{"type":"PodScheduled","status":"True","lastTransitionTime":%q}]`,
			testNow.Add(-scheduled).Format(time.RFC3339)))
	}
	if started != 0 {
		status = append(status, fmt.Sprintf(`"startTime":%q`, testNow.Add(-started).Format(time.RFC3339)))
	}
	return strings.TrimSuffix(pod, "}") + `,"status":{` + strings.Join(status, ",") + "}}"
}

// forSeconds tolerates the key k so long.
func forSeconds(n int64) taints.Toleration {
	return taints.Toleration{Key: "k", Operator: taints.OpExists, Effect: taints.NoExecute, TolerationSeconds: &n}
}

func TestEvictions(t *testing.T) {
	r := mustReport(t, list(
		at("n", time.Minute), nodeJSON("untimed", "", "k=v:NoExecute"), nodeJSON("calm", "", "k=v:NoSchedule"),
		at("future", -time.Hour),
		podJSON("none", "n", ""), podJSON("over", "n", "", forSeconds(59)), podJSON("due", "n", "", forSeconds(60)),
		podJSON("soon", "n", "", forSeconds(61)), podJSON("zero", "n", "", forSeconds(0)),
		podJSON("minus", "n", "", forSeconds(-5)),
		podJSON("ever", "n", "", tol("k=v")), podJSON("first", "n", "", forSeconds(90), tol("k=v")),
		podJSON("u-none", "untimed", ""), podJSON("u-soon", "untimed", "", forSeconds(5)),
		podJSON("f-none", "future", ""), podJSON("f-soon", "future", "", forSeconds(5)),
		podJSON("y10k", "n", "", forSeconds(300_000_000_000)), podJSON("max", "n", "", forSeconds(math.MaxInt64)),
		podJSON("min", "n", "", forSeconds(math.MinInt64)),
		podJSON("far", "n", "", forSeconds(9_223_371_970_000_000_000)),
		podJSON("on-calm", "calm", ""), podJSON("on-none", "elsewhere", ""), podJSON("waits", "", ""),
		`{"kind":"Pod","metadata":{"name":"done"},"spec":{"nodeName":"n"},"status":{"phase":"Failed"}}`,
		`{"kind":"Pod","metadata":{"name":"del","deletionTimestamp":"2026-11-21T01:22:27Z"},"spec":{"nodeName":"n"}}`,
		at("old", 1000*time.Second),
		arrived(podJSON("a-bound", "old", "", forSeconds(60)), 10*time.Second, 3*time.Second),
		arrived(podJSON("a-started", "old", "", forSeconds(60)), 0, 10*time.Second),
		arrived(podJSON("a-before", "old", "", forSeconds(1001)), time.Hour, 0),
		arrived(podJSON("a-none", "old", ""), 10*time.Second, 0),
		arrived(podJSON("a-untimed", "untimed", "", forSeconds(5)), 10*time.Second, 0),
	))
	var got []string
	for _, x := range r.Evictions {
		in := ""
		if x.InSeconds != nil {
			in = fmt.Sprint(*x.InSeconds)
		}
		fields := []string{x.Pod[8:], x.Outcome, x.At, in, string(x.From)}
		got = append(got, strings.TrimSpace(strings.Join(fields, " ")))
	}
	want := []string{
		"del deleting 2026-11-21T01:23:00Z -60 timeAdded",
		"minus overdue 2026-11-21T01:23:00Z -60 timeAdded",
		"min overdue 2026-11-21T01:23:00Z -60 timeAdded",
		"zero overdue 2026-11-21T01:23:00Z -60 timeAdded",
		"none overdue 2026-11-21T01:23:00Z -60 timeAdded",
		"a-none overdue 2026-11-21T01:23:50Z -10 arrival",
		"over overdue 2026-11-21T01:23:59Z -1 timeAdded",
		"due overdue 2026-11-21T01:24:00Z 0 timeAdded",
		"f-none overdue 2026-11-21T01:24:00Z 0 now",
		"u-none overdue 2026-11-21T01:24:00Z 0 now",
		"a-before leaves 2026-11-21T01:24:01Z 1 timeAdded",
		"soon leaves 2026-11-21T01:24:01Z 1 timeAdded",
		"a-untimed leaves 2026-11-21T01:24:05Z 5 now",
		"u-soon leaves 2026-11-21T01:24:05Z 5 now",
		"first leaves 2026-11-21T01:24:30Z 30 timeAdded",
		"a-bound leaves 2026-11-21T01:24:50Z 50 arrival",
		"a-started leaves 2026-11-21T01:24:50Z 50 arrival",
		"f-soon leaves 2026-11-21T02:24:05Z 3605 timeAdded",
		"y10k stays",
		"far stays",
		"max stays",
		"ever stays",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if r.Finished != 1 || r.Lost != 1 {
		t.Errorf("finished %d, lost %d, want 1 each", r.Finished, r.Lost)
	}
}

// The taint that decides is the one whose deadline is shown.
func TestEvictionTaint(t *testing.T) {
	type (
		ts    = []taints.Taint
		keeps = []taints.Toleration
	)
	const second = time.Second
	timed := func(key string, ago time.Duration) taints.Taint {
		added := testNow.Add(-ago)
		return taints.Taint{Key: key, Effect: taints.NoExecute, TimeAdded: &added}
	}
	untimed := func(key string) taints.Taint { return taints.Taint{Key: key, Effect: taints.NoExecute} }
	keep := func(key string, seconds int64) taints.Toleration {
		return taints.Toleration{
			Key: key, Operator: taints.OpExists, Effect: taints.NoExecute, TolerationSeconds: &seconds,
		}
	}
	for _, tc := range []struct {
		taints      ts
		tolerations keeps
		want        string // key, toleration, outcome, seconds and origin
	}{
		{ts{untimed("a"), timed("b", 3*time.Hour)}, keeps{keep("b", 60)}, "b 60s overdue -10740 timeAdded"},
		{ts{timed("b", 3*time.Hour), untimed("a")}, keeps{keep("b", 60)}, "b 60s overdue -10740 timeAdded"},
		{ts{untimed("a"), timed("b", 9*second)}, keeps{keep("b", 60)}, "a none overdue 0 now"},
		{ts{timed("a", 9*second), timed("b", 99*second)}, keeps{keep("b", 60)}, "b 60s overdue -39 timeAdded"},
		{ts{timed("a", 9*second), timed("b", 9*second)}, keeps{keep("a", 0)}, "b none overdue -9 timeAdded"},
		{ts{timed("a", 9*second), timed("b", 99*second)}, nil, "b none overdue -99 timeAdded"},
		{ts{timed("a", 9*second), untimed("b")}, keeps{keep("a", 99), keep("b", 50)}, "b 50s leaves 50 now"},
		{ts{timed("a", -9*second), untimed("b")}, keeps{keep("b", 50)}, "a none overdue 0 now"},
		{ts{timed("a", -9*second)}, keeps{keep("a", 5)}, "a 5s leaves 14 timeAdded"},
		{ts{timed("a", 9*second), timed("b", 9*second)}, keeps{keep("a", 9), keep("b", 9)}, "a 9s overdue 0 timeAdded"},
		{ts{timed("a", 9*second), untimed("b")}, keeps{tol("a op=Exists"), keep("b", 1)}, "b 1s leaves 1 now"},
	} {
		n := &node{Node: &corev1.Node{}, taints: tc.taints}
		p := &pod{profile: &profile{tolerations: tc.tolerations, matcher: taints.Compile(tc.tolerations)}}
		x := evictionOf(p, n, testNow)
		because := x.Because[0]
		seconds := "none"
		if because.Toleration != nil {
			seconds = fmt.Sprintf("%ds", *because.Toleration.TolerationSeconds)
		}
		got := fmt.Sprint(because.Taint.Key, " ", seconds, " ", x.Outcome, " ", *x.InSeconds, " ", x.From)
		if got != tc.want || len(x.Because) != 1 {
			t.Errorf("%v, %v: got %s, want %s", tc.taints, tc.tolerations, got, tc.want)
		}
		all := taints.EvictionPolicy{FromTimeAdded: true}.EvictionOf(tc.taints, tc.tolerations, testNow)
		if !x.deadline.Equal(all.At) {
			t.Errorf("%v, %v: deadline %v, want %v", tc.taints, tc.tolerations, x.deadline, all.At)
		}
	}
}

func TestYearZero(t *testing.T) {
	r := mustReport(t, list(at("n", 0), podJSON("p", "n", "", forSeconds(1))), "--now", "0000-01-01T00:00:00Z")
	if x := r.Evictions[0]; x.Outcome != leaves || *x.InSeconds != testNow.Unix()+1+62167219200 {
		t.Errorf("got %+v", x)
	}
}
