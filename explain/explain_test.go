// SPDX-License-Identifier: Apache-2.0

package explain_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/explain"
	"github.com/seed-0529bac1/taints/internal/draw"
	"github.com/seed-0529bac1/taints/internal/reference"
)

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
			"the effect differs, the key differs only in letter case, the value differs only in letter case",
		},

		// Effects and operators may be misspelled.
		{
			"gpu:NoSchedule", ">gpu:noschedule", "Effect LetterCase NoSchedule",
			"unknown effect noschedule (did you mean NoSchedule?)",
		},
		{
			"gpu:NoSchedule", ">gpu:NoExceute", "Effect Spelling NoExecute",
			"unknown effect NoExceute (did you mean NoExecute?)",
		},
		{"gpu:NoSchedule", ">gpu:No", "Effect None", "unknown effect No"},
		{"gpu:noschedule", ">gpu:NoSchedule", "Effect LetterCase", "the effect differs only in letter case"},
		{"gpu=a:NoSchedule", ">gpu=b op=In team=a", "Operator None", "unknown operator In"},
		{"gpu=a:NoSchedule", ">gpu=5 op=lt", "Operator LetterCase Lt", "unknown operator lt (did you mean Lt?)"},
		{
			"gpu:NoSchedule", ">gpu op=exists", "Operator LetterCase Exists",
			"unknown operator exists (did you mean Exists?)",
		},
		{
			"gpu:NoSchedule", ">gpu:NoSched op=Exist", "Effect Spelling NoSchedule, Operator Spelling Exists",
			"unknown effect NoSched (did you mean NoSchedule?), unknown operator Exist (did you mean Exists?)",
		},

		// Operators may compare integers.
		{"score=40:NoSchedule", ">score=30 op=Lt", "TooLarge None", "40 is too large: at most 29 is tolerated"},
		{"score=40:NoSchedule", ">score=40 op=Gt", "TooSmall None", "40 is too small: at least 41 is tolerated"},
		{"score=x:NoSchedule", ">score=60 op=Gt rank=x", "NotInteger None", "the taint's value is not an integer"},
		{"score=x:NoSchedule", ">score=007 op=Gt", "Threshold None", "its value is not an integer"},
		{"score=x:NoSchedule", ">score=9223372036854775807 op=Gt", "Nothing None", "no integer matches it"},

		// Another key may have the value. This is reported if nothing else differs.
		{
			"dedicated=ml:NoSchedule", ">dedicated=db gpu=a team=ml:NoExecute unit=ml", "Value OtherKey team",
			"the value differs, ml is tolerated for the key team",
		},
		{
			"dedicated=ml:NoSchedule", ">dedicated=db:NoExecute team=ml", "Effect None, Value None",
			"the effect differs, the value differs",
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
			if first := got.Differences[0]; got.Mismatch() != first.Mismatch || got.Hint() != first.Hint {
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
	disk := taints.MustParseTaint("disk:NoSchedule")
	list := parseTolerations("gpu op=Exists", "op=Exists", "disk op=Exists")
	for _, tc := range []struct {
		got      explain.Reason
		mismatch explain.Mismatch
		text     string
	}{
		{node(disk, list...), explain.MismatchNone, "disk:NoSchedule is tolerated by op=Exists"},
		{node(disk, list[0]), explain.MismatchKey, "disk:NoSchedule is not tolerated"},
		{node(disk), explain.MismatchKey, "disk:NoSchedule is not tolerated"},
	} {
		if close := tc.mismatch == explain.MismatchNone; tc.got.HasClosest() != close {
			t.Errorf("%v: a toleration comes close: %v", tc.got, !close)
		}
		want := explain.Reason{Taint: disk}
		why := "no toleration comes close"
		if tc.mismatch == explain.MismatchNone {
			want.Tolerated, want.Closest, want.Toleration, why = true, list[1], 1, ""
		}
		if diff := cmp.Diff(want, tc.got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if tc.got.String() != tc.text || tc.got.Why() != why || tc.got.Mismatch() != tc.mismatch || tc.got.Hint() != 0 {
			t.Errorf("%s: %q, %v, %v", tc.got, tc.got.Why(), tc.got.Mismatch(), tc.got.Hint())
		}
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
	taint := taints.MustParseTaint("dedicated=ml:NoSchedule")
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

// A scene is an input for the laws.
type scene struct {
	o     taints.Options
	nodes [][]taints.Taint
	list  []taints.Toleration
}

// explained returns the reasons for all taints and the summary over the nodes.
func (s *scene) explained() (explain.Explanation, explain.Summary) {
	m := s.o.Compile(s.list)
	return explain.Node(m, slices.Concat(s.nodes...)), explain.Nodes(m, taints.Hard, each(s.nodes...))
}

func TestLaws(t *testing.T) { rapid.Check(t, checkLaws) }

func FuzzLaws(f *testing.F) {
	f.Add(bytes.Repeat([]byte{1, 2, 3, 5, 8, 13}, 400))
	f.Fuzz(rapid.MakeFuzz(checkLaws))
}

// checkLaws checks that each reason is correct, and the counts of the summary.
func checkLaws(t *rapid.T) {
	s := scene{
		draw.Options.Draw(t, "options"),
		rapid.SliceOfN(draw.Taints, 0, 4).Draw(t, "nodes"),
		draw.Tolerations.Draw(t, "tolerations"),
	}
	e, summary := s.explained()
	for i, taint := range slices.Concat(s.nodes...) {
		s.checkReason(t, e[i], taint)
	}
	m, feasible := s.o.Compile(s.list), 0
	for _, list := range s.nodes {
		if schedulable := m.Filter(list).Schedulable(); schedulable {
			feasible++
		}
		if explain.Node(m, list).Schedulable() != m.Filter(list).Schedulable() {
			t.Fatalf("%v is said to be schedulable: %v", list, !m.Filter(list).Schedulable())
		}
	}
	if summary.Nodes != len(s.nodes) || summary.Feasible != feasible {
		t.Fatalf("%d of %d nodes are feasible, want %d", summary.Feasible, summary.Nodes, feasible)
	}
	for _, r := range summary.Reasons {
		s.checkReason(t, r.Reason, r.Reason.Taint)
		count := 0
		for _, list := range s.nodes {
			if slices.ContainsFunc(list, func(taint taints.Taint) bool { taint.TimeAdded = nil; return taint == r.Reason.Taint }) {
				count++
			}
		}
		if r.Reason.Tolerated || !taints.Hard.Has(r.Reason.Taint.Effect) || count != r.Nodes || count == 0 {
			t.Fatalf("%d nodes have %v, got %+v", count, r.Reason.Taint, r)
		}
	}
	if feasible < len(s.nodes) == (len(summary.Reasons) == 0) {
		t.Fatalf("%v", summary)
	}
	checkResult(t, e)
	checkResult(t, summary)
	for _, r := range e {
		checkResult(t, r)
	}
}

// checkReason checks that the reason is about the taint and is correct.
func (s *scene) checkReason(t *rapid.T, r explain.Reason, taint taints.Taint) {
	matches := reference.Matches(s.o, s.list, taint)
	if r.Taint != taint || r.Tolerated != (len(matches) > 0) || r.Tolerated && r.Toleration != matches[0] {
		t.Fatalf("%v is tolerated by %v of %v, but %+v", taint, matches, s.list, r)
	}
	if !r.Tolerated && len(r.Differences) == 0 {
		if r.Toleration != 0 || r.Closest != (taints.Toleration{}) || slices.ContainsFunc(s.list,
			func(tol taints.Toleration) bool { return tol.Key == "" || strings.EqualFold(tol.Key, taint.Key) }) {
			t.Fatalf("nothing of %v comes close: %+v", s.list, r)
		}
		return
	}
	closest := s.list[r.Toleration]
	if !r.Closest.Equal(closest) {
		t.Fatalf("the closest is %v: %+v", closest, r)
	}
	var want, got []string
	without := closest
	if without.Effect = ""; closest.Effect != "" && closest.Effect != taint.Effect {
		want = append(want, "effect")
	}
	if !reference.Tolerates(s.o, taints.Toleration{Key: closest.Key, Operator: taints.OpExists}, taint) {
		want = append(want, "key")
	}
	if without.Key = ""; !reference.Tolerates(s.o, without, taint) {
		want = append(want, "value")
	}
	for _, d := range r.Differences {
		switch d.Mismatch {
		case explain.MismatchEffect:
			got = append(got, "effect")
		case explain.MismatchKey:
			got = append(got, "key")
		default:
			got = append(got, "value")
		}
	}
	if !slices.Equal(want, got) {
		t.Fatalf("under %+v %v and %v differ in %v, not as %+v says", s.o, closest, taint, want, r)
	}
}

// A result is a Reason, Explanation or Summary.
type result[R any] interface {
	fmt.Stringer
	Redact() R
}

// checkResult checks that the result can be compared, and survives a round trip
// through JSON with the same texts.
func checkResult[R result[R]](t *rapid.T, v R) {
	text, err := json.Marshal(v)
	var got R
	if err != nil || json.Unmarshal(text, &got) != nil {
		t.Fatalf("%+v: %v", v, err)
	}
	if diff := cmp.Diff(v, got, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("came back otherwise (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(v.Redact(), got.Redact(), cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("is redacted otherwise (-before +after):\n%s", diff)
	}
	if a, b := textsOf(v), textsOf(got); !slices.Equal(a, b) {
		t.Fatalf("%q has then the texts %q", a, b)
	}
}

// textsOf returns all texts of the result and of the redacted result.
func textsOf[R result[R]](v R) []string {
	texts := []string{v.String(), v.Redact().String()}
	for _, v := range []any{v, v.Redact()} {
		switch v := v.(type) {
		case explain.Reason:
			texts = append(texts, v.Why())
		case explain.Summary:
			texts = append(texts, v.Report())
		}
	}
	return texts
}

var (
	secrets = rapid.SampledFrom([]string{
		"", "secreta", "SecretA", "secretb", "secreta*", "secretcc/secretd", "secret\x1b[31m",
		"secret\n", "*", "secret5", "98761", "-98761", "98700000000", "098761", "secréta",
	})
	// Also matches the numbers next to secret numbers.
	telling = regexp.MustCompile(`(?i)secr|987|9869|x1b|\x1b`)
)

func TestRedacted(t *testing.T) { rapid.Check(t, checkRedacted) }

func FuzzRedacted(f *testing.F) {
	f.Add(bytes.Repeat([]byte{1, 2, 3, 5, 8, 13}, 400))
	f.Fuzz(rapid.MakeFuzz(checkRedacted))
}

// checkRedacted checks that redacted results contain no secrets and have the
// same shape as the originals.
func checkRedacted(t *rapid.T) {
	effects := rapid.SampledFrom([]taints.Effect{
		"", "NoSchedule", "NoExecute", "PreferNoSchedule", "secretEffect", "NoSecretSchedule",
	})
	operators := rapid.SampledFrom([]taints.Operator{"", "Equal", "Exists", "Lt", "Gt", "secretOperator", "Secret\n"})
	taint := rapid.Custom(func(t *rapid.T) taints.Taint {
		return taints.Taint{Key: secrets.Draw(t, "key"), Value: secrets.Draw(t, "value"), Effect: effects.Draw(t, "effect")}
	})
	toleration := rapid.Custom(func(t *rapid.T) taints.Toleration {
		return taints.Toleration{
			Key: secrets.Draw(t, "key"), Operator: operators.Draw(t, "operator"),
			Value: secrets.Draw(t, "value"), Effect: effects.Draw(t, "effect"),
		}
	})
	s := scene{
		draw.Options.Draw(t, "options"),
		rapid.SliceOfN(rapid.SliceOfN(taint, 0, 4), 0, 3).Draw(t, "nodes"),
		rapid.SliceOfN(toleration, 0, 6).Draw(t, "tolerations"),
	}
	e, summary := s.explained()
	texts := slices.Concat(textsOf(e.Redact()), textsOf(summary.Redact()))
	for i, r := range e {
		texts = append(texts, textsOf(r.Redact())...)
		if operator := e.Redact()[i].Closest.Operator; strings.HasPrefix(string(operator), "<") !=
			regexp.MustCompile("(?i)secret").MatchString(string(r.Closest.Operator)) {
			t.Fatalf("the operator %q is redacted as %q", r.Closest.Operator, operator)
		}
	}
	for _, v := range []any{e.Redact(), summary.Redact(), e.Redact().Redact()} {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	for _, text := range texts {
		if found := telling.FindString(text); found != "" {
			t.Fatalf("%q, of %v and %v, tells %q", text, s.nodes, s.list, found)
		}
	}
	if strings.Count(e.String(), "\n") != max(0, len(e)-1) || strings.Count(e.Redact().String(), "\n") != max(0, len(e)-1) ||
		strings.Count(summary.Report(), "\n") != len(summary.Reasons) || strings.Contains(summary.String(), "\n") ||
		e.Redact().Schedulable() != e.Schedulable() {
		t.Fatalf("%q of %q, %q of %q", e.Redact(), e, summary.Redact().Report(), summary.Report())
	}
}

// Equal texts have equal placeholders, and the original does not change.
func TestRedact(t *testing.T) {
	list := append(parseTaints("secret=ml:NoSchedule", "score=40:NoExecute", "secret=x:NoExecute", "dedicated=x:NoSchedule"),
		taints.Taint{Key: "other", Effect: "hidden"}, taints.Taint{Key: "score", Effect: "hidden"})
	m := taints.Compile(append(parseTolerations("secret=ML:NoSchedule", "score=30:NoExecute op=Lt for 60s", "dedicated=y", "team=x"),
		taints.Toleration{Key: "other", Operator: "hush", Effect: "NoSched"}))
	e := explain.Node(m, list)
	before := e.String()
	want := strings.Join([]string{
		"<key1>=<value1>:NoSchedule is not tolerated (closest: <key1>=<value2>:NoSchedule, the value differs only in letter case)",
		"<key2>=<value3>:NoExecute is not tolerated (closest: <key2>=<value4>:NoExecute op=Lt for 60s, <value3> is too large)",
		"<key1>=<value5>:NoExecute is not tolerated (closest: <key1>=<value2>:NoSchedule, the effect differs, the value differs)",
		"<key3>=<value5>:NoSchedule is not tolerated (closest: <key3>=<value6>, the value differs, <value5> is tolerated for the key <key4>)",
		"<key5>:<effect1> is not tolerated (closest: <key5>:<effect2> op=<operator1>, " +
			"unknown effect <effect2> (did you mean NoSchedule?), unknown operator <operator1>)",
		"<key2>:<effect1> is not tolerated (closest: <key2>=<value4>:NoExecute op=Lt for 60s, " +
			"the effect differs, the taint's value is not an integer)",
	}, "\n")
	if diff := cmp.Diff(want, e.Redact().String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := e[2].Redact().String(); !strings.HasPrefix(got, "<key1>=<value1>:NoExecute is not tolerated") {
		t.Errorf("one reason alone: %s", got)
	}
	s := explain.Nodes(m, taints.Hard, each(list[:2]))
	report := s.Report()
	want = `0/1 nodes are available:
  1 has untolerated taint <key1>=<value1>:NoExecute (closest: <key1>=<value2>:NoExecute op=Lt for 60s, <value1> is too large)
  1 has untolerated taint <key2>=<value3>:NoSchedule (closest: <key2>=<value4>:NoSchedule, the value differs only in letter case)`
	if diff := cmp.Diff(want, s.Redact().Report()); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
	}
	if e.String() != before || s.Report() != report || len(explain.Summary{}.Redact().Reasons) != 0 {
		t.Error("the original changed, or nothing became something")
	}
}

func TestNodes(t *testing.T) {
	groups := func(yield func([]taints.Taint, int) bool) {
		_ = yield(parseTaints("dedicated=ml:NoSchedule", "nvidia.com/gpu=present:NoSchedule"), 7) &&
			yield(parseTaints("nvidia.com/gpu=present:NoSchedule", "dedicated=ml:NoSchedule"), 2) &&
			// A taint that repeats counts once.
			yield(parseTaints("dedicated=ml:NoSchedule", "dedicated=ml:NoSchedule"), 1) &&
			yield(parseTaints("b=y:NoSchedule", "b=x:NoSchedule", "b=x:NoExecute"), 1) &&
			yield(parseTaints("a:NoSchedule", "spot:PreferNoSchedule"), 1) &&
			yield(parseTaints("c:NoSchedule"), 0) &&
			yield(parseTaints("c:NoSchedule"), -1) &&
			yield(parseTaints("tolerated:NoSchedule"), 2) &&
			yield(parseTaints("spot:PreferNoSchedule"), 11) &&
			yield(nil, 1)
	}
	m := taints.Compile(parseTolerations("dedicated=ML:NoSchedule", "tolerated op=Exists"))
	want := `14/26 nodes are available:
  10 have untolerated taint dedicated=ml:NoSchedule (closest: dedicated=ML:NoSchedule, the value differs only in letter case)
  9 have untolerated taint nvidia.com/gpu=present:NoSchedule
  1 has untolerated taint a:NoSchedule
  1 has untolerated taint b=x:NoExecute
  1 has untolerated taint b=x:NoSchedule
  1 has untolerated taint b=y:NoSchedule`
	s := explain.Groups(m, taints.Hard, groups)
	if diff := cmp.Diff(want, s.Report()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	line := strings.ReplaceAll(strings.Replace(want, "\n  ", " ", 1), "\n  ", ", ")
	if diff := cmp.Diff(line, s.String()); diff != "" {
		t.Errorf("in one line (-want +got):\n%s", diff)
	}
	if s := explain.Groups(m, taints.Soft, groups); s.Feasible != 14 || len(s.Reasons) != 1 || s.Reasons[0].Nodes != 12 {
		t.Errorf("soft taints: %v", s)
	}
	if got := explain.Groups(nil, taints.Hard, nil).Report(); got != "0/0 nodes are available" {
		t.Errorf("without groups: %s", got)
	}
	if got := explain.Nodes(nil, taints.Hard, nil).Report(); got != "0/0 nodes are available" {
		t.Errorf("without nodes: %s", got)
	}
}

// A line feed in a text does not start a new line, and other control characters
// do not reach a terminal.
func TestTextsAreOneLine(t *testing.T) {
	list := []taints.Taint{
		{Key: "a\nb", Value: "\x1b[31m", Effect: "NoSchedule"},
		{Key: "\xff\u202e", Effect: "NoSchedule"},
		{Key: "é \\\ufffd\U0001f600\u2028", Effect: "NoSchedule"},
		{Key: "k", Value: "a\nb", Effect: "NoSchedule"},
	}
	tols := []taints.Toleration{{Key: "A\nb", Operator: "Exists"}, {Key: "k", Value: "c"}, {Key: "x\ny", Value: "a\nb"}}
	want := `a\nb=\x1b[31m:NoSchedule is not tolerated (closest: A\nb op=Exists, the key differs only in letter case)
\xff\u202e:NoSchedule is not tolerated
` + "é \\\ufffd\U0001f600" + `\u2028:NoSchedule is not tolerated
k=a\nb:NoSchedule is not tolerated (closest: k=c, the value differs, a\nb is tolerated for the key x\ny)`
	e := explain.Node(taints.Compile(tols), list)
	if diff := cmp.Diff(want, e.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for i, line := range strings.Split(want, "\n") {
		if e[i].String() != line {
			t.Errorf("got %q, want %q", e[i], line)
		}
	}
	if why := e[3].Why(); why != `the value differs, a\nb is tolerated for the key x\ny` {
		t.Errorf("why: %q", why)
	}
	s := explain.Nodes(taints.Compile(tols), taints.Hard, each(list))
	if strings.Count(s.Report(), "\n") != 4 || strings.Contains(s.String(), "\n") || strings.Contains(s.String(), "\x1b") {
		t.Errorf("%q", s.Report())
	}
}
