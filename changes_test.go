// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/seed-0529bac1/taints"
)

func TestParseChanges(t *testing.T) {
	dedicated := taints.Taint{Key: "dedicated", Value: "ml", Effect: "NoSchedule"}
	for _, tc := range []struct {
		specs string
		want  taints.Changes
	}{
		{"", taints.Changes{}},
		{"dedicated=ml:NoSchedule", taints.Changes{Add: []taints.Taint{dedicated}}},
		{"gpu:NoExecute", taints.Changes{Add: []taints.Taint{{Key: "gpu", Effect: "NoExecute"}}}},
		{"gpu=:NoExecute", taints.Changes{Add: []taints.Taint{{Key: "gpu", Effect: "NoExecute"}}}},
		{"gpu:NoExecute-", taints.Changes{Remove: []taints.TaintID{{Key: "gpu", Effect: "NoExecute"}}}},
		{"gpu=:NoExecute-", taints.Changes{Remove: []taints.TaintID{{Key: "gpu", Effect: "NoExecute"}}}},
		{"gpu=a100:NoExecute-", taints.Changes{Remove: []taints.TaintID{{Key: "gpu", Effect: "NoExecute"}}}},
		{"nvidia.com/gpu-", taints.Changes{Remove: []taints.TaintID{{Key: "nvidia.com/gpu"}}}},
		{"b- dedicated=ml:NoSchedule a:NoExecute- dedicated=ml:NoExecute", taints.Changes{
			Add:    []taints.Taint{dedicated, {Key: "dedicated", Value: "ml", Effect: "NoExecute"}},
			Remove: []taints.TaintID{{Key: "b"}, {Key: "a", Effect: "NoExecute"}},
		}},
		{"a- a- a:NoSchedule- a:NoSchedule", taints.Changes{
			Add:    []taints.Taint{{Key: "a", Effect: "NoSchedule"}},
			Remove: []taints.TaintID{{Key: "a"}, {Key: "a"}, {Key: "a", Effect: "NoSchedule"}},
		}},
	} {
		t.Run(tc.specs, func(t *testing.T) {
			got, err := taints.ParseChanges(strings.Fields(tc.specs)...)
			if diff := cmp.Diff(tc.want, got); err != nil || diff != "" {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestParseChangesErrors(t *testing.T) {
	for _, tc := range []struct {
		spec   string
		offset int
		field  string
		kind   error
		text   string
	}{
		{
			"", 0, "key", taints.ErrRequired,
			`parse change "" at offset 0: specs[1].key: required: a taint needs a key`,
		},
		{"-", 0, "key", taints.ErrRequired, ""},
		{"--", 0, "key", taints.ErrInvalid, ""},
		{"key", 3, "effect", taints.ErrRequired, ""},
		{"key=v", 5, "effect", taints.ErrRequired, ""},
		{
			"key=v-", 5, "effect", taints.ErrRequired,
			`parse change "key=v-" at offset 5: specs[1].effect: required: must be NoSchedule, PreferNoSchedule or NoExecute`,
		},
		{"key:-", 4, "effect", taints.ErrRequired, ""},
		{"key--", 0, "key", taints.ErrInvalid, ""},
		{"k y-", 0, "key", taints.ErrInvalid, ""},
		{"=v:NoSchedule-", 0, "key", taints.ErrRequired, ""},
		{"key=v v:NoSchedule-", 4, "value", taints.ErrInvalid, ""},
		{"key:noschedule-", 4, "effect", taints.ErrUnsupported, ""},
		{"key:NoSchedule--", 4, "effect", taints.ErrUnsupported, ""},
		{"key:NoSchedule:NoExecute-", 4, "effect", taints.ErrUnsupported, ""},
		{
			"first:NoSchedule", 0, "", taints.ErrDuplicate,
			`parse change "first:NoSchedule" at offset 0: specs[1]: "first:NoSchedule" is a duplicate: ` +
				`a node has at most one taint of a key and effect`,
		},
		{"first=v:NoSchedule", 0, "", taints.ErrDuplicate, ""},
	} {
		t.Run(tc.spec, func(t *testing.T) {
			got, err := taints.ParseChanges("first:NoSchedule", tc.spec, "last-")
			if err == nil || got.Add != nil || got.Remove != nil {
				t.Fatalf("got %+v, %v", got, err)
			}
			checkChangeError(t, err, tc.spec, 1, tc.offset, tc.field, tc.kind)
			if tc.text != "" && err.Error() != tc.text {
				t.Errorf("got  %s\nwant %s", err, tc.text)
			}
		})
	}
}

func checkChangeError(t *testing.T, err error, spec string, index, offset int, field string, kind error) {
	t.Helper()
	var parse *taints.ParseError
	if !errors.As(err, &parse) || parse.Kind != "change" || parse.Input != spec || parse.Offset != offset {
		t.Errorf("got %+v, want offset %d", parse, offset)
	}
	var fault *taints.FieldError
	if !errors.As(err, &fault) || fault.List != "specs" || faultIndex(fault) != index || fault.Field != field {
		t.Errorf("got %+v, want field %q", fault, field)
	}
	if !errors.Is(err, kind) {
		t.Errorf("%v is not %q", err, kind)
	}
}

// Every faulty spec is reported, each with its place.
func TestParseChangesReportsAll(t *testing.T) {
	specs := []string{"a:noschedule", "b:NoSchedule", "=v:NoExecute-", "c"}
	_, err := taints.ParseChanges(specs...)
	all, ok := err.(interface{ Unwrap() []error })
	if !ok || len(all.Unwrap()) != 3 {
		t.Fatalf("got %v", err)
	}
	checkChangeError(t, all.Unwrap()[0], specs[0], 0, 2, "effect", taints.ErrUnsupported)
	checkChangeError(t, all.Unwrap()[1], specs[2], 2, 0, "key", taints.ErrRequired)
	checkChangeError(t, all.Unwrap()[2], specs[3], 3, 1, "effect", taints.ErrRequired)
	if lines := strings.Split(err.Error(), "\n"); len(lines) != 3 {
		t.Errorf("got %q", lines)
	}
}

func TestChangesString(t *testing.T) {
	for _, specs := range []string{"", "a:NoSchedule", "a-", "b=v:NoExecute a:NoSchedule c:NoSchedule- a-"} {
		c, err := taints.ParseChanges(strings.Fields(specs)...)
		if got := c.String(); err != nil || got != specs {
			t.Errorf("%q prints as %q, %v", specs, got, err)
		}
	}
	odd := taints.Changes{
		Add:    []taints.Taint{{}, {Key: "k", Value: "v"}},
		Remove: []taints.TaintID{{}, {Effect: "x"}},
	}
	if got := odd.String(); got != " k=v: - :x-" {
		t.Errorf("odd changes print as %q", got)
	}
}

// listOf reads taints as they print, valid or not, separated by spaces.
func listOf(text string) []taints.Taint {
	var list []taints.Taint
	for _, field := range strings.Fields(text) {
		head, effect, _ := strings.Cut(field, ":")
		key, value, _ := strings.Cut(head, "=")
		list = append(list, taints.Taint{Key: key, Value: value, Effect: taints.Effect(effect)})
	}
	return list
}

func TestApplyStrict(t *testing.T) {
	const node = "dedicated=ml:NoSchedule gpu:NoSchedule gpu=x:NoExecute"
	for _, tc := range []struct {
		name      string
		node      string
		specs     string
		overwrite bool
		want      string
		faults    []string // each "list[index] taint: kind"
	}{
		{"nothing", node, "", false, node, nil},
		{"an empty node", "", "spot:PreferNoSchedule", false, "spot:PreferNoSchedule", nil},
		{
			"new ones come last", node, "spot:PreferNoSchedule dedicated=ml:NoExecute", false,
			node + " spot:PreferNoSchedule dedicated=ml:NoExecute", nil,
		},
		{
			"another value is replaced in place", node, "dedicated=db:NoSchedule", true,
			"dedicated=db:NoSchedule gpu:NoSchedule gpu=x:NoExecute", nil,
		},
		{"the same value with overwrite", node, "gpu:NoSchedule", true, node, nil},
		{
			"another value without overwrite", node, "gpu=y:NoSchedule", false, "",
			[]string{"add[0] gpu=y:NoSchedule: already there"},
		},
		{
			"the same value without overwrite", node, "gpu:NoSchedule", false, "",
			[]string{"add[0] gpu:NoSchedule: already there"},
		},
		{"one effect is removed", node, "gpu:NoSchedule-", false, "dedicated=ml:NoSchedule gpu=x:NoExecute", nil},
		{"whatever its value", node, "gpu=other:NoExecute-", false, "dedicated=ml:NoSchedule gpu:NoSchedule", nil},
		{"a key is removed", node, "gpu-", false, "dedicated=ml:NoSchedule", nil},
		{"all are removed", node, "gpu- dedicated-", false, "", nil},
		{
			"one that is not there", node, "gpu:PreferNoSchedule-", false, "",
			[]string{"remove[0] gpu:PreferNoSchedule: not found"},
		},
		{"a key that is not there", node, "Gpu-", true, "", []string{"remove[0] Gpu: not found"}},
		{"from an empty node", "", "gpu-", true, "", []string{"remove[0] gpu: not found"}},
		{"removed twice", node, "dedicated- dedicated-", false, "", []string{"remove[1] dedicated: not found"}},
		{"removed by effect and by key", node, "gpu:NoSchedule- gpu-", false, "dedicated=ml:NoSchedule", nil},
		{
			"removed by key and by effect", node, "gpu- gpu:NoSchedule-", false, "",
			[]string{"remove[1] gpu:NoSchedule: not found"},
		},
		{
			"added and removed", node, "spot:NoSchedule spot:NoSchedule-", false, "",
			[]string{"add[0] spot:NoSchedule: in conflict"},
		},
		{
			"added and removed by key", node, "gpu=y:NoExecute gpu-", true, "",
			[]string{"add[0] gpu=y:NoExecute: in conflict"},
		},
		{
			"added and another effect removed", node, "gpu=y:PreferNoSchedule gpu:NoSchedule-",
			false, "dedicated=ml:NoSchedule gpu=x:NoExecute gpu=y:PreferNoSchedule", nil,
		},
		{
			"all problems at once", node,
			"gpu=y:NoSchedule spot:NoSchedule new:NoExecute tier- spot- gone:NoSchedule-",
			false, "",
			[]string{
				"add[0] gpu=y:NoSchedule: already there", "add[1] spot:NoSchedule: in conflict",
				"remove[0] tier: not found", "remove[2] gone:NoSchedule: not found",
			},
		},
		{
			"twice in the list", "a=1:NoSchedule b:NoSchedule a=2:NoSchedule", "c:NoSchedule",
			false, "a=1:NoSchedule b:NoSchedule c:NoSchedule", nil,
		},
		{
			"twice in the list, removed", "a=1:NoSchedule b:NoSchedule a=2:NoSchedule",
			"a:NoSchedule-", false, "b:NoSchedule", nil,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, err := taints.ParseChanges(strings.Fields(tc.specs)...)
			if err != nil {
				t.Fatal(err)
			}
			got, err := c.ApplyStrict(listOf(tc.node), tc.overwrite)
			if diff := cmp.Diff(strings.Fields(tc.want), texts(got), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			checkApplyError(t, err, tc.faults)
		})
	}
}

func checkApplyError(t *testing.T, err error, want []string) {
	t.Helper()
	var got []string
	for _, f := range faultsOf(t, err) {
		got = append(got, fmt.Sprintf("%s[%d] %s: %v", f.List, faultIndex(f), f.Value, f.Err))
		if f.Field != "" || !errors.Is(err, f.Err) {
			t.Errorf("got %+v", f)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}

// Changes that no text gives.
func TestApplyStrictOddChanges(t *testing.T) {
	_, err := taints.Changes{Add: listOf("a=1:NoSchedule b: a=2:NoSchedule b=3:")}.ApplyStrict(nil, true)
	checkApplyError(t, err, []string{"add[2] a=2:NoSchedule: a duplicate", "add[3] b=3:: a duplicate"})

	got, err := taints.Changes{Remove: []taints.TaintID{{}}}.ApplyStrict(
		listOf("a:NoSchedule :NoExecute :x"), false,
	)
	if diff := cmp.Diff([]string{"a:NoSchedule"}, texts(got)); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestApplyStrictErrorText(t *testing.T) {
	node := listOf("gpu:NoSchedule dedicated=ml:NoSchedule")
	for specs, want := range map[string]string{
		"gpu:NoSchedule": `add[0]: "gpu:NoSchedule" is already there: ` +
			`the node has it as it is; overwrite would leave it so`,
		"dedicated=db:NoSchedule": `add[0]: "dedicated=db:NoSchedule" is already there: ` +
			`the node has this key and effect under another value; overwrite would replace it`,
		"spot- tier:NoExecute-": `remove[0]: "spot" is not found: ` +
			`the node has no such taint, or an earlier removal takes it; ` +
			`remove[1]: "tier:NoExecute" is not found: ` +
			`the node has no such taint, or an earlier removal takes it`,
		"gpu:NoSchedule gpu-": `add[0]: "gpu:NoSchedule" is in conflict: ` +
			`a removal names it too; to replace what is there, add with overwrite and do not remove`,
		"gpu=a:NoSchedule dedicate-": `add[0]: "gpu=a:NoSchedule" is already there: ` +
			`the node has this key and effect under another value; overwrite would replace it; ` +
			`remove[0]: "dedicate" is not found: ` +
			`the node has no such taint, or an earlier removal takes it`,
	} {
		c, err := taints.ParseChanges(strings.Fields(specs)...)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.ApplyStrict(node, false); err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

// A taint that stays keeps its time; one that comes, or takes another value, has the
// time that it is given.
func TestApplyStrictTimes(t *testing.T) {
	old, now := time.Unix(1_700_000_000, 0), time.Unix(1_800_000_000, 0)
	node := listOf("same=v:NoExecute other=v:NoExecute cleared=v:NoExecute kept:NoExecute")
	for i := range node {
		node[i].TimeAdded = &old
	}
	c := taints.Changes{Add: listOf("same=v:NoExecute other=w:NoExecute cleared=w:NoExecute new:NoExecute")}
	for i := range c.Add {
		c.Add[i].TimeAdded = &now
	}
	c.Add[2].TimeAdded = nil
	got, err := c.ApplyStrict(node, true)
	if err != nil {
		t.Fatal(err)
	}
	want := listOf("same=v:NoExecute other=w:NoExecute cleared=w:NoExecute kept:NoExecute new:NoExecute")
	for i, at := range []*time.Time{&old, &now, nil, &old, &now} {
		want[i].TimeAdded = at
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, taint := range got {
		if taint.TimeAdded == &old || taint.TimeAdded == &now {
			t.Errorf("%v shares its time", taint)
		}
	}
}

func TestReconcile(t *testing.T) {
	for _, tc := range []struct {
		name, current, old, new string
		want                    string
	}{
		{"nothing at all", "", "", "", ""},
		{"a first template", "gpu:NoSchedule", "", "dedicated=ml:NoSchedule", "dedicated=ml:NoSchedule"},
		{"done already", "gpu:NoSchedule dedicated=ml:NoSchedule", "", "dedicated=ml:NoSchedule", ""},
		{"unchanged", "dedicated=ml:NoSchedule", "dedicated=ml:NoSchedule", "dedicated=ml:NoSchedule", ""},
		{
			"another value", "dedicated=ml:NoSchedule", "dedicated=ml:NoSchedule",
			"dedicated=db:NoSchedule", "dedicated=db:NoSchedule",
		},
		{
			"another effect", "dedicated=ml:NoSchedule", "dedicated=ml:NoSchedule",
			"dedicated=ml:NoExecute", "dedicated=ml:NoExecute dedicated:NoSchedule-",
		},
		{
			"taken off", "gpu:NoSchedule dedicated=ml:NoSchedule", "dedicated=ml:NoSchedule",
			"", "dedicated:NoSchedule-",
		},
		{"taken off, and gone already", "gpu:NoSchedule", "dedicated=ml:NoSchedule", "", ""},
		{"taken off, but changed by another", "dedicated=theirs:NoSchedule", "dedicated=ml:NoSchedule", "", ""},
		{
			"wanted, but changed by another", "dedicated=theirs:NoSchedule",
			"dedicated=ml:NoSchedule", "dedicated=ml:NoSchedule", "dedicated=ml:NoSchedule",
		},
		{
			"wanted, but removed by another", "", "dedicated=ml:NoSchedule",
			"dedicated=ml:NoSchedule", "dedicated=ml:NoSchedule",
		},
		{"put there by another", "dedicated=ml:NoSchedule", "", "", ""},
		{
			"order", "b:NoSchedule a:NoSchedule", "a:NoSchedule b:NoSchedule",
			"d:NoSchedule c:NoSchedule", "d:NoSchedule c:NoSchedule a:NoSchedule- b:NoSchedule-",
		},
		{
			"the first of two counts", "a=1:NoSchedule a=2:NoSchedule",
			"a=1:NoSchedule a=2:NoSchedule", "", "a:NoSchedule-",
		},
		{
			"the first of two counts, not removed", "a=1:NoSchedule a=2:NoSchedule",
			"a=2:NoSchedule a=1:NoSchedule", "", "",
		},
		{
			"the first of two counts, added", "a=1:NoSchedule", "",
			"a=2:NoSchedule a=1:NoSchedule", "a=2:NoSchedule",
		},
		{
			"the first of two counts, there", "a=2:NoSchedule a=1:NoSchedule", "",
			"a=1:NoSchedule", "a=1:NoSchedule",
		},
		{"without an effect", "a: b:", "a: b:", "b=x:", "b=x:"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := taints.Reconcile(listOf(tc.current), listOf(tc.old), listOf(tc.new)).String()
			if got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}

func TestDiff(t *testing.T) {
	for _, tc := range []struct{ from, to, want string }{
		{"", "", ""},
		{"a:NoSchedule b=1:NoExecute", "b=1:NoExecute a:NoSchedule", ""},
		{"a:NoSchedule", "b=1:NoExecute a:NoSchedule c:NoSchedule", "b=1:NoExecute c:NoSchedule"},
		{"a:NoSchedule b=1:NoExecute", "", "a:NoSchedule- b:NoExecute-"},
		{"a=1:NoSchedule a=1:NoExecute", "a=2:NoSchedule", "a=2:NoSchedule a:NoExecute-"},
	} {
		if got := taints.Diff(listOf(tc.from), listOf(tc.to)).String(); got != tc.want {
			t.Errorf("from %q to %q: got %q, want %q", tc.from, tc.to, got, tc.want)
		}
	}
	earlier, later := time.Unix(1, 0), time.Unix(2, 0)
	from := []taints.Taint{{Key: "a", Effect: "NoExecute", TimeAdded: &earlier}}
	to := []taints.Taint{
		{Key: "a", Effect: "NoExecute", TimeAdded: &later},
		{Key: "b", Effect: "NoExecute", TimeAdded: &later},
	}
	c := taints.Diff(from, to)
	if len(c.Add) != 1 || !c.Add[0].Equal(to[1]) || c.Add[0].TimeAdded == &later {
		t.Errorf("times: got %+v", c)
	}
}

func TestApply(t *testing.T) {
	const node = "dedicated=ml:NoSchedule gpu:NoSchedule gpu=x:NoExecute"
	for _, tc := range []struct {
		name string
		node string
		c    taints.Changes
		want string // the node where nothing changes
	}{
		{"nothing", node, taints.Changes{}, node},
		{"nothing on an empty node", "", taints.Changes{}, ""},
		{"what is there", node, taints.Changes{Add: listOf("gpu:NoSchedule")}, node},
		{
			"what is gone", node,
			taints.Changes{Remove: []taints.TaintID{{Key: "spot"}, {Key: "gpu", Effect: "PreferNoSchedule"}}},
			node,
		},
		{
			"another value", node,
			taints.Changes{Add: listOf("dedicated=db:NoSchedule")},
			"dedicated=db:NoSchedule gpu:NoSchedule gpu=x:NoExecute",
		},
		{"a new one", node, taints.Changes{Add: listOf("spot:NoSchedule")}, node + " spot:NoSchedule"},
		{
			"one effect goes", node,
			taints.Changes{Remove: []taints.TaintID{{Key: "gpu", Effect: "NoSchedule"}}},
			"dedicated=ml:NoSchedule gpu=x:NoExecute",
		},
		{"a key goes", node, taints.Changes{Remove: []taints.TaintID{{Key: "gpu"}}}, "dedicated=ml:NoSchedule"},
		{"all go", "gpu:NoSchedule", taints.Changes{Remove: []taints.TaintID{{Key: "gpu"}}}, ""},
		{
			"in both: written anew", node,
			taints.Changes{Add: listOf("gpu:NoSchedule"), Remove: []taints.TaintID{{Key: "gpu"}}},
			"dedicated=ml:NoSchedule gpu:NoSchedule",
		},
		{
			"in both, as it was", "a:NoSchedule b:NoSchedule",
			taints.Changes{Add: listOf("b:NoSchedule"), Remove: []taints.TaintID{{Key: "b"}}},
			"a:NoSchedule b:NoSchedule",
		},
		{
			"in both, and not there", "a:NoSchedule",
			taints.Changes{Add: listOf("b:NoSchedule"), Remove: []taints.TaintID{{Key: "b"}}},
			"a:NoSchedule b:NoSchedule",
		},
		{
			"added twice: the first counts", "",
			taints.Changes{Add: listOf("a=1:NoSchedule a=2:NoSchedule")},
			"a=1:NoSchedule",
		},
		{
			"added twice, and there", "a=2:NoSchedule",
			taints.Changes{Add: listOf("a=1:NoSchedule a=2:NoSchedule")},
			"a=1:NoSchedule",
		},
		{
			"twice on the node, not named", "a=1:NoSchedule a=2:NoSchedule",
			taints.Changes{Add: listOf("b:NoSchedule")},
			"a=1:NoSchedule a=2:NoSchedule b:NoSchedule",
		},
		{
			"twice on the node, added", "a=1:NoSchedule a=2:NoSchedule",
			taints.Changes{Add: listOf("a=1:NoSchedule")},
			"a=1:NoSchedule",
		},
		{
			"twice on the node beside another that is missing", "a=1:NoSchedule a=1:NoSchedule",
			taints.Changes{Add: listOf("a=1:NoSchedule b:NoSchedule")},
			"a=1:NoSchedule b:NoSchedule",
		},
		{
			"twice on the node, removed", "a=1:NoSchedule b:NoSchedule a=2:NoSchedule",
			taints.Changes{Remove: []taints.TaintID{{Key: "a", Effect: "NoSchedule"}}},
			"b:NoSchedule",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			list := listOf(tc.node)
			got, changed := tc.c.Apply(list)
			if diff := cmp.Diff(strings.Fields(tc.want), texts(got), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if changed != (tc.want != tc.node) {
				t.Errorf("changed = %v", changed)
			}
			if !changed && firstOf(got) != firstOf(list) || changed && len(got) == 0 && got != nil {
				t.Errorf("returns %#v", got)
			}
		})
	}
}

// firstOf returns the address of the first element, and nil for none.
func firstOf(list []taints.Taint) *taints.Taint {
	if len(list) == 0 {
		return nil
	}
	return &list[0]
}

// A time is kept with a value that does not change, and refreshed by removing and adding.
func TestApplyTimes(t *testing.T) {
	old, now := time.Unix(1_700_000_000, 0), time.Unix(1_800_000_000, 0)
	node := []taints.Taint{{Key: "a", Effect: "NoExecute", TimeAdded: &old}, {Key: "b", Effect: "NoSchedule"}}
	fresh := taints.Taint{Key: "a", Effect: "NoExecute", TimeAdded: &now}

	if got, changed := (taints.Changes{Add: []taints.Taint{fresh}}).Apply(node); changed ||
		!got[0].TimeAdded.Equal(old) {
		t.Errorf("added: %v, %v", got, changed)
	}
	refresh := taints.Changes{Add: []taints.Taint{fresh}, Remove: []taints.TaintID{fresh.ID()}}
	got, changed := refresh.Apply(node)
	if !changed || len(got) != 2 || !got[0].TimeAdded.Equal(now) || got[0].TimeAdded == &now {
		t.Errorf("refreshed: %v, %v", got, changed)
	}
	if again, changed := refresh.Apply(got); changed || &again[0] != &got[0] {
		t.Errorf("refreshed again with the same time: %v, %v", again, changed)
	}
	got, changed = taints.Changes{Add: []taints.Taint{{Key: "a", Value: "v", Effect: "NoExecute"}}}.Apply(node)
	if !changed || got[0].TimeAdded != nil || got[0].Value != "v" {
		t.Errorf("another value: %v, %v", got, changed)
	}
	got, _ = taints.Changes{Remove: []taints.TaintID{{Key: "b"}}}.Apply(node)
	if got[0].TimeAdded == &old || !got[0].TimeAdded.Equal(old) {
		t.Errorf("what stays shares its time: %v", got)
	}
}

// checkApply checks that Apply does what the reference says, that it says whether
// it changed anything, and that it does nothing the second time.
func checkApply(t fataler, list []taints.Taint, c taints.Changes) {
	before, changes := slices.Clone(list), taints.Changes{
		Add: slices.Clone(c.Add), Remove: slices.Clone(c.Remove),
	}
	after, changed := c.Apply(list)
	if diff := difference([]any{before, changes}, []any{list, c}); diff != "" {
		t.Fatalf("wrote to the arguments (-before +after):\n%s", diff)
	}
	if diff := difference(stamped(refApply(list, c)), stamped(after)); diff != "" {
		t.Fatalf("%v of %v (-want +got):\n%s", c, list, diff)
	}
	if same := slices.EqualFunc(list, after, taints.Taint.Equal); changed == same {
		t.Fatalf("changed = %v: %v, then %v", changed, list, after)
	}
	if again, changed := c.Apply(after); changed {
		t.Fatalf("%v twice: %v, then %v", c, after, again)
	}
}

// checkApplyStrict checks that ApplyStrict finds as many faults as the reference,
// and without any does what Apply does.
func checkApplyStrict(t fataler, list []taints.Taint, c taints.Changes, overwrite bool) {
	before, changes := slices.Clone(list), taints.Changes{
		Add: slices.Clone(c.Add), Remove: slices.Clone(c.Remove),
	}
	after, err := c.ApplyStrict(list, overwrite)
	if diff := difference([]any{before, changes}, []any{list, c}); diff != "" {
		t.Fatalf("wrote to the arguments (-before +after):\n%s", diff)
	}
	faults := 0
	if err != nil {
		faults = len(err.(*taints.ValidationError).Fields)
	}
	if want := refFaults(list, c, overwrite); faults != want || err != nil && after != nil {
		t.Fatalf("%v of %v: got %v, %v, want %d faults", c, list, after, err, want)
	}
	if err != nil {
		return
	}
	// What is there twice comes out once.
	if diff := difference(stamped(refApply(refFirsts(list), c)), stamped(after)); diff != "" {
		t.Fatalf("%v of %v (-want +got):\n%s", c, list, diff)
	}
}

// stamped returns the texts of the taints with their times.
func stamped(list []taints.Taint) []string {
	var all []string
	for _, t := range list {
		text := t.String()
		if t.TimeAdded != nil {
			text += " " + t.TimeAdded.String()
		}
		all = append(all, text)
	}
	return all
}

func TestApplyEnsures(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list, c := commonTaints.Draw(t, "taints"), anyChanges.Draw(t, "changes")
		if rapid.Bool().Draw(t, "long") { // places by map in place of a loop
			for i := range 70 {
				list = append(list, taints.Taint{Key: "k" + strconv.Itoa(i), Effect: "NoSchedule"})
				c.Add = append(c.Add, taints.Taint{Key: "k" + strconv.Itoa(i+35), Effect: "NoSchedule"})
				c.Remove = append(c.Remove, taints.TaintID{Key: "k" + strconv.Itoa(i*2)})
			}
		}
		checkApply(t, list, c)
		checkApplyStrict(t, list, c, true)
		_, err := c.ApplyStrict(list, true)
		if c.Validate() == nil && err != nil && !errors.Is(err, taints.ErrNotFound) {
			t.Fatalf("%v is valid, but %v", c, err)
		}
	})
}

func TestChangesValidate(t *testing.T) {
	ids := func(text string) []taints.TaintID {
		var ids []taints.TaintID
		for _, taint := range listOf(text) {
			ids = append(ids, taint.ID())
		}
		return ids
	}
	for _, tc := range []struct {
		name        string
		add, remove string
		want        []string
	}{
		{"nothing", "", "", nil},
		{"to add and to remove", "a=1:NoSchedule a:NoExecute", "b a:PreferNoSchedule", nil},
		{
			"not valid", "a:x -:NoSchedule", "_ b:x",
			[]string{
				"add[0].effect not supported",
				"add[1].key invalid",
				"remove[0].key invalid",
				"remove[1].effect not supported",
			},
		},
		{
			"twice", "a=1:NoSchedule a=2:NoSchedule", "b b",
			[]string{"add[1]. a duplicate", "remove[1]. a duplicate"},
		},
		{"removed by key and then by effect", "", "a a:NoSchedule", []string{"remove[1]. a duplicate"}},
		{"removed by effect and then by key", "", "a:NoSchedule a", nil},
		{
			"in conflict", "a:NoSchedule b:NoExecute c:NoExecute", "a:NoSchedule b c:NoSchedule",
			[]string{"add[0]. in conflict", "add[1]. in conflict"},
		},
		{
			"not valid beside", "a:NoSchedule a=-:NoSchedule c=-:NoSchedule", "c",
			[]string{"add[1].value invalid", "add[1]. a duplicate", "add[2].value invalid", "add[2]. in conflict"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got []string
			for _, f := range faultsOf(t, taints.Changes{Add: listOf(tc.add), Remove: ids(tc.remove)}.Validate()) {
				got = append(got, fmt.Sprintf("%s[%d].%s %v", f.List, faultIndex(f), f.Field, f.Err))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestChangesValidateDetail(t *testing.T) {
	err := taints.Changes{Remove: []taints.TaintID{{Key: "a", Effect: "noschedule"}}}.Validate()
	want := `remove[0].effect: "noschedule" is not supported: must be NoSchedule, PreferNoSchedule or NoExecute`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestChangesIsZero(t *testing.T) {
	for _, tc := range []struct {
		c    taints.Changes
		want bool
	}{
		{taints.Changes{}, true},
		{taints.Changes{Add: []taints.Taint{}, Remove: []taints.TaintID{}}, true},
		{taints.Changes{Add: parseTaints("a:NoSchedule")}, false},
		{taints.Changes{Remove: []taints.TaintID{{Key: "a"}}}, false},
		{taints.Changes{Add: parseTaints("a:NoSchedule"), Remove: []taints.TaintID{{Key: "b"}}}, false},
	} {
		if got := tc.c.IsZero(); got != tc.want {
			t.Errorf("%v: %v, want %v", tc.c, got, tc.want)
		}
	}
}

// What is on a node twice becomes one wherever it stands, and what is to be added
// twice comes once; a list that is as it was comes back itself.
func TestApplyToRepeatedTaints(t *testing.T) {
	for _, tc := range []struct{ node, add, want string }{
		{"a:NoSchedule b:NoSchedule b:NoSchedule", "a:NoSchedule b:NoSchedule", "a:NoSchedule b:NoSchedule"},
		{"a:NoSchedule a:NoSchedule b:NoSchedule", "a:NoSchedule b:NoSchedule", "a:NoSchedule b:NoSchedule"},
		{"a:NoSchedule a:NoSchedule", "a:NoSchedule a:NoSchedule", "a:NoSchedule"},
		{"a:NoSchedule", "a:NoSchedule a:NoSchedule", ""},
		{"b:NoSchedule a:NoSchedule", "a:NoSchedule a:NoSchedule", ""},
		{"a:NoSchedule b:NoSchedule", "a:NoSchedule b:NoSchedule", ""},
	} {
		node := listOf(tc.node)
		got, changed := taints.Changes{Add: listOf(tc.add)}.Apply(node)
		if tc.want == "" {
			if changed || len(got) != len(node) || &got[0] != &node[0] {
				t.Errorf("%s added to %s: %v, %v", tc.add, tc.node, got, changed)
			}
			continue
		}
		if diff := cmp.Diff(strings.Fields(tc.want), texts(got)); diff != "" || !changed {
			t.Errorf("%s added to %s: %v (-want +got):\n%s", tc.add, tc.node, changed, diff)
		}
	}
}

// Removals of any number name what each of them names, the first one first.
func TestManyRemovals(t *testing.T) {
	id := rapid.Custom(func(t *rapid.T) taints.TaintID {
		return taints.TaintID{
			Key:    "k" + strconv.Itoa(rapid.IntRange(0, 40).Draw(t, "key")),
			Effect: rapid.SampledFrom([]taints.Effect{"", "NoSchedule", "NoExecute"}).Draw(t, "effect"),
		}
	})
	names := func(id taints.TaintID, key string, effect taints.Effect) bool {
		return id.Key == key && (id.Effect == "" || id.Effect == effect)
	}
	rapid.Check(t, func(t *rapid.T) {
		c := taints.Changes{
			Remove: rapid.OneOf(rapid.SliceOfN(id, 0, 20), rapid.SliceOfN(id, 65, 90)).Draw(t, "remove"),
		}
		var node, left []taints.Taint
		hit := map[int]bool{}
		for _, id := range rapid.SliceOfNDistinct(id, 0, 30, rapid.ID[taints.TaintID]).Draw(t, "node") {
			if id.Effect == "" {
				continue
			}
			node = append(node, taints.Taint{Key: id.Key, Effect: id.Effect})
			hits := func(r taints.TaintID) bool { return names(r, id.Key, id.Effect) }
			if i := slices.IndexFunc(c.Remove, hits); i >= 0 {
				hit[i] = true
			} else {
				left = append(left, node[len(node)-1])
			}
		}
		got, changed := c.Apply(node)
		if diff := cmp.Diff(left, got, cmpopts.EquateEmpty()); diff != "" || changed != (len(left) < len(node)) {
			t.Fatalf("changed %v (-want +got):\n%s", changed, diff)
		}
		var repeated, missing []int
		for i, r := range c.Remove {
			again := func(earlier taints.TaintID) bool { return names(earlier, r.Key, r.Effect) }
			if slices.ContainsFunc(c.Remove[:i], again) {
				repeated = append(repeated, i)
			}
			if !hit[i] {
				missing = append(missing, i)
			}
		}
		indexes := func(err error) (list []int) {
			for _, f := range faultsIn(err) {
				list = append(list, faultIndex(f))
			}
			return list
		}
		if diff := cmp.Diff(repeated, indexes(c.Validate())); diff != "" {
			t.Fatalf("repeated (-want +got):\n%s", diff)
		}
		_, err := c.ApplyStrict(node, false)
		if diff := cmp.Diff(missing, indexes(err)); diff != "" {
			t.Fatalf("missing (-want +got):\n%s", diff)
		}
	})
}

func TestChangesOnly(t *testing.T) {
	c, err := taints.ParseChanges(
		"a:NoSchedule", "b:NoExecute", "c:PreferNoSchedule", "d:NoExecute-", "e:NoSchedule-", "f-",
	)
	if err != nil {
		t.Fatal(err)
	}
	c.Add = append(c.Add, taints.Taint{Key: "o", Effect: "x"})
	c.Remove = append(c.Remove, taints.TaintID{Key: "p", Effect: "y"})
	for _, tc := range []struct {
		in   taints.EffectSet
		want string
	}{
		{taints.AllEffects, "a:NoSchedule b:NoExecute c:PreferNoSchedule o:x d:NoExecute- e:NoSchedule- f- p:y-"},
		{taints.Effects(taints.NoSchedule), "a:NoSchedule e:NoSchedule- f:NoSchedule-"},
		{taints.Evicting, "b:NoExecute d:NoExecute- f:NoExecute-"},
		{
			taints.Hard | taints.Soft,
			"a:NoSchedule b:NoExecute c:PreferNoSchedule d:NoExecute- e:NoSchedule- f:NoSchedule- f:PreferNoSchedule- f:NoExecute-",
		},
		{taints.Effects("z"), "o:x p:y-"},
		{0, ""},
	} {
		if got := c.Only(tc.in); got.String() != tc.want || got.IsZero() != (tc.want == "") {
			t.Errorf("only %v: %q, want %q", tc.in, got, tc.want)
		}
	}
}

// Made one set of effects after the other, changes do what they do together.
func TestOnlyLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		known := func(list []taints.Taint) []taints.Taint {
			return slices.DeleteFunc(list, func(t taints.Taint) bool { return !refKnownEffect(t.Effect) })
		}
		list, c := known(commonTaints.Draw(t, "taints")), anyChanges.Draw(t, "changes")
		c.Add = known(c.Add)
		in := taints.EffectSet(rapid.Uint32().Draw(t, "effects"))
		first, _ := c.Only(in).Apply(list)
		both, _ := c.Only(^in).Apply(first)
		want, _ := c.Apply(list)
		sort := func(list []taints.Taint) []string { return slices.Sorted(slices.Values(stamped(list))) }
		if diff := cmp.Diff(sort(want), sort(both), cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("%v only %v, then the rest (-together +apart):\n%s", c, in, diff)
		}
	})
}

func TestReconcileOwned(t *testing.T) {
	for _, tc := range []struct {
		name    string
		current string
		owned   string
		desired string
		want    string
	}{
		{"nothing owned, nothing desired", "a:NoSchedule", "", "", ""},
		{"a first list", "a:NoSchedule", "", "b=1:NoSchedule", "b=1:NoSchedule"},
		{"another value", "b=1:NoSchedule", "b:NoSchedule", "b=2:NoSchedule", "b=2:NoSchedule"},
		{
			"no longer desired, under whatever value", "a:NoSchedule b=9:NoSchedule",
			"b:NoSchedule", "", "b:NoSchedule-",
		},
		{"gone already", "a:NoSchedule", "b:NoSchedule", "", ""},
		{"another effect is not owned", "b:NoExecute", "b:NoSchedule", "", ""},
		{"a key is owned", "b:NoExecute b:NoSchedule c:NoSchedule", "b", "b:NoSchedule", "b:NoExecute-"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var owned []taints.TaintID
			for _, text := range strings.Fields(tc.owned) {
				id, err := taints.ParseTaintID(text)
				if err != nil {
					t.Fatal(err)
				}
				owned = append(owned, id)
			}
			current, desired := listOf(tc.current), listOf(tc.desired)
			c := taints.ReconcileOwned(current, owned, desired)
			if c.String() != tc.want {
				t.Errorf("got %q, want %q", c, tc.want)
			}
			after, _ := c.Apply(current)
			if again := taints.ReconcileOwned(after, owned, desired); !again.IsZero() {
				t.Errorf("applied, and still %q", again)
			}
		})
	}
}

func TestReconcileOwnedLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		current, desired := commonTaints.Draw(t, "current"), commonTaints.Draw(t, "desired")
		owned := anyChanges.Draw(t, "owned").Remove
		c := taints.ReconcileOwned(current, owned, desired)
		after, _ := c.Apply(current)
		before, got, want := refValues(current), refValues(after), refValues(desired)
		for id := range ids(slices.Concat(current, desired, after)) {
			value, there := before[id]
			for _, own := range owned {
				if own.Key == id.Key && (own.Effect == "" || own.Effect == id.Effect) && id.Effect != "" {
					there = false
				}
			}
			if wanted, ok := want[id]; ok {
				value, there = wanted, true
			}
			if has, ok := got[id]; ok != there || ok && has != value {
				t.Fatalf("%v is %q, %v after %v", id, has, ok, c)
			}
		}
		if again := taints.ReconcileOwned(after, owned, desired); !again.IsZero() {
			t.Fatalf("applied, and still %v", again)
		}
	})
}

func TestFindTaint(t *testing.T) {
	list := listOf("a:NoSchedule b:NoExecute a=2:NoExecute a=3:NoExecute c:")
	for _, tc := range []struct {
		id   taints.TaintID
		want int
	}{
		{taints.TaintID{Key: "a", Effect: "NoExecute"}, 2},
		{taints.TaintID{Key: "a", Effect: "PreferNoSchedule"}, -1},
		{taints.TaintID{Key: "b"}, 1},
		{taints.TaintID{Key: "c"}, 4},
		{taints.TaintID{Key: "d"}, -1},
		{taints.TaintID{}, -1},
	} {
		if i, found := taints.FindTaint(list, tc.id); i != tc.want || found != (tc.want >= 0) {
			t.Errorf("%v: %d, %v, want %d", tc.id, i, found, tc.want)
		}
	}
}

// Lists too long for a loop are read like others.
func TestParseChangesOfManySpecs(t *testing.T) {
	var specs []string
	for i := range 200 {
		specs = append(specs, fmt.Sprintf("k%d:NoSchedule", i), fmt.Sprintf("r%d-", i))
	}
	c, err := taints.ParseChanges(specs...)
	if err != nil || len(c.Add) != 200 || len(c.Remove) != 200 {
		t.Fatalf("%d and %d, %v", len(c.Add), len(c.Remove), err)
	}
	_, err = taints.ParseChanges(append(specs, "k199=x:NoSchedule")...)
	checkChangeError(t, err.(interface{ Unwrap() []error }).Unwrap()[0],
		"k199=x:NoSchedule", 400, 0, "", taints.ErrDuplicate)
}
