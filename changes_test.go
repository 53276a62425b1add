// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

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
		{"nvidia.com/gpu-", taints.Changes{RemoveKeys: []string{"nvidia.com/gpu"}}},
		{"b- dedicated=ml:NoSchedule a:NoExecute- dedicated=ml:NoExecute", taints.Changes{
			Add:        []taints.Taint{dedicated, {Key: "dedicated", Value: "ml", Effect: "NoExecute"}},
			Remove:     []taints.TaintID{{Key: "a", Effect: "NoExecute"}},
			RemoveKeys: []string{"b"},
		}},
		{"a- a- a:NoSchedule- a:NoSchedule", taints.Changes{
			Add:        []taints.Taint{{Key: "a", Effect: "NoSchedule"}},
			Remove:     []taints.TaintID{{Key: "a", Effect: "NoSchedule"}},
			RemoveKeys: []string{"a", "a"},
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
			`parse "" at offset 0: specs[1].key: required: a taint needs a key`,
		},
		{"-", 0, "key", taints.ErrRequired, ""},
		{"--", 0, "key", taints.ErrInvalid, ""},
		{"key", 3, "effect", taints.ErrRequired, ""},
		{"key=v", 5, "effect", taints.ErrRequired, ""},
		{
			"key=v-", 5, "effect", taints.ErrRequired,
			`parse "key=v-" at offset 5: specs[1].effect: required: must be NoSchedule, PreferNoSchedule or NoExecute`,
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
			`parse "first:NoSchedule" at offset 0: specs[1]: "first:NoSchedule" is a duplicate: ` +
				`a node has at most one taint of a key and effect`,
		},
		{"first=v:NoSchedule", 0, "", taints.ErrDuplicate, ""},
	} {
		t.Run(tc.spec, func(t *testing.T) {
			got, err := taints.ParseChanges("first:NoSchedule", tc.spec, "last-")
			if err == nil || !got.IsZero() {
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
	var fault *taints.FieldError
	if !errors.As(err, &fault) || fault.Input != spec || fault.Offset != offset ||
		fault.List != "specs" || fault.Index != index || fault.Field != field {
		t.Errorf("got %+v, want field %q at offset %d", fault, field, offset)
	}
	if !errors.Is(err, kind) {
		t.Errorf("%v is not %q", err, kind)
	}
}

// Every faulty spec is reported, each with its index.
func TestParseChangesReportsAll(t *testing.T) {
	specs := []string{"a:noschedule", "b:NoSchedule", "=v:NoExecute-", "c"}
	_, err := taints.ParseChanges(specs...)
	all := faultsIn(err)
	if len(all) != 3 {
		t.Fatalf("got %v", err)
	}
	checkChangeError(t, all[0], specs[0], 0, 2, "effect", taints.ErrUnsupported)
	checkChangeError(t, all[1], specs[2], 2, 0, "key", taints.ErrRequired)
	checkChangeError(t, all[2], specs[3], 3, 1, "effect", taints.ErrRequired)
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
		Remove: []taints.TaintID{{}, {Key: "k"}, {Effect: "x"}}, RemoveKeys: []string{""},
	}
	if got := odd.String(); got != " k=v: :- k:- :x- -" {
		t.Errorf("odd changes print as %q", got)
	}
}

// listOf parses printed taints, valid or not, separated by spaces.
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
			[]string{"add[0] gpu=y:NoSchedule: already present"},
		},
		{
			"the same value without overwrite", node, "gpu:NoSchedule", false, "",
			[]string{"add[0] gpu:NoSchedule: already present"},
		},
		{"one effect is removed", node, "gpu:NoSchedule-", false, "dedicated=ml:NoSchedule gpu=x:NoExecute", nil},
		{"whatever its value", node, "gpu=other:NoExecute-", false, "dedicated=ml:NoSchedule gpu:NoSchedule", nil},
		{"a key is removed", node, "gpu-", false, "dedicated=ml:NoSchedule", nil},
		{"all are removed", node, "gpu- dedicated-", false, "", nil},
		{
			"one that is not there", node, "gpu:PreferNoSchedule-", false, "",
			[]string{"remove[0] gpu:PreferNoSchedule: not found"},
		},
		{"a key that is not there", node, "Gpu-", true, "", []string{"removeKeys[0] Gpu: not found"}},
		{"from an empty node", "", "gpu-", true, "", []string{"removeKeys[0] gpu: not found"}},
		{"removed twice", node, "dedicated- dedicated-", false, "", []string{"removeKeys[1] dedicated: not found"}},
		{"removed by effect and by key", node, "gpu:NoSchedule- gpu-", false, "dedicated=ml:NoSchedule", nil},
		{
			"removed by key and by effect, in which order plays no part", node, "gpu- gpu:NoSchedule-", false,
			"dedicated=ml:NoSchedule", nil,
		},
		{
			"removed by effect, so that nothing is left of the key", "gpu:NoSchedule", "gpu:NoSchedule- gpu-", false, "",
			[]string{"removeKeys[0] gpu: not found"},
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
				"add[0] gpu=y:NoSchedule: already present", "add[1] spot:NoSchedule: in conflict",
				"remove[0] gone:NoSchedule: not found", "removeKeys[0] tier: not found",
			},
		},
		{
			"twice in the list", "a=1:NoSchedule b:NoSchedule a=2:NoSchedule", "c:NoSchedule",
			false, "a=1:NoSchedule b:NoSchedule a=2:NoSchedule c:NoSchedule", nil,
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
		got = append(got, fmt.Sprintf("%s[%d] %s: %v", f.List, f.Index, f.Value, f.Kind))
		if f.Field != "" || !errors.Is(err, f.Kind) {
			t.Errorf("got %+v", f)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}

// Changes that ParseChanges never returns.
func TestApplyStrictOddChanges(t *testing.T) {
	_, err := taints.Changes{Add: listOf("a=1:NoSchedule b: a=2:NoSchedule b=3:")}.ApplyStrict(nil, true)
	checkApplyError(t, err, []string{"add[2] a=2:NoSchedule: a duplicate", "add[3] b=3:: a duplicate"})

	got, err := taints.Changes{Remove: []taints.TaintID{{}, {Key: "a"}}}.ApplyStrict(
		listOf("a:NoSchedule a: : :x"), false,
	)
	if diff := cmp.Diff([]string{"a:NoSchedule", ":x"}, texts(got)); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestApplyStrictErrorText(t *testing.T) {
	node := listOf("gpu:NoSchedule dedicated=ml:NoSchedule")
	for specs, want := range map[string]string{
		"gpu:NoSchedule": `add[0]: "gpu:NoSchedule" is already present: ` +
			`the node already has this taint; overwriting would not change it`,
		"dedicated=db:NoSchedule": `add[0]: "dedicated=db:NoSchedule" is already present: ` +
			`the node has another value for this key and effect; overwriting would replace it`,
		"spot- tier:NoExecute-": `remove[0]: "tier:NoExecute" is not found: ` +
			`the node has no such taint, or an earlier entry removes it; ` +
			`removeKeys[0]: "spot" is not found: ` +
			`the node has no such taint, or an earlier entry removes it`,
		"gpu:NoSchedule gpu-": `add[0]: "gpu:NoSchedule" is already present: ` +
			`the node already has this taint; overwriting would not change it; ` +
			`add[0]: "gpu:NoSchedule" is in conflict: ` +
			`it is also to be removed; to replace a taint, add it with overwrite and do not remove it`,
		"gpu=a:NoSchedule dedicate-": `add[0]: "gpu=a:NoSchedule" is already present: ` +
			`the node has another value for this key and effect; overwriting would replace it; ` +
			`removeKeys[0]: "dedicate" is not found: ` +
			`the node has no such taint, or an earlier entry removes it`,
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

// A taint that stays keeps its time. A taint that is added, or that gets another
// value, has the time in Add.
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

func TestApply(t *testing.T) {
	const node = "dedicated=ml:NoSchedule gpu:NoSchedule gpu=x:NoExecute"
	for _, tc := range []struct {
		name         string
		node         string
		c            taints.Changes
		want, ensure string // ensure is empty where it is what Apply does
	}{
		{"nothing", node, taints.Changes{}, node, ""},
		{"nothing on an empty node", "", taints.Changes{}, "", ""},
		{"what is there", node, taints.Changes{Add: listOf("gpu:NoSchedule")}, node, ""},
		{
			"what is gone", node,
			taints.Changes{
				Remove: []taints.TaintID{{Key: "gpu", Effect: "PreferNoSchedule"}}, RemoveKeys: []string{"spot"},
			},
			node, "",
		},
		{
			"another value", node,
			taints.Changes{Add: listOf("dedicated=db:NoSchedule")},
			"dedicated=db:NoSchedule gpu:NoSchedule gpu=x:NoExecute", node,
		},
		{
			"another value, and a new one", "a=1:NoSchedule",
			taints.Changes{Add: listOf("a=2:NoSchedule b:NoSchedule")},
			"a=2:NoSchedule b:NoSchedule", "a=1:NoSchedule b:NoSchedule",
		},
		{
			"another value of the second", "a=1:NoSchedule b=1:NoSchedule",
			taints.Changes{Add: listOf("a=1:NoSchedule b=2:NoSchedule")},
			"a=1:NoSchedule b=2:NoSchedule", "a=1:NoSchedule b=1:NoSchedule",
		},
		{"a new one", node, taints.Changes{Add: listOf("spot:NoSchedule")}, node + " spot:NoSchedule", ""},
		{
			"one effect goes", node,
			taints.Changes{Remove: []taints.TaintID{{Key: "gpu", Effect: "NoSchedule"}}},
			"dedicated=ml:NoSchedule gpu=x:NoExecute", "",
		},
		{
			"an identity without an effect names no other", "gpu: " + node,
			taints.Changes{Remove: []taints.TaintID{{Key: "gpu"}}},
			node, "",
		},
		{"a key goes", node, taints.Changes{RemoveKeys: []string{"gpu"}}, "dedicated=ml:NoSchedule", ""},
		{"all go", "gpu:NoSchedule", taints.Changes{RemoveKeys: []string{"gpu"}}, "", ""},
		{
			"in both: it stays", node,
			taints.Changes{Add: listOf("gpu:NoSchedule"), RemoveKeys: []string{"gpu"}},
			"dedicated=ml:NoSchedule gpu:NoSchedule", "",
		},
		{
			"in both, and not there", "a:NoSchedule",
			taints.Changes{Add: listOf("b:NoSchedule"), RemoveKeys: []string{"b"}},
			"a:NoSchedule b:NoSchedule", "",
		},
		{
			"added twice: the first counts", "",
			taints.Changes{Add: listOf("a=1:NoSchedule a=2:NoSchedule")},
			"a=1:NoSchedule", "",
		},
		{
			"added twice, and there", "a=2:NoSchedule",
			taints.Changes{Add: listOf("a=1:NoSchedule a=2:NoSchedule")},
			"a=1:NoSchedule", "a=2:NoSchedule",
		},
		{
			"added twice, and there as it is", "b:NoSchedule a:NoSchedule",
			taints.Changes{Add: listOf("a:NoSchedule a:NoSchedule")},
			"b:NoSchedule a:NoSchedule", "",
		},
		{
			"twice on the node, not named", "a=1:NoSchedule a=2:NoSchedule",
			taints.Changes{Add: listOf("b:NoSchedule")},
			"a=1:NoSchedule a=2:NoSchedule b:NoSchedule", "",
		},
		{
			"twice on the node, added", "a=1:NoSchedule a=2:NoSchedule",
			taints.Changes{Add: listOf("a=1:NoSchedule")},
			"a=1:NoSchedule", "",
		},
		{
			"twice on the node beside another that is missing", "a=1:NoSchedule a=1:NoSchedule",
			taints.Changes{Add: listOf("a=1:NoSchedule b:NoSchedule")},
			"a=1:NoSchedule b:NoSchedule", "",
		},
		{
			"twice on the node beside another", "a:NoSchedule b:NoSchedule b:NoSchedule",
			taints.Changes{Add: listOf("a:NoSchedule b:NoSchedule")},
			"a:NoSchedule b:NoSchedule", "",
		},
		{
			"twice on the node, removed", "a=1:NoSchedule b:NoSchedule a=2:NoSchedule",
			taints.Changes{Remove: []taints.TaintID{{Key: "a", Effect: "NoSchedule"}}},
			"b:NoSchedule", "",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			list := listOf(tc.node)
			got, changed := tc.c.Apply(list)
			checkChanged(t, list, got, changed, tc.node, tc.want)
			if tc.ensure == "" {
				tc.ensure = tc.want
			}
			got, changed = tc.c.Ensure(list)
			checkChanged(t, list, got, changed, tc.node, tc.ensure)
		})
	}
}

// checkChanged checks the result of Apply or Ensure for the list. The list as
// text is node.
func checkChanged(t *testing.T, list, got []taints.Taint, changed bool, node, want string) {
	t.Helper()
	if diff := cmp.Diff(strings.Fields(want), texts(got), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if changed != (want != node) {
		t.Errorf("changed = %v", changed)
	}
	if !changed && firstOf(got) != firstOf(list) || changed && got == nil {
		t.Errorf("returns %#v", got)
	}
}

// A list that becomes empty is not nil, and an unchanged list is returned
// itself, as in Kubernetes' helpers and for JSON patches.
func TestChangesOfEmptyLists(t *testing.T) {
	all := taints.Changes{RemoveKeys: []string{"a"}}
	for _, tc := range []struct {
		list, want []taints.Taint
		c          taints.Changes
	}{
		{nil, nil, taints.Changes{}},
		{nil, nil, all},
		{[]taints.Taint{}, []taints.Taint{}, all},
		{listOf("a:NoSchedule"), []taints.Taint{}, all},
	} {
		applied, _ := tc.c.Apply(tc.list)
		ensured, _ := tc.c.Ensure(tc.list)
		for _, got := range [][]taints.Taint{applied, ensured} {
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%v of %v (-want +got):\n%s", tc.c, tc.list, diff)
			}
		}
	}
	if got, err := all.ApplyStrict(listOf("a:NoSchedule"), false); err != nil || got == nil || len(got) != 0 {
		t.Errorf("ApplyStrict = %#v, %v", got, err)
	}
}

// firstOf returns the address of the first element, or nil if there is none.
func firstOf(list []taints.Taint) *taints.Taint {
	if len(list) == 0 {
		return nil
	}
	return &list[0]
}

// A taint whose value does not change keeps its time. Two steps, both valid,
// replace the time.
func TestApplyTimes(t *testing.T) {
	old, now := time.Unix(1_700_000_000, 0), time.Unix(1_800_000_000, 0)
	node := []taints.Taint{{Key: "a", Effect: "NoExecute", TimeAdded: &old}, {Key: "b", Effect: "NoSchedule"}}
	fresh := taints.Taint{Key: "a", Effect: "NoExecute", TimeAdded: &now}

	add := taints.Changes{Add: []taints.Taint{fresh}}
	if got, changed := add.Apply(node); changed || !got[0].TimeAdded.Equal(old) {
		t.Errorf("added: %v, %v", got, changed)
	}
	remove := taints.Changes{Remove: []taints.TaintID{fresh.ID()}}
	if err := errors.Join(add.Validate(), remove.Validate()); err != nil {
		t.Error(err)
	}
	got, _ := remove.Apply(node)
	got, changed := add.Apply(got)
	if !changed || len(got) != 2 || !got[1].TimeAdded.Equal(now) || got[1].TimeAdded == &now {
		t.Errorf("replaced: %v, %v", got, changed)
	}
	got, changed = taints.Changes{Add: []taints.Taint{{Key: "a", Value: "v", Effect: "NoExecute"}}}.Apply(node)
	if !changed || got[0].TimeAdded != nil || got[0].Value != "v" {
		t.Errorf("another value: %v, %v", got, changed)
	}
	got, _ = taints.Changes{RemoveKeys: []string{"b"}}.Apply(node)
	if got[0].TimeAdded == &old || !got[0].TimeAdded.Equal(old) {
		t.Errorf("what stays shares its time: %v", got)
	}
}

func TestChangesValidate(t *testing.T) {
	for _, tc := range []struct {
		name, add, remove, keys string
		want                    []string
	}{
		{"nothing", "", "", "", nil},
		{"to add and to remove", "a=1:NoSchedule a:NoExecute", "a:PreferNoSchedule", "b", nil},
		{
			"not valid", "a:x -:NoSchedule", "b:x c: +:NoSchedule", "_",
			[]string{
				"add[0].effect not supported",
				"add[1].key invalid",
				"remove[0].effect not supported",
				"remove[1].effect required",
				"remove[2].key invalid",
				"removeKeys[0].key invalid",
			},
		},
		{
			"twice", "a=1:NoSchedule a=2:NoSchedule", "b:NoSchedule b:NoSchedule", "b b",
			[]string{"add[1]. a duplicate", "remove[1]. a duplicate", "removeKeys[1]. a duplicate"},
		},
		{"removed by effect and by key", "", "a:NoSchedule", "a", nil},
		{
			"in conflict", "a:NoSchedule b:NoExecute c:NoExecute", "a:NoSchedule c:NoSchedule", "b",
			[]string{"add[0]. in conflict", "add[1]. in conflict"},
		},
		{
			"not valid beside", "a:NoSchedule a=-:NoSchedule c=-:NoSchedule", "", "c",
			[]string{"add[1].value invalid", "add[1]. a duplicate", "add[2].value invalid", "add[2]. in conflict"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := taints.Changes{
				Add: listOf(tc.add), Remove: taints.IDs(listOf(tc.remove)), RemoveKeys: strings.Fields(tc.keys),
			}
			var got []string
			for _, f := range faultsOf(t, c.Validate()) {
				got = append(got, fmt.Sprintf("%s[%d].%s %v", f.List, f.Index, f.Field, f.Kind))
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
		{taints.Changes{RemoveKeys: []string{"a"}}, false},
	} {
		if got := tc.c.IsZero(); got != tc.want {
			t.Errorf("%v: %v, want %v", tc.c, got, tc.want)
		}
	}
}

// Long lists, which are searched with a map, have the same results.
func TestParseChangesOfManySpecs(t *testing.T) {
	var specs []string
	for i := range 200 {
		specs = append(specs, fmt.Sprintf("k%d:NoSchedule", i), fmt.Sprintf("r%d-", i))
	}
	c, err := taints.ParseChanges(specs...)
	if err != nil || len(c.Add) != 200 || len(c.RemoveKeys) != 200 {
		t.Fatalf("%d and %d, %v", len(c.Add), len(c.RemoveKeys), err)
	}
	_, err = taints.ParseChanges(append(specs, "k199=x:NoSchedule")...)
	checkChangeError(t, err,
		"k199=x:NoSchedule", 400, 0, "", taints.ErrDuplicate)
}

func TestRemoval(t *testing.T) {
	got := taints.Removal(parseTaints("a=x:NoSchedule", "b:NoExecute")[0], taints.Taint{Key: "c", Value: "x"}, taints.Taint{Key: "a", Effect: "NoExecute"})
	want := taints.Changes{
		Remove:     []taints.TaintID{{Key: "a", Effect: "NoSchedule"}, {Key: "a", Effect: "NoExecute"}},
		RemoveKeys: []string{"c"},
	}
	if diff := cmp.Diff(want, got); diff != "" || !taints.Removal().IsZero() {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
