package taints_test

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-0529bac1/taints"
)

// A semanticsRow is a row of a table in docs/semantics.md, by the head of the
// column.
type semanticsRow map[string]string

// semanticsTables returns the rows of all tables of the document, by the heads
// of their columns.
func semanticsTables(t *testing.T) map[string][]semanticsRow {
	t.Helper()
	tables := map[string][]semanticsRow{}
	var columns []string
	for line := range strings.Lines(readFile(t, "docs/semantics.md")) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") {
			columns = nil
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		switch {
		case columns == nil:
			columns = cells
		case len(cells) != len(columns):
			t.Fatalf("%d cells in place of %d: %s", len(cells), len(columns), line)
		case !strings.HasPrefix(line, "|---"):
			row := semanticsRow{"": line}
			for i, c := range columns {
				row[c] = cells[i]
			}
			head := strings.Join(columns, ", ")
			tables[head] = append(tables[head], row)
		}
	}
	return tables
}

var codeSpans = regexp.MustCompile("`[^`]*`")

// spans returns what stands between backquotes in the column, and fails where
// there is neither that nor the word for an empty cell.
func (r semanticsRow) spans(t *testing.T, column, empty string) []string {
	t.Helper()
	list := codeSpans.FindAllString(r[column], -1)
	if rest := codeSpans.ReplaceAllString(r[column], ""); strings.Trim(rest, ", ") != "" && rest != empty || len(list) == 0 && r[column] != empty {
		t.Fatalf("cannot read the column %s", column)
	}
	for i := range list {
		list[i] = strings.Trim(list[i], "`")
	}
	return list
}

func (r semanticsRow) taints(t *testing.T, column string) []taints.Taint {
	t.Helper()
	return semanticsList(t, r.spans(t, column, "none"), taints.ParseTaint)
}

func (r semanticsRow) tolerations(t *testing.T, column string) []taints.Toleration {
	t.Helper()
	return semanticsTolerations(t, r.spans(t, column, "none"), taints.Options{})
}

func semanticsTolerations(t *testing.T, texts []string, o taints.Options) []taints.Toleration {
	t.Helper()
	return semanticsList(t, texts, o.ParseToleration)
}

// semanticsList reads each of the texts, which must be JSON exactly where the
// other form cannot say it.
func semanticsList[T any](t *testing.T, texts []string, parse func(string) (T, error)) []T {
	t.Helper()
	var list []T
	for _, text := range texts {
		x, err := parse(text)
		if strings.HasPrefix(text, "{") {
			d := json.NewDecoder(strings.NewReader(text))
			d.DisallowUnknownFields()
			err = d.Decode(&x)
		}
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, x)
	}
	return list
}

func (r semanticsRow) yes(t *testing.T, column string) bool {
	t.Helper()
	if r[column] != "yes" && r[column] != "no" {
		t.Fatalf("%s: want yes or no, got %q", column, r[column])
	}
	return r[column] == "yes"
}

// options reads the options that are named.
func (r semanticsRow) options(t *testing.T, column string) (o taints.Options) {
	t.Helper()
	for _, name := range r.spans(t, column, "") {
		switch name {
		case "NoComparison":
			o.NoComparison = true
		case "KeyWildcards":
			o.KeyWildcards = true
		default:
			t.Fatalf("no option %s", name)
		}
	}
	return o
}

// The tables of docs/semantics.md are true, and say something of everything.
func TestSemantics(t *testing.T) {
	tests := map[string]func(*testing.T, semanticsRow) []string{
		"taint, toleration, options, tolerated":                                      testMatchingRow,
		"node's taints, pod's tolerations, options, placed, avoided, leaves at once": testEffectsRow,
		"node's taints, pod's tolerations, policy, leaves":                           testEvictionRow,
		"call, pod's tolerations, result":                                            testDefaultsRow,
	}
	tables := semanticsTables(t)
	seen := map[string]bool{}
	for head, test := range tests {
		if len(tables[head]) == 0 {
			t.Errorf("there is no table of %s", head)
		}
		for _, row := range tables[head] {
			t.Run(row[""], func(t *testing.T) {
				for _, name := range test(t, row) {
					seen[name] = true
				}
			})
		}
	}
	const added = "call, adds"
	testAdded(t, tables[added])
	for head := range tables {
		if tests[head] == nil && head != added {
			t.Errorf("no test reads the table of %s", head)
		}
	}
	for i := taints.MismatchNone; !strings.HasPrefix(i.String(), "Mismatch("); i++ {
		if !seen[i.String()] {
			t.Errorf("no row says %v", i)
		}
	}
	for i := taints.FirstMatch; !strings.HasPrefix(i.String(), "Selection("); i++ {
		if !seen[i.String()] {
			t.Errorf("no row says %v", i)
		}
	}
	for _, name := range []string{"NoComparison", "KeyWildcards", "FromTimeAdded", "Effects", "EvictsAt", "EvictsNow", "Stays"} {
		if !seen[name] {
			t.Errorf("no row says %s", name)
		}
	}
}

func testMatchingRow(t *testing.T, row semanticsRow) []string {
	o := row.options(t, "options")
	taint := row.taints(t, "taint")[0]
	tolerations := semanticsTolerations(t, row.spans(t, "toleration", ""), taints.Options{KeyWildcards: o.KeyWildcards})
	want := taints.MismatchNone
	if row["tolerated"] != "yes" {
		name, ok := strings.CutPrefix(row["tolerated"], "no: `")
		if err := want.UnmarshalText([]byte(strings.TrimSuffix(name, "`"))); err != nil || !ok || want == taints.MismatchNone {
			t.Fatalf("want yes or the reason, got %q", row["tolerated"])
		}
	}
	if got := o.Mismatch(tolerations[0], taint); got != want {
		t.Errorf("Mismatch is %v", got)
	}
	if o == (taints.Options{}) && tolerations[0].Mismatch(taint) != want {
		t.Errorf("Toleration.Mismatch is %v", tolerations[0].Mismatch(taint))
	}
	_, oneShot := o.Match(taint, tolerations)
	_, compiled := o.Compile(tolerations).Match(taint)
	if yes := want == taints.MismatchNone; oneShot != yes || compiled != yes {
		t.Errorf("Match is %v, compiled %v", oneShot, compiled)
	}
	return []string{want.String(), strings.Trim(row["options"], "`")}
}

func testEffectsRow(t *testing.T, row semanticsRow) []string {
	o := row.options(t, "options")
	node, pod := row.taints(t, "node's taints"), row.tolerations(t, "pod's tolerations")
	m := o.Compile(pod)
	for form, v := range map[string]taints.Verdict{"one-shot": o.Filter(node, pod), "compiled": m.Filter(node)} {
		if v.Schedulable() != row.yes(t, "placed") || v.Avoid() != row.yes(t, "avoided") || v.Evicts() != row.yes(t, "leaves at once") {
			t.Errorf("%s: placed %v, avoided %v, leaves %v", form, v.Schedulable(), v.Avoid(), v.Evicts())
		}
	}
	var x taints.Index[string]
	x.Set("node", node)
	if got := x.CountFeasible(m) == 1; got != row.yes(t, "placed") {
		t.Errorf("in an Index: placed %v", got)
	}
	return nil
}

func testEvictionRow(t *testing.T, row semanticsRow) []string {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	node, pod := row.taints(t, "node's taints"), row.tolerations(t, "pod's tolerations")
	policy, names := semanticsPolicy(t, row, node, now)
	var want taints.Eviction
	switch words := strings.Fields(row["leaves"]); {
	case row["leaves"] == "never":
	case row["leaves"] == "now":
		want = taints.Eviction{Outcome: taints.EvictsNow, At: now}
	case len(words) == 2 && words[0] == "after":
		want = taints.Eviction{Outcome: taints.EvictsAt, At: now.Add(semanticsDuration(t, words[1]))}
	case len(words) == 2 && words[1] == "ago":
		want = taints.Eviction{Outcome: taints.EvictsAt, At: now.Add(-semanticsDuration(t, words[0]))}
	default:
		t.Fatalf("leaves %q?", row["leaves"])
	}
	forms := map[string]taints.Eviction{"one-shot": policy.EvictionOf(node, pod, now), "compiled": policy.Compile(pod).EvictionOf(node, now)}
	if policy == (taints.EvictionPolicy{Options: policy.Options}) {
		forms["under Options"] = policy.Options.EvictionOf(node, pod, now)
	}
	for form, got := range forms {
		if !sameLeaving(got, want, now) {
			t.Errorf("%s: %v at %v, want %v at %v", form, got.Outcome, got.At, want.Outcome, want.At)
		}
	}
	return append(names, want.Outcome.String())
}

// sameLeaving reports whether the pod leaves at the same time. One that leaves
// after no time at all leaves now, and one that leaves after centuries never.
func sameLeaving(got, want taints.Eviction, now time.Time) bool {
	const never = 250 * 365 * 24 * time.Hour
	wait, evicts := got.Wait(now)
	switch want.Outcome {
	case taints.Stays:
		return !evicts || wait > never
	case taints.EvictsNow:
		return evicts && wait == 0 && !got.At.Before(now)
	}
	return got.Outcome == taints.EvictsAt && got.At.Equal(want.At)
}

func semanticsDuration(t *testing.T, text string) time.Duration {
	t.Helper()
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// semanticsPolicy reads a policy and when the taints were added, which it writes
// into them.
func semanticsPolicy(t *testing.T, row semanticsRow, node []taints.Taint, now time.Time) (p taints.EvictionPolicy, names []string) {
	t.Helper()
	for part := range strings.SplitSeq(row["policy"], ", ") {
		name := strings.Trim(part, "`")
		switch {
		case part == "":
		case name == "NoComparison":
			p.Options.NoComparison = true
		case name == "FromTimeAdded":
			p.FromTimeAdded = true
		case name == string(taints.NoSchedule):
			p.Effects, name = taints.Effects(taints.NoSchedule), "Effects"
		case strings.HasPrefix(part, "added "):
			added := now.Add(-semanticsDuration(t, strings.TrimSuffix(strings.TrimPrefix(part, "added "), " ago")))
			for i := range node {
				node[i].TimeAdded = &added
			}
		default:
			if err := p.Select.UnmarshalText([]byte(name)); err != nil {
				t.Fatal(err)
			}
		}
		names = append(names, name)
	}
	return p, names
}

// semanticsCall makes the call that a cell of the table names.
func semanticsCall(t *testing.T, cell string, pod []taints.Toleration) []taints.Toleration {
	t.Helper()
	parts := codeSpans.FindAllString(cell, -1)
	for i := range parts {
		parts[i] = strings.Trim(parts[i], "`")
	}
	fiveMinutes := taints.DefaultTolerationSeconds
	switch parts[0] {
	case "AddDefaults":
		return taints.AddDefaults(pod, taints.DefaultSeconds{NotReady: &fiveMinutes, Unreachable: &fiveMinutes})
	case "AddDaemonSetDefaults":
		return taints.AddDaemonSetDefaults(pod, taints.DaemonSetPod{HostNetwork: slices.Contains(parts[1:], "HostNetwork")})
	case "AddExtendedResources":
		return taints.AddExtendedResources(pod, parts[1:]...)
	case "AddMemoryPressure":
		return taints.AddMemoryPressure(pod)
	case "Merge":
		return taints.Merge(pod, semanticsTolerations(t, parts[1:], taints.Options{}))
	case "Minimize":
		return taints.Minimize(pod)
	}
	t.Fatalf("no call %s", cell)
	return nil
}

func testDefaultsRow(t *testing.T, row semanticsRow) []string {
	got := semanticsCall(t, row["call"], row.tolerations(t, "pod's tolerations"))
	if diff := cmp.Diff(row.tolerations(t, "result"), got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	return nil
}

// testAdded tests, for each call, that its rows are what a pod gets that
// tolerates nothing. Rows of a call that say so come after those of the call
// before.
func testAdded(t *testing.T, rows []semanticsRow) {
	want := map[string][]taints.Toleration{}
	var before string
	for _, row := range rows {
		call := row["call"]
		if _, ok := want[call]; !ok && strings.HasSuffix(call, ", after those above") {
			want[call] = slices.Clone(want[before])
		}
		want[call] = append(want[call], row.tolerations(t, "adds")...)
		before = call
	}
	if len(want) < 5 {
		t.Errorf("rows for %v only", slices.Collect(maps.Keys(want)))
	}
	for call, list := range want {
		if diff := cmp.Diff(list, semanticsCall(t, call, nil)); diff != "" {
			t.Errorf("%s: -want +got:\n%s", call, diff)
		}
	}
}
