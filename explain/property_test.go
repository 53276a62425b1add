// SPDX-License-Identifier: Apache-2.0

package explain_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/explain"
	"github.com/seed-0529bac1/taints/internal/test/draw"
	"github.com/seed-0529bac1/taints/internal/test/reference"
)

// A scene is an input for the laws.
type scene struct {
	o     taints.Options
	nodes [][]taints.Taint
	list  []taints.Toleration
}

// explained returns the reasons for all taints and the summary over the nodes.
func (s *scene) explained() (explain.Explanation, explain.Summary) {
	m := s.o.Compile(s.list)
	return explain.Node(m, slices.Concat(s.nodes...)), explain.Summarize(m, taints.HardEffects, each(s.nodes...), all)
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
		schedulable := m.Filter(list).Schedulable()
		if schedulable {
			feasible++
		}
		if explain.Node(m, list).Schedulable() != schedulable {
			t.Fatalf("%v is said to be schedulable: %v", list, !schedulable)
		}
	}
	if summary.Nodes != len(s.nodes) || summary.Feasible != feasible {
		t.Fatalf("%d of %d nodes are feasible, want %d", summary.Feasible, summary.Nodes, feasible)
	}
	for _, r := range summary.Reasons {
		s.checkReason(t, r.Reason, r.Reason.Taint)
		count := 0
		for _, list := range s.nodes {
			if slices.ContainsFunc(list, func(taint taints.Taint) bool { taint.TimeAdded = nil; return taint.Equal(r.Reason.Taint) }) {
				count++
			}
		}
		if r.Reason.Tolerated || !taints.HardEffects.Has(r.Reason.Taint.Effect) || count != r.Nodes || count == 0 {
			t.Fatalf("%d nodes have %v, got %+v", count, r.Reason.Taint, r)
		}
	}
	if feasible < len(s.nodes) == (len(summary.Reasons) == 0) {
		t.Fatalf("%v", summary)
	}
}

// checkReason checks that the reason is about the taint and is correct.
func (s *scene) checkReason(t *rapid.T, r explain.Reason, taint taints.Taint) {
	matches := reference.Matches(s.o, s.list, taint)
	if !r.Taint.Equal(taint) || r.Tolerated != (len(matches) > 0) || r.Tolerated && r.Toleration != matches[0] {
		t.Fatalf("%v is tolerated by %v of %v, but %+v", taint, matches, s.list, r)
	}
	if !r.Tolerated && len(r.Differences) == 0 {
		if r.Toleration != 0 || !reflect.ValueOf(r.Closest).IsZero() || slices.ContainsFunc(s.list,
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
	parts := map[explain.Mismatch]string{explain.MismatchEffect: "effect", explain.MismatchKey: "key"}
	for _, d := range r.Differences {
		part, ok := parts[d.Mismatch]
		if !ok {
			part = "value"
		}
		got = append(got, part)
	}
	if !slices.Equal(want, got) {
		t.Fatalf("under %+v %v and %v differ in %v, not as %+v says", s.o, closest, taint, want, r)
	}
}

// textsOf returns all texts of the result and of the redacted result.
func textsOf[R interface {
	fmt.Stringer
	Redact() R
}](v R) []string {
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
