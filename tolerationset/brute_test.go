// SPDX-License-Identifier: Apache-2.0

package tolerationset_test

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/test"
	"github.com/seed-0529bac1/taints/internal/test/reference"
	"github.com/seed-0529bac1/taints/tolerationset"
)

// The TestBrute tests go through all pairs, and all triples of fewer, of tolerations that
// differ in everything that matters. They know what each tolerates in a small universe of
// taints, and follow the documented rules with this alone.

// universe has a taint on each side of every distinction that the tolerations make.
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

// A bruteToleration is a toleration and what it does to the taints of the universe.
type bruteToleration struct {
	taints.Toleration
	tolerated []int  // the indexes of the taints that it tolerates
	tolerates []bool // the same, for each taint
	seconds   int64  // at least 0, and the most for forever
}

func (t *bruteToleration) toleratesNothing() bool { return len(t.tolerated) == 0 }

// includes reports whether t tolerates every taint that u tolerates.
func (t *bruteToleration) includes(u bruteToleration) bool {
	for _, i := range u.tolerated {
		if !t.tolerates[i] {
			return false
		}
	}
	return true
}

// includesEvicting reports whether t tolerates every NoExecute taint that u tolerates.
func (t *bruteToleration) includesEvicting(u bruteToleration) bool {
	for _, i := range u.tolerated {
		if universe[i].Effect == taints.NoExecute && !t.tolerates[i] {
			return false
		}
	}
	return true
}

// disagrees reports whether both tolerate a NoExecute taint, for different times.
func (t *bruteToleration) disagrees(u bruteToleration) bool {
	for _, i := range u.tolerated {
		if universe[i].Effect == taints.NoExecute && t.tolerates[i] {
			return t.seconds != u.seconds
		}
	}
	return false
}

// A verdict says whether a taint is tolerated, and how long if it is a NoExecute taint.
type verdict struct {
	tolerated bool
	seconds   int64
}

// verdictOf returns that of the first match for a taint of the universe.
func verdictOf(list []bruteToleration, taint int) verdict {
	for i := range list {
		switch t := &list[i]; {
		case !t.tolerates[taint]:
		case universe[taint].Effect == taints.NoExecute:
			return verdict{true, t.seconds}
		default:
			return verdict{tolerated: true}
		}
	}
	return verdict{}
}

// differ reports whether the lists have different verdicts on some taint.
func differ(a, b []bruteToleration) bool {
	for i := range universe {
		if verdictOf(a, i) != verdictOf(b, i) {
			return true
		}
	}
	return false
}

// bruteTolerations returns every combination under the options. Each of the values
// is an operator and a value, and an effect may have seconds after a space.
func bruteTolerations(o taints.Options, keys, values, effects []string) []bruteToleration {
	seconds := map[string]*int64{
		"": nil, "-1": test.Seconds(-1), "0": test.Seconds(0), "1": test.Seconds(1), "300": test.Seconds(300), "301": test.Seconds(301),
	}
	var all []bruteToleration
	for _, key := range keys {
		for _, value := range values {
			operator, value, _ := strings.Cut(value, " ")
			for _, effect := range effects {
				effect, s, _ := strings.Cut(effect, " ")
				t := bruteToleration{Toleration: taints.Toleration{
					Key: key, Operator: taints.Operator(operator), Value: value,
					Effect: taints.Effect(effect), TolerationSeconds: seconds[s],
				}, seconds: math.MaxInt64}
				if seconds[s] != nil {
					t.seconds = max(0, *seconds[s])
				}
				for i, taint := range universe {
					t.tolerates = append(t.tolerates, reference.Tolerates(o, t.Toleration, taint))
					if t.tolerates[i] {
						t.tolerated = append(t.tolerated, i)
					}
				}
				all = append(all, t)
			}
		}
	}
	return all
}

func tolerationsOf(list []bruteToleration) []taints.Toleration {
	tols := make([]taints.Toleration, len(list))
	for i := range list {
		tols[i] = list[i].Toleration
	}
	return tols
}

// eachList calls f with all pairs of many tolerations, under all options, and all
// triples of few, with and without wildcards. With -short it uses one in eleven.
//
// There are texts that are not integers in canonical form, thresholds that no integer
// passes, unknown effects, and keys that are wildcards under KeyWildcards.
func eachList(t *testing.T, f func(o taints.Options, list []bruteToleration)) {
	n := 0
	call := func(o taints.Options, list ...bruteToleration) {
		if n++; !testing.Short() || n%11 == 0 {
			f(o, list)
		}
	}
	keys := []string{"", "a", "a*"}
	for _, o := range test.AllOptions {
		many := bruteTolerations(o, keys,
			[]string{"Exists", "", " 5", "Equal v", "Lt 6", "Gt 5", "Gt " + most},
			[]string{"", " 300", "NoExecute", "NoExecute 0", "NoExecute 300", "x 300"})
		few := bruteTolerations(o, keys,
			[]string{"Exists", " 5", "Lt 6"},
			[]string{"", " 300", "NoExecute", "NoExecute 300", "x"})
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

// A toleration covers another if it tolerates every taint that the other tolerates, for
// at least as long.
func TestBruteCovers(t *testing.T) {
	keys := []string{"", "a", "ab", "*", "a*"}
	values := []string{
		"Exists", "Exists v", "Equal", " v", " 5", "Equal 05", "Equal " + least, " " + most, "In v",
		"Lt 6", "Lt " + least, "Lt -9223372036854775807", "Lt " + most, "Lt 05",
		"Gt 5", "Gt 0", "Gt " + most, "Gt 9223372036854775806", "Gt " + least, "Gt +5",
	}
	effects := []string{
		"", " 0", " 300", "NoExecute", "NoExecute -1", "NoExecute 0", "NoExecute 1", "NoExecute 300", "NoExecute 301", "NoSchedule", "NoSchedule 300", "x",
	}
	for _, o := range test.AllOptions {
		all := bruteTolerations(o, keys, values, effects)
		for i := range all {
			for j := range all {
				if testing.Short() && (i+j)%7 > 0 {
					continue
				}
				a, b := &all[i], &all[j]
				want := true
				for _, k := range b.tolerated {
					if !a.tolerates[k] || universe[k].Effect == taints.NoExecute && a.seconds < b.seconds {
						want = false
						break
					}
				}
				if got := tolerationset.Covers(a.Toleration, b.Toleration, o); got != want {
					t.Fatalf("under %+v %v covers %v: %v, want %v", o, a.Toleration, b.Toleration, got, want)
				}
			}
		}
	}
}

// coveredBehind reports whether a later entry tolerates all that the entry does, for the
// same time, and none between them disagrees.
func coveredBehind(list []bruteToleration, i int) bool {
	for _, u := range list[i+1:] {
		if u.disagrees(list[i]) {
			return false
		}
		if u.includes(list[i]) {
			return true
		}
	}
	return false
}

func coveredBefore(list []bruteToleration, i int) bool {
	return slices.ContainsFunc(list[:i], func(u bruteToleration) bool { return u.includes(list[i]) })
}

// Minimize drops the entries that its rules name, from the last to the first, and the
// answers stay the same.
func TestBruteMinimize(t *testing.T) {
	eachList(t, func(o taints.Options, list []bruteToleration) {
		left := slices.Clone(list)
		for i := len(left) - 1; i >= 0; i-- {
			if left[i].toleratesNothing() || coveredBefore(left, i) || coveredBehind(left, i) {
				left = slices.Delete(left, i, i+1)
			}
		}
		want, got := tolerationsOf(left), tolerationset.Minimize(tolerationsOf(list), o)
		same := func(a, b taints.Toleration) bool { return a.Equal(b) && a.Operator == b.Operator }
		if !slices.EqualFunc(got, want, same) {
			t.Fatalf("under %+v %v became %v, want %v", o, tolerationsOf(list), got, want)
		}
		if len(left) < len(list) && differ(left, list) {
			t.Fatalf("under %+v %v became %v, which means something else", o, tolerationsOf(list), got)
		}
	})
}

// Lint finds exactly the shadowed and the covered tolerations of a valid list. Without
// those that are covered, each taint is tolerated for the same times as before, so that
// no policy tells the lists apart.
func TestBruteLint(t *testing.T) {
	eachList(t, func(o taints.Options, list []bruteToleration) {
		tols := tolerationsOf(list)
		findings := tolerationset.Lint(tols, o)
		if slices.ContainsFunc(tols, func(tol taints.Toleration) bool { return !reference.ValidToleration(o, tol) }) {
			if findings != nil {
				t.Fatalf("under %+v %v is not valid and has %v", o, tols, findings)
			}
			return
		}
		covered, shadowed := map[int]bool{}, map[int]int{}
		for _, f := range findings {
			switch f.Code {
			case tolerationset.CodeCovered:
				covered[f.Toleration] = true
			case tolerationset.CodeShadowed:
				shadowed[f.Toleration] = f.Other
			}
		}
		wantCovered, wantShadowed, left := map[int]bool{}, map[int]int{}, slices.Clone(list)
		for i := len(list) - 1; i >= 0; i-- {
			by := shadowOf(list, i)
			superfluous := !list[i].toleratesNothing() && (by < 0 && coveredBefore(left, i) || coveredBehind(left, i))
			if superfluous {
				left = slices.Delete(left, i, i+1)
			}
			switch {
			case by >= 0:
				wantShadowed[i] = by
			case superfluous:
				wantCovered[i] = true
			}
		}
		if !maps.Equal(covered, wantCovered) || !maps.Equal(shadowed, wantShadowed) {
			t.Fatalf("under %+v of %v %v are covered and %v shadowed, want %v and %v",
				o, tols, covered, shadowed, wantCovered, wantShadowed)
		}
		if len(covered) == 0 {
			return
		}
		left = nil
		for i := range list {
			if !covered[i] {
				left = append(left, list[i])
			}
		}
		for i, taint := range universe {
			if taint.Effect == taints.NoExecute && !maps.Equal(times(list, i), times(left, i)) {
				t.Fatalf("under %+v %v: the times of %v differ without %v", o, tols, taint, covered)
			}
		}
		if differ(left, list) {
			t.Fatalf("under %+v %v means something else without %v", o, tols, covered)
		}
	})
}

// shadowOf returns the index of the first earlier entry that tolerates all
// NoExecute taints of the entry, if it does so for another time, and otherwise -1.
func shadowOf(list []bruteToleration, i int) int {
	j := slices.IndexFunc(list[:i], func(t bruteToleration) bool { return t.includesEvicting(list[i]) })
	if j < 0 || !list[j].disagrees(list[i]) {
		return -1
	}
	return j
}

// times returns for how long entries tolerate a taint of the universe.
func times(list []bruteToleration, i int) map[int64]bool {
	all := map[int64]bool{}
	for _, t := range list {
		if t.tolerates[i] {
			all[t.seconds] = true
		}
	}
	return all
}
