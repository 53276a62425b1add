// SPDX-License-Identifier: Apache-2.0

// Package draw provides the generators of random taints, tolerations and
// changes that tests share.
package draw

import (
	"math"
	"strconv"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/known"
	"github.com/seed-0529bac1/taints/internal/test"
	"github.com/seed-0529bac1/taints/internal/test/reference"
	"github.com/seed-0529bac1/taints/internal/valueset"
)

// The generators draw from a few texts, so that keys, values and effects
// collide. Some texts are near misses or malformed.

var (
	Keys = rapid.SampledFrom([]string{
		"a", "b", "example.com/gpu", "Example.com/gpu", "dedicated", "Dedicated", "dedicatde",
		"", "a*", "*", "example.com/*", "-", "a!", "a b", "é", "a=b", "av", "op", taints.NodeNotReady,
		taints.NodeMemoryPressure, strings.Repeat("k", 63), strings.Repeat("k", 64),
	})
	Values = rapid.OneOf(Integers, rapid.SampledFrom([]string{
		"", "v", "V", "w", "-0", "05", "+5", "Exists", "9223372036854775808", "-9223372036854775809",
		"v v", "=", strings.Repeat("v", 63), strings.Repeat("v", 64),
	}))
	// Integers in canonical form, at their limits and side by side.
	Integers = rapid.SampledFrom([]string{
		"-9223372036854775808", "-9223372036854775807", "-6", "-1", "0", "1", "5", "6",
		"9223372036854775806", "9223372036854775807",
	})
	// Texts that are at the limits of a key or a value, or a letter from one.
	Limits = rapid.Custom(func(t *rapid.T) string {
		text := rapid.SampledFrom([]string{letters(t, 63), "a/" + letters(t, 63), letters(t, 253) + "/a"}).Draw(t, "text")
		if rapid.IntRange(0, 2).Draw(t, "other") == 0 {
			i := rapid.OneOf(rapid.SampledFrom([]int{0, len(text) - 1}), rapid.IntRange(0, len(text)-1)).Draw(t, "at")
			other := rapid.SampledFrom([]string{".", "-", "_", "/", " ", "A", "*", "é"}).Draw(t, "letter")
			text = text[:i] + other + text[i+1:]
		}
		return text + rapid.SampledFrom([]string{"", "", "", "*", "-*"}).Draw(t, "end")
	})
	Effects = rapid.SampledFrom(named[taints.Effect](known.Effects(), "NoExecute", "", "noschedule", "x"))

	Operators = rapid.SampledFrom(named[taints.Operator](valueset.Names(true), "", "Exists", "exists", "none"))
	Options   = rapid.SampledFrom(test.AllOptions)
	Policies  = rapid.SampledFrom([]taints.EvictionPolicy{
		{},
		{FromTimeAdded: true},
		{ForDevices: true},
		{ForDevices: true, FromTimeAdded: true},
		{FromTimeAdded: true, Arrival: time.Unix(5, 0).UTC()},
		{FromTimeAdded: true, Arrival: time.Unix(100, 0).UTC(), ForDevices: true},
		{Arrival: time.Unix(-5, 0).UTC()},
		{Arrival: time.Unix(100, 0).UTC()},
	})
	Seconds = rapid.OneOf(
		rapid.Just[*int64](nil),
		rapid.Map(rapid.SampledFrom([]int64{
			0, 1, 5, 60, 300, -1, 9223372036, 9223372037,
			18446744074, math.MaxInt64, math.MinInt64,
		}), func(s int64) *int64 { return &s }),
		rapid.Map(rapid.Int64(), func(s int64) *int64 { return &s }),
	)
	// Times, some of them so long before the year 10000 that seconds that are drawn
	// often just reach it, or just do not.
	Time = rapid.Map(
		rapid.OneOf(rapid.Int64Range(-10, 10), rapid.Int64Range(-62135596800, year10000-1), rapid.Custom(func(t *rapid.T) int64 {
			return year10000 - rapid.SampledFrom([]int64{1, 5, 60, 300}).Draw(t, "before") + rapid.Int64Range(-1, 0).Draw(t, "beside")
		})),
		func(s int64) time.Time { return time.Unix(s, 0).UTC() },
	)

	Taint = rapid.Custom(func(t *rapid.T) taints.Taint {
		return taints.Taint{
			Key:       Keys.Draw(t, "key"),
			Value:     Values.Draw(t, "value"),
			Effect:    Effects.Draw(t, "effect"),
			TimeAdded: rapid.Ptr(Time, true).Draw(t, "added"),
		}
	})
	Toleration = rapid.Custom(func(t *rapid.T) taints.Toleration {
		return taints.Toleration{
			Key:               Keys.Draw(t, "key"),
			Operator:          Operators.Draw(t, "operator"),
			Value:             Values.Draw(t, "value"),
			Effect:            Effects.Draw(t, "effect"),
			TolerationSeconds: Seconds.Draw(t, "seconds"),
		}
	})
	Taints      = rapid.SliceOfN(Taint, 0, 5)
	Tolerations = rapid.SliceOfN(Toleration, 0, 6)
	// Taints that evict, and tolerations that match them, mostly for a limited time.
	EvictingTaints = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) taints.Taint {
		added := rapid.Ptr(rapid.Map(
			rapid.Int64Range(-400, 400),
			func(s int64) time.Time { return time.Unix(s, 0).UTC() },
		), true)
		return taints.Taint{
			Key:       FewKeys.Draw(t, "key"),
			Effect:    taints.NoExecute,
			TimeAdded: added.Draw(t, "added"),
		}
	}), 1, 5)
	TimedTolerations = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) taints.Toleration {
		s := rapid.SampledFrom([]*int64{nil, test.Seconds(0), test.Seconds(-1), test.Seconds(0), test.Seconds(-1), test.Seconds(1), test.Seconds(60), test.Seconds(300)})
		return taints.Toleration{
			Key:               FewKeys.Draw(t, "key"),
			Operator:          taints.OpExists,
			TolerationSeconds: s.Draw(t, "seconds"),
		}
	}), 0, 6)
	FewKeys = rapid.SampledFrom([]string{"a", "a", "b"})
	// Sometimes so many tolerations that fingerprints of keys collide.
	ManyTolerations = rapid.OneOf(Tolerations, Tolerations, Tolerations, rapid.SliceOfN(Toleration, 60, 140))
)

// letters draws as many letters as the limit, or one more or less.
func letters(t *rapid.T, limit int) string {
	return strings.Repeat("a", rapid.IntRange(limit-1, limit+1).Draw(t, "length"))
}

// Meeting draws tolerations, half of which come from the taints: with the key or the
// beginning of it, the effect, and the value or an integer beside it.
func Meeting(list []taints.Taint) *rapid.Generator[[]taints.Toleration] {
	if len(list) == 0 {
		return Tolerations
	}
	return rapid.SliceOfN(rapid.OneOf(Toleration, meeting(list)), 0, 12)
}

func meeting(list []taints.Taint) *rapid.Generator[taints.Toleration] {
	return rapid.Custom(func(t *rapid.T) taints.Toleration {
		taint := rapid.SampledFrom(list).Draw(t, "taint")
		key, values := taint.Key, []string{taint.Value}
		cut := rapid.OneOf(rapid.IntRange(0, min(1, len(key))), rapid.Just(0), rapid.IntRange(0, len(key)))
		start := key[:len(key)-cut.Draw(t, "cut")] + "*"
		operators := Operators
		if strings.ContainsAny(taint.Value, "0123456789") {
			n, _ := strconv.ParseInt(taint.Value, 10, 64) // of one that is too large, the integer at that end
			values = append(values, strconv.FormatInt(n-1, 10), strconv.FormatInt(n+1, 10))
			operators = rapid.OneOf(Operators, rapid.SampledFrom([]taints.Operator{taints.OpLt, taints.OpGt}))
		}
		return taints.Toleration{
			Key:               rapid.SampledFrom([]string{key, key, "", start, start}).Draw(t, "key"),
			Operator:          operators.Draw(t, "operator"),
			Value:             rapid.SampledFrom(values).Draw(t, "value"),
			Effect:            rapid.SampledFrom([]taints.Effect{taint.Effect, taint.Effect, ""}).Draw(t, "effect"),
			TolerationSeconds: Seconds.Draw(t, "seconds"),
		}
	})
}

// Tolerations of few keys and values, so that some tolerate the same taints.
var (
	CommonToleration = rapid.Custom(func(t *rapid.T) taints.Toleration {
		return taints.Toleration{
			Key:      rapid.SampledFrom([]string{"", "*", "a", "a*", "a/*", "a/b", "a/b*", "b"}).Draw(t, "key"),
			Operator: Operators.Draw(t, "operator"),
			Value: rapid.SampledFrom([]string{
				"", "v", "05", "-9223372036854775808",
				"-9223372036854775807", "5", "6", "9223372036854775806", "9223372036854775807",
			}).Draw(t, "value"),
			Effect: rapid.SampledFrom(named[taints.Effect](known.Effects(), "", "NoExecute", "x")).Draw(t, "effect"),
			TolerationSeconds: rapid.SampledFrom([]*int64{
				nil, nil, test.Seconds(0), test.Seconds(-1),
				test.Seconds(300), test.Seconds(301), test.Seconds(math.MaxInt64),
			}).Draw(t, "seconds"),
		}
	})
	CommonTolerations = rapid.SliceOfN(CommonToleration, 0, 6)
)

var (
	ConditionKeys  = rapid.SampledFrom(append(known.NodeKeys[:], "node.kubernetes.io/out-of-service"))
	ConditionTaint = rapid.Custom(func(t *rapid.T) taints.Taint {
		return taints.Taint{
			Key:       ConditionKeys.Draw(t, "key"),
			Value:     rapid.SampledFrom([]string{"", "", "x"}).Draw(t, "value"),
			Effect:    Effects.Draw(t, "effect"),
			TimeAdded: rapid.Ptr(Time, true).Draw(t, "added"),
		}
	})
	// The taints of a node, whose keys and effects an API server keeps unique.
	NodeTaints = rapid.Map(rapid.SliceOfN(rapid.OneOf(Taint, ConditionTaint), 0, 8), reference.Firsts)
)

var (
	// Few keys, values and effects, so that lists of taints share some.
	CommonTaint = rapid.Custom(func(t *rapid.T) taints.Taint {
		return taints.Taint{
			Key:       rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "key"),
			Value:     rapid.SampledFrom([]string{"", "v"}).Draw(t, "value"),
			Effect:    Effects.Draw(t, "effect"),
			TimeAdded: rapid.Ptr(Time, true).Draw(t, "added"),
		}
	})
	CommonTaints = rapid.SliceOfN(rapid.OneOf(CommonTaint, CommonTaint, CommonTaint, Taint), 0, 8)
	// Changes of valid taints, or of any, some of them repeated.
	Changes = rapid.Custom(func(t *rapid.T) taints.Changes {
		var c taints.Changes
		valid := rapid.Bool().Draw(t, "valid")
		var drawn []taints.Taint
		taint := rapid.Custom(func(t *rapid.T) taints.Taint {
			if len(drawn) > 0 && rapid.IntRange(0, 2).Draw(t, "again") == 0 {
				return rapid.SampledFrom(drawn).Draw(t, "earlier")
			}
			taint := CommonTaint.Draw(t, "taint")
			if valid {
				taint.Effect = rapid.SampledFrom(named[taints.Effect](known.Effects())).Draw(t, "effect")
			}
			drawn = append(drawn, taint)
			return taint
		})
		for range rapid.IntRange(0, 3).Draw(t, "adds") {
			c.Add = append(c.Add, taint.Draw(t, "add"))
		}
		if valid && rapid.Bool().Draw(t, "apart") { // so that only removals can contradict each other
			c.Add, drawn = nil, nil
		}
		if valid && rapid.IntRange(0, 5).Draw(t, "every") == 0 { // effect of a key, beside the key or not
			for _, effect := range named[taints.Effect](known.Effects()) {
				c.Remove = append(c.Remove, taints.TaintID{Key: "a", Effect: effect})
			}
			drawn = append(drawn, taints.Taint{Key: "a", Effect: "NoExecute"})
		}
		for range rapid.IntRange(0, 3).Draw(t, "removals") {
			if taint := taint.Draw(t, "remove"); rapid.Bool().Draw(t, "key") {
				c.RemoveKeys = append(c.RemoveKeys, taint.Key)
			} else {
				c.Remove = append(c.Remove, taint.ID())
			}
		}
		return c
	})
)

// named returns the names that Kubernetes knows, and more.
func named[T ~string](names []string, more ...T) []T {
	var list []T
	for _, name := range names {
		list = append(list, T(name))
	}
	return append(list, more...)
}

const year10000 = 253402300800 // its beginning, as a Unix time
