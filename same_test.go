// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-0529bac1/taints"
)

func checkSameTolerations(t *testing.T, o taints.Options, a, b []taints.Toleration, want bool) {
	t.Helper()
	if ab, ba := o.SameTolerations(a, b), o.SameTolerations(b, a); ab != want || ba != want {
		t.Errorf("%v and %v are the same: %v and %v, want %v", a, b, ab, ba, want)
	}
}

// What is tolerated of one effect makes a difference where nothing is tolerated of
// all effects.
func TestSameTolerationsBetweenThoseForAllEffects(t *testing.T) {
	for _, tc := range []struct {
		all, a, b []string
		want      bool
	}{
		{[]string{"k=1", "k=2", "k=3"}, []string{"k=0:NoSchedule op=Gt"}, []string{"k=3:NoSchedule op=Gt"}, true},
		{[]string{"k=1", "k=2"}, []string{"k=0:NoSchedule op=Gt"}, []string{"k=3:NoSchedule op=Gt"}, false},
		{[]string{"k=2", "k=3"}, []string{"k=0:NoSchedule op=Gt"}, []string{"k=3:NoSchedule op=Gt"}, false},
		{[]string{"k=1", "k=3"}, []string{"k=0:NoSchedule op=Gt"}, []string{"k=3:NoSchedule op=Gt"}, false},
		{
			[]string{"k=1", "k=3"},
			[]string{"k=0:NoSchedule op=Gt"},
			[]string{"k=3:NoSchedule op=Gt", "k=2:NoSchedule"},
			true,
		},
		{
			[]string{"k=1", "k=3"},
			[]string{"k=0:NoSchedule op=Gt"},
			[]string{"k=3:NoSchedule op=Gt", "k=2:PreferNoSchedule"},
			false,
		},
		{[]string{"k=4 op=Lt"}, []string{"k=0:NoSchedule op=Gt"}, []string{"k=3:NoSchedule op=Gt"}, true},
		{[]string{"k=4 op=Lt"}, []string{"k=0:NoSchedule op=Gt"}, []string{"k=4:NoSchedule op=Gt"}, false},
		{[]string{"k=0 op=Gt"}, []string{"k=5:NoSchedule op=Lt"}, []string{"k=1:NoSchedule op=Lt"}, true},
		{[]string{"k=0 op=Gt"}, []string{"k=5:NoSchedule op=Lt"}, []string{"k=0:NoSchedule op=Lt"}, false},
		{[]string{"k=v"}, []string{"k=v:NoSchedule"}, nil, true},
		{[]string{"k=v"}, []string{"k=w:NoSchedule"}, nil, false},
		{[]string{"k=v"}, []string{"k:NoSchedule op=Exists"}, nil, false},
		{[]string{"k op=Exists"}, []string{"k:NoSchedule op=Exists"}, nil, true},
		{[]string{"op=Exists"}, []string{"k=0:NoSchedule op=Lt"}, []string{"l=v:NoExecute"}, true},
		{[]string{":NoExecute op=Exists"}, []string{"k=0:NoSchedule op=Lt"}, nil, false},
		{
			[]string{"k=0 op=Gt", "k=1 op=Lt"},
			[]string{"k=9:NoSchedule op=Lt"},
			[]string{"k=7:NoSchedule"},
			true,
		},
		{
			[]string{"k=0 op=Gt", "k=1 op=Lt"},
			[]string{"k:NoSchedule op=Exists"},
			[]string{"k=9:NoSchedule op=Lt"},
			false,
		},
	} {
		with := func(more []string) []taints.Toleration {
			return parseTolerations(append(slices.Clone(tc.all), more...)...)
		}
		checkSameTolerations(t, taints.Options{}, with(tc.a), with(tc.b), tc.want)
	}
}

// A key that one toleration has may have others behind it, of which those behind
// every byte but one are named, and those behind that byte but not the key of it.
func TestSameTolerationsOfAKeyBetweenPrefixes(t *testing.T) {
	wild := taints.Options{KeyWildcards: true}
	star := []taints.Toleration{toleration("x*", "Exists", "")}
	for _, c := range []byte{0, 'a', 255} {
		between := "x" + string([]byte{c})
		list := []taints.Toleration{toleration("x", "Exists", "")}
		for b := range 256 {
			if next := "x" + string([]byte{byte(b)}); next != between {
				list = append(list, toleration(next+"*", "Exists", ""))
			}
			list = append(list, toleration(between+string([]byte{byte(b)})+"*", "Exists", ""))
		}
		checkSameTolerations(t, wild, list, star, false)
		checkSameTolerations(t, wild, append(list, toleration(between, "Exists", "")), star, true)
	}
}

// Lists of a few integers, for several effects and times, are the same exactly if
// no taint tells them apart, and about half of the lists are.
func TestSameTolerationsOfIntegers(t *testing.T) {
	const highest = 8
	keys := []string{"", "a", "ab", "a*", "*"}
	effects := []taints.Effect{"", "x", "y", taints.NoExecute, taints.NoSchedule}
	values := []string{"v", "w", least, most}
	for i := -1; i <= highest+1; i++ {
		values = append(values, strconv.Itoa(i))
	}
	entry := rapid.Custom(func(t *rapid.T) taints.Toleration {
		tol := taints.Toleration{
			Key:      rapid.SampledFrom([]string{"", "a", "a", "a*", "*"}).Draw(t, "key"),
			Operator: rapid.SampledFrom([]taints.Operator{"Exists", "", "", "", "Lt", "Gt"}).Draw(t, "operator"),
			Value:    strconv.Itoa(rapid.IntRange(0, highest).Draw(t, "value")),
			Effect:   rapid.SampledFrom(effects).Draw(t, "effect"),
		}
		if rapid.IntRange(0, 9).Draw(t, "text") == 0 {
			tol.Value = "v"
		}
		if rapid.Bool().Draw(t, "timed") {
			tol.TolerationSeconds = seconds(rapid.Int64Range(-1, 1).Draw(t, "seconds"))
		}
		return tol
	})
	answers := make(map[bool]int)
	rapid.Check(t, func(t *rapid.T) {
		o := options.Draw(t, "options")
		a := rapid.SliceOfN(entry, 1, 10).Draw(t, "a")
		b := slices.Clone(a)
		at := rapid.IntRange(0, len(a)-1).Draw(t, "at")
		switch rapid.IntRange(0, 4).Draw(t, "change") {
		case 0:
			b[at] = entry.Draw(t, "other")
		case 1:
			b = slices.Delete(b, at, at+1)
		case 2:
			b = append(b, entry.Draw(t, "more"))
		case 3:
			b[at], b[0] = b[0], b[at]
		case 4:
			b[at].Effect = rapid.SampledFrom(effects).Draw(t, "effect")
		}
		want := true
		for _, key := range keys {
			for _, value := range values {
				for _, effect := range effects {
					taint := taints.Taint{Key: key, Value: value, Effect: effect}
					want = want && refTime(o, a, taint) == refTime(o, b, taint)
				}
			}
		}
		if got := o.SameTolerations(a, b); got != want {
			t.Fatalf("under %+v %v and %v are the same: %v, want %v", o, a, b, got, want)
		}
		answers[want]++
	})
	if all := answers[true] + answers[false]; all >= 100 && min(answers[true], answers[false]) < all/10 {
		t.Errorf("the answers were %v", answers)
	}
}

// Between all integers that are tolerated of all effects or not, in whatever order,
// what is tolerated of one effect differs exactly if one of the others does.
func TestSameTolerationsBetweenAllIntegers(t *testing.T) {
	const count = 6
	equal := func(n int) taints.Toleration { return toleration("k", "", strconv.Itoa(n)) }
	for set := range 1 << count {
		var all []taints.Toleration
		for i := range 7 {
			if at := i * 5 % 7; set>>at&1 == 1 { // not in the order of the numbers
				all = append(all, equal(at))
			}
		}
		for _, op := range []taints.Operator{taints.OpGt, taints.OpLt} {
			limited := func(n int) []taints.Toleration {
				tol := toleration("k", op, strconv.Itoa(n))
				tol.Effect = taints.NoSchedule
				return append(slices.Clone(all), tol)
			}
			for low := -1; low <= count; low++ {
				for high := low; high <= count; high++ {
					want := true
					for n := -1; n <= count; n++ {
						between := low < n && n <= high
						if op == taints.OpLt {
							between = low <= n && n < high
						}
						want = want && (!between || slices.Contains(all, equal(n)))
					}
					checkSameTolerations(t, taints.Options{}, limited(low), limited(high), want)
				}
			}
		}
	}
}

// Of Lt and of Gt with different times in every order, the first of each integer
// counts.
func TestSameTolerationsOfLimitsInEveryOrder(t *testing.T) {
	for _, op := range []taints.Operator{taints.OpLt, taints.OpGt} {
		var lists [][]taints.Toleration
		for i := range 4 * 4 * 4 * 4 {
			var list []taints.Toleration
			for at := range 4 {
				tol := toleration("k", op, strconv.Itoa(i>>(2*at)&3))
				tol.Effect, tol.TolerationSeconds = taints.NoExecute, seconds(int64(at%3+1))
				list = append(list, tol)
			}
			lists = append(lists, list)
		}
		answers := make([]string, len(lists))
		for i, list := range lists {
			for n := -1; n <= 4; n++ {
				taint := taints.Taint{Key: "k", Value: strconv.Itoa(n), Effect: taints.NoExecute}
				answers[i] += refTime(taints.Options{}, list, taint) + "|"
			}
		}
		for i := range lists {
			for j := range i {
				if (i+j)%5 == 0 {
					checkSameTolerations(t, taints.Options{}, lists[i], lists[j], answers[i] == answers[j])
				}
			}
		}
	}
}

// sameKinds are tolerations that take SameTolerations long, if any do. The time for
// them grows by the power.
var sameKinds = []struct {
	name  string
	power int
	at    func(i int) taints.Toleration
}{
	{"values of one key", 1, func(i int) taints.Toleration {
		return taints.Toleration{Key: "k", Value: "v" + strconv.Itoa(i), Effect: knownEffect(i)}
	}},
	{"effects of one key", 1, func(i int) taints.Toleration {
		return taints.Toleration{Key: "k", Operator: "Exists", Effect: taints.Effect("e" + strconv.Itoa(i))}
	}},
	{"values and effects of one key", 1, func(i int) taints.Toleration {
		tol := taints.Toleration{Key: "k", Value: "v" + strconv.Itoa(i), Effect: taints.Effect("e" + strconv.Itoa(i))}
		if i%2 == 0 {
			tol.Effect = ""
		}
		return tol
	}},
	{"integers of one key", 1, func(i int) taints.Toleration {
		return taints.Toleration{
			Key:      "k",
			Operator: []taints.Operator{"Lt", "Gt", ""}[i%3],
			Value:    strconv.Itoa((i - 500) * (i%2*2 - 1)),
			Effect:   []taints.Effect{"", "", "", "x", taints.NoExecute, "e" + taints.Effect(strconv.Itoa(i))}[i%6],
		}
	}},
	{"keys", 1, func(i int) taints.Toleration {
		return taints.Toleration{Key: fmt.Sprintf("k%06dz", i), Operator: "Exists", Effect: taints.NoExecute}
	}},
	{"values without a key", 1, func(i int) taints.Toleration {
		return taints.Toleration{Value: "v" + strconv.Itoa(i), Effect: knownEffect(i)}
	}},
	{"values without a key, and keys", 2, func(i int) taints.Toleration {
		if i%2 == 0 {
			return taints.Toleration{Value: "v" + strconv.Itoa(i), Effect: knownEffect(i / 2)}
		}
		return taints.Toleration{Key: "k" + strconv.Itoa(i), Operator: "Exists"}
	}},
	{"values and effects without a key, and keys", 2, func(i int) taints.Toleration {
		switch i % 3 {
		case 0:
			return taints.Toleration{Value: "v" + strconv.Itoa(i)}
		case 1:
			return taints.Toleration{Key: "k" + strconv.Itoa(i), Value: "own"}
		}
		return taints.Toleration{Operator: "Exists", Effect: taints.Effect("e" + strconv.Itoa(i))}
	}},
	{"integers without a key, and keys", 2, func(i int) taints.Toleration {
		if i%2 == 0 {
			return taints.Toleration{Value: strconv.Itoa(i)}
		}
		return taints.Toleration{Key: "k" + strconv.Itoa(i), Operator: "Gt", Value: strconv.Itoa(i)}
	}},
	{"wildcards, each of the next", 2, func(i int) taints.Toleration {
		return taints.Toleration{
			Key:    strings.Repeat("a", i/2) + strings.Repeat("*", i%2),
			Value:  "v" + strconv.Itoa(i),
			Effect: knownEffect(i),
		}
	}},
	{"wildcards side by side, and keys", 1, func(i int) taints.Toleration {
		return taints.Toleration{Key: strconv.Itoa(i/2*2) + "z" + strings.Repeat("*", i%2), Operator: "Exists"}
	}},
}

func knownEffect(i int) taints.Effect {
	return []taints.Effect{taints.NoSchedule, taints.PreferNoSchedule, taints.NoExecute}[i%3]
}

// The steps grow with the tolerations, and with those without a key or with a
// wildcard for each key. They are few enough for a thousand of any kind.
func TestSameTolerationsSteps(t *testing.T) {
	o := taints.Options{KeyWildcards: true}
	for _, kind := range sameKinds {
		steps := func(n int) int {
			a := times(n, kind.at)
			b := slices.Clone(a)
			rand.New(rand.NewPCG(1, 2)).Shuffle(n, func(i, j int) { b[i], b[j] = b[j], b[i] })
			steps, same := o.SameSteps(a, b)
			if !same {
				t.Errorf("%s: the order of %d tolerations matters", kind.name, n)
			}
			return steps
		}
		few, many := steps(100), steps(400)
		most, growth := 12*400, 4.5
		if kind.power == 2 {
			most, growth = 4*400*400, 18
		}
		if many > most || float64(many) > growth*float64(few) {
			t.Errorf("%s: %d steps for 100 tolerations, %d for 400", kind.name, few, many)
		}
	}
}

// What is repeated is asked about once.
func TestSameTolerationsAsksOnce(t *testing.T) {
	for _, tc := range []struct {
		tol  taints.Toleration
		asks int
	}{
		{toleration("k", "", "v"), 2}, // for NoExecute too, where the time counts
		{toleration("k", "Exists", ""), 2},
		{taints.Toleration{Key: "k", Value: "v", Effect: taints.NoExecute}, 1},
		{taints.Toleration{Key: "k", Value: "5", Effect: "x"}, 2},
	} {
		const n = 100
		many := times(n, func(int) taints.Toleration { return tc.tol })
		if steps, same := (taints.Options{}).SameSteps(many, many); !same || steps != n+n+tc.asks {
			t.Errorf("%v: %d steps and %v, want %d", tc.tol, steps, same, n+n+tc.asks)
		}
	}
}
