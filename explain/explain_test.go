// SPDX-License-Identifier: Apache-2.0

package explain_test

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/explain"
)

func parseTaints(specs ...string) []taints.Taint { return parseAll(specs, taints.ParseTaint) }

func parseTolerations(specs ...string) []taints.Toleration {
	return parseAll(specs, taints.ParseToleration)
}

func parseAll[T any](specs []string, parse func(string) (T, error)) (list []T) {
	for _, spec := range specs {
		list = append(list, taints.Must(parse(spec)))
	}
	return list
}

// node explains one taint for the tolerations.
func node(taint taints.Taint, list ...taints.Toleration) explain.Reason {
	return explain.Node(taints.Compile(list), []taints.Taint{taint})[0]
}

// each yields the list of taints of each node.
func each(nodes ...[]taints.Taint) iter.Seq[[]taints.Taint] { return slices.Values(nodes) }

func TestNode(t *testing.T) {
	for _, tc := range []struct {
		taint string
		list  string // the closest follows ">"
		want  string // the differences
		why   string
	}{
		{"gpu=a:NoSchedule", ">", "Value EmptyValue", "its empty value matches only an empty value"},
		{"dedicated=ml:NoSchedule", ">dedicated:NoSchedule", "Value EmptyValue", "its empty value matches only an empty value"},
		{"dedicated=ml:NoSchedule", "gpu op=Exists >dedicated=db", "Value None", "the value differs"},
		{"dedicated=ml:NoSchedule", "dedicated=db >dedicated=ML", "Value LetterCase", "the value differs only in letter case"},
		{"dedicated=ml:NoSchedule", ">dedicated=ml:NoExecute", "Effect None", "the effect differs"},
		{"gpu:NoSchedule", ">:NoExecute op=Exists", "Effect None", "the effect differs"},
		{"gpu:NoSchedule", "gup op=Exists >GPU op=Exists", "Key LetterCase", "the key differs only in letter case"},
		{"dedicated=ml:NoSchedule", ">dedicatde op=Exists", "Key Spelling", "the key differs"},
		{
			"dedicated=ml:NoSchedule", ">Dedicated=ML:NoExecute", "Effect None, Key LetterCase, Value LetterCase",
			"the effect differs, and the key and value differ only in letter case",
		},

		{
			"dedicated=ml:NoSchedule", ">dedicatde=db:NoExecute", "Effect None, Key Spelling, Value None",
			"the effect, key and value differ",
		},
		// Effects and operators may be misspelled.
		{
			"gpu:NoSchedule", ">gpu:noschedule", "Effect LetterCase NoSchedule",
			"the effect noschedule is unknown (did you mean NoSchedule?)",
		},
		{
			"gpu:NoSchedule", ">gpu:NoExceute", "Effect Spelling NoExecute",
			"the effect NoExceute is unknown (did you mean NoExecute?)",
		},
		{"gpu:NoSchedule", ">gpu:No", "Effect None", "the effect No is unknown"},
		{"gpu:noschedule", ">gpu:NoSchedule", "Effect LetterCase", "the effect differs only in letter case"},
		{"gpu=a:NoSchedule", ">gpu=b op=In team=a", "Operator None", "the operator In is unknown"},
		{"gpu=a:NoSchedule", ">gpu=5 op=lt", "Operator LetterCase Lt", "the operator lt is unknown (did you mean Lt?)"},
		{
			"gpu:NoSchedule", ">gpu op=exists", "Operator LetterCase Exists",
			"the operator exists is unknown (did you mean Exists?)",
		},
		{
			"gpu:NoSchedule", ">gpu:NoSched op=Exist", "Effect Spelling NoSchedule, Operator Spelling Exists",
			"the effect NoSched is unknown (did you mean NoSchedule?), and the operator Exist is unknown (did you mean Exists?)",
		},

		// Operators may compare integers.
		{"score=40:NoSchedule", ">score=30 op=Lt", "TooLarge None", "40 is too large; at most 29 is tolerated"},
		{"score=40:NoSchedule", ">score=40 op=Gt", "TooSmall None", "40 is too small; at least 41 is tolerated"},
		{"score=x:NoSchedule", ">score=60 op=Gt rank=x", "NotInteger None", "the taint's value is not an integer"},
		{"score=x:NoSchedule", ">score=007 op=Gt", "Threshold None", "its value is not an integer"},
		{"score=x:NoSchedule", ">score=9223372036854775807 op=Gt", "Nothing None", "no integer matches it"},

		// Another key may have the value. This is reported if nothing else differs.
		{
			"dedicated=ml:NoSchedule", ">dedicated=db gpu=a team=ml:NoExecute unit=ml", "Value OtherKey team",
			"the value differs; ml is tolerated for the key team",
		},
		{
			"dedicated=ml:NoSchedule", ">dedicated=db:NoExecute team=ml", "Effect None, Value None",
			"the effect and value differ",
		},
		{"dedicated=ml:NoSchedule", ">dedicated=ML team=ml", "Value LetterCase", "the value differs only in letter case"},
		{"score=5:NoSchedule", ">score=4 rank=5 op=Gt", "Value None", "the value differs"},
		{"dedicated:NoSchedule", ">dedicated=db team", "Value None", "the value differs"},
		{"dedicated=ml:NoSchedule", ">dedicated=db dedicated=ml:NoExecute", "Value None", "the value differs"},
	} {
		t.Run(tc.taint+" by "+tc.list, func(t *testing.T) {
			list, closest := written(tc.list)
			like, _ := written(tc.taint)
			taint := taints.Taint{Key: like[0].Key, Value: like[0].Value, Effect: like[0].Effect}
			got := node(taint, list...)
			var differences []string
			for _, d := range got.Differences {
				text := fmt.Sprint(d.Mismatch, " ", d.Hint, " ", d.Meant)
				text = strings.ReplaceAll(strings.ReplaceAll(text, "Mismatch", ""), "Hint", "")
				differences = append(differences, strings.TrimSpace(text))
			}
			if diff := cmp.Diff(tc.want, strings.Join(differences, ", ")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if got.Toleration != closest || !got.Closest.Equal(list[closest]) || got.Tolerated || !got.Taint.Equal(taint) {
				t.Errorf("got %+v", got)
			}
			want := taint.String() + " is not tolerated (closest: " + list[closest].String() + ", " + tc.why + ")"
			if got.Why() != tc.why || got.String() != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			first := got.Differences[0]
			if got.Mismatch() != first.Mismatch || got.Hint() != first.Hint ||
				explain.MismatchOf(list[closest], taint) != first.Mismatch {
				t.Errorf("first %v, %v", got.Mismatch(), got.Hint())
			}
		})
	}
}

// written parses tolerations, valid or not, and returns the index of the one
// that follows ">".
func written(text string) (list []taints.Toleration, marked int) {
	for _, word := range strings.Split(text, " ") {
		if op, ok := strings.CutPrefix(word, "op="); ok {
			list[len(list)-1].Operator = taints.Operator(op)
			continue
		}
		if rest, ok := strings.CutPrefix(word, ">"); ok {
			word, marked = rest, len(list)
		}
		keyValue, effect, _ := strings.Cut(word, ":")
		key, value, _ := strings.Cut(keyValue, "=")
		list = append(list, taints.Toleration{Key: key, Value: value, Effect: taints.Effect(effect)})
	}
	return list, marked
}

// The reason if a taint is tolerated, or if no toleration comes close.
func TestNodeWithoutDifferences(t *testing.T) {
	disk := taints.Must(taints.ParseTaint("disk:NoSchedule"))
	list := parseTolerations("gpu op=Exists", "op=Exists", "disk op=Exists")
	tolerated := explain.Reason{Taint: disk, Tolerated: true, Closest: list[1], Toleration: 1}
	for _, tc := range []struct {
		list      []taints.Toleration
		want      explain.Reason
		mismatch  explain.Mismatch
		text, why string
	}{
		{list, tolerated, explain.MismatchNone, "disk:NoSchedule is tolerated by op=Exists", ""},
		{list[:1], explain.Reason{Taint: disk}, explain.MismatchKey, "disk:NoSchedule is not tolerated", "no toleration comes close"},
		{nil, explain.Reason{Taint: disk}, explain.MismatchKey, "disk:NoSchedule is not tolerated", "no toleration comes close"},
	} {
		got := node(disk, tc.list...)
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if got.String() != tc.text || got.Why() != tc.why || got.Mismatch() != tc.mismatch || got.Hint() != 0 ||
			got.HasClosest() != got.Tolerated {
			t.Errorf("%s: %q, %v, %v", got, got.Why(), got.Mismatch(), got.Hint())
		}
	}
	if m := explain.MismatchOf(list[0], disk); m != explain.MismatchKey || explain.MismatchOf(list[2], disk) != 0 {
		t.Errorf("%v has %v, or %v has a mismatch", list[0], m, list[2])
	}
	for _, m := range []*taints.Matcher{nil, {}, taints.Compile(list)} {
		if e := explain.Node(m, nil); e != nil || e.String() != "" || !e.Schedulable() || e.Redact() != nil {
			t.Errorf("without taints: %v", e)
		}
	}
	if why := (explain.Reason{Differences: []explain.Difference{{Mismatch: 200}}}).Why(); why != "Mismatch(200)" {
		t.Errorf("an unknown mismatch: %s", why)
	}
	if e := explain.Node(nil, []taints.Taint{disk}); e.Schedulable() || e[0].Tolerated {
		t.Errorf("a nil Matcher tolerates: %v", e)
	}
}

// A Matcher cannot be changed through its reasons for tolerated or other taints.
func TestReasonsShareNoSeconds(t *testing.T) {
	m := taints.Compile(parseTolerations("a:NoExecute op=Exists for 5s"))
	for _, taint := range parseTaints("a:NoExecute", "a:NoSchedule") {
		*explain.Node(m, []taints.Taint{taint})[0].Closest.TolerationSeconds = 1
		if r := explain.Node(m, []taints.Taint{taint})[0]; *r.Closest.TolerationSeconds != 5 {
			t.Errorf("now %v", r)
		}
	}
}

func TestNodeUnderOptions(t *testing.T) {
	list := parseTaints("score=40:NoSchedule", "readiness.k8s.io/gpu:NoExecute")
	o := taints.Options{NoComparison: true, KeyWildcards: true}
	m := o.Compile([]taints.Toleration{
		{Key: "score", Operator: "Lt", Value: "60"},
		{Key: "readiness.k8s.io/*", Operator: "Exists", Effect: "NoSchedule"},
	})
	got := explain.Node(m, list)
	want := "score=40:NoSchedule is not tolerated (closest: score=60 op=Lt, the operator Lt is disabled)\n" +
		"readiness.k8s.io/gpu:NoExecute is not tolerated (closest: readiness.k8s.io/*:NoSchedule op=Exists, the effect differs)"
	if diff := cmp.Diff(want, got.String()); diff != "" || got[0].Mismatch() != explain.MismatchNoComparison {
		t.Errorf("%v (-want +got):\n%s", got[0].Mismatch(), diff)
	}
}

// The tolerations of a row are equally far from the taint, and those of the
// following rows are farther.
func TestClosestIsTheOneThatDiffersLeast(t *testing.T) {
	taint := taints.Must(taints.ParseTaint("dedicated=ml:NoSchedule"))
	var rows [][]taints.Toleration
	for _, row := range []string{
		"dedicated=ML:NoSchedule dedicated=ml:noschedule dedicated:noschedule op=Exists",
		"dedicated=ML:noschedule dedicated=5:NoSchedule op=Lt dedicated=ml:NoSchedule op=Equals",
		"dedicated=db:NoSchedule dedicated=ml:NoExecute dedicated:NoExecute op=Exists dedicated=5:noschedule op=Lt",
		"DEDICATED=ml:NoSchedule Dedicated op=Exists =ML :noschedule op=Exists dedicated=db:noschedule dedicated=ML:NoExecute",
		"=5 op=Lt dedicated=5:NoExecute op=Lt DEDICATED=ML",
		"dedicate=ml:NoSchedule dedicated=db:NoExecute =db :NoExecute op=Exists DEDICATED=5 op=Lt",
		"dedicat=ml:NoSchedule deidcated=db:NoExecute",
	} {
		list, _ := written(row)
		rows = append(rows, list)
	}
	for near, row := range rows {
		for _, a := range row {
			for _, b := range row {
				if r := node(taint, a, b); r.Toleration != 0 || len(r.Differences) == 0 {
					t.Errorf("%v comes closer than %v", b, a)
				}
			}
			for _, b := range slices.Concat(rows[near+1:]...) {
				if node(taint, a, b).Toleration != 0 || node(taint, b, a).Toleration != 1 {
					t.Errorf("%v comes as close as %v", b, a)
				}
			}
		}
	}
}
