// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"errors"
	"iter"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/test"
	"github.com/seed-0529bac1/taints/internal/test/draw"
	"github.com/seed-0529bac1/taints/internal/test/reference"
)

func TestChangesAgreeWithTheReference(t *testing.T) { rapid.Check(t, several(changesAgree)) }

func changesAgree(t *rapid.T) {
	list, c := draw.CommonTaints.Draw(t, "taints"), draw.Changes.Draw(t, "changes")
	if again := rapid.SliceOfN(draw.CommonTaint, 0, 2).Draw(t, "again"); rapid.Bool().Draw(t, "meet") {
		list = slices.Concat(list, c.Add, again, c.Add)
	}
	if rapid.Bool().Draw(t, "long") { // found by a map in place of a loop
		for i := range rapid.IntRange(62, 70).Draw(t, "length") {
			list = append(list, taints.Taint{Key: "k" + strconv.Itoa(i), Effect: "NoSchedule"})
			value := [...]string{"", "", "new"}[i%3]
			c.Add = append(c.Add, taints.Taint{Key: "k" + strconv.Itoa(i+35), Value: value, Effect: "NoSchedule"})
			c.Remove = append(c.Remove, taints.TaintID{Key: "k" + strconv.Itoa(i*2), Effect: "NoSchedule"})
			c.RemoveKeys = append(c.RemoveKeys, "k"+strconv.Itoa(i*3))
		}
	}
	before, changes := slices.Clone(list), taints.Changes{
		Add: slices.Clone(c.Add), Remove: slices.Clone(c.Remove), RemoveKeys: slices.Clone(c.RemoveKeys),
	}
	checkApply(t, list, c)
	if diff := test.Difference([]any{before, changes}, []any{list, c}); diff != "" {
		t.Fatalf("wrote to the arguments (-before +after):\n%s", diff)
	}
	valid := reference.ValidChanges(c)
	if err := c.Validate(); (err == nil) != valid {
		t.Fatalf("%v: %v", c, err)
	}
	if _, err := c.ApplyStrict(list, true); valid && err != nil && !errors.Is(err, taints.ErrNotFound) {
		t.Fatalf("%v is valid, but %v", c, err)
	}
}

func TestEvictionAgreesWithTheReference(t *testing.T) { rapid.Check(t, several(evictionAgrees)) }

func evictionAgrees(t *rapid.T) {
	o, p := draw.Options.Draw(t, "options"), draw.Policies.Draw(t, "policy")
	list, now := draw.Taints.Draw(t, "taints"), draw.Time.Draw(t, "now")
	tols := draw.Meeting(list).Draw(t, "tolerations")
	if rapid.IntRange(0, 3).Draw(t, "evicting") > 0 {
		list, tols = draw.EvictingTaints.Draw(t, "taints"), draw.TimedTolerations.Draw(t, "tolerations")
	}
	checkEviction(t, o, p, list, tols, now)
}

func TestValidationAgreesWithTheReference(t *testing.T) { rapid.Check(t, several(validationAgrees)) }

func validationAgrees(t *rapid.T) {
	// Most random texts are invalid for several reasons at once; one random field in
	// a valid frame finds more.
	o := draw.Options.Draw(t, "options")
	for range 4 {
		text := rapid.OneOf(draw.Keys, draw.Values, rapid.StringMatching(`[aZ0._/*-]{0,6}`),
			draw.Limits, draw.Limits, rapid.StringMatching(`a*[.-]{0,2}a?/x`), rapid.StringMatching(`-?[0-9]{1,21}`), rapid.String(),
		).Draw(t, "text")
		frame := taints.Taint{Key: "k", Effect: "NoExecute"}
		tolFrame := taints.Toleration{Key: "k", Operator: draw.Operators.Draw(t, "operator")}
		if rapid.Bool().Draw(t, "inKey") {
			frame.Key, tolFrame.Key = text, text
		} else {
			frame.Value, tolFrame.Value = text, text
		}
		checkValidTaints(t, []taints.Taint{frame})
		checkValidTaints(t, []taints.Taint{frame, {Key: "k", Effect: "NoExecute"}})
		checkValidToleration(t, o, tolFrame)
	}
	checkValidTaints(t, draw.Taints.Draw(t, "taints"))
	frame := taints.Toleration{Operator: draw.Operators.Draw(t, "operator")}
	frame.Key = rapid.SampledFrom([]string{"k", ""}).Draw(t, "key")
	frame.Effect, frame.TolerationSeconds = draw.Effects.Draw(t, "effect"), draw.Seconds.Draw(t, "seconds")
	if frame.Operator != taints.OpExists {
		frame.Value = "5"
	}
	checkValidToleration(t, o, frame)
	checkValidToleration(t, o, draw.Toleration.Draw(t, "toleration"))
}

func checkValidTaints(t test.T, list []taints.Taint) {
	t.Helper()
	want := reference.ValidTaints(list)
	if err := taints.ValidateTaints(list); (err == nil) != want {
		t.Fatalf("%+v: %v", list, err)
	}
	if len(list) == 1 {
		if err := list[0].Validate(); (err == nil) != want {
			t.Fatalf("%+v: %v", list[0], err)
		}
	}
}

func checkValidToleration(t test.T, o taints.Options, tol taints.Toleration) {
	t.Helper()
	if err := o.ValidateTolerations([]taints.Toleration{tol}); (err == nil) != reference.ValidToleration(o, tol) {
		t.Fatalf("%+v under %+v: %v", tol, o, err)
	}
	if err := tol.Validate(); (err == nil) != reference.ValidToleration(taints.Options{}, tol) {
		t.Fatalf("%+v: %v", tol, err)
	}
}

func TestAddLaws(t *testing.T) {
	for name, add := range adders {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				given := draw.Tolerations.Draw(t, "tolerations")
				array := append(slices.Clone(given), make([]taints.Toleration, 8)...)
				once := add(array[:len(given)])
				want := append(slices.Clone(given), make([]taints.Toleration, 8)...)
				if diff := cmp.Diff(want, array); diff != "" {
					t.Fatalf("wrote to the caller's array (-before +after):\n%s", diff)
				}
				full := slices.Grow(once, 5)
				if twice := add(full); len(twice) != len(full) || cap(twice) != cap(full) || len(full) > 0 && &twice[0] != &full[0] {
					t.Fatalf("nothing is missing in %v, but the result is %v", full, twice)
				}
				for i, tol := range given {
					tol.TolerationSeconds, once[i].TolerationSeconds = nil, nil
					if !cmp.Equal(tol, once[i]) {
						t.Fatalf("toleration %d, %v, became %v", i, tol, once[i])
					}
				}
				if err := taints.ValidateTolerations(once[len(given):]); err != nil {
					t.Fatalf("adds an invalid toleration: %v", err)
				}
			})
		})
	}
}

func TestReconcileLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		current, desired := draw.CommonTaints.Draw(t, "current"), draw.CommonTaints.Draw(t, "desired")
		owned := draw.Changes.Draw(t, "owned").Remove
		old := rapid.OneOf(draw.CommonTaints, rapid.Just(current[:min(1, len(current))])).Draw(t, "old")
		there := reference.Values(current)
		unchanged := slices.DeleteFunc(reference.Firsts(old), func(taint taints.Taint) bool {
			return there[taint.ID()] != taint.Value
		})
		checkReconcile(t, current, desired, unchanged, func(list []taints.Taint) taints.Changes {
			return taints.Reconcile(list, old, desired)
		})
		mine := slices.DeleteFunc(reference.Firsts(current), func(taint taints.Taint) bool {
			return !slices.Contains(owned, taint.ID())
		})
		checkReconcile(t, current, desired, mine, func(list []taints.Taint) taints.Changes {
			return taints.ReconcileOwned(list, owned, desired)
		})
	})
}

// checkReconcile checks that the changes add the desired taints that are missing
// or have another value and remove those of mine that are there and not desired,
// in order, and that nothing is left to do then.
func checkReconcile(
	t test.T, current, desired, mine []taints.Taint, reconcile func([]taints.Taint) taints.Changes,
) {
	t.Helper()
	there, wanted := reference.Values(current), reference.Values(desired)
	var want taints.Changes
	for _, taint := range reference.Firsts(desired) {
		if value, found := there[taint.ID()]; !found || value != taint.Value {
			want.Add = append(want.Add, taint)
		}
	}
	for _, taint := range mine {
		_, found := there[taint.ID()]
		if _, stays := wanted[taint.ID()]; found && !stays {
			want.Remove = append(want.Remove, taint.ID())
		}
	}
	c := reconcile(current)
	if diff := test.Difference(want, c); diff != "" {
		t.Fatalf("%v to %v (-want +got):\n%s", current, desired, diff)
	}
	after, err := c.ApplyStrict(current, true)
	if err != nil {
		t.Fatalf("%v cannot be applied: %v", c, err)
	}
	if again := reconcile(after); !again.IsZero() {
		t.Fatalf("applied, and still %v", again)
	}
}

func FuzzEviction(f *testing.F) { fuzz(f, evictionAgrees) }

func FuzzValidate(f *testing.F) { fuzz(f, validationAgrees) }

func FuzzChanges(f *testing.F) { fuzz(f, changesAgree) }

// several returns the property of several inputs, so that 100 cases notice a fault
// that few inputs show.
func several(property func(*rapid.T)) func(*rapid.T) {
	return func(t *rapid.T) {
		for range 4 {
			property(t)
		}
	}
}

func fuzz(f *testing.F, property func(*rapid.T)) {
	f.Add([]byte{})
	for _, step := range []int{0, 1, 3, 7, 31, 101} {
		seed := make([]byte, 2048)
		for i := range seed {
			seed[i] = byte(2 + i*step)
		}
		f.Add(seed)
	}
	f.Fuzz(rapid.MakeFuzz(property))
}

// answers are what all functions say of some taints.
type answers struct {
	Matches                []int // the first toleration for each taint, or -1
	Untolerated, Tolerated []int
	First                  int
	Verdict                taints.Verdict
}

// answersOf collects the answers of functions.
func answersOf(
	list []taints.Taint, match func(taints.Taint) (int, bool), find func() (int, bool),
	untolerated, tolerated iter.Seq2[int, *taints.Taint], verdict taints.Verdict,
) (a answers) {
	index := func(i int, ok bool) int {
		if ok != (i >= 0) {
			panic("an index contradicts its bool")
		}
		return i
	}
	for _, taint := range list {
		a.Matches = append(a.Matches, index(match(taint)))
	}
	a.First = index(find())
	a.Untolerated, a.Tolerated = indexes(list, untolerated), indexes(list, tolerated)
	a.Verdict = verdict
	return a
}

// indexes returns the indexes of a sequence of the list's elements.
func indexes(list []taints.Taint, seq iter.Seq2[int, *taints.Taint]) (all []int) {
	for i, taint := range seq {
		if taint != &list[i] {
			panic("not the address of the caller's taint")
		}
		all = append(all, i)
	}
	for range seq {
		break // must not panic
	}
	return all
}

func wantedAnswers(
	o taints.Options, list []taints.Taint, tols []taints.Toleration, in taints.EffectSet,
) (a answers) {
	a.First = -1
	count := map[taints.Effect]int{}
	for i, taint := range list {
		matches := reference.Matches(o, tols, taint)
		a.Matches = append(a.Matches, append(matches, -1)[0])
		if len(matches) == 0 {
			count[taint.Effect]++
		}
		switch {
		case !in.Has(taint.Effect):
		case len(matches) > 0:
			a.Tolerated = append(a.Tolerated, i)
		default:
			a.Untolerated = append(a.Untolerated, i)
			a.First = a.Untolerated[0]
		}
	}
	a.Verdict = taints.Verdict{
		NoSchedule: count["NoSchedule"], PreferNoSchedule: count["PreferNoSchedule"], NoExecute: count["NoExecute"],
		Other: count[""] + count["noschedule"] + count["x"],
	}
	return a
}

func TestMatchingAgreesWithTheReference(t *testing.T) { rapid.Check(t, several(matchingAgrees)) }

func FuzzMatching(f *testing.F) { fuzz(f, matchingAgrees) }

func matchingAgrees(t *rapid.T) {
	o, list := draw.Options.Draw(t, "options"), draw.Taints.Draw(t, "taints")
	in := taints.EffectSet(rapid.Uint32().Draw(t, "effects"))
	tols := draw.Meeting(list).Draw(t, "tolerations")
	if rapid.IntRange(0, 9).Draw(t, "many") == 0 {
		tols = append(draw.ManyTolerations.Draw(t, "others"), tols...)
	}
	cut := rapid.IntRange(0, len(tols)).Draw(t, "cut")
	m := o.Compile(tols)
	compiled := func(o taints.Options, tols []taints.Toleration, name string, m *taints.Matcher) {
		got := answersOf(list, m.Match, func() (int, bool) { return m.FindUntolerated(list, in) },
			m.Untolerated(list, in), m.Tolerated(list, in), m.Filter(list))
		if diff := test.Difference(wantedAnswers(o, list, tols, in), got); diff != "" {
			t.Fatalf("%s (-want +got):\n%s", name, diff)
		}
	}
	compiled(o, tols, "compiled", m)
	compiled(o, tols, "compiled in parts", o.Compile(tols[:cut], nil, tols[cut:]))
	compiled(o, tols, "compiled again", m.Options().Compile(slices.Collect(m.Tolerations())))
	compiled(taints.Options{}, nil, "nil", nil)
	compiled(taints.Options{}, nil, "zero", new(taints.Matcher))
	got := answersOf(list, func(taint taints.Taint) (int, bool) { return o.On(tols).Match(taint) },
		func() (int, bool) { return o.On(tols).FindUntolerated(list, in) },
		o.On(tols).Untolerated(list, in), o.On(tols).Tolerated(list, in), o.On(tols).Filter(list))
	if diff := test.Difference(wantedAnswers(o, list, tols, in), got); diff != "" {
		t.Fatalf("On (-want +got):\n%s", diff)
	}
	got = answersOf(list, func(taint taints.Taint) (int, bool) { return taints.Match(taint, tols) },
		func() (int, bool) { return taints.FindUntolerated(list, tols, in) },
		taints.Untolerated(list, tols, in), taints.Options{}.On(tols).Tolerated(list, in), taints.Filter(list, tols))
	if diff := test.Difference(wantedAnswers(taints.Options{}, list, tols, in), got); diff != "" {
		t.Fatalf("functions (-want +got):\n%s", diff)
	}
	for _, tol := range tols {
		for _, taint := range list {
			if want := reference.Tolerates(taints.Options{}, tol, taint); tol.Tolerates(taint) != want {
				t.Fatalf("%v tolerates %v: %v", tol, taint, !want)
			}
			_, ok := o.On([]taints.Toleration{tol}).Match(taint)
			if want := reference.Tolerates(o, tol, taint); ok != want {
				t.Fatalf("under %+v %v tolerates %v: %v", o, tol, taint, ok)
			}
		}
	}
}

func TestTextsAgreeWithTheReference(t *testing.T) { rapid.Check(t, several(textsAgree)) }

func textsAgree(t *rapid.T) {
	piece := rapid.OneOf(rapid.SampledFrom([]string{
		"", ":", "=", ",", "-", " ", " op=", " for ", "s", "*", "NoSchedule", "NoExecute", "Exists", "Lt", "5",
	}), draw.Keys, rapid.String())
	text := rapid.OneOf(
		rapid.Map(rapid.SliceOfN(piece, 0, 8), func(s []string) string { return strings.Join(s, "") }),
		rapid.Map(draw.Taint, taints.Taint.String),
		rapid.Map(draw.Toleration, taints.Toleration.String),
		rapid.Map(draw.Taints, reference.Joined),
		rapid.Map(draw.CommonTaints, reference.Joined),
		rapid.Map(draw.Changes, taints.Changes.String),
	)
	s := text.Draw(t, "text")
	taintTexts.check(t, s)
	listTexts.check(t, s)
	checkTolerationTexts(t, s)
	changesTexts.check(t, s)
	checkTaintID(t, s)
}
