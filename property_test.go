// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/big"
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

// The generators draw from few texts, so that keys, values and effects collide, and
// from near misses and malformed ones.

var (
	keys = rapid.SampledFrom([]string{
		"a", "b", "example.com/gpu", "Example.com/gpu", "dedicated", "Dedicated", "dedicatde",
		"", "a*", "*", "example.com/*", "-", "a b", "é", "a=b", "op", taints.NodeNotReady,
		taints.NodeMemoryPressure, strings.Repeat("k", 63), strings.Repeat("k", 64),
	})
	values = rapid.SampledFrom([]string{
		"", "v", "V", "w", "0", "-0", "5", "6", "-6", "05", "+5", "Exists",
		"9223372036854775807", "9223372036854775808", "-9223372036854775808",
		"-9223372036854775809", "v v", "=", strings.Repeat("v", 64),
	})
	effects = rapid.SampledFrom([]taints.Effect{
		"NoSchedule", "NoExecute", "NoExecute", "PreferNoSchedule", "", "noschedule", "x",
	})

	operators = rapid.SampledFrom([]taints.Operator{"", "Equal", "Exists", "Exists", "Lt", "Gt", "exists", "In"})
	options   = rapid.SampledFrom([]taints.Options{
		{},
		{NoComparison: true},
		{KeyWildcards: true},
		{NoComparison: true, KeyWildcards: true},
	})
	policies = rapid.SampledFrom([]taints.EvictionPolicy{
		{},
		{FromTimeAdded: true},
		{Select: taints.LongestMatch},
		{Select: taints.ShortestMatch},
		{Select: taints.LongestMatch, FromTimeAdded: true},
		{Select: taints.ShortestMatch, FromTimeAdded: true},
		{Select: taints.ForeverElseShortest},
		{Select: taints.ForeverElseShortest, FromTimeAdded: true},
		{Effects: taints.Hard},
		{Effects: taints.AllEffects, Select: taints.ShortestMatch},
		{Effects: taints.Effects("x"), FromTimeAdded: true},
	})
	someSeconds = rapid.OneOf(
		rapid.Just[*int64](nil),
		rapid.Map(rapid.SampledFrom([]int64{
			0, 1, 5, 300, -1, 9223372036, 9223372037,
			18446744074, math.MaxInt64, math.MinInt64,
		}), func(s int64) *int64 { return &s }),
		rapid.Map(rapid.Int64(), func(s int64) *int64 { return &s }),
	)
	someTime = rapid.Map(
		rapid.OneOf(rapid.Int64Range(-10, 10), rapid.Int64Range(-62135596800, 253402300799)),
		func(s int64) time.Time { return time.Unix(s, 0).UTC() },
	)

	anyTaint = rapid.Custom(func(t *rapid.T) taints.Taint {
		return taints.Taint{
			Key:       keys.Draw(t, "key"),
			Value:     values.Draw(t, "value"),
			Effect:    effects.Draw(t, "effect"),
			TimeAdded: rapid.Ptr(someTime, true).Draw(t, "added"),
		}
	})
	anyToleration = rapid.Custom(func(t *rapid.T) taints.Toleration {
		return taints.Toleration{
			Key:               keys.Draw(t, "key"),
			Operator:          operators.Draw(t, "operator"),
			Value:             values.Draw(t, "value"),
			Effect:            effects.Draw(t, "effect"),
			TolerationSeconds: someSeconds.Draw(t, "seconds"),
		}
	})
	anyTaints      = rapid.SliceOfN(anyTaint, 0, 5)
	anyTolerations = rapid.SliceOfN(anyToleration, 0, 6)
	// Taints that evict and tolerations that meet them, mostly for a time.
	evictingTaints = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) taints.Taint {
		added := rapid.Ptr(rapid.Map(
			rapid.Int64Range(-400, 400),
			func(s int64) time.Time { return time.Unix(s, 0).UTC() },
		), true)
		return taints.Taint{
			Key:       fewKeys.Draw(t, "key"),
			Effect:    taints.NoExecute,
			TimeAdded: added.Draw(t, "added"),
		}
	}), 1, 5)
	timedTolerations = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) taints.Toleration {
		s := rapid.SampledFrom([]*int64{
			nil, seconds(0), seconds(-1), seconds(1), seconds(5), seconds(60), seconds(300),
			seconds(300),
		})
		return taints.Toleration{
			Key:               fewKeys.Draw(t, "key"),
			Operator:          taints.OpExists,
			TolerationSeconds: s.Draw(t, "seconds"),
		}
	}), 0, 6)
	fewKeys = rapid.SampledFrom([]string{"a", "b", "c"})
	// More tolerations than a Matcher's blocks hold.
	manyTolerations = rapid.OneOf(
		anyTolerations, anyTolerations, anyTolerations,
		rapid.SliceOfN(anyToleration, 60, 140),
	)
)

func TestMatchingAgreesWithTheReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o, taint := options.Draw(t, "options"), anyTaint.Draw(t, "taint")
		tols := manyTolerations.Draw(t, "tolerations")
		want := -1
		if matches := refMatches(o, tols, taint); len(matches) > 0 {
			want = matches[0]
		}
		if got, ok := o.Compile(tols).Match(taint); got != want || ok != (want >= 0) {
			t.Fatalf("Match = %d, %v, want %d", got, ok, want)
		}
		if got, ok := o.Match(taint, tols); got != want || ok != (want >= 0) {
			t.Fatalf("one-shot Match = %d, %v, want %d", got, ok, want)
		}
		for _, tol := range tols {
			if want := refTolerates(o, tol, taint); o.Tolerates(tol, taint) != want ||
				(o.Mismatch(tol, taint) == taints.MismatchNone) != want {
				t.Fatalf("under %+v %v: Tolerates = %v, Mismatch = %v, want %v", o, tol,
					o.Tolerates(tol, taint), o.Mismatch(tol, taint), want)
			}
			want := refTolerates(taints.Options{}, tol, taint)
			if tol.Tolerates(taint) != want || (tol.Mismatch(taint) == 0) != want {
				t.Fatalf("%v: Tolerates = %v, Mismatch = %v, want %v",
					tol, tol.Tolerates(taint), tol.Mismatch(taint), want)
			}
		}
	})
}

// Each path through a Matcher leads to what the plain loop over Mismatch finds.
func TestMatcherPathsAgreeWithThePlainLoop(t *testing.T) {
	kinds := map[string]*rapid.Generator[[]taints.Toleration]{
		"none": rapid.SampledFrom([][]taints.Toleration{
			nil,
			{{Key: "a", Operator: "In"}},
			{{Operator: "Lt", Value: "x"}, {Key: "b", Operator: "Gt"}},
		}),
		"table": rapid.SliceOfN(rapid.Custom(func(t *rapid.T) taints.Toleration {
			tol := anyToleration.Draw(t, "toleration")
			tol.Key, tol.Operator = rapid.SampledFrom([]string{"a", "b", "dedicated"}).Draw(t,
				"key"), rapid.SampledFrom([]taints.Operator{"", "Exists"}).Draw(t, "operator")
			return tol
		}), 1, 140),
		"table and wildcards": rapid.Map(manyTolerations, func(list []taints.Toleration) []taints.Toleration {
			return append(list, taints.Toleration{Operator: taints.OpEqual, Value: "v"})
		}),
		"exempt": rapid.Map(manyTolerations, func(list []taints.Toleration) []taints.Toleration {
			return append(list, taints.Toleration{Operator: taints.OpExists})
		}),
	}
	for path, lists := range kinds {
		t.Run(path, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				tols, list := lists.Draw(t, "tolerations"), anyTaints.Draw(t, "taints")
				m := taints.Compile(tols)
				var want taints.Verdict
				for _, taint := range list {
					if got := m.Path(taint.Effect); got != path && got != "exempt" {
						t.Fatalf("%v is found by %s", taint, got)
					}
					first := slices.IndexFunc(tols, func(tol taints.Toleration) bool {
						return tol.Mismatch(taint) == 0
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
		o, list := options.Draw(t, "options"), anyTaints.Draw(t, "taints")
		tols := manyTolerations.Draw(t, "tolerations")
		m := o.Compile(tols)
		hard := refUntolerated(o, list, tols, "NoSchedule", "NoExecute")
		want := taints.Verdict{
			NoSchedule:       len(refUntolerated(o, list, tols, "NoSchedule")),
			PreferNoSchedule: len(refUntolerated(o, list, tols, "PreferNoSchedule")),
			NoExecute:        len(refUntolerated(o, list, tols, "NoExecute")),
			Other:            len(refUntolerated(o, list, tols, "", "noschedule", "x")),
		}
		if got := m.Filter(list); got != want {
			t.Fatalf("Filter = %+v, want %+v", got, want)
		}
		if got, found := m.FindUntolerated(list, taints.Hard); got != append(hard, -1)[0] ||
			found != (len(hard) > 0) {
			t.Fatalf("FindUntolerated = %d, %v, want the first of %d", got, found, hard)
		}
		if e := m.Explain(list); e.Schedulable() != want.Schedulable() || len(e) != len(list) {
			t.Fatalf("Explain = %v, want schedulable %v", e, want.Schedulable())
		}
		set := taints.EffectSet(rapid.Uint32().Draw(t, "effects"))
		var wantAll, gotAll []int
		for i, taint := range list {
			if set.Has(taint.Effect) && len(refMatches(o, tols, taint)) == 0 {
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

func TestEvictionAgreesWithTheReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := policies.Draw(t, "policy")
		p.Options = options.Draw(t, "options")
		list, tols := anyTaints.Draw(t, "taints"), manyTolerations.Draw(t, "tolerations")
		now := someTime.Draw(t, "now")
		if rapid.Bool().Draw(t, "meet") {
			list, tols = evictingTaints.Draw(t, "taints"), timedTolerations.Draw(t, "tolerations")
		}
		e := p.EvictionOf(list, tols, now)
		if compiled := p.Compile(tols).EvictionOf(list, now); compiled != e {
			t.Fatalf("%+v, compiled %+v", e, compiled)
		}
		outcome, deadline := refDeadline(p, list, tols, now)
		if e.Outcome != outcome || deadline != nil && nanosOf(e.At).Cmp(deadline) != 0 {
			t.Fatalf("got %+v, want %v at %v", e, outcome, deadline)
		}
		checkDecidingPair(t, p, list, tols, now, e)
	})
}

// checkDecidingPair checks that the pair of the eviction is one that leads to it.
func checkDecidingPair(t fataler, p taints.EvictionPolicy, list []taints.Taint,
	tols []taints.Toleration, now time.Time, e taints.Eviction,
) {
	if e.Outcome == taints.Stays {
		if e != (taints.Eviction{}) {
			t.Fatalf("a pod that stays has %+v", e)
		}
		return
	}
	i, _ := e.Taint()
	if want := refDecider(p, list, tols, now); i != want {
		t.Fatalf("%+v is decided by %v, want %v", e, list[i], list[want])
	}
	j, tolerated := e.Toleration()
	matches := refMatches(p.Options, tols, list[i])
	if !refEffects(p).Has(list[i].Effect) || tolerated != (len(matches) > 0) {
		t.Fatalf("%+v is not decided by %v", e, list[i])
	}
	from := now
	if added := list[i].TimeAdded; p.FromTimeAdded && added != nil &&
		(e.Outcome == taints.EvictsAt || added.Before(now)) {
		from = *added
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
		refSeconds(p.Select, tols, matches).Cmp(big.NewInt(max(0, *s))) != 0 {
		t.Fatalf("%+v is not decided by %v", e, tols[j])
	}
	if (e.Seconds <= 0) != (e.Outcome == taints.EvictsNow) {
		t.Fatalf("%+v: %d seconds", e, e.Seconds)
	}
}

// leaves orders evictions by when the pod is gone.
func leaves(a, b taints.Eviction) int {
	switch {
	case a.Outcome == taints.Stays && b.Outcome == taints.Stays:
		return 0
	case a.Outcome == taints.Stays:
		return 1
	case b.Outcome == taints.Stays:
		return -1
	}
	return a.At.Compare(b.At)
}

func TestDeadlineNeverGetsEarlier(t *testing.T) {
	t.Run("when the seconds of a toleration grow", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			p, list, now := policies.Draw(t, "policy"), anyTaints.Draw(t, "taints"), someTime.Draw(t, "now")
			tols := rapid.SliceOfN(anyToleration, 1, 6).Draw(t, "tolerations")
			before := p.EvictionOf(list, tols, now)
			i := rapid.IntRange(0, len(tols)-1).Draw(t, "index")
			more := rapid.Int64().Draw(t, "more")
			if s := tols[i].TolerationSeconds; s != nil && more > *s {
				tols[i].TolerationSeconds = &more
			} else {
				tols[i].TolerationSeconds = nil
			}
			if after := p.EvictionOf(list, tols, now); leaves(after, before) < 0 {
				t.Fatalf("%+v, then %+v", before, after)
			}
		})
	})
	t.Run("when a toleration is added, under LongestMatch", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			p := taints.EvictionPolicy{
				Select:        taints.LongestMatch,
				FromTimeAdded: rapid.Bool().Draw(t, "fromTimeAdded"),
			}
			list, tols := anyTaints.Draw(t, "taints"), anyTolerations.Draw(t, "tolerations")
			now := someTime.Draw(t, "now")
			before := p.EvictionOf(list, tols, now)
			more := slices.Insert(slices.Clone(tols),
				rapid.IntRange(0, len(tols)).Draw(t, "index"), anyToleration.Draw(t, "added"))
			if after := p.EvictionOf(list, more, now); leaves(after, before) < 0 {
				t.Fatalf("%+v, then %+v", before, after)
			}
		})
	})
}

func TestFilteringIsMonotonic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list, tols := anyTaints.Draw(t, "taints"), anyTolerations.Draw(t, "tolerations")
		before := taints.Filter(list, tols)
		after := taints.Filter(list, append(slices.Clone(tols), anyToleration.Draw(t, "added")))
		if after.NoSchedule > before.NoSchedule || after.PreferNoSchedule > before.PreferNoSchedule ||
			after.NoExecute > before.NoExecute || after.Other > before.Other {
			t.Fatalf("a toleration was added: %+v, then %+v", before, after)
		}
	})
}

func TestValidationAgreesWithTheReference(t *testing.T) {
	// Most random texts are invalid for several reasons at once; one random field in
	// a valid frame finds more.
	text := rapid.OneOf(keys, values, rapid.StringMatching(`[aZ0._/*-]{0,6}`),
		rapid.StringMatching(`[a-z.-]{60,66}(/[a-z_]{60,66})?`),
		rapid.StringMatching(`(a[b.]{2}){83,85}/x`), rapid.StringMatching(`-?[0-9]{1,21}`), rapid.String())
	t.Run("taints", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			list := anyTaints.Draw(t, "taints")
			frame := taints.Taint{Key: "k", Effect: "NoExecute"}
			if rapid.Bool().Draw(t, "inKey") {
				frame.Key = text.Draw(t, "text")
			} else {
				frame.Value = text.Draw(t, "text")
			}
			for _, list := range [][]taints.Taint{list, {frame}, {frame, {Key: "k", Effect: "NoExecute"}}} {
				if err := taints.ValidateTaints(list); (err == nil) != refValidTaints(list) {
					t.Fatalf("%+v: %v", list, err)
				}
			}
			if err := frame.Validate(); (err == nil) != refValidTaints([]taints.Taint{frame}) {
				t.Fatalf("%+v: %v", frame, err)
			}
		})
	})
	t.Run("tolerations", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			o, tol := options.Draw(t, "options"), anyToleration.Draw(t, "toleration")
			frame := taints.Toleration{Key: "k", Operator: operators.Draw(t, "operator")}
			if rapid.Bool().Draw(t, "inKey") {
				frame.Key = text.Draw(t, "text")
			} else {
				frame.Value = text.Draw(t, "text")
			}
			for _, tol := range []taints.Toleration{tol, frame} {
				err := o.ValidateTolerations([]taints.Toleration{tol})
				if (err == nil) != refValidToleration(o, tol) {
					t.Fatalf("%+v under %+v: %v", tol, o, err)
				}
				if err := tol.Validate(); (err == nil) != refValidToleration(taints.Options{}, tol) {
					t.Fatalf("%+v: %v", tol, err)
				}
			}
		})
	})
}

func TestTextRoundTrips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		taint, tol := anyTaint.Draw(t, "taint"), anyToleration.Draw(t, "toleration")
		taint.TimeAdded = nil
		gotTaint, err := taints.ParseTaint(taint.String())
		if taint.Validate() == nil && (err != nil || !gotTaint.Equal(taint)) {
			t.Fatalf("%+v is printed as %q and read as %+v, %v", taint, taint, gotTaint, err)
		}
		if err == nil && gotTaint.Validate() != nil {
			t.Fatalf("%q is read as an invalid taint: %v", taint, gotTaint.Validate())
		}
		o := options.Draw(t, "options")
		gotTol, err := o.ParseToleration(tol.String())
		if refValidToleration(o, tol) && (err != nil || !gotTol.Equal(tol)) {
			t.Fatalf("under %+v %+v is printed as %q and read as %+v, %v", o, tol, tol, gotTol, err)
		}
		if err == nil && !refValidToleration(o, gotTol) {
			t.Fatalf("under %+v %q is read as the invalid %+v", o, tol, gotTol)
		}
		if plain, plainErr := taints.ParseToleration(tol.String()); o == (taints.Options{}) &&
			((plainErr == nil) != (err == nil) || !plain.Equal(gotTol)) {
			t.Fatalf("%q is read as %+v, %v, and under the zero Options as %+v, %v",
				tol, plain, plainErr, gotTol, err)
		}
	})
}

func TestJSONRoundTrips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		taint, tol := anyTaint.Draw(t, "taint"), anyToleration.Draw(t, "toleration")
		var gotTaint taints.Taint
		var gotTol taints.Toleration
		remarshal(t, taint, &gotTaint)
		remarshal(t, tol, &gotTol)
		if !gotTaint.Equal(taint) {
			t.Fatalf("%+v came back as %+v", taint, gotTaint)
		}
		if diff := cmp.Diff(tol, gotTol); diff != "" {
			t.Fatalf("came back otherwise (-want +got):\n%s", diff)
		}
	})
}

func remarshal(t *rapid.T, from, to any) {
	data, err := json.Marshal(from)
	if err == nil {
		err = json.Unmarshal(data, to)
	}
	if err != nil {
		t.Fatalf("%+v: %v", from, err)
	}
}

func TestAddLaws(t *testing.T) {
	for name, add := range adders {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				given := anyTolerations.Draw(t, "tolerations")
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

// Tolerations of the taints of the world.
var (
	worldToleration = rapid.Custom(func(t *rapid.T) taints.Toleration {
		return taints.Toleration{
			Key:      rapid.SampledFrom([]string{"", "*", "a", "a*", "a/*", "a/b", "a/b*", "b"}).Draw(t, "key"),
			Operator: operators.Draw(t, "operator"),
			Value: rapid.SampledFrom([]string{
				"", "v", "05", "-9223372036854775808",
				"-9223372036854775807", "5", "6", "9223372036854775806", "9223372036854775807",
			}).Draw(t, "value"),
			Effect: rapid.SampledFrom([]taints.Effect{
				"", "NoSchedule", "NoExecute", "NoExecute", "x",
			}).Draw(t, "effect"),
			TolerationSeconds: rapid.SampledFrom([]*int64{
				nil, nil, seconds(0), seconds(-1),
				seconds(300), seconds(301), seconds(math.MaxInt64),
			}).Draw(t, "seconds"),
		}
	})
	worldTolerations = rapid.SliceOfN(worldToleration, 0, 6)
)

func TestCoveringAgreesWithTheReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o, a, b := options.Draw(t, "options"), worldToleration.Draw(t, "a"), worldToleration.Draw(t, "b")
		if rapid.Bool().Draw(t, "close") {
			b.Key, b.Effect = a.Key, a.Effect
		}
		if got, want := o.Covers(a, b), refCovers(o, a, b); got != want {
			t.Fatalf("under %+v %v covers %v: %v, want %v", o, a, b, got, want)
		}
		if got, want := a.Covers(b), refCovers(taints.Options{}, a, b); got != want {
			t.Fatalf("%v covers %v: %v, want %v", a, b, got, want)
		}
		tols, allow := worldTolerations.Draw(t, "tolerations"), worldTolerations.Draw(t, "allow")
		var want []int
		for i, tol := range tols {
			covers := func(entry taints.Toleration) bool { return refCovers(o, entry, tol) }
			if !slices.ContainsFunc(allow, covers) {
				want = append(want, i)
			}
		}
		var got []int
		for _, fault := range faultsIn(o.ValidateAllowed(tols, allow)) {
			i, _ := fault.Index()
			got = append(got, i)
			if fault.List != "tolerations" || fault.Field != "" || fault.Value != tols[i].String() ||
				fault.Err != taints.ErrForbidden {
				t.Fatalf("%#v", fault)
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("ValidateAllowed = %d, want %d", got, want)
		}
	})
}

// Lists are the same exactly if no taint of the world tells them apart.
func TestSamenessAgreesWithTheReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o, a := options.Draw(t, "options"), worldTolerations.Draw(t, "a")
		b := rapid.OneOf(
			worldTolerations, rapid.Permutation(a), rapid.Just(o.Minimize(a)), rapid.Just(o.Merge(a, a)),
		).Draw(t, "b")
		want := true
		for _, taint := range world {
			want = want && refTime(o, a, taint) == refTime(o, b, taint)
		}
		if got := o.SameTolerations(a, b); got != want {
			t.Fatalf("under %+v %v and %v are the same: %v, want %v", o, a, b, got, want)
		}
	})
}

func TestMergeLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := options.Draw(t, "options")
		base, extra := worldTolerations.Draw(t, "base"), worldTolerations.Draw(t, "extra")
		array := append(slices.Clone(base), make([]taints.Toleration, 8)...)
		merged := o.Merge(array[:len(base)], extra)
		if diff := cmp.Diff(append(slices.Clone(base), make([]taints.Toleration, 8)...), array); diff != "" {
			t.Fatalf("wrote to the caller's array (-before +after):\n%s", diff)
		}
		if diff := cmp.Diff(base, merged[:len(base)], cmpopts.EquateEmpty()); diff != "" ||
			!subsequence(merged[len(base):], extra) {
			t.Fatalf("%v and %v became %v", base, extra, merged)
		}
		for _, taint := range world {
			want := refTime(o, base, taint)
			if want == "not tolerated" {
				want = refTime(o, extra, taint)
			}
			if got := refTime(o, merged, taint); got != want {
				t.Fatalf("under %+v %v and %v became %v: %v is tolerated %s, want %s",
					o, base, extra, merged, taint, got, want)
			}
		}
		for i, tol := range merged[len(base):] {
			if slices.ContainsFunc(merged[:len(base)+i],
				func(earlier taints.Toleration) bool { return refCovers(o, forever(earlier), tol) }) {
				t.Fatalf("%v adds nothing to %v", tol, merged[:len(base)+i])
			}
			if sharesSeconds(extra, tol) {
				t.Fatalf("the seconds of %v are shared", tol)
			}
		}
		if again := o.Merge(merged, extra); len(again) != len(merged) ||
			len(merged) > 0 && &again[0] != &merged[0] {
			t.Fatalf("merged again: %v, then %v", merged, again)
		}
	})
}

// Entries for keys that nobody asks about make a list longer and change nothing else.
func TestLongListsAgreeWithShortOnes(t *testing.T) {
	var pad []taints.Toleration
	for i := range 100 {
		pad = append(pad, taints.Toleration{Key: "pad-" + strconv.Itoa(i), Operator: taints.OpExists})
	}
	rapid.Check(t, func(t *rapid.T) {
		o := options.Draw(t, "options")
		base, extra := worldTolerations.Draw(t, "base"), worldTolerations.Draw(t, "extra")
		long := slices.Concat(base, pad)
		if diff := cmp.Diff(
			texts(o.Merge(base, extra)[len(base):]),
			texts(o.Merge(long, extra)[len(long):]),
		); diff != "" {
			t.Fatalf("under %+v %v and %v (-short +long):\n%s", o, base, extra, diff)
		}
		short, all := slices.Concat(base, pad[:1]), slices.Concat(extra, pad)
		if diff := cmp.Diff(
			fmt.Sprint(o.ValidateAllowed(extra, short)),
			fmt.Sprint(o.ValidateAllowed(extra, long)),
		); diff != "" {
			t.Fatalf("under %+v %v by %v (-short +long):\n%s", o, extra, base, diff)
		}
		want := 0
		for i := range all {
			want += len(faultsIn(o.ValidateAllowed(all[i:i+1], short)))
		}
		if got := len(faultsIn(o.ValidateAllowed(all, short))); got != want {
			t.Fatalf("under %+v %d of %v and the pads are not allowed by %v, want %d", o, got, extra, short, want)
		}
	})
}

func TestMinimizeLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o, tols := options.Draw(t, "options"), worldTolerations.Draw(t, "tolerations")
		before := slices.Clone(tols)
		got := o.Minimize(tols)
		if diff := cmp.Diff(before, tols); diff != "" {
			t.Fatalf("wrote to the caller's list (-before +after):\n%s", diff)
		}
		if !subsequence(got, tols) {
			t.Fatalf("%v became %v", tols, got)
		}
		for _, taint := range world {
			if a, b := refTime(o, tols, taint), refTime(o, got, taint); a != b {
				t.Fatalf("under %+v %v became %v: %v is tolerated %s, then %s", o, tols, got, taint, a, b)
			}
		}
		for i, tol := range got {
			if len(got) < len(tols) && sharesSeconds(tols, tol) {
				t.Fatalf("the seconds of %v are shared", tol)
			}
			if refCovers(o, taints.Toleration{Operator: "In"}, tol) {
				t.Fatalf("%v is left of %v and tolerates nothing", tol, tols)
			}
			for j, other := range got {
				asLong := refCovers(o, other, tol) && !refLonger(other.TolerationSeconds, tol.TolerationSeconds)
				if j < i && refCovers(o, forever(other), tol) || j == i+1 && asLong {
					t.Fatalf("of %v is left %v: %v is superfluous beside %v", tols, got, tol, other)
				}
			}
		}
		if again := o.Minimize(got); len(again) != len(got) || len(got) > 0 && &again[0] != &got[0] {
			t.Fatalf("%v, then %v", got, again)
		}
	})
}

// answers returns what there is to say about the lists under the options, in
// indexes and counts.
func answers(o taints.Options, list []taints.Taint, tols, others []taints.Toleration) []any {
	m := o.Compile(tols)
	all := []any{m.Filter(list), len(o.Merge(tols, others)), len(o.Minimize(tols)), withoutAdvice(o.Lint(tols))}
	for i := range list {
		toleration, _ := m.Match(list[i])
		all = append(all, toleration)
	}
	for i, tol := range tols {
		all = append(all, o.ValidateTolerations(tols[i:i+1]) == nil)
		for _, other := range others {
			all = append(all, o.Covers(tol, other))
		}
	}
	return append(all, len(faultsIn(o.ValidateAllowed(tols, others))), o.SameTolerations(tols, others))
}

// Without KeyWildcards a "*" is a letter that validation refuses, like "+"; with it
// only one at the end of a toleration's key is none.
func TestStarHoldsNoPowerWithoutWildcards(t *testing.T) {
	starred := rapid.OneOf(worldTolerations, anyTolerations)
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.OneOf(anyTaints, rapid.SliceOfN(rapid.SampledFrom(world), 0, 5)).Draw(t, "taints")
		tols, others := starred.Draw(t, "tolerations"), starred.Draw(t, "others")
		off := taints.Options{NoComparison: rapid.Bool().Draw(t, "noComparison")}
		before := answers(off, list, tols, others)
		if off == (taints.Options{}) {
			plain := []any{
				taints.Filter(list, tols),
				len(taints.Merge(tols, others)),
				len(taints.Minimize(tols)),
				withoutAdvice(taints.Lint(tols)),
			}
			if diff := cmp.Diff(plain, before[:4]); diff != "" {
				t.Fatalf("the zero options differ (-plain +options):\n%s", diff)
			}
		}
		on := off
		on.KeyWildcards = true
		list, tols, others = slices.Clone(list), slices.Clone(tols), slices.Clone(others)
		replace := func(list []taints.Toleration) {
			for i := range list {
				list[i].Key = strings.ReplaceAll(list[i].Key, "*", "+")
			}
		}
		replace(tols)
		replace(others)
		for i := range list {
			list[i].Key = strings.ReplaceAll(list[i].Key, "*", "+")
		}
		if diff := cmp.Diff(before, answers(off, list, tols, others)); diff != "" {
			t.Fatalf("with + for * (-before +after):\n%s", diff)
		}
		if diff := cmp.Diff(before, answers(on, list, tols, others)); diff != "" {
			t.Fatalf("with + for * and KeyWildcards (-before +after):\n%s", diff)
		}
	})
}

// subsequence reports whether the list has the tolerations of part, in the same order.
func subsequence(part, list []taints.Toleration) bool {
	for _, tol := range list {
		if len(part) > 0 && part[0].Equal(tol) {
			part = part[1:]
		}
	}
	return len(part) == 0
}

// forever returns the toleration without seconds.
func forever(t taints.Toleration) taints.Toleration {
	t.TolerationSeconds = nil
	return t
}

func TestNormalizeScoresLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		counts := rapid.SliceOf(rapid.OneOf(rapid.IntRange(0, 9), rapid.Int())).Draw(t, "counts")
		top := rapid.OneOf(rapid.Int64Range(0, 100), rapid.Int64()).Draw(t, "max")
		worst := big.NewInt(1)
		for _, c := range counts {
			if n := big.NewInt(int64(c)); n.Cmp(worst) > 0 {
				worst = n
			}
		}
		for i, score := range taints.NormalizeScores(nil, counts, top) {
			count := big.NewInt(int64(max(0, counts[i])))
			share := new(big.Int).Quo(new(big.Int).Mul(big.NewInt(top), count), worst)
			if want := new(big.Int).Sub(big.NewInt(top), share); want.Cmp(big.NewInt(score)) != 0 {
				t.Fatalf("score %d is %d, want %v", i, score, want)
			}
		}
	})
}

var (
	conditionKeys = rapid.SampledFrom([]string{
		taints.NodeNotReady, taints.NodeUnreachable, taints.NodeMemoryPressure,
		taints.NodeDiskPressure, taints.NodePIDPressure, taints.NodeNetworkUnavailable,
		taints.NodeUnschedulable, taints.NodeOutOfService,
	})
	conditionTaint = rapid.Custom(func(t *rapid.T) taints.Taint {
		return taints.Taint{
			Key:       conditionKeys.Draw(t, "key"),
			Value:     rapid.SampledFrom([]string{"", "", "x"}).Draw(t, "value"),
			Effect:    effects.Draw(t, "effect"),
			TimeAdded: rapid.Ptr(someTime, true).Draw(t, "added"),
		}
	})
	// The taints of a node, whose keys and effects an API server keeps unique.
	nodeTaints = rapid.Map(rapid.SliceOfN(rapid.OneOf(anyTaint, conditionTaint), 0, 8), refFirsts)
)

func ids(list []taints.Taint) map[taints.TaintID]bool {
	m := map[taints.TaintID]bool{}
	for _, t := range list {
		m[t.ID()] = true
	}
	return m
}

var (
	// Few keys, values and effects, so that lists of taints share some.
	commonTaint = rapid.Custom(func(t *rapid.T) taints.Taint {
		return taints.Taint{
			Key:       rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "key"),
			Value:     rapid.SampledFrom([]string{"", "v"}).Draw(t, "value"),
			Effect:    effects.Draw(t, "effect"),
			TimeAdded: rapid.Ptr(someTime, true).Draw(t, "added"),
		}
	})
	commonTaints = rapid.SliceOfN(rapid.OneOf(commonTaint, commonTaint, commonTaint, anyTaint), 0, 8)
	anyChanges   = rapid.Custom(func(t *rapid.T) taints.Changes {
		c := taints.Changes{Add: rapid.SliceOfN(commonTaint, 0, 3).Draw(t, "add")}
		for _, taint := range rapid.SliceOfN(commonTaint, 0, 3).Draw(t, "remove") {
			c.Remove = append(c.Remove, taint.ID())
		}
		return c
	})
)

func TestApplyAgreesWithTheReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list, c := commonTaints.Draw(t, "taints"), anyChanges.Draw(t, "changes")
		overwrite := rapid.Bool().Draw(t, "overwrite")
		checkApplyStrict(t, list, c, overwrite)
	})
}

func TestApplyTwiceHoldsTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list, c := nodeTaints.Draw(t, "taints"), taints.Changes{
			Add: refFirsts(rapid.SliceOfN(commonTaint, 0, 4).Draw(t, "add")),
		}
		once, err := c.ApplyStrict(list, true)
		if err != nil {
			t.Fatal(err)
		}
		twice, err := c.ApplyStrict(once, true)
		if diff := cmp.Diff(once, twice); err != nil || diff != "" {
			t.Fatalf("%v (-once +twice):\n%s", err, diff)
		}
	})
}

func TestDiffLaws(t *testing.T) {
	hasEffect := func(list []taints.Taint) []taints.Taint {
		return slices.DeleteFunc(list, func(t taints.Taint) bool { return t.Effect == "" })
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := hasEffect(commonTaints.Draw(t, "a")), hasEffect(commonTaints.Draw(t, "b"))
		c := taints.Diff(a, b)
		got, err := c.ApplyStrict(a, true)
		if err != nil || !maps.Equal(refValues(got), refValues(b)) || len(got) != len(refValues(b)) {
			t.Fatalf("%v leads to %v, %v", c, got, err)
		}
		if again := taints.Diff(got, b); again.Add != nil || again.Remove != nil {
			t.Fatalf("still %v", again)
		}
		if self := taints.Diff(a, a); self.Add != nil || self.Remove != nil {
			t.Fatalf("a list differs from itself by %v", self)
		}
	})
}

func TestReconcileLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		current, old := commonTaints.Draw(t, "current"), commonTaints.Draw(t, "old")
		new := commonTaints.Draw(t, "new")
		c := taints.Reconcile(current, old, new)
		after, err := c.ApplyStrict(current, true)
		if err != nil {
			t.Fatalf("%v cannot be applied: %v", c, err)
		}
		got, was, before, want := refValues(after), refValues(old), refValues(current), refValues(new)
		for id := range ids(slices.Concat(current, old, new, after)) {
			value, there := before[id]
			if old, mine := was[id]; mine && there && old == value && id.Effect != "" {
				there = false // it was put there by the old template
			}
			if wanted, ok := want[id]; ok {
				value, there = wanted, true
			}
			if has, ok := got[id]; ok != there || ok && has != value {
				t.Fatalf("%v is %q, %v after %v", id, has, ok, c)
			}
		}
		if again := taints.Reconcile(after, old, new); again.Add != nil || again.Remove != nil {
			t.Fatalf("applied, and still %v", again)
		}
	})
}

func TestChangesRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := anyChanges.Draw(t, "changes")
		valid := taints.ValidateTaints(c.Add) == nil
		for _, id := range c.Remove {
			valid = valid && (id.Effect == "" || refKnownEffect(id.Effect))
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

// sharesSeconds reports whether tol has its seconds from one of the list, and no copy
// of them.
func sharesSeconds(list []taints.Toleration, tol taints.Toleration) bool {
	return tol.TolerationSeconds != nil && slices.ContainsFunc(list, func(other taints.Toleration) bool {
		return other.TolerationSeconds == tol.TolerationSeconds
	})
}

// faultsIn returns the faults of a ValidationError, or none for nil.
func faultsIn(err error) []*taints.FieldError {
	if err == nil {
		return nil
	}
	return err.(*taints.ValidationError).Fields
}
