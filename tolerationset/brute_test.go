// SPDX-License-Identifier: Apache-2.0

package tolerationset_test

import (
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/test"
	"github.com/seed-0529bac1/taints/internal/test/reference"
)

// The TestBrute tests are exhaustive. They check all pairs of tolerations, and all
// triples of fewer tolerations. They compare each result with every taint of a
// small universe, in both directions: a positive result holds for all taints, and
// for a negative result there is a taint that shows it.

// universe has a taint on each side of every distinction that the tolerations
// below can make.
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

// A set is a number with a bit for each taint of the universe. It is not changed.
type set = *big.Int

func setOf(has func(taints.Taint) bool) set {
	s := new(big.Int)
	for i, taint := range universe {
		if has(taint) {
			s.SetBit(s, i, 1)
		}
	}
	return s
}

func and(a, b set) set         { return new(big.Int).And(a, b) }
func or(a, b set) set          { return new(big.Int).Or(a, b) }
func but(a, b set) set         { return new(big.Int).AndNot(a, b) }
func includes(a, b set) bool   { return but(b, a).Sign() == 0 }
func first(s set) taints.Taint { return universe[s.TrailingZeroBits()] }

var evicting = setOf(func(t taints.Taint) bool { return t.Effect == taints.NoExecute })

// A bruteToleration is a toleration, the taints that it tolerates, and its class
// of seconds: 0 for forever, 1 for no time, and greater numbers for longer times.
type bruteToleration struct {
	taints.Toleration
	tolerates set
	time      int
}

func (t *bruteToleration) evicts() set { return and(t.tolerates, evicting) }

func (t *bruteToleration) empty() bool { return t.tolerates.Sign() == 0 }

// bruteTolerations returns every combination under the options. Each of the values
// is an operator and a value, and an effect may have seconds after a space.
func bruteTolerations(o taints.Options, keys, values, effects []string) []bruteToleration {
	classes := map[string]struct {
		time    int
		seconds *int64
	}{"": {}, "-1": {1, test.Seconds(-1)}, "0": {1, test.Seconds(0)}, "300": {2, test.Seconds(300)}, "301": {3, test.Seconds(301)}}
	var all []bruteToleration
	for _, key := range keys {
		for _, value := range values {
			operator, value, _ := strings.Cut(value, " ")
			for _, effect := range effects {
				effect, s, _ := strings.Cut(effect, " ")
				t := bruteToleration{Toleration: taints.Toleration{
					Key: key, Operator: taints.Operator(operator), Value: value,
					Effect: taints.Effect(effect), TolerationSeconds: classes[s].seconds,
				}, time: classes[s].time}
				t.tolerates = setOf(func(taint taints.Taint) bool { return reference.Tolerates(o, t.Toleration, taint) })
				all = append(all, t)
			}
		}
	}
	return all
}

// same reports whether the lists tolerate the same taints of the universe, and
// NoExecute taints for the same class of seconds.
func same(a, b []bruteToleration) bool {
	timesOf := func(list []bruteToleration) (tolerated set, times [4]set) {
		tolerated = new(big.Int)
		times = [4]set{tolerated, tolerated, tolerated, tolerated}
		for i := range list {
			t := &list[i]
			times[t.time] = or(times[t.time], but(t.evicts(), tolerated))
			tolerated = or(tolerated, t.tolerates)
		}
		return tolerated, times
	}
	tolerated, times := timesOf(a)
	others, otherTimes := timesOf(b)
	return tolerated.Cmp(others) == 0 &&
		slices.EqualFunc(times[:], otherTimes[:], func(a, b set) bool { return a.Cmp(b) == 0 })
}

func tolerationsOf(list []bruteToleration) []taints.Toleration {
	tols := make([]taints.Toleration, len(list))
	for i := range list {
		tols[i] = list[i].Toleration
	}
	return tols
}

// There are many tolerations for pairs, and few for triples. They have texts
// that are not integers in canonical form, thresholds that no integer passes,
// unknown effects, and keys that are wildcards under KeyWildcards.
var (
	manyKeys    = []string{"", "a", "a*"}
	manyValues  = []string{"Exists", "", " 5", "Equal v", "Lt 6", "Gt 5", "Gt " + most}
	manyEffects = []string{"", " 300", "NoExecute", "NoExecute 0", "NoExecute 300", "x 300"}
	fewValues   = []string{"Exists", " 5", "Lt 6"}
	fewEffects  = []string{"", " 300", "NoExecute", "NoExecute 300", "x"}
)

// eachList calls f with all pairs of many tolerations, under all options, and all
// triples of few, with and without wildcards. With -short it uses one in eleven.
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
			continue // pairs are enough
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

// before reports whether an entry before index i tolerates all taints that
// entry i tolerates, so that entry i is never the first match.
func before(list []bruteToleration, i int) bool {
	return slices.ContainsFunc(list[:i], func(t bruteToleration) bool {
		return includes(t.tolerates, list[i].tolerates)
	})
}

// after reports whether an entry after index i tolerates all taints that entry
// i tolerates, for the same time, and no entry between them sets another time.
func after(list []bruteToleration, i int) bool {
	t, evicting := &list[i], list[i].evicts()
	for j := i + 1; j < len(list); j++ {
		u := &list[j]
		if u.time != t.time && and(u.tolerates, evicting).Sign() > 0 {
			return false
		}
		if includes(u.tolerates, t.tolerates) {
			return true
		}
	}
	return false
}

// without returns the entries that are not dropped.
func without(list []bruteToleration, dropped map[int]bool) []bruteToleration {
	var left []bruteToleration
	for i := range list {
		if !dropped[i] {
			left = append(left, list[i])
		}
	}
	return left
}

// checkDropped checks that the dropped entries may be removed together, and
// that a rule allows removing each of them.
func checkDropped(t *testing.T, o taints.Options, list []bruteToleration, dropped map[int]bool) {
	left := without(list, dropped)
	if !same(left, list) {
		t.Fatalf("under %+v %v became %v, which means something else",
			o, tolerationsOf(list), tolerationsOf(left))
	}
	for i := range list {
		if !dropped[i] || list[i].empty() || before(list, i) {
			continue
		}
		at := len(without(list[:i], dropped))
		if !after(slices.Insert(slices.Clone(left), at, list[i]), at) {
			t.Fatalf("under %+v %v became %v: nothing makes %v superfluous",
				o, tolerationsOf(list), tolerationsOf(left), list[i])
		}
	}
}
