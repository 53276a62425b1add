package taints_test

import (
	order "cmp"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seed-0529bac1/taints"
)

func TestParseTaint(t *testing.T) {
	for _, tc := range []struct {
		in   string
		want taints.Taint
	}{
		{"dedicated=ml:NoSchedule", taints.Taint{Key: "dedicated", Value: "ml", Effect: "NoSchedule"}},
		{"dedicated:NoExecute", taints.Taint{Key: "dedicated", Effect: "NoExecute"}},
		{"dedicated=:PreferNoSchedule", taints.Taint{Key: "dedicated", Effect: "PreferNoSchedule"}},
		{"nvidia.com/gpu=A100_80G.x-1:NoSchedule", taints.Taint{Key: "nvidia.com/gpu", Value: "A100_80G.x-1", Effect: "NoSchedule"}},
		{strings.Repeat("a", 253) + "/" + strings.Repeat("K", 63) + "=" + strings.Repeat("V", 63) + ":NoSchedule", taints.Taint{Key: strings.Repeat("a", 253) + "/" + strings.Repeat("K", 63), Value: strings.Repeat("V", 63), Effect: "NoSchedule"}},
	} {
		t.Run(tc.in, func(t *testing.T) {
			got, err := taints.ParseTaint(tc.in)
			if err != nil || !got.Equal(tc.want) {
				t.Errorf("got %+v, %v", got, err)
			}
			if err := got.Validate(); err != nil {
				t.Errorf("parsed but not valid: %v", err)
			}
		})
	}
}

func TestParseTaintErrors(t *testing.T) {
	for _, tc := range []struct {
		in     string
		offset int
		field  string
		kind   error
		text   string
	}{
		{"", 0, "key", taints.ErrRequired, `parse taint "" at offset 0: key: required: a taint needs a key`},
		{"=v:NoSchedule", 0, "key", taints.ErrRequired, ""},
		{"key", 3, "effect", taints.ErrRequired, `parse taint "key" at offset 3: effect: required: must be NoSchedule, PreferNoSchedule or NoExecute`},
		{"key=value", 9, "effect", taints.ErrRequired, ""},
		{"key:", 4, "effect", taints.ErrRequired, ""},
		{"key:noschedule", 4, "effect", taints.ErrUnsupported, `parse taint "key:noschedule" at offset 4: effect: "noschedule" is not supported: must be NoSchedule, PreferNoSchedule or NoExecute`},
		{"key:NoSchedule ", 4, "effect", taints.ErrUnsupported, ""},
		{"key:a:NoSchedule", 4, "effect", taints.ErrUnsupported, ""},
		{"key=v:NoSchedule-", 6, "effect", taints.ErrUnsupported, `parse taint "key=v:NoSchedule-" at offset 6: effect: "NoSchedule-" is not supported: must be NoSchedule, PreferNoSchedule or NoExecute; a "-" at the end asks for removal and names no taint`},
		{"key-", 0, "key", taints.ErrInvalid, ""},
		{"key=a=b:NoSchedule", 4, "value", taints.ErrInvalid, `parse taint "key=a=b:NoSchedule" at offset 4: value: "a=b" is invalid: must be empty, or letters, digits, '-', '_' and '.', with a letter or digit at both ends`},
		{"k y=v:NoSchedule", 0, "key", taints.ErrInvalid, ""},
		{"a/b/c:NoSchedule", 0, "key", taints.ErrInvalid, ""},
		{"Example.com/gpu:NoSchedule", 0, "key", taints.ErrInvalid, ""},
		{"k=" + strings.Repeat("v", 64) + ":NoSchedule", 2, "value", taints.ErrTooLong, ""},
		{strings.Repeat("k", 64) + ":NoSchedule", 0, "key", taints.ErrTooLong, ""},
	} {
		t.Run(tc.in, func(t *testing.T) {
			got, err := taints.ParseTaint(tc.in)
			if err == nil || got != (taints.Taint{}) {
				t.Fatalf("got %+v, %v", got, err)
			}
			checkParseError(t, err, "taint", tc.in, tc.offset, tc.field, tc.kind, tc.text)
		})
	}
}

func checkParseError(t *testing.T, err error, what, in string, offset int, field string, kind error, text string) {
	t.Helper()
	var parse *taints.ParseError
	if !errors.As(err, &parse) || parse.Kind != what || parse.Input != in || parse.Offset != offset {
		t.Errorf("got %+v, want offset %d", parse, offset)
	}
	var fault *taints.FieldError
	if !errors.As(err, &fault) || fault.Field != field || faultIndex(fault) != -1 {
		t.Errorf("got %+v, want field %q", fault, field)
	}
	if !errors.Is(err, kind) {
		t.Errorf("%v is not %q", err, kind)
	}
	if text != "" && err.Error() != text {
		t.Errorf("got  %s\nwant %s", err, text)
	}
}

func TestMustParse(t *testing.T) {
	if got := taints.MustParseTaint("gpu:NoSchedule").Key; got != "gpu" {
		t.Errorf("key %q", got)
	}
	if got := taints.MustParseToleration("gpu:NoSchedule").Key; got != "gpu" {
		t.Errorf("key %q", got)
	}
	for name, parse := range map[string]func(){
		"taint":      func() { taints.MustParseTaint("gpu") },
		"toleration": func() { taints.MustParseToleration("gpu: ") },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if _, ok := recover().(*taints.ParseError); !ok {
					t.Error("no panic with a *ParseError")
				}
			}()
			parse()
		})
	}
}

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
		{"", 0, "key", taints.ErrRequired, `parse change "" at offset 0: specs[1].key: required: a taint needs a key`},
		{"-", 0, "key", taints.ErrRequired, ""},
		{"--", 0, "key", taints.ErrInvalid, ""},
		{"key", 3, "effect", taints.ErrRequired, ""},
		{"key=v", 5, "effect", taints.ErrRequired, ""},
		{"key=v-", 5, "effect", taints.ErrRequired, `parse change "key=v-" at offset 5: specs[1].effect: required: must be NoSchedule, PreferNoSchedule or NoExecute`},
		{"key:-", 4, "effect", taints.ErrRequired, ""},
		{"key--", 0, "key", taints.ErrInvalid, ""},
		{"k y-", 0, "key", taints.ErrInvalid, ""},
		{"=v:NoSchedule-", 0, "key", taints.ErrRequired, ""},
		{"key=v v:NoSchedule-", 4, "value", taints.ErrInvalid, ""},
		{"key:noschedule-", 4, "effect", taints.ErrUnsupported, ""},
		{"key:NoSchedule--", 4, "effect", taints.ErrUnsupported, ""},
		{"key:NoSchedule:NoExecute-", 4, "effect", taints.ErrUnsupported, ""},
		{"first:NoSchedule", 0, "", taints.ErrDuplicate, `parse change "first:NoSchedule" at offset 0: specs[1]: "first:NoSchedule" is a duplicate: a node has at most one taint of a key and effect`},
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
	odd := taints.Changes{Add: []taints.Taint{{}, {Key: "k", Value: "v"}}, Remove: []taints.TaintID{{}, {Effect: "x"}}}
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

func TestApply(t *testing.T) {
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
		{"new ones come last", node, "spot:PreferNoSchedule dedicated=ml:NoExecute", false, node + " spot:PreferNoSchedule dedicated=ml:NoExecute", nil},
		{"another value is replaced in place", node, "dedicated=db:NoSchedule", true, "dedicated=db:NoSchedule gpu:NoSchedule gpu=x:NoExecute", nil},
		{"the same value with overwrite", node, "gpu:NoSchedule", true, node, nil},
		{"another value without overwrite", node, "gpu=y:NoSchedule", false, "", []string{"add[0] gpu=y:NoSchedule: already there"}},
		{"the same value without overwrite", node, "gpu:NoSchedule", false, "", []string{"add[0] gpu:NoSchedule: already there"}},
		{"one effect is removed", node, "gpu:NoSchedule-", false, "dedicated=ml:NoSchedule gpu=x:NoExecute", nil},
		{"whatever its value", node, "gpu=other:NoExecute-", false, "dedicated=ml:NoSchedule gpu:NoSchedule", nil},
		{"a key is removed", node, "gpu-", false, "dedicated=ml:NoSchedule", nil},
		{"all are removed", node, "gpu- dedicated-", false, "", nil},
		{"one that is not there", node, "gpu:PreferNoSchedule-", false, "", []string{"remove[0] gpu:PreferNoSchedule: not found"}},
		{"a key that is not there", node, "Gpu-", true, "", []string{"remove[0] Gpu: not found"}},
		{"from an empty node", "", "gpu-", true, "", []string{"remove[0] gpu: not found"}},
		{"removed twice", node, "dedicated- dedicated-", false, "", []string{"remove[1] dedicated: not found"}},
		{"removed by effect and by key", node, "gpu:NoSchedule- gpu-", false, "dedicated=ml:NoSchedule", nil},
		{"removed by key and by effect", node, "gpu- gpu:NoSchedule-", false, "", []string{"remove[1] gpu:NoSchedule: not found"}},
		{"added and removed", node, "spot:NoSchedule spot:NoSchedule-", false, "", []string{"add[0] spot:NoSchedule: in conflict"}},
		{"added and removed by key", node, "gpu=y:NoExecute gpu-", true, "", []string{"add[0] gpu=y:NoExecute: in conflict"}},
		{"added and another effect removed", node, "gpu=y:PreferNoSchedule gpu:NoSchedule-", false, "dedicated=ml:NoSchedule gpu=x:NoExecute gpu=y:PreferNoSchedule", nil},
		{"all problems at once", node, "gpu=y:NoSchedule spot:NoSchedule new:NoExecute tier- spot- gone:NoSchedule-", false, "", []string{
			"add[0] gpu=y:NoSchedule: already there", "add[1] spot:NoSchedule: in conflict", "remove[0] tier: not found", "remove[2] gone:NoSchedule: not found",
		}},
		{"twice in the list", "a=1:NoSchedule b:NoSchedule a=2:NoSchedule", "c:NoSchedule", false, "a=1:NoSchedule b:NoSchedule c:NoSchedule", nil},
		{"twice in the list, removed", "a=1:NoSchedule b:NoSchedule a=2:NoSchedule", "a:NoSchedule-", false, "b:NoSchedule", nil},
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
func TestApplyOddChanges(t *testing.T) {
	_, err := taints.Changes{Add: listOf("a=1:NoSchedule b: a=2:NoSchedule b=3:")}.ApplyStrict(nil, true)
	checkApplyError(t, err, []string{"add[2] a=2:NoSchedule: a duplicate", "add[3] b=3:: a duplicate"})

	got, err := taints.Changes{Remove: []taints.TaintID{{}}}.ApplyStrict(listOf("a:NoSchedule :NoExecute :x"), false)
	if diff := cmp.Diff([]string{"a:NoSchedule"}, texts(got)); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestApplyErrorText(t *testing.T) {
	node := listOf("gpu:NoSchedule dedicated=ml:NoSchedule")
	for specs, want := range map[string]string{
		"gpu:NoSchedule":             `add[0]: "gpu:NoSchedule" is already there: the node has it as it is; overwrite would leave it so`,
		"dedicated=db:NoSchedule":    `add[0]: "dedicated=db:NoSchedule" is already there: the node has this key and effect under another value; overwrite would replace it`,
		"spot- tier:NoExecute-":      `remove[0]: "spot" is not found: the node has no such taint, or an earlier removal takes it; remove[1]: "tier:NoExecute" is not found: the node has no such taint, or an earlier removal takes it`,
		"gpu:NoSchedule gpu-":        `add[0]: "gpu:NoSchedule" is in conflict: a removal names it too; to replace what is there, add with overwrite and do not remove`,
		"gpu=a:NoSchedule dedicate-": `add[0]: "gpu=a:NoSchedule" is already there: the node has this key and effect under another value; overwrite would replace it; remove[0]: "dedicate" is not found: the node has no such taint, or an earlier removal takes it`,
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

// A taint that stays keeps its time; one that comes, or takes another value, has the time that it is given.
func TestApplyTimes(t *testing.T) {
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
		{"another value", "dedicated=ml:NoSchedule", "dedicated=ml:NoSchedule", "dedicated=db:NoSchedule", "dedicated=db:NoSchedule"},
		{"another effect", "dedicated=ml:NoSchedule", "dedicated=ml:NoSchedule", "dedicated=ml:NoExecute", "dedicated=ml:NoExecute dedicated:NoSchedule-"},
		{"taken off", "gpu:NoSchedule dedicated=ml:NoSchedule", "dedicated=ml:NoSchedule", "", "dedicated:NoSchedule-"},
		{"taken off, and gone already", "gpu:NoSchedule", "dedicated=ml:NoSchedule", "", ""},
		{"taken off, but changed by another", "dedicated=theirs:NoSchedule", "dedicated=ml:NoSchedule", "", ""},
		{"wanted, but changed by another", "dedicated=theirs:NoSchedule", "dedicated=ml:NoSchedule", "dedicated=ml:NoSchedule", "dedicated=ml:NoSchedule"},
		{"wanted, but removed by another", "", "dedicated=ml:NoSchedule", "dedicated=ml:NoSchedule", "dedicated=ml:NoSchedule"},
		{"put there by another", "dedicated=ml:NoSchedule", "", "", ""},
		{"order", "b:NoSchedule a:NoSchedule", "a:NoSchedule b:NoSchedule", "d:NoSchedule c:NoSchedule", "d:NoSchedule c:NoSchedule a:NoSchedule- b:NoSchedule-"},
		{"the first of two counts", "a=1:NoSchedule a=2:NoSchedule", "a=1:NoSchedule a=2:NoSchedule", "", "a:NoSchedule-"},
		{"the first of two counts, not removed", "a=1:NoSchedule a=2:NoSchedule", "a=2:NoSchedule a=1:NoSchedule", "", ""},
		{"the first of two counts, added", "a=1:NoSchedule", "", "a=2:NoSchedule a=1:NoSchedule", "a=2:NoSchedule"},
		{"the first of two counts, there", "a=2:NoSchedule a=1:NoSchedule", "", "a=1:NoSchedule", "a=1:NoSchedule"},
		{"without an effect", "a: b:", "a: b:", "b=x:", "b=x:"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := taints.Reconcile(listOf(tc.current), listOf(tc.old), listOf(tc.new)).String(); got != tc.want {
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
	to := []taints.Taint{{Key: "a", Effect: "NoExecute", TimeAdded: &later}, {Key: "b", Effect: "NoExecute", TimeAdded: &later}}
	c := taints.Diff(from, to)
	if len(c.Add) != 1 || !c.Add[0].Equal(to[1]) || c.Add[0].TimeAdded == &later {
		t.Errorf("times: got %+v", c)
	}
}

func TestTaintString(t *testing.T) {
	for _, tc := range []struct {
		taint taints.Taint
		want  string
	}{
		{taints.Taint{Key: "k", Value: "v", Effect: "NoSchedule"}, "k=v:NoSchedule"},
		{taints.Taint{Key: "k", Effect: "NoSchedule"}, "k:NoSchedule"},
		{taints.Taint{Key: "k", Value: "v"}, "k=v:"},
		{taints.Taint{Key: "k"}, "k"},
		{taints.Taint{}, ""},
		{taints.Taint{Value: "v", Effect: "x"}, "=v:x"},
		{taints.Taint{Key: strings.Repeat("long", 100), Effect: "NoExecute"}, strings.Repeat("long", 100) + ":NoExecute"},
	} {
		if got := tc.taint.String(); got != tc.want {
			t.Errorf("%+v prints as %q, want %q", tc.taint, got, tc.want)
		}
		if got := string(tc.taint.AppendTo([]byte("x "))); got != "x "+tc.want {
			t.Errorf("%+v appends as %q", tc.taint, got)
		}
	}
	id := taints.MustParseTaint("k=v:NoSchedule").ID()
	if id != (taints.TaintID{Key: "k", Effect: taints.NoSchedule}) || id.String() != "k:NoSchedule" {
		t.Errorf("identity %v", id)
	}
}

func TestTaintEqual(t *testing.T) {
	now := time.Date(2026, 11, 21, 1, 24, 15, 0, time.UTC)
	elsewhere := now.In(time.FixedZone("x", 3600))
	later := now.Add(time.Nanosecond)
	base := taints.Taint{Key: "k", Value: "v", Effect: "NoSchedule", TimeAdded: &now}
	for _, tc := range []struct {
		name   string
		change func(*taints.Taint)
		want   bool
	}{
		{"the same", func(*taints.Taint) {}, true},
		{"the same instant in another zone", func(t *taints.Taint) { t.TimeAdded = &elsewhere }, true},
		{"another instant", func(t *taints.Taint) { t.TimeAdded = &later }, false},
		{"no time", func(t *taints.Taint) { t.TimeAdded = nil }, false},
		{"another key", func(t *taints.Taint) { t.Key = "K" }, false},
		{"another value", func(t *taints.Taint) { t.Value = "" }, false},
		{"another effect", func(t *taints.Taint) { t.Effect = "NoExecute" }, false},
	} {
		u := base
		tc.change(&u)
		if base.Equal(u) != tc.want || u.Equal(base) != tc.want {
			t.Errorf("%s: equal %v, want %v", tc.name, base.Equal(u), tc.want)
		}
	}
	if !(taints.Taint{}).Equal(taints.Taint{}) {
		t.Error("two taints without time differ")
	}
}

// Taints and tolerations decode from, and encode to, the JSON of a Kubernetes object.
func TestJSON(t *testing.T) {
	for _, text := range []string{
		`{"key":"node.kubernetes.io/unreachable","effect":"NoExecute","timeAdded":"2026-11-21T01:24:15Z"}`,
		`{"key":"dedicated","value":"ml","effect":"NoSchedule"}`,
		`{"key":"","effect":""}`,
	} {
		var taint taints.Taint
		checkJSON(t, text, &taint)
	}
	for _, text := range []string{
		`{"key":"k","operator":"Equal","value":"v","effect":"NoExecute","tolerationSeconds":300}`,
		`{"operator":"Exists"}`,
		`{"key":"k","effect":"NoExecute","tolerationSeconds":0}`,
		`{}`,
	} {
		var tol taints.Toleration
		checkJSON(t, text, &tol)
	}
	var taint taints.Taint
	if err := json.Unmarshal([]byte(`{"key":"k","timeAdded":null}`), &taint); err != nil || taint.TimeAdded != nil {
		t.Errorf("a null time: %v, %v", taint, err)
	}
}

// A method for text would change the JSON of both types.
func TestNoTextMethods(t *testing.T) {
	for _, v := range []any{&taints.Taint{}, &taints.Toleration{}} {
		if _, ok := v.(encoding.TextMarshaler); ok {
			t.Errorf("%T is a TextMarshaler", v)
		}
		if _, ok := v.(encoding.TextUnmarshaler); ok {
			t.Errorf("%T is a TextUnmarshaler", v)
		}
		if _, ok := v.(interface{ AppendText([]byte) ([]byte, error) }); ok {
			t.Errorf("%T is a TextAppender", v)
		}
	}
}

func checkJSON(t *testing.T, text string, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), v); err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(text, string(got)); diff != "" {
		t.Errorf("JSON (-want +got):\n%s", diff)
	}
}

func TestTaintCompare(t *testing.T) {
	now := time.Now()
	later := now.Add(1)
	sorted := []taints.Taint{
		{},
		{Effect: "NoSchedule"},
		{Value: "v"},
		{Key: "a", Value: "v", Effect: "x"},
		{Key: "a", Value: "w", Effect: "NoExecute"},
		{Key: "a", Value: "w", Effect: "NoExecute", TimeAdded: &now},
		{Key: "a", Value: "w", Effect: "NoExecute", TimeAdded: &later},
		{Key: "a", Value: "w", Effect: "NoSchedule"},
		{Key: "b"},
	}
	for i, a := range sorted {
		for j, b := range sorted {
			if got := a.Compare(b); got != order.Compare(i, j) {
				t.Errorf("%v against %v: %d", a, b, got)
			}
			if a.Equal(b) != (i == j) {
				t.Errorf("%v equals %v: %v", a, b, a.Equal(b))
			}
		}
	}
}
