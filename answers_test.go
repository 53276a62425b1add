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
	"github.com/seed-0529bac1/taints/explain"
	"github.com/seed-0529bac1/taints/internal/docs"
	"github.com/seed-0529bac1/taints/internal/recorded"
	"github.com/seed-0529bac1/taints/internal/semantics"
	"github.com/seed-0529bac1/taints/nodeindex"
	"github.com/seed-0529bac1/taints/tolerationset"
)

// The tables of docs/semantics.md are true and cover every name.
func TestSemantics(t *testing.T) {
	tests := map[string]func(*testing.T, semantics.Row) []string{
		semantics.Matching: testMatchingRow,
		semantics.Effects:  testEffectsRow,
		semantics.Eviction: testEvictionRow,
		semantics.Defaults: testDefaultsRow,
	}
	tables, err := semantics.Read(".")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for head, test := range tests {
		if len(tables[head]) == 0 {
			t.Errorf("there is no table of %s", head)
		}
		for _, row := range tables[head] {
			t.Run(row.Line, func(t *testing.T) {
				for _, name := range test(t, row) {
					seen[name] = true
				}
			})
		}
	}
	testAdded(t, tables[semantics.Added])
	for head := range tables {
		if tests[head] == nil && head != semantics.Added {
			t.Errorf("no test reads the table of %s", head)
		}
	}
	for _, name := range namesInSemantics() {
		if !seen[name] {
			t.Errorf("no row has %s", name)
		}
	}
}

// namesInSemantics returns the names that must occur in some row.
func namesInSemantics() []string {
	names := []string{"NoComparison", "KeyWildcards", "FromTimeAdded", "Effects", "EvictsAt", "EvictsNow", "Stays"}
	for m := explain.MismatchNone; !strings.HasPrefix(m.String(), "Mismatch("); m++ {
		names = append(names, m.String())
	}
	for s := taints.FirstMatch; !strings.HasPrefix(s.String(), "Selection("); s++ {
		names = append(names, s.String())
	}
	return names
}

func testMatchingRow(t *testing.T, row semantics.Row) []string {
	o := row.Options("options")
	taint, tolerations := row.Taints("taint")[0], row.Tolerations("toleration", o)
	want := wantedMismatch(t, row.Cell("tolerated"))
	if got := explain.Node(o.Compile(tolerations), []taints.Taint{taint})[0].Mismatch(); got != want {
		t.Errorf("the mismatch is %v", got)
	}
	if o == (taints.Options{}) && tolerations[0].Tolerates(taint) != (want == explain.MismatchNone) {
		t.Errorf("Tolerates is %v", tolerations[0].Tolerates(taint))
	}
	_, oneShot := o.Match(taint, tolerations)
	_, compiled := o.Compile(tolerations).Match(taint)
	if yes := want == explain.MismatchNone; oneShot != yes || compiled != yes {
		t.Errorf("Match is %v, compiled %v", oneShot, compiled)
	}
	return append(row.Code("options"), want.String())
}

// wantedMismatch parses "yes", or "no" with the reason.
func wantedMismatch(t *testing.T, answer string) (m explain.Mismatch) {
	t.Helper()
	if answer == "yes" {
		return explain.MismatchNone
	}
	names := docs.Code(answer)
	if len(names) != 1 || docs.WithoutCode(answer) != "no: " {
		t.Fatalf("want yes, or no and the reason, got %q", answer)
	}
	if err := m.UnmarshalText([]byte(names[0])); err != nil || m == explain.MismatchNone {
		t.Fatalf("no reason %s: %v", names[0], err)
	}
	return m
}

func testEffectsRow(t *testing.T, row semantics.Row) []string {
	o := row.Options("options")
	node, pod := row.Taints("node's taints"), row.Tolerations("pod's tolerations", o)
	m := o.Compile(pod)
	for form, v := range map[string]taints.Verdict{"one-shot": o.Filter(node, pod), "compiled": m.Filter(node)} {
		if v.Schedulable() != row.Yes("placed") || v.Avoid() != row.Yes("avoided") ||
			v.Evicts() != row.Yes("untolerated NoExecute") {
			t.Errorf("%s: placed %v, avoided %v, leaves %v", form, v.Schedulable(), v.Avoid(), v.Evicts())
		}
	}
	var x nodeindex.Index[string]
	x.Set("node", node)
	if got := x.CountFeasible(m) == 1; got != row.Yes("placed") {
		t.Errorf("in an Index: placed %v", got)
	}
	return row.Code("options")
}

func testEvictionRow(t *testing.T, row semantics.Row) []string {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	node, pod := row.Taints("node's taints"), row.Tolerations("pod's tolerations", taints.Options{})
	policy, names := wantedPolicy(t, row.Cell("policy"), node, now)
	want := wantedEviction(t, row.Cell("leaves"), now)
	forms := map[string]taints.Eviction{
		"one-shot": policy.EvictionOf(node, pod, now),
		"compiled": policy.Compile(pod).EvictionOf(node, now),
	}
	if policy == (taints.EvictionPolicy{Options: policy.Options}) {
		forms["under Options"] = policy.Options.EvictionOf(node, pod, now)
	}
	for form, got := range forms {
		if got.Outcome != want.Outcome || !got.At.Equal(want.At) {
			t.Errorf("%s: %v at %v, want %v at %v", form, got.Outcome, got.At, want.Outcome, want.At)
		}
	}
	return append(names, want.Outcome.String())
}

// wantedEviction parses "never", "now", "after 300s" or "30s ago".
func wantedEviction(t *testing.T, cell string, now time.Time) taints.Eviction {
	t.Helper()
	if d, ok := strings.CutPrefix(cell, "after "); ok {
		return taints.Eviction{Outcome: taints.EvictsAt, At: later(t, now, d)}
	}
	if d, ok := strings.CutSuffix(cell, " ago"); ok {
		return taints.Eviction{Outcome: taints.EvictsAt, At: now.Add(-duration(t, d))}
	}
	switch cell {
	case "never":
		return taints.Eviction{}
	case "now":
		return taints.Eviction{Outcome: taints.EvictsNow, At: now}
	}
	t.Fatalf("when is %q?", cell)
	return taints.Eviction{}
}

// later returns the time that many seconds later. The seconds may exceed the
// range of time.Duration.
func later(t *testing.T, now time.Time, text string) time.Time {
	t.Helper()
	seconds, err := strconv.ParseInt(strings.TrimSuffix(text, "s"), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return time.Unix(now.Unix()+seconds, int64(now.Nanosecond()))
}

func duration(t *testing.T, text string) time.Duration {
	t.Helper()
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// wantedPolicy parses a policy and the time at which the taints were added. It
// sets the TimeAdded of the taints, and returns the policy and the names of what
// it changes.
func wantedPolicy(
	t *testing.T, cell string, node []taints.Taint, now time.Time,
) (p taints.EvictionPolicy, names []string) {
	t.Helper()
	for name := range strings.SplitSeq(strings.ReplaceAll(cell, "`", ""), ", ") {
		switch d, added := strings.CutPrefix(strings.TrimSuffix(name, " ago"), "added "); {
		case name == "":
		case name == "NoComparison":
			p.Options.NoComparison = true
		case name == "FromTimeAdded":
			p.FromTimeAdded = true
		case added:
			at := now.Add(-duration(t, d))
			for i := range node {
				node[i].TimeAdded = &at
			}
		case strings.HasPrefix(name, "effect "):
			p.Effects, name = taints.Effects(taints.Effect(strings.TrimPrefix(name, "effect "))), "Effects"
		default:
			if err := p.Select.UnmarshalText([]byte(name)); err != nil {
				t.Fatal(err)
			}
		}
		names = append(names, name)
	}
	return p, names
}

// defaultsOf makes the call in the cell, with its arguments.
func defaultsOf(t *testing.T, cell string, pod []taints.Toleration) []taints.Toleration {
	t.Helper()
	call := docs.Code(cell)
	name, arguments := call[0], call[1:]
	fiveMinutes := taints.DefaultTolerationSeconds
	switch name {
	case "AddDefaults":
		return taints.AddDefaults(pod, taints.DefaultSeconds{NotReady: &fiveMinutes, Unreachable: &fiveMinutes})
	case "AddDaemonSetDefaults":
		return taints.AddDaemonSetDefaults(pod, taints.DaemonSetPod{
			HostNetwork: slices.Contains(arguments, "HostNetwork"),
		})
	case "AddExtendedResources":
		return taints.AddExtendedResources(pod, arguments...)
	case "AddMemoryPressure":
		return taints.AddMemoryPressure(pod)
	case "Merge":
		return tolerationset.Merge(pod, semantics.Tolerations(arguments, taints.Options{}), taints.Options{})
	case "Minimize":
		return tolerationset.Minimize(pod, taints.Options{})
	}
	t.Fatalf("no call %s", name)
	return nil
}

func testDefaultsRow(t *testing.T, row semantics.Row) []string {
	got := defaultsOf(t, row.Cell("call"), row.Tolerations("pod's tolerations", taints.Options{}))
	if diff := cmp.Diff(row.Tolerations("result", taints.Options{}), got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	return nil
}

// testAdded tests that each call adds the tolerations of its rows to a pod
// without tolerations. A call with ", after those above" adds them to the result
// of the call before it.
func testAdded(t *testing.T, rows []semantics.Row) {
	want := map[string][]taints.Toleration{}
	var before string
	for _, row := range rows {
		call := row.Cell("call")
		if want[call] == nil && strings.HasSuffix(call, ", after those above") {
			want[call] = slices.Clone(want[before])
		}
		want[call] = append(want[call], row.Tolerations("adds", taints.Options{})...)
		before = call
	}
	if len(want) < 5 {
		t.Errorf("rows for %q only", slices.Collect(maps.Keys(want)))
	}
	for call, list := range want {
		if diff := cmp.Diff(list, defaultsOf(t, call, nil)); diff != "" {
			t.Errorf("%s: -want +got:\n%s", call, diff)
		}
	}
}

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
	v, ok := err.(*taints.ErrorList)
	if !ok {
		t.Fatalf("%T is no *ErrorList", err)
	}
	return v.Errors
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
			tols = taints.AddDaemonSetDefaults(tols, taints.DaemonSetPod{HostNetwork: pod.HostNetwork})
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
