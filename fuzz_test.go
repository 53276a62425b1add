// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"encoding/json"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/draw"
	"github.com/seed-0529bac1/taints/internal/reference"
)

func TestMatchingAgreesWithTheReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o, taint := draw.Options.Draw(t, "options"), draw.Taint.Draw(t, "taint")
		tols := draw.ManyTolerations.Draw(t, "tolerations")
		want := -1
		if matches := reference.Matches(o, tols, taint); len(matches) > 0 {
			want = matches[0]
		}
		if got, ok := o.Compile(tols).Match(taint); got != want || ok != (want >= 0) {
			t.Fatalf("Match = %d, %v, want %d", got, ok, want)
		}
		if got, ok := o.Match(taint, tols); got != want || ok != (want >= 0) {
			t.Fatalf("one-shot Match = %d, %v, want %d", got, ok, want)
		}
		for _, tol := range tols {
			if want := reference.Tolerates(o, tol, taint); o.Tolerates(tol, taint) != want {
				t.Fatalf("under %+v %v: Tolerates = %v", o, tol, !want)
			}
			if want := reference.Tolerates(taints.Options{}, tol, taint); tol.Tolerates(taint) != want {
				t.Fatalf("%v: Tolerates = %v", tol, !want)
			}
		}
	})
}

// Each path through a Matcher has the same result as the plain loop.
func TestMatcherPathsAgreeWithThePlainLoop(t *testing.T) {
	kinds := map[string]*rapid.Generator[[]taints.Toleration]{
		"none": rapid.SampledFrom([][]taints.Toleration{
			nil,
			{{Key: "a", Operator: "In"}},
			{{Operator: "Lt", Value: "x"}, {Key: "b", Operator: "Gt"}},
		}),
		"table": rapid.SliceOfN(rapid.Custom(func(t *rapid.T) taints.Toleration {
			tol := draw.Toleration.Draw(t, "toleration")
			tol.Key, tol.Operator = rapid.SampledFrom([]string{"a", "b", "dedicated"}).Draw(t,
				"key"), rapid.SampledFrom([]taints.Operator{"", "Exists"}).Draw(t, "operator")
			return tol
		}), 1, 140),
		"table and wildcards": rapid.Map(draw.ManyTolerations, func(list []taints.Toleration) []taints.Toleration {
			return append(list, taints.Toleration{Operator: taints.OpEqual, Value: "v"})
		}),
		"exempt": rapid.Map(draw.ManyTolerations, func(list []taints.Toleration) []taints.Toleration {
			return append(list, taints.Toleration{Operator: taints.OpExists})
		}),
	}
	for path, lists := range kinds {
		t.Run(path, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				tols, list := lists.Draw(t, "tolerations"), draw.Taints.Draw(t, "taints")
				m := taints.Compile(tols)
				var want taints.Verdict
				for _, taint := range list {
					if got := m.Path(taint.Effect); got != path && got != "exempt" {
						t.Fatalf("%v is found by %s", taint, got)
					}
					first := slices.IndexFunc(tols, func(tol taints.Toleration) bool {
						return tol.Tolerates(taint)
					})
					if got, ok := m.Match(taint); got != first || ok != (first >= 0) {
						t.Fatalf("Match = %d, %v, want %d", got, ok, first)
					}
					if first < 0 {
						addTo(&want, taint.Effect)
					}
				}
				if got := m.Filter(list); got != want {
					t.Fatalf("Filter = %+v, want %+v", got, want)
				}
			})
		})
	}
}

func addTo(v *taints.Verdict, effect taints.Effect) {
	switch effect {
	case taints.NoSchedule:
		v.NoSchedule++
	case taints.PreferNoSchedule:
		v.PreferNoSchedule++
	case taints.NoExecute:
		v.NoExecute++
	default:
		v.Other++
	}
}

func TestFilteringAgreesWithTheReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o, list := draw.Options.Draw(t, "options"), draw.Taints.Draw(t, "taints")
		tols := draw.ManyTolerations.Draw(t, "tolerations")
		m := o.Compile(tols)
		hard := reference.Untolerated(o, list, tols, "NoSchedule", "NoExecute")
		want := taints.Verdict{
			NoSchedule:       len(reference.Untolerated(o, list, tols, "NoSchedule")),
			PreferNoSchedule: len(reference.Untolerated(o, list, tols, "PreferNoSchedule")),
			NoExecute:        len(reference.Untolerated(o, list, tols, "NoExecute")),
			Other:            len(reference.Untolerated(o, list, tols, "", "noschedule", "x")),
		}
		if got := m.Filter(list); got != want {
			t.Fatalf("Filter = %+v, want %+v", got, want)
		}
		if got, found := m.FindUntolerated(list, taints.Hard); got != append(hard, -1)[0] ||
			found != (len(hard) > 0) {
			t.Fatalf("FindUntolerated = %d, %v, want the first of %d", got, found, hard)
		}
		set := taints.EffectSet(rapid.Uint32().Draw(t, "effects"))
		var wantAll, gotAll []int
		for i, taint := range list {
			if set.Has(taint.Effect) && len(reference.Matches(o, tols, taint)) == 0 {
				wantAll = append(wantAll, i)
			}
		}
		for i := range m.Untolerated(list, set) {
			gotAll = append(gotAll, i)
		}
		if !slices.Equal(gotAll, wantAll) {
			t.Fatalf("Untolerated = %v, want %v", gotAll, wantAll)
		}
	})
}

func TestEvictionAgreesWithTheReference(t *testing.T) { rapid.Check(t, evictionAgrees) }

func evictionAgrees(t *rapid.T) {
	p := draw.Policies.Draw(t, "policy")
	p.Options = draw.Options.Draw(t, "options")
	list, tols := draw.Taints.Draw(t, "taints"), draw.ManyTolerations.Draw(t, "tolerations")
	now := draw.Time.Draw(t, "now")
	if rapid.Bool().Draw(t, "meet") {
		list, tols = draw.EvictingTaints.Draw(t, "taints"), draw.TimedTolerations.Draw(t, "tolerations")
	}
	e := p.EvictionOf(list, tols, now)
	if compiled := p.Compile(tols).EvictionOf(list, now); compiled != e {
		t.Fatalf("%+v, compiled %+v", e, compiled)
	}
	outcome, deadline := reference.Deadline(p, list, tols, now)
	if e.Outcome != outcome || deadline != nil && reference.Nanos(e.At).Cmp(deadline) != 0 {
		t.Fatalf("got %+v, want %v at %v", e, outcome, deadline)
	}
	checkDecidingPair(t, p, list, tols, now, e)
}

// checkDecidingPair checks that the eviction follows from its taint and
// toleration.
func checkDecidingPair(t fataler, p taints.EvictionPolicy, list []taints.Taint,
	tols []taints.Toleration, now time.Time, e taints.Eviction,
) {
	if e.Outcome == taints.Stays {
		if e != (taints.Eviction{}) {
			t.Fatalf("a pod that stays has %+v", e)
		}
		return
	}
	i := e.Taint
	if want := reference.Decider(p, list, tols, now); i != want {
		t.Fatalf("%+v is decided by %v, want %v", e, list[i], list[want])
	}
	j, tolerated := e.Toleration, e.Tolerated
	matches := reference.Matches(p.Options, tols, list[i])
	if !reference.Effects(p).Has(list[i].Effect) || tolerated != (len(matches) > 0) {
		t.Fatalf("%+v is not decided by %v", e, list[i])
	}
	from := reference.From(p, list[i], now)
	if e.Outcome == taints.EvictsNow && from.After(now) {
		from = now
	}
	if !e.From.Equal(from) {
		t.Fatalf("%+v counts from %v, want %v", e, e.From, from)
	}
	if !tolerated {
		return
	}
	if chosen, ok := p.Choose(list[i], tols); chosen != j || !ok {
		t.Fatalf("%+v, but Choose = %d, %v", e, chosen, ok)
	}
	if chosen, ok := p.Compile(tols).Choose(list[i]); chosen != j || !ok {
		t.Fatalf("%+v, but compiled Choose = %d, %v", e, chosen, ok)
	}
	s := tols[j].TolerationSeconds
	if !slices.Contains(matches, j) || s == nil || *s != e.Seconds ||
		reference.Seconds(p.Select, tols, matches).Cmp(big.NewInt(max(0, *s))) != 0 {
		t.Fatalf("%+v is not decided by %v", e, tols[j])
	}
	if (e.Seconds <= 0) != (e.Outcome == taints.EvictsNow) {
		t.Fatalf("%+v: %d seconds", e, e.Seconds)
	}
}

func TestValidationAgreesWithTheReference(t *testing.T) { rapid.Check(t, validationAgrees) }

func validationAgrees(t *rapid.T) {
	// Most random texts are invalid for several reasons at once; one random field in
	// a valid frame finds more.
	text := rapid.OneOf(draw.Keys, draw.Values, rapid.StringMatching(`[aZ0._/*-]{0,6}`),
		rapid.StringMatching(`[a-z.-]{60,66}(/[a-z_]{60,66})?`),
		rapid.StringMatching(`(a[b.]{2}){83,85}/x`), rapid.StringMatching(`-?[0-9]{1,21}`), rapid.String(),
	).Draw(t, "text")
	frame := taints.Taint{Key: "k", Effect: "NoExecute"}
	tolFrame := taints.Toleration{Key: "k", Operator: draw.Operators.Draw(t, "operator")}
	if rapid.Bool().Draw(t, "inKey") {
		frame.Key, tolFrame.Key = text, text
	} else {
		frame.Value, tolFrame.Value = text, text
	}
	for _, list := range [][]taints.Taint{
		draw.Taints.Draw(t, "taints"), {frame}, {frame, {Key: "k", Effect: "NoExecute"}},
	} {
		if err := taints.ValidateTaints(list); (err == nil) != reference.ValidTaints(list) {
			t.Fatalf("%+v: %v", list, err)
		}
	}
	if err := frame.Validate(); (err == nil) != reference.ValidTaints([]taints.Taint{frame}) {
		t.Fatalf("%+v: %v", frame, err)
	}
	o := draw.Options.Draw(t, "options")
	for _, tol := range []taints.Toleration{draw.Toleration.Draw(t, "toleration"), tolFrame} {
		err := o.ValidateTolerations([]taints.Toleration{tol})
		if (err == nil) != reference.ValidToleration(o, tol) {
			t.Fatalf("%+v under %+v: %v", tol, o, err)
		}
		if err := tol.Validate(); (err == nil) != reference.ValidToleration(taints.Options{}, tol) {
			t.Fatalf("%+v: %v", tol, err)
		}
	}
	old, new := draw.Tolerations.Draw(t, "old"), draw.Tolerations.Draw(t, "new")
	if rapid.Bool().Draw(t, "kept") {
		new = slices.Concat(new, old)
	}
	if err := o.ValidateTolerationsUpdate(old, new); (err == nil) != refValidUpdate(o, old, new) {
		t.Fatalf("under %+v from %+v to %+v: %v", o, old, new, err)
	}
}

func TestTextRoundTrips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		taint, tol := draw.Taint.Draw(t, "taint"), draw.Toleration.Draw(t, "toleration")
		taint.TimeAdded = nil
		gotTaint, err := taints.ParseTaint(taint.String())
		if taint.Validate() == nil && (err != nil || !gotTaint.Equal(taint)) {
			t.Fatalf("%+v is printed as %q and read as %+v, %v", taint, taint, gotTaint, err)
		}
		if err == nil && gotTaint.Validate() != nil {
			t.Fatalf("%q is read as an invalid taint: %v", taint, gotTaint.Validate())
		}
		o := draw.Options.Draw(t, "options")
		gotTol, err := o.ParseToleration(tol.String())
		if reference.ValidToleration(o, tol) && (err != nil || !gotTol.Equal(tol)) {
			t.Fatalf("under %+v %+v is printed as %q and read as %+v, %v", o, tol, tol, gotTol, err)
		}
		if err == nil && !reference.ValidToleration(o, gotTol) {
			t.Fatalf("under %+v %q is read as the invalid %+v", o, tol, gotTol)
		}
		if plain, plainErr := taints.ParseToleration(tol.String()); o == (taints.Options{}) &&
			((plainErr == nil) != (err == nil) || !plain.Equal(gotTol)) {
			t.Fatalf("%q is read as %+v, %v, and under the zero Options as %+v, %v",
				tol, plain, plainErr, gotTol, err)
		}
	})
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
				if diff := cmp.Diff(once, add(once)); diff != "" {
					t.Fatalf("not idempotent (-once +twice):\n%s", diff)
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
		current, old := draw.CommonTaints.Draw(t, "current"), draw.CommonTaints.Draw(t, "old")
		was := reference.Values(old)
		putThere := func(id taints.TaintID, value string) bool {
			v, ok := was[id]
			return ok && v == value
		}
		desired := draw.CommonTaints.Draw(t, "desired")
		checkReconcile(t, current, desired, putThere, func(list []taints.Taint) taints.Changes {
			return taints.Reconcile(list, old, desired)
		})
		owned := draw.Changes.Draw(t, "owned").Remove
		isOwned := func(id taints.TaintID, _ string) bool { return slices.Contains(owned, id) }
		checkReconcile(t, current, desired, isOwned, func(list []taints.Taint) taints.Changes {
			return taints.ReconcileOwned(list, owned, desired)
		})
	})
}

// checkReconcile checks that the changes lead to the desired taints and the
// current taints that are not mine.
func checkReconcile(
	t fataler, current, desired []taints.Taint, mine func(taints.TaintID, string) bool,
	reconcile func([]taints.Taint) taints.Changes,
) {
	t.Helper()
	c := reconcile(current)
	after, err := c.ApplyStrict(current, true)
	if err != nil {
		t.Fatalf("%v cannot be applied: %v", c, err)
	}
	want := reference.Values(current)
	maps.DeleteFunc(want, mine)
	maps.Copy(want, reference.Values(desired))
	if diff := difference(want, reference.Values(after)); diff != "" {
		t.Fatalf("after %v (-want +got):\n%s", c, diff)
	}
	if again := reconcile(after); !again.IsZero() {
		t.Fatalf("applied, and still %v", again)
	}
}

func TestChangesRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := draw.Changes.Draw(t, "changes")
		valid := taints.ValidateTaints(c.Add) == nil
		for _, id := range c.Remove {
			valid = valid && reference.KnownEffect(id.Effect)
		}
		got, err := taints.ParseChanges(strings.Fields(c.String())...)
		if (err == nil) != valid {
			t.Fatalf("%q is read with %v", c, err)
		}
		for i := range c.Add {
			c.Add[i].TimeAdded = nil
		}
		if diff := cmp.Diff(c, got, cmpopts.EquateEmpty()); valid && diff != "" {
			t.Fatalf("%q (-want +got):\n%s", c, diff)
		}
	})
}

func FuzzParseTaint(f *testing.F) {
	for _, s := range []string{
		"dedicated=ml:NoSchedule", "k:NoExecute", "k=:PreferNoSchedule", "k", "k=v", "k:",
		"k=v:NoSchedule-", "a/b/c:x", "a=b=c:NoSchedule", "\xff:NoSchedule",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		taint, err := taints.ParseTaint(s)
		if err != nil {
			checkFuzzedError(t, s, err)
			return
		}
		if !reference.ValidTaints([]taints.Taint{taint}) {
			t.Fatalf("%q is read as the invalid %+v", s, taint)
		}
		again, err := taints.ParseTaint(taint.String())
		if err != nil || again != taint {
			t.Fatalf("%q is read as %+v and that as %+v, %v", s, taint, again, err)
		}
	})
}

func FuzzParseToleration(f *testing.F) {
	for _, s := range []string{
		"k=v:NoSchedule", "op=Exists", "op=Exists op=Equal", ":NoExecute op=Exists for 300s",
		"k=5 op=Lt", "k:NoExecute for -5s", "k for 5s", "k op=", " op=Lt", "k  op=Exists",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, o := range allOptions {
			tol, err := o.ParseToleration(s)
			if err != nil {
				checkFuzzedError(t, s, err)
				continue
			}
			if !reference.ValidToleration(o, tol) {
				t.Fatalf("under %+v %q is read as the invalid %+v", o, s, tol)
			}
			again, err := o.ParseToleration(tol.String())
			if err != nil || !again.Equal(tol) {
				t.Fatalf("under %+v %q is read as %+v and that as %+v, %v", o, s, tol, again, err)
			}
			if _, err := (taints.Options{}).ParseToleration(s); err != nil && !o.KeyWildcards {
				t.Fatalf("%q is read under %+v, and under no options with %v", s, o, err)
			}
		}
	})
}

func FuzzParseTaints(f *testing.F) {
	for _, s := range []string{
		"", ",", "a:NoSchedule", "a=b:NoSchedule,c:NoExecute", "a:NoSchedule,a=b:NoSchedule",
		"a:NoSchedule,,b", "a:NoSchedule, b:NoSchedule", "a:NoSchedule-,b=:x",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		list, err := taints.ParseTaints(text)
		if err != nil {
			checkFuzzedEntries(t, text, err)
			return
		}
		if !reference.ValidTaints(list) || text != "" && len(list) != strings.Count(text, ",")+1 {
			t.Fatalf("%q is read as %+v", text, list)
		}
		again, err := taints.ParseTaints(strings.Join(texts(list), ","))
		if err != nil || !slices.Equal(again, list) {
			t.Fatalf("%q is read as %+v and that as %+v, %v", text, list, again, err)
		}
	})
}

// checkFuzzedEntries checks that each fault is about an entry of the list, in
// order, and has an offset in it.
func checkFuzzedEntries(t *testing.T, text string, err error) {
	t.Helper()
	specs, last := strings.Split(text, ","), -1
	for _, fault := range faultsIn(err) {
		checkFuzzedError(t, text, fault)
		if fault.List != "taints" || fault.Index <= last || fault.Index >= len(specs) {
			t.Fatalf("%q: %v after %d", text, fault, last)
		}
		last = fault.Index
		start := len(strings.Join(append(slices.Clone(specs[:last]), ""), ","))
		if fault.Offset < start || fault.Offset > start+len(specs[last]) {
			t.Fatalf("%q: %v is not in entry %d", text, fault, last)
		}
	}
	if last < 0 {
		t.Fatalf("%q: no fault in %v", text, err)
	}
}

func FuzzParseTaintID(f *testing.F) {
	for _, s := range []string{
		"a", "a:NoSchedule", "a/b:NoExecute", "a:", "a=b:NoSchedule", "", ":NoSchedule", "a:x",
		"a:NoSchedule-", "a::NoSchedule", ":",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		id, err := taints.ParseTaintID(s)
		if err != nil {
			checkFuzzedError(t, s, err)
			if id != (taints.TaintID{}) {
				t.Fatalf("%q is read as %+v, %v", s, id, err)
			}
		} else if !reference.ValidKey(id.Key) || !reference.KnownEffect(id.Effect) || id.String() != s {
			t.Fatalf("%q is read as %+v", s, id)
		}
		var any taints.TaintID
		if err := any.UnmarshalText([]byte(s)); (err == nil) != strings.Contains(s, ":") ||
			err == nil && any.String() != s {
			t.Fatalf("%q is read as %+v, %v", s, any, err)
		}
	})
}

// FuzzUnmarshalText parses names of constants and sets.
func FuzzUnmarshalText(f *testing.F) {
	for _, s := range []string{
		"", "all", "none", "NoSchedule|NoExecute", "other|other", "NoSchedule|", "|", "all|none",
		"Effect(3)", "LongestMatch", "EvictsNow", "Stays",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		set := taints.Hard
		if err := set.UnmarshalText([]byte(text)); err != nil {
			checkFuzzedError(t, text, err)
			if set != taints.Hard {
				t.Fatalf("%q is read as %v, %v", text, set, err)
			}
		} else if again := taints.Soft; again.UnmarshalText([]byte(set.String())) != nil || again != set {
			t.Fatalf("%q is read as %v and that as %v", text, set, again)
		}
		for _, e := range enums {
			e.CheckText(t, text)
		}
	})
}

func checkFuzzedError(t *testing.T, s string, err error) {
	t.Helper()
	fault, ok := err.(*taints.FieldError)
	if !ok || fault.Input != s || fault.Offset < 0 || fault.Offset > len(s) || err.Error() == "" {
		t.Fatalf("%q: %#v", s, err)
	}
}

func FuzzParseChanges(f *testing.F) {
	for _, s := range []string{
		"k=v:NoSchedule", "k:NoExecute- k=v:NoSchedule- k-", "k=:PreferNoSchedule j-",
		"k- k- k:NoSchedule", "k=v- - -- k:-", "k:NoSchedule k=v:NoSchedule", "a/b/c-", "\xff-",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		specs := strings.Split(text, " ")
		c, err := taints.ParseChanges(specs...)
		if err != nil {
			checkFuzzedSpecs(t, specs, err)
			return
		}
		if len(c.Add)+len(c.Remove)+len(c.RemoveKeys) != len(specs) || !reference.ValidTaints(c.Add) {
			t.Fatalf("%q is read as %+v", specs, c)
		}
		again, err := taints.ParseChanges(strings.Fields(c.String())...)
		if diff := cmp.Diff(c, again); err != nil || diff != "" {
			t.Fatalf("%q is read as %q and that with %v (-want +got):\n%s", specs, c, err, diff)
		}
		checkApplyStrict(t, nil, c, true)
	})
}

// checkFuzzedSpecs checks that the faults are about some of the specs, in order.
func checkFuzzedSpecs(t *testing.T, specs []string, err error) {
	t.Helper()
	last := -1
	for _, fault := range faultsIn(err) {
		if fault.List != "specs" || fault.Index <= last || fault.Index >= len(specs) {
			t.Fatalf("%q: %v after %d", specs, fault, last)
		}
		last = fault.Index
		checkFuzzedError(t, specs[last], fault)
	}
	if last < 0 {
		t.Fatalf("%q: no fault in %v", specs, err)
	}
}

// FuzzJSON decodes a node's taints and a pod's tolerations and calls every function
// that takes them.
func FuzzJSON(f *testing.F) {
	f.Add([]byte(`{"Taints":[{"key":"gpu","value":"x","effect":"NoSchedule","timeAdded":"2026-11-21T01:24:15Z"}],"Tolerations":[{"key":"gpu","operator":"Equal","value":"X"}]}`))
	f.Add([]byte(`{"Taints":[{"key":"score","value":"40","effect":"NoExecute"},{}],"Tolerations":[{"key":"score","operator":"Lt","value":"60","effect":"NoExecute","tolerationSeconds":9223372036854775807}]}`))
	f.Add([]byte(`{"Taints":[{"key":"a*","effect":"x"}],"Tolerations":[{"key":"*","operator":"Exists"},{},{"operator":"exists"}]}`))
	f.Add([]byte(`{"Taints":[{"key":"node.kubernetes.io/not-ready","effect":"NoExecute"},{"key":"gpu","effect":""},{"key":"gpu","value":"x","effect":""}],"Conditions":[{"type":"Ready","status":"Unknown"},{"type":"Ready","status":"False"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var pair struct {
			Taints      []taints.Taint
			Tolerations []taints.Toleration
		}
		if json.Unmarshal(data, &pair) != nil ||
			len(pair.Taints)*max(len(pair.Taints), len(pair.Tolerations)) > 1000 {
			return
		}
		again := pair
		if text, err := json.Marshal(pair); err != nil || json.Unmarshal(text, &again) != nil {
			t.Fatalf("%s, %v", text, err)
		}
		if !slices.EqualFunc(again.Taints, pair.Taints, taints.Taint.Equal) ||
			!slices.EqualFunc(again.Tolerations, pair.Tolerations, taints.Toleration.Equal) {
			t.Fatalf("%v came back as %v", pair, again)
		}
		callEverything(t, pair.Taints, pair.Tolerations)
		changeEverything(t, pair.Taints)
	})
}

// callEverything checks what holds for any taints and tolerations.
func callEverything(t *testing.T, list []taints.Taint, tols []taints.Toleration) {
	now := time.Unix(1_800_000_000, 0)
	for _, o := range allOptions {
		v := o.Compile(tols).Filter(list)
		if len(reference.Untolerated(o, list, tols, "NoSchedule", "NoExecute")) != v.NoSchedule+v.NoExecute {
			t.Fatalf("Filter = %+v", v)
		}
		for _, p := range []taints.EvictionPolicy{
			{},
			{Select: taints.LongestMatch, FromTimeAdded: true},
			{Select: taints.ShortestMatch, Arrival: now},
			{Select: taints.ForeverElseShortest},
		} {
			p.Options = o
			if e := p.EvictionOf(list, tols, now); e != p.Compile(tols).EvictionOf(list, now) ||
				e.Outcome == taints.Stays && v.Evicts() {
				t.Fatalf("%+v though %+v", e, v)
			}
		}
		if err := o.ValidateTolerationsUpdate(nil, tols); (err == nil) != refValidTolerations(o, tols) {
			t.Fatalf("ValidateTolerationsUpdate: %v", err)
		}
	}
	if err := taints.ValidateTaints(list); (err == nil) != reference.ValidTaints(list) ||
		err != nil && err.Error() == "" {
		t.Fatalf("ValidateTaints: %v", err)
	}
	for name, add := range adders {
		if got := add(tols); len(add(got)) != len(got) {
			t.Fatalf("%s is not idempotent", name)
		}
	}
}

// changeEverything calls the functions that change a node's taints.
func changeEverything(t *testing.T, list []taints.Taint) {
	half := list[:len(list)/2]
	for _, reconcile := range []func([]taints.Taint) taints.Changes{
		func(current []taints.Taint) taints.Changes { return taints.Reconcile(current, half, list[len(half):]) },
		func(current []taints.Taint) taints.Changes {
			return taints.ReconcileOwned(current, taints.IDs(list), half)
		},
	} {
		c := reconcile(list)
		after, err := c.ApplyStrict(list, true)
		if err != nil {
			t.Fatalf("%v: %v", c, err)
		}
		if again := reconcile(after); !again.IsZero() {
			t.Fatalf("%v, and again %v", c, again)
		}
	}
	c := taints.Changes{Add: list, Remove: taints.IDs(half)}
	for _, overwrite := range []bool{false, true} {
		checkApplyStrict(t, list, c, overwrite)
	}
}

// The fuzz targets below turn bytes into cases for the property tests.

func FuzzForms(f *testing.F) { fuzz(f, formsAnswerAlike) }

func FuzzEviction(f *testing.F) { fuzz(f, evictionAgrees) }

func FuzzValidate(f *testing.F) { fuzz(f, validationAgrees) }

func FuzzChanges(f *testing.F) { fuzz(f, changesAgree) }

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
