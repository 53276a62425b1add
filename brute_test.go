// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"math/bits"
	"slices"
	"testing"

	"github.com/seed-0529bac1/taints"
)

// The tests of this file leave nothing to chance. They ask about all pairs, and
// of fewer tolerations about all triples, and hold each answer against every
// taint of a small universe, in both directions: what is said to hold does so for
// all of them, and of what is said not to hold one is an example.

var allOptions = []taints.Options{
	{},
	{NoComparison: true},
	{KeyWildcards: true},
	{NoComparison: true, KeyWildcards: true},
}

// The universe has a taint on each side of everything that the tolerations below
// can tell apart.
var universe = func() []taints.Taint {
	var all []taints.Taint
	for _, key := range []string{"", "*", "a", "a*", "ab", "abc", "b"} {
		for _, value := range []string{
			"", "v", "w", "05", "-0", least, "-9223372036854775807", "0", "5", "6",
			"9223372036854775806", most,
		} {
			for _, effect := range []taints.Effect{
				taints.NoExecute, taints.NoSchedule, taints.PreferNoSchedule, "x", "y", "",
			} {
				all = append(all, taints.Taint{Key: key, Value: value, Effect: effect})
			}
		}
	}
	return all
}()

const least, most = "-9223372036854775808", "9223372036854775807"

// A taintSet is a set of taints of the universe: a bit each.
type taintSet [8]uint64

func (s *taintSet) add(i int) { s[i/64] |= 1 << (i % 64) }

func (s *taintSet) includes(u *taintSet) bool {
	for i := range s {
		if u[i]&^s[i] != 0 {
			return false
		}
	}
	return true
}

func (s *taintSet) meets(u *taintSet) bool {
	for i := range s {
		if u[i]&s[i] != 0 {
			return true
		}
	}
	return false
}

func (s taintSet) and(u *taintSet) taintSet {
	for i := range s {
		s[i] &= u[i]
	}
	return s
}

func (s taintSet) but(u *taintSet) taintSet {
	for i := range s {
		s[i] &^= u[i]
	}
	return s
}

func (s *taintSet) addAll(u taintSet) {
	for i := range s {
		s[i] |= u[i]
	}
}

// first returns a taint of the set, which is not empty.
func (s *taintSet) first() taints.Taint {
	for i, word := range s {
		if word != 0 {
			return universe[64*i+bits.TrailingZeros64(word)]
		}
	}
	panic("an empty set")
}

func setOf(has func(taints.Taint) bool) taintSet {
	var s taintSet
	for i, taint := range universe {
		if has(taint) {
			s.add(i)
		}
	}
	return s
}

var evictingSet = setOf(func(t taints.Taint) bool { return t.Effect == taints.NoExecute })

// A bruteToleration is a toleration, which taints it tolerates, and its class of
// seconds: 0 for forever, 1 for not at all, and others for longer.
type bruteToleration struct {
	taints.Toleration
	tolerates taintSet
	time      int
}

func (t *bruteToleration) evicting() taintSet { return t.tolerates.and(&evictingSet) }

func (t *bruteToleration) empty() bool { return t.tolerates == taintSet{} }

// longer reports whether t tolerates NoExecute taints longer than u.
func (t *bruteToleration) longer(u *bruteToleration) bool {
	return u.time != 0 && (t.time == 0 || t.time > u.time)
}

// A valueForm is an operator with a value.
type valueForm struct {
	operator taints.Operator
	value    string
}

// A timedEffect is an effect with seconds.
type timedEffect struct {
	effect  taints.Effect
	seconds *int64
}

// times of tolerations, by class. Two of them are the same.
var bruteTimes = map[int64]int{-1: 1, 0: 1, 300: 2, 301: 3}

// bruteTolerations returns every combination under the options.
func bruteTolerations(
	o taints.Options, keys []string, values []valueForm, effects []timedEffect,
) []bruteToleration {
	var all []bruteToleration
	for _, key := range keys {
		for _, value := range values {
			for _, effect := range effects {
				t := bruteToleration{Toleration: taints.Toleration{
					Key: key, Operator: value.operator, Value: value.value,
					Effect: effect.effect, TolerationSeconds: effect.seconds,
				}}
				t.tolerates = setOf(func(taint taints.Taint) bool { return refTolerates(o, t.Toleration, taint) })
				if s := effect.seconds; s != nil {
					t.time = bruteTimes[*s]
				}
				all = append(all, t)
			}
		}
	}
	return all
}

// An answer says how a list tolerates the universe: which taints, and which
// NoExecute taints for which class of seconds.
type answer struct {
	tolerated taintSet
	times     [4]taintSet
}

func answerOf(list ...bruteToleration) answer {
	var a answer
	for i := range list {
		t := &list[i]
		fresh := t.tolerates.but(&a.tolerated)
		a.times[t.time].addAll(fresh.and(&evictingSet))
		a.tolerated.addAll(fresh)
	}
	return a
}

func tolerationsOf(list ...bruteToleration) []taints.Toleration {
	tols := make([]taints.Toleration, len(list))
	for i := range list {
		tols[i] = list[i].Toleration
	}
	return tols
}

// chosen says which entries of the list part, a subsequence, has. Of equal ones it
// is the first.
func chosen(t fataler, part []taints.Toleration, list []bruteToleration) map[int]bool {
	found := make(map[int]bool, len(list))
	for i := range list {
		if len(part) > 0 && part[0].Equal(list[i].Toleration) && part[0].Operator == list[i].Operator {
			found[i], part = true, part[1:]
		}
	}
	if len(part) > 0 {
		t.Fatalf("%v is not of %v", part, tolerationsOf(list...))
	}
	return found
}

// The tolerations of pairs: wide for functions of two tolerations, many for those
// of lists, few for triples. All have ends of int64, texts that are no integers in
// canonical form, thresholds that nothing passes, unknown operators and effects,
// and keys that are wildcards under KeyWildcards.
var (
	wideKeys   = []string{"", "a", "ab", "*", "a*"}
	wideValues = []valueForm{
		{"Exists", ""},
		{"Exists", "v"},
		{"Equal", ""},
		{"", "v"},
		{"", "5"},
		{"Equal", "05"},
		{"Equal", least},
		{"", most},
		{"Lt", "6"},
		{"Lt", least},
		{"Lt", "-9223372036854775807"},
		{"Lt", most},
		{"Lt", "05"},
		{"Gt", "5"},
		{"Gt", "0"},
		{"Gt", most},
		{"Gt", "9223372036854775806"},
		{"Gt", least},
		{"Gt", "+5"},
		{"In", "v"},
	}
	wideEffects = []timedEffect{
		{"", nil},
		{"", seconds(0)},
		{"", seconds(300)},
		{"NoExecute", nil},
		{"NoExecute", seconds(-1)},
		{"NoExecute", seconds(300)},
		{"NoExecute", seconds(301)},
		{"NoSchedule", nil},
		{"NoSchedule", seconds(300)},
		{"x", nil},
	}
	manyKeys   = []string{"", "a", "a*"}
	manyValues = []valueForm{
		{"Exists", ""},
		{"", ""},
		{"", "5"},
		{"Equal", "v"},
		{"Lt", "6"},
		{"Gt", "5"},
		{"Gt", most},
	}
	manyEffects = []timedEffect{
		{"", nil},
		{"", seconds(300)},
		{"NoExecute", nil},
		{"NoExecute", seconds(0)},
		{"NoExecute", seconds(300)},
		{"x", seconds(300)},
	}
	fewValues  = []valueForm{{"Exists", ""}, {"", "5"}, {"Lt", "6"}}
	fewEffects = []timedEffect{
		{"", nil},
		{"", seconds(300)},
		{"NoExecute", nil},
		{"NoExecute", seconds(300)},
		{"x", nil},
	}
)

// eachList calls f with all pairs of many tolerations, under all options, and all
// triples of few, with and without wildcards. With -short it takes one of eleven.
func eachList(t *testing.T, f func(o taints.Options, list []bruteToleration)) {
	n := 0
	call := func(o taints.Options, list ...bruteToleration) {
		if n++; !testing.Short() || n%11 == 0 {
			f(o, list)
		}
	}
	for _, o := range allOptions {
		many := bruteTolerations(o, manyKeys, manyValues, manyEffects)
		few := bruteTolerations(o, manyKeys, fewValues, fewEffects)
		for _, a := range many {
			for _, b := range many {
				call(o, a, b)
			}
		}
		if o.NoComparison {
			continue // of pairs is enough
		}
		for _, a := range few {
			for _, b := range few {
				for _, c := range few {
					call(o, a, b, c)
				}
			}
		}
	}
}

func TestBruteTolerates(t *testing.T) {
	for _, o := range allOptions {
		for _, tol := range bruteTolerations(o, wideKeys, wideValues, []timedEffect{
			{"", nil}, {"NoExecute", nil}, {"NoSchedule", seconds(300)}, {"x", nil}, {"noexecute", nil},
		}) {
			m := o.Compile([]taints.Toleration{tol.Toleration})
			tolerates := setOf(func(taint taints.Taint) bool { return o.Tolerates(tol.Toleration, taint) })
			matches := setOf(func(taint taints.Taint) bool {
				return o.Mismatch(tol.Toleration, taint) == taints.MismatchNone
			})
			compiled := setOf(func(taint taints.Taint) bool { _, ok := m.Match(taint); return ok })
			for form, got := range map[string]taintSet{
				"Tolerates":     tolerates,
				"Mismatch":      matches,
				"Matcher.Match": compiled,
			} {
				if more := got.but(&tol.tolerates); more != (taintSet{}) {
					t.Errorf("%s, under %+v: %v tolerates %v", form, o, tol, more.first())
				}
				if less := tol.tolerates.but(&got); less != (taintSet{}) {
					t.Errorf("%s, under %+v: %v does not tolerate %v", form, o, tol, less.first())
				}
			}
		}
	}
}

// missing returns the taints that u tolerates and t does not, or not as long.
func missing(t, u *bruteToleration) taintSet {
	more := u.tolerates.but(&t.tolerates)
	if u.longer(t) {
		more.addAll(u.evicting())
	}
	return more
}

func covers(t, u *bruteToleration) bool { return missing(t, u) == taintSet{} }

func TestBruteCovers(t *testing.T) {
	for _, o := range allOptions {
		wide := bruteTolerations(o, wideKeys, wideValues, wideEffects)
		for i := range wide {
			for j := range wide {
				if testing.Short() && (i+j)%7 > 0 {
					continue
				}
				a, b := &wide[i], &wide[j]
				got, more := o.Covers(a.Toleration, b.Toleration), missing(a, b)
				if got && more != (taintSet{}) {
					t.Fatalf("under %+v %v covers %v, but not %v", o, a, b, more.first())
				}
				if !got && more == (taintSet{}) {
					t.Fatalf("under %+v %v does not cover %v, but no taint tells", o, a, b)
				}
			}
		}
	}
}

func TestBruteValidateAllowed(t *testing.T) {
	check := func(o taints.Options, list, allow []bruteToleration) {
		var want, got []int
		for i := range list {
			if !slices.ContainsFunc(allow, func(a bruteToleration) bool { return covers(&a, &list[i]) }) {
				want = append(want, i)
			}
		}
		for _, fault := range faultsIn(o.ValidateAllowed(tolerationsOf(list...), tolerationsOf(allow...))) {
			i, _ := fault.Index()
			got = append(got, i)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("under %+v %v of %v are not allowed by %v, want %v",
				o, got, tolerationsOf(list...), tolerationsOf(allow...), want)
		}
	}
	eachList(t, func(o taints.Options, list []bruteToleration) {
		for at := range list {
			check(o, list[:at], list[at:])
		}
	})
}

func TestBruteMerge(t *testing.T) {
	eachList(t, func(o taints.Options, list []bruteToleration) {
		for at := range list {
			want := slices.Clone(list[:at])
			for i := at; i < len(list); i++ {
				superfluous := list[i].empty() || slices.ContainsFunc(want, func(t bruteToleration) bool {
					return t.tolerates.includes(&list[i].tolerates)
				})
				if !superfluous {
					want = append(want, list[i])
				}
			}
			tols := tolerationsOf(list...)
			got := o.Merge(tols[:at], tols[at:])
			if !slices.EqualFunc(got, tolerationsOf(want...), taints.Toleration.Equal) {
				t.Fatalf("under %+v %v and %v became %v, want %v",
					o, tols[:at], tols[at:], got, tolerationsOf(want...))
			}
			if answerOf(want...) != answerOf(list...) {
				t.Fatalf("under %+v %v does not mean %v", o, tolerationsOf(want...), tols)
			}
		}
	})
}

// before reports whether an entry before that of the index tolerates all that it
// tolerates, so that it never comes first.
func before(list []bruteToleration, i int) bool {
	return slices.ContainsFunc(list[:i], func(t bruteToleration) bool {
		return t.tolerates.includes(&list[i].tolerates)
	})
}

// after reports whether an entry after that of the index tolerates all that it
// tolerates, for the same time, with none between that sets another time.
func after(list []bruteToleration, i int) bool {
	t, evicting := &list[i], list[i].evicting()
	for j := i + 1; j < len(list); j++ {
		u := &list[j]
		if u.time != t.time && u.tolerates.meets(&evicting) {
			return false
		}
		if u.tolerates.includes(&t.tolerates) {
			return true
		}
	}
	return false
}

// without returns the entries that are not dropped.
func without(list []bruteToleration, dropped func(i int) bool) []bruteToleration {
	var left []bruteToleration
	for i := range list {
		if !dropped(i) {
			left = append(left, list[i])
		}
	}
	return left
}

// checkDropped checks that the entries that are dropped may go together, and that
// each of them may by a rule of its own.
func checkDropped(t fataler, o taints.Options, list []bruteToleration, dropped func(i int) bool) {
	left := without(list, dropped)
	if answerOf(left...) != answerOf(list...) {
		t.Fatalf("under %+v %v became %v, which means something else",
			o, tolerationsOf(list...), tolerationsOf(left...))
	}
	for i := range list {
		if !dropped(i) || list[i].empty() || before(list, i) {
			continue
		}
		at := len(without(list[:i], dropped))
		if !after(slices.Insert(slices.Clone(left), at, list[i]), at) {
			t.Fatalf("under %+v %v became %v: nothing makes %v superfluous",
				o, tolerationsOf(list...), tolerationsOf(left...), list[i])
		}
	}
}

func TestBruteMinimize(t *testing.T) {
	eachList(t, func(o taints.Options, list []bruteToleration) {
		tols := tolerationsOf(list...)
		got := o.Minimize(tols)
		left := chosen(t, got, list)
		checkDropped(t, o, list, func(i int) bool { return !left[i] })
		minimal := without(list, func(i int) bool { return !left[i] })
		for i := range minimal {
			if minimal[i].empty() || before(minimal, i) || after(minimal, i) {
				t.Fatalf("under %+v %v became %v, where %v can go", o, tols, got, got[i])
			}
		}
	})
}

func TestBruteSameTolerations(t *testing.T) {
	check := func(o taints.Options, a, b []bruteToleration) {
		got := o.SameTolerations(tolerationsOf(a...), tolerationsOf(b...))
		if want := answerOf(a...) == answerOf(b...); got != want {
			t.Fatalf("under %+v %v and %v are the same: %v", o, tolerationsOf(a...), tolerationsOf(b...), got)
		}
	}
	n := 0
	eachList(t, func(o taints.Options, list []bruteToleration) {
		if n++; n%7 == 0 { // it takes ten times the time of the others
			check(o, list, []bruteToleration{list[1], list[0]})
			check(o, list[1:], list)
			check(o, list[:1], list[1:])
		}
	})
}

// Of valid lists Lint finds exactly what is covered and what is shadowed.
func TestBruteLint(t *testing.T) {
	eachList(t, func(o taints.Options, list []bruteToleration) {
		tols := tolerationsOf(list...)
		findings := o.Lint(tols)
		if slices.ContainsFunc(tols, func(tol taints.Toleration) bool { return !refValidToleration(o, tol) }) {
			if findings != nil {
				t.Fatalf("under %+v %v is not valid and has %v", o, tols, findings)
			}
			return
		}
		covered, shadowed := map[int]bool{}, map[int]int{}
		for _, f := range findings {
			switch f.Code {
			case taints.CodeCovered:
				covered[f.Toleration] = true
			case taints.CodeShadowed:
				shadowed[f.Toleration] = otherOf(f)
			}
		}
		isCovered := func(i int) bool { return covered[i] }
		checkDropped(t, o, list, isCovered)
		for i := range list {
			by, inShadow := shadowed[i]
			if want := shadowOf(list, i); inShadow != (want >= 0) || inShadow && by != want {
				t.Fatalf("under %+v %v: %v is in the shadow of %d, %v, want %d",
					o, tols, list[i], by, inShadow, want)
			}
			if covered[i] || inShadow || list[i].empty() {
				continue
			}
			at := len(without(list[:i], isCovered))
			if before(list, i) || after(without(list, isCovered), at) {
				t.Fatalf("under %+v %v: %v is not said to be covered", o, tols, list[i])
			}
		}
	})
}

// shadowOf returns the first earlier entry that tolerates all NoExecute taints of
// the entry, if it does so for another time, and otherwise -1.
func shadowOf(list []bruteToleration, i int) int {
	evicting := list[i].evicting()
	if evicting == (taintSet{}) {
		return -1
	}
	for j := range list[:i] {
		if list[j].tolerates.includes(&evicting) {
			if list[j].time == list[i].time {
				return -1
			}
			return j
		}
	}
	return -1
}
