// SPDX-License-Identifier: Apache-2.0

package semantics_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/explain"
	"github.com/seed-0529bac1/taints/internal/test/docs"
	"github.com/seed-0529bac1/taints/tolerationset"
)

// The tables of docs/semantics.md are true and cover every name.
func TestSemantics(t *testing.T) {
	tests := map[string]func(*testing.T, tableRow) []string{
		matchingTable: testMatchingRow,
		effectsTable:  testEffectsRow,
		evictionTable: testEvictionRow,
		defaultsTable: testDefaultsRow,
	}
	tables := readTables(t)
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
	testAdded(t, tables[addedTable])
	for head := range tables {
		if tests[head] == nil && head != addedTable {
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
	names := []string{"NoComparison", "KeyWildcards", "FromTimeAdded", "ForDevices", "EvictsAt", "EvictsNow", "Stays"}
	for m := explain.MismatchNone; !strings.HasPrefix(m.String(), "Mismatch("); m++ {
		names = append(names, m.String())
	}
	return names
}

func testMatchingRow(t *testing.T, row tableRow) []string {
	o := row.Options("options")
	taint, tolerations := row.Taints("taint")[0], row.Tolerations("toleration", o)
	want := wantedMismatch(t, row.Cell("tolerated"))
	if got := explain.Taint(o.Compile(tolerations), taint).Mismatch(); got != want {
		t.Errorf("the mismatch is %v", got)
	}
	if o == (taints.Options{}) && tolerations[0].Tolerates(taint) != (want == explain.MismatchNone) {
		t.Errorf("Tolerates is %v", tolerations[0].Tolerates(taint))
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
	for m.String() != names[0] {
		if m++; m == 0 {
			t.Fatalf("no reason %s", names[0])
		}
	}
	return m
}

func testEffectsRow(t *testing.T, row tableRow) []string {
	o := row.Options("options")
	node, pod := row.Taints("node's taints"), row.Tolerations("pod's tolerations", o)
	if v := o.Compile(pod).Filter(node); v.Schedulable() != row.Yes("placed") || v.Avoid() != row.Yes("avoided") ||
		(v.NoExecute > 0) != row.Yes("untolerated NoExecute") {
		t.Errorf("placed %v, avoided %v, %v", v.Schedulable(), v.Avoid(), v)
	}
	return row.Code("options")
}

func testEvictionRow(t *testing.T, row tableRow) []string {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	node, pod := row.Taints("node's taints"), row.Tolerations("pod's tolerations", taints.Options{})
	o, policy, names := wantedPolicy(t, row.Cell("policy"), node, now)
	got := policy.EvictionOf(o.Compile(pod), node, now)
	if want := row.Cell("leaves"); leaves(got, now) != want {
		t.Errorf("leaves %s, want %s", leaves(got, now), want)
	}
	return append(names, got.Outcome.String())
}

// leaves returns "never", "now", "after 300s" or "30s ago". The seconds may exceed
// the range of time.Duration.
func leaves(e taints.Eviction, now time.Time) string {
	switch d := e.At.Unix() - now.Unix(); {
	case e == taints.Eviction{}:
		return "never"
	case e.Outcome == taints.EvictsNow && e.At.Equal(now):
		return "now"
	case d < 0:
		return fmt.Sprintf("%ds ago", -d)
	default:
		return fmt.Sprintf("after %ds", d)
	}
}

// wantedPolicy parses a policy and the time at which the taints were added. It
// sets the TimeAdded of the taints, and returns the policy and the names of what
// it changes.
func wantedPolicy(
	t *testing.T, cell string, node []taints.Taint, now time.Time,
) (o taints.Options, p taints.EvictionPolicy, names []string) {
	t.Helper()
	for name := range strings.SplitSeq(strings.ReplaceAll(cell, "`", ""), ", ") {
		switch d, added := strings.CutPrefix(strings.TrimSuffix(name, " ago"), "added "); {
		case name == "":
		case name == "NoComparison":
			o.NoComparison = true
		case name == "FromTimeAdded":
			p.FromTimeAdded = true
		case name == "ForDevices":
			p.ForDevices = true
		case added:
			ago, err := time.ParseDuration(d)
			if err != nil {
				t.Fatal(err)
			}
			at := now.Add(-ago)
			for i := range node {
				node[i].TimeAdded = &at
			}
		default:
			t.Fatalf("no policy %q", name)
		}
		names = append(names, name)
	}
	return o, p, names
}

// defaultsOf makes the call in the cell, with its arguments.
func defaultsOf(t *testing.T, cell string, pod []taints.Toleration) []taints.Toleration {
	t.Helper()
	call := docs.Code(cell)
	name, arguments := call[0], call[1:]
	fiveMinutes := int64(300)
	switch name {
	case "AddDefaultTolerations":
		return taints.AddDefaultTolerations(pod, taints.DefaultTolerationSeconds{NotReady: &fiveMinutes, Unreachable: &fiveMinutes})
	case "AddDaemonSetTolerations":
		return taints.AddDaemonSetTolerations(pod, taints.DaemonSetPod{})
	case "AddExtendedResourceTolerations":
		return taints.AddExtendedResourceTolerations(pod, arguments...)
	case "AddMemoryPressureToleration":
		return taints.AddMemoryPressureToleration(pod)
	case "Merge":
		return tolerationset.Merge(pod, tolerationsIn(arguments, taints.Options{}), taints.Options{})
	case "Minimize":
		return tolerationset.Minimize(pod, taints.Options{})
	}
	t.Fatalf("no call %s", name)
	return nil
}

func testDefaultsRow(t *testing.T, row tableRow) []string {
	got := defaultsOf(t, row.Cell("call"), row.Tolerations("pod's tolerations", taints.Options{}))
	if diff := cmp.Diff(row.Tolerations("result", taints.Options{}), got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	return nil
}

// testAdded tests that each call adds the tolerations of its rows to a pod
// without tolerations.
func testAdded(t *testing.T, rows []tableRow) {
	want := map[string][]taints.Toleration{}
	for _, row := range rows {
		call := row.Cell("call")
		want[call] = append(want[call], row.Tolerations("adds", taints.Options{})...)
	}
	if len(want) != 4 {
		t.Errorf("rows for %q only", slices.Collect(maps.Keys(want)))
	}
	for call, list := range want {
		if diff := cmp.Diff(list, defaultsOf(t, call, nil)); diff != "" {
			t.Errorf("%s: -want +got:\n%s", call, diff)
		}
	}
}

// The column headers of the tables.
const (
	matchingTable = "taint, toleration, options, tolerated"
	effectsTable  = "node's taints, pod's tolerations, options, placed, avoided, untolerated NoExecute"
	evictionTable = "node's taints, pod's tolerations, policy, leaves"
	addedTable    = "call, adds"
	defaultsTable = "call, pod's tolerations, result"
)

// readTables returns the rows of the tables, keyed by the headers of their columns.
func readTables(t *testing.T) map[string][]tableRow {
	text, err := os.ReadFile("../../../docs/semantics.md")
	if err != nil {
		t.Fatal(err)
	}
	tables, err := docs.Tables(string(text))
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string][]tableRow{}
	for _, table := range tables {
		head := strings.Join(table.Columns, ", ")
		for _, r := range table.Rows {
			rows[head] = append(rows[head], tableRow{r})
		}
	}
	return rows
}

// A tableRow is a row of one of the tables. Its methods panic with the reason if
// they cannot read it.
type tableRow struct{ docs.Row }

// Yes reports whether the column contains yes. It must contain yes or no.
func (r tableRow) Yes(column string) bool {
	cell := r.Cell(column)
	if cell != "yes" && cell != "no" {
		panic(fmt.Sprintf("%s: want yes or no, got %q", column, cell))
	}
	return cell == "yes"
}

// Options reads the options that the column names.
func (r tableRow) Options(column string) (o taints.Options) {
	for _, name := range r.spans(column, "") {
		switch name {
		case "NoComparison":
			o.NoComparison = true
		case "KeyWildcards":
			o.KeyWildcards = true
		default:
			panic("no option " + name)
		}
	}
	return o
}

// Taints reads the taints in the column.
func (r tableRow) Taints(column string) []taints.Taint {
	return parseEach(r.spans(column, "none"), taints.ParseTaint)
}

// Tolerations reads the tolerations in the column, with wildcards if the options
// have them.
func (r tableRow) Tolerations(column string, o taints.Options) []taints.Toleration {
	return tolerationsIn(r.spans(column, "none"), o)
}

// tolerationsIn reads each of the texts, with wildcards if the options have them.
func tolerationsIn(texts []string, o taints.Options) []taints.Toleration {
	o.NoComparison = false
	return parseEach(texts, o.ParseToleration)
}

// spans returns the texts between backquotes in the column, which must contain
// nothing else. It returns nil if the column contains the word none.
func (r tableRow) spans(column, none string) []string {
	cell := r.Cell(column)
	if cell == none {
		return nil
	}
	if rest := strings.Trim(docs.WithoutCode(cell), ", "); rest != "" {
		panic(fmt.Sprintf("%s: cannot read %q", column, rest))
	}
	texts := r.Code(column)
	if len(texts) == 0 {
		panic(column + ": nothing there")
	}
	return texts
}

// parseEach reads each of the texts. A text that begins with a brace is JSON.
func parseEach[T any](texts []string, parse func(string) (T, error)) []T {
	var all []T
	for _, text := range texts {
		x, err := parse(text)
		if strings.HasPrefix(text, "{") {
			if err == nil {
				panic("JSON is for what has no other form: " + text)
			}
			d := json.NewDecoder(strings.NewReader(text))
			d.DisallowUnknownFields()
			err = d.Decode(&x)
		}
		if err != nil {
			panic(err)
		}
		all = append(all, x)
	}
	return all
}
