// SPDX-License-Identifier: Apache-2.0

package explain_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-0529bac1/taints"
)

func TestDifferences(t *testing.T) {
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
		{"gpu=a:NoSchedule", ">gpu=b op=NoSuchOperator team=a", "Operator None", "the operator NoSuchOperator is unknown"},
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
			if got.Mismatch() != first.Mismatch || got.Hint() != first.Hint {
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
