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

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/test"
	"github.com/seed-0529bac1/taints/internal/test/reference"
)

// A removal may have a value, which does not matter. What is to be added comes
// first, and removed keys come last.
func TestParseChanges(t *testing.T) {
	for specs, want := range map[string]string{
		"":                    "",
		"gpu=:NoExecute":      "gpu:NoExecute",
		"gpu=:NoExecute-":     "gpu:NoExecute-",
		"gpu=a100:NoExecute-": "gpu:NoExecute-",
		"a- a- a:NoSchedule-": "a:NoSchedule- a- a-",
		"a:NoSchedule a:NoSchedule- a:NoSchedule-":    "a:NoSchedule a:NoSchedule- a:NoSchedule-",
		"b- a:NoExecute- c=d:NoSchedule e:NoSchedule": "c=d:NoSchedule e:NoSchedule a:NoExecute- b-",
	} {
		got, err := taints.ParseChanges(strings.Fields(specs)...)
		if diff := cmp.Diff(changesOf(want), got); err != nil || diff != "" || got.String() != want {
			t.Errorf("%q is %q, %v (-want +got):\n%s", specs, got, err, diff)
		}
	}
}

func TestParseChangesErrors(t *testing.T) {
	parse := func(spec string) (string, error) {
		got, err := taints.ParseChanges("first:NoSchedule", spec, "last-")
		if all := test.Errors(err); len(all) == 1 && all[0].List == "specs" && all[0].Index == 1 {
			return got.String(), all[0]
		}
		return got.String(), err
	}
	checkMalformed(t, parse, []malformed{
		{"", 0, "key", taints.ErrRequired, `parse "" at offset 0: specs[1].key is required: a taint needs a key`},
		{"-", 0, "key", taints.ErrRequired, ""},
		{"--", 0, "key", taints.ErrInvalid, ""},
		{"key", 3, "effect", taints.ErrRequired, ""},
		{"key=v", 5, "effect", taints.ErrRequired, ""},
		{
			"key=v-", 5, "effect", taints.ErrRequired,
			`parse "key=v-" at offset 5: specs[1].effect is required: ` + mustBeEffect,
		},
		{"key:-", 4, "effect", taints.ErrRequired, ""},
		{"key--", 0, "key", taints.ErrInvalid, ""},
		{"k y-", 0, "key", taints.ErrInvalid, ""},
		{"=v:NoSchedule-", 0, "key", taints.ErrRequired, ""},
		{"key=v v:NoSchedule-", 4, "value", taints.ErrInvalid, ""},
		{"key:noschedule-", 4, "effect", taints.ErrNotSupported, ""},
		{"key:NoSchedule--", 4, "effect", taints.ErrNotSupported, ""},
		{"key:NoSchedule:NoExecute-", 4, "effect", taints.ErrNotSupported, ""},
		{
			"first:NoSchedule", 0, "", taints.ErrDuplicate,
			`parse "first:NoSchedule" at offset 0: specs[1]: "first:NoSchedule" is a duplicate: ` +
				`a node has at most one taint with a given key and effect`,
		},
		{"first=v:NoSchedule", 0, "", taints.ErrDuplicate, ""},
	})
}

// changesOf parses changes in the form of arguments of kubectl, valid or not.
func changesOf(text string) (c taints.Changes) {
	for _, field := range strings.Fields(text) {
		name, removes := strings.CutSuffix(field, "-")
		switch {
		case !removes:
			c.Add = append(c.Add, test.Taints(field)...)
		case strings.Contains(name, ":"):
			c.Remove = append(c.Remove, test.Taints(name)[0].ID())
		default:
			c.RemoveKeys = append(c.RemoveKeys, name)
		}
	}
	return c
}

// Each row has the result of Apply, that of Ensure if it is another, and the
// errors of ApplyStrict without overwrite.
func TestApply(t *testing.T) {
	const node = "a=1:x b:x b=2:y"
	for _, tc := range []struct{ name, node, changes, want, ensure, errs string }{
		{"nothing", node, "", node, "", ""},
		{"nothing on an empty node", "", "", "", "", ""},
		{"what is there", node, "b:x", node, "", "add[0] b:x: forbidden"},
		{"what is gone", node, "b:z- B-", node, "", "remove[0] b:z: not found; removeKeys[0] B: not found"},
		{"another value, in place", node, "a=2:x", "a=2:x b:x b=2:y", node, "add[0] a=2:x: forbidden"},
		{"another value, and a new one", "a=1:x", "a=2:x b:x", "a=2:x b:x", "a=1:x b:x", "add[0] a=2:x: forbidden"},
		{
			"another value of the second", "a=1:x b=1:x", "a=1:x b=2:x", "a=1:x b=2:x", "a=1:x b=1:x",
			"add[0] a=1:x: forbidden; add[1] b=2:x: forbidden",
		},
		{"new ones come last", node, "c:x a=1:y", node + " c:x a=1:y", "", ""},
		{"one effect goes", node, "b=9:x-", "a=1:x b=2:y", "", ""},
		{"an identity without an effect names no other", "a:x a: : :y", ":- a:-", "a:x :y", "", ""},
		{"a key goes", node, "b-", "a=1:x", "", ""},
		{"all go", node, "a- b-", "", "", ""},
		{"removed twice", node, "a- a-", "b:x b=2:y", "", "removeKeys[1] a: not found"},
		{"removed by effect and by key", node, "b:x- b-", "a=1:x", "", ""},
		{"nothing is left of the key", "b:x", "b:x- b-", "", "", "removeKeys[0] b: not found"},
		{"in both: it stays", node, "b:x b-", "a=1:x b:x", "", "add[0] b:x: forbidden; add[0] b:x: invalid"},
		{"in both, and not there", "a:x", "b:x b:x-", "a:x b:x", "", "add[0] b:x: invalid"},
		{"added and another effect removed", node, "b=3:z b:x-", "a=1:x b=2:y b=3:z", "", ""},
		{
			"all errors at once", node, "b=3:x c:x d:y e- c- f:x-", "a=1:x b=3:x b=2:y c:x d:y", node + " c:x d:y",
			"add[0] b=3:x: forbidden; add[1] c:x: invalid; remove[0] f:x: not found; removeKeys[0] e: not found",
		},
		{"added twice: the first counts", "", "a=1:x a=2:x", "a=1:x", "", "add[1] a=2:x: duplicate"},
		{
			"added twice, and there", "a=2:x", "a=1:x a=2:x", "a=1:x", "a=2:x",
			"add[0] a=1:x: forbidden; add[1] a=2:x: forbidden; add[1] a=2:x: duplicate",
		},
		{"twice on the node, not named", "a=1:x a=2:x", "b:x", "a=1:x a=2:x b:x", "", ""},
		{"twice on the node, added", "a=1:x a=2:x", "a=1:x", "a=1:x", "", "add[0] a=1:x: forbidden"},
		{"twice on the node, removed", "a=1:x b:x a=2:x", "a:x-", "b:x", "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			list, c := test.Taints(tc.node), changesOf(tc.changes)
			got, changed := c.Apply(list)
			checkChanged(t, list, got, changed, tc.node, tc.want)
			if tc.ensure == "" {
				tc.ensure = tc.want
			}
			got, changed = c.Ensure(list)
			checkChanged(t, list, got, changed, tc.node, tc.ensure)
			_, err := c.ApplyStrict(list, false)
			var errs []string
			for _, f := range test.Errors(err) {
				errs = append(errs, fmt.Sprintf("%s[%d] %s: %v", f.List, f.Index, f.Value, f.Kind))
				if f.Field != "" || !errors.Is(err, f.Kind) {
					t.Errorf("got %+v", f)
				}
			}
			if diff := cmp.Diff(tc.errs, strings.Join(errs, "; ")); diff != "" {
				t.Errorf("errors (-want +got):\n%s", diff)
			}
		})
	}
}

func TestApplyStrictErrorText(t *testing.T) {
	c := changesOf("gpu:NoSchedule dedicated=db:NoSchedule dedicated- tier:NoExecute-")
	_, err := c.ApplyStrict(test.Taints("gpu:NoSchedule dedicated=ml:NoSchedule"), false)
	want := `add[0]: "gpu:NoSchedule" is forbidden: ` +
		`the node already has this taint; overwriting would not change it; ` +
		`add[1]: "dedicated=db:NoSchedule" is forbidden: ` +
		`the node has another value for this key and effect; overwriting would replace it; ` +
		`add[1]: "dedicated=db:NoSchedule" is invalid: ` +
		`it is also to be removed; to replace a taint, add it with overwrite and do not remove it; ` +
		`remove[0]: "tier:NoExecute" not found: the node has no such taint, or an earlier entry removes it`
	if diff := cmp.Diff(want, fmt.Sprint(err)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// checkChanged checks the result of Apply or Ensure for the list. The list as
// text is node.
func checkChanged(t *testing.T, list, got []taints.Taint, changed bool, node, want string) {
	t.Helper()
	if diff := cmp.Diff(strings.Fields(want), test.Texts(got), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if changed != (want != node) {
		t.Errorf("changed = %v", changed)
	}
}

// checkApply checks that Apply and Ensure agree with the reference, that they
// report whether they changed anything, and that they do nothing the second
// time. A list that becomes empty is not nil, and an unchanged list is returned
// itself, as in Kubernetes' helpers and for JSON patches.
func checkApply(t test.T, list []taints.Taint, c taints.Changes) {
	for overwrite, apply := range map[bool]func([]taints.Taint) ([]taints.Taint, bool){true: c.Apply, false: c.Ensure} {
		after, changed := apply(list)
		if diff := test.Difference(stamped(reference.Apply(list, c, overwrite)), stamped(after)); diff != "" {
			t.Fatalf("%v of %v, overwrite %v (-want +got):\n%s", c, list, overwrite, diff)
		}
		if same := slices.EqualFunc(list, after, taints.Taint.Equal); changed == same {
			t.Fatalf("changed = %v: %v, then %v", changed, list, after)
		}
		if changed && after == nil || !changed && ((after == nil) != (list == nil) || firstOf(after) != firstOf(list)) {
			t.Fatalf("%v of %#v is %#v", c, list, after)
		}
		if again, changed := apply(after); changed {
			t.Fatalf("%v twice: %v, then %v", c, after, again)
		}
		checkApplyStrict(t, list, c, overwrite)
	}
}

// checkApplyStrict checks that ApplyStrict finds as many errors as the
// reference, and that it returns the result of Apply if there are none.
func checkApplyStrict(t test.T, list []taints.Taint, c taints.Changes, overwrite bool) {
	after, err := c.ApplyStrict(list, overwrite)
	errs := len(test.Errors(err))
	if want := reference.Errors(list, c, overwrite); errs != want || err != nil && after != nil {
		t.Fatalf("%v of %v: got %v, %v, want %d errors", c, list, after, err, want)
	}
	if err != nil {
		return
	}
	if diff := test.Difference(stamped(reference.Apply(list, c, true)), stamped(after)); diff != "" {
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
	valued := fresh
	valued.Value = "v"
	got, _ = taints.Changes{Add: []taints.Taint{valued}}.Apply(node)
	if got[0].TimeAdded == &now || !got[0].TimeAdded.Equal(now) {
		t.Errorf("what replaces another value shares its time: %v", got)
	}
	if c := taints.Reconcile(nil, nil, node); c.Add[0].TimeAdded == &old || !c.Add[0].TimeAdded.Equal(old) {
		t.Errorf("what is to be added shares its time: %v", c)
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
			[]string{"add[1]. duplicate", "remove[1]. duplicate", "removeKeys[1]. duplicate"},
		},
		{"removed by effect and by key", "", "a:NoSchedule", "a", nil},
		{"by two effects and by key", "", "a:NoSchedule a:NoExecute b:PreferNoSchedule", "a", nil},
		{"by another two and by key", "", "a:NoSchedule a:PreferNoSchedule b:NoExecute", "a", nil},
		{"by the last two and by key", "", "a:PreferNoSchedule a:NoExecute b:NoSchedule", "a", nil},
		{
			"by every effect and by key", "", "a:NoSchedule a:NoExecute a:PreferNoSchedule", "b a",
			[]string{"removeKeys[1]. duplicate"},
		},
		{
			"invalid", "a:NoSchedule b:NoExecute c:NoExecute", "a:NoSchedule c:NoSchedule", "b",
			[]string{"add[0]. invalid", "add[1]. invalid"},
		},
		{
			"not valid beside", "a:NoSchedule a=-:NoSchedule c=-:NoSchedule", "", "c",
			[]string{"add[1].value invalid", "add[1]. duplicate", "add[2].value invalid", "add[2]. invalid"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := taints.Changes{
				Add: test.Taints(tc.add), Remove: reference.IDs(test.Taints(tc.remove)), RemoveKeys: strings.Fields(tc.keys),
			}
			var got []string
			for _, f := range test.Errors(c.Validate()) {
				got = append(got, fmt.Sprintf("%s[%d].%s %v", f.List, f.Index, f.Field, f.Kind))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestChangesIsZero(t *testing.T) {
	for _, tc := range []struct {
		c    taints.Changes
		want bool
	}{
		{taints.Changes{}, true},
		{taints.Changes{Add: []taints.Taint{}, Remove: []taints.TaintID{}}, true},
		{taints.Changes{Add: test.Taints("a:NoSchedule")}, false},
		{taints.Changes{Remove: []taints.TaintID{{Key: "a"}}}, false},
		{taints.Changes{RemoveKeys: []string{"a"}}, false},
	} {
		if got := tc.c.IsZero(); got != tc.want {
			t.Errorf("%v: %v, want %v", tc.c, got, tc.want)
		}
	}
}

// Each row has a node, what was applied, what is desired, and what Reconcile and
// ReconcileOwned do.
func TestReconcile(t *testing.T) {
	for _, tc := range []struct{ name, node, applied, desired, want, owned string }{
		{"one of each kind", "a=1:x b:x c:x", "a=1:x b:x", "a=2:x d:x", "a=2:x d:x b:x-", "a=2:x d:x b:x-"},
		{"another value was applied", "a=1:x", "a=2:x", "", "", "a:x-"},
		{"twice on the node", "a=1:x b:x a=1:x", "a=1:x", "", "a:x-", "a:x-"},
		{"the second on the node", "a=2:x a=1:x", "a=1:x", "", "", "a:x-"},
		{"applied twice", "a=1:x", "a=1:x a=1:x", "", "a:x-", "a:x-"},
		{"applied with two values, in a record of both lists", "a=1:x", "a=2:x a=1:x", "", "a:x-", "a:x-"},
		{"the same in another order", "a=1:x", "a=1:x a=2:x", "", "a:x-", "a:x-"},
		{"another value than both that were applied", "a=3:x", "a=1:x a=2:x", "", "", "a:x-"},
		{"desired twice: the first counts", "", "", "a=1:x a=2:x b:x", "a=1:x b:x", "a=1:x b:x"},
		{"desired twice, the first is there", "a=1:x", "a=1:x", "a=1:x a=2:x", "", ""},
		{"key and value are two texts", "a=b:x ab:x", "a=b:x ab:x", "", "a:x- ab:x-", "a:x- ab:x-"},
		{"the order of removals", "a:x b:x c:x", "c:x b:x a:x", "", "c:x- b:x- a:x-", "a:x- b:x- c:x-"},
	} {
		node, applied, desired := test.Taints(tc.node), test.Taints(tc.applied), test.Taints(tc.desired)
		if got := taints.Reconcile(node, applied, desired).String(); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
		if got := taints.ReconcileOwned(node, reference.IDs(applied), desired).String(); got != tc.owned {
			t.Errorf("%s, owned: %q, want %q", tc.name, got, tc.owned)
		}
	}
}

// To change a long list takes time in proportion to its length: a taint is found
// without another look at the list, so also after the list was cleared.
func TestLongListsAreReadOnce(t *testing.T) {
	for _, tc := range []struct {
		length int
		want   []int
	}{
		{64, []int{-1, -1, -1}},
		{65, []int{0, 63, -1}},
		{66, []int{0, 63, 65}},
	} {
		list := make([]taints.Taint, tc.length)
		for i := range list {
			list[i].Key = strconv.Itoa(i)
		}
		find := taints.Finder(list)
		clear(list)
		for i, at := range []int{0, 63, 65} {
			if got := find(taints.TaintID{Key: strconv.Itoa(at)}); got != tc.want[i] {
				t.Errorf("taint %d of %d is at %d, want %d", at, tc.length, got, tc.want[i])
			}
		}
	}
}
