// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"math"
	"math/big"
	"testing"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/reference"
)

// Times from one end of time.Time to the other.
var bruteMoments = []time.Time{
	{},
	time.Unix(-62135596801, 999_999_999), time.Unix(0, 0), time.Date(2026, 11, 21, 12, 0, 0, 500, time.UTC),
	// Both wrap, to times beyond Unix times.
	time.Unix(math.MinInt64, 0), time.Unix(math.MaxInt64, 1),
	farPast, farPast.Add(1), farFuture.Add(-301 * time.Second), farFuture.Add(-1), farFuture,
}

// The first and the last time that a time.Time can hold.
var (
	farPast   = time.Unix(math.MaxInt64-62135596800+1, 0) // wraps
	farFuture = time.Unix(math.MaxInt64-62135596800, 999_999_999)
)

var bruteSeconds = []*int64{
	nil, seconds(math.MinInt64), seconds(-1), seconds(0), seconds(1), seconds(300), seconds(301),
	seconds(9223372036), seconds(9223372037),
	seconds(math.MaxInt64 - 62135596800), seconds(math.MaxInt64 - 62135596801),
	seconds(math.MaxInt64 - 1), seconds(math.MaxInt64),
}

// brutePolicies are all policies.
func brutePolicies(effects ...taints.EffectSet) []taints.EvictionPolicy {
	var all []taints.EvictionPolicy
	for _, selection := range []taints.Selection{
		taints.FirstMatch, taints.LongestMatch, taints.ShortestMatch, taints.ForeverElseShortest,
		200,
	} {
		for _, fromTimeAdded := range []bool{false, true} {
			for _, in := range effects {
				all = append(all, taints.EvictionPolicy{
					Select: selection, FromTimeAdded: fromTimeAdded, Effects: in,
				})
			}
		}
	}
	return all
}

func checkEviction(
	t *testing.T, p taints.EvictionPolicy, list []taints.Taint, tols []taints.Toleration, now time.Time,
) {
	t.Helper()
	e := p.EvictionOf(list, tols, now)
	if compiled := p.Compile(tols).EvictionOf(list, now); compiled != e {
		t.Fatalf("%+v, compiled %+v", e, compiled)
	}
	outcome, deadline := reference.Deadline(p, list, tols, now)
	if e.Outcome != outcome || deadline != nil && reference.Nanos(e.At).Cmp(deadline) != 0 {
		t.Fatalf("under %+v %v leaves %v for %v, seen at %v: %+v, want %v at %v ns", p, tols,
			list, list[0].TimeAdded, now, e, outcome, deadline)
	}
	checkDecidingPair(t, p, list, tols, now, e)
	checkWait(t, e, now)
}

// checkWait checks what there is to wait for, now and a moment later.
func checkWait(t *testing.T, e taints.Eviction, now time.Time) {
	t.Helper()
	for _, at := range []time.Time{now, now.Add(300 * time.Second)} {
		d, evicts := e.Wait(at)
		want := new(big.Int)
		if evicts {
			want.Sub(reference.Nanos(e.At), reference.Nanos(at))
		}
		if want.Sign() < 0 {
			want.SetInt64(0)
		}
		if !want.IsInt64() {
			want.SetInt64(math.MaxInt64)
		}
		if evicts != (e.Outcome != taints.Stays) || d != time.Duration(want.Int64()) {
			t.Fatalf("%+v at %v: Wait = %v, %v, want %v", e, at, d, evicts, want)
		}
	}
}

// One taint under two tolerations, from all times for all seconds.
func TestBruteEvictionOfOneTaint(t *testing.T) {
	policies := brutePolicies(0)
	n := 0
	for _, now := range bruteMoments {
		for i := range len(bruteMoments) + 1 {
			taint := taints.Taint{Key: "a", Effect: taints.NoExecute}
			if i > 0 {
				taint.TimeAdded = &bruteMoments[i-1]
			}
			for _, first := range bruteSeconds {
				for _, second := range bruteSeconds {
					// Every policy meets every time and every pair of seconds, if
					// not all of them together.
					p := policies[n%len(policies)]
					n++
					checkEviction(t, p, []taints.Taint{taint}, []taints.Toleration{
						{Key: "b", Operator: taints.OpExists},
						{Key: "a", TolerationSeconds: first},
						{Operator: taints.OpExists, TolerationSeconds: second},
					}, now)
				}
			}
		}
	}
}

// Two taints of which each has seconds of its own or none that tolerate it.
func TestBruteEvictionOfTwoTaints(t *testing.T) {
	moments := []*time.Time{nil, &bruteMoments[3], &bruteMoments[0], &farFuture}
	limits := []*int64{nil, seconds(-1), seconds(0), seconds(300), seconds(301), seconds(math.MaxInt64)}
	later := bruteMoments[3].Add(time.Second)
	for _, p := range brutePolicies(0, taints.AllEffects, taints.Effects("x")) {
		if p.Select != taints.FirstMatch && p.Select != taints.ShortestMatch {
			continue
		}
		for _, effect := range []taints.Effect{taints.NoExecute, taints.NoSchedule, "x"} {
			for _, now := range []time.Time{bruteMoments[3], later, farFuture.Add(-300 * time.Second)} {
				for i := range len(moments) * len(moments) {
					list := []taints.Taint{
						{Key: "a", Effect: taints.NoExecute, TimeAdded: moments[i%len(moments)]},
						{Key: "b", Effect: effect, TimeAdded: moments[i/len(moments)]},
					}
					for _, a := range limits {
						for _, b := range limits {
							checkEviction(t, p, list, []taints.Toleration{{
								Key:               "a",
								TolerationSeconds: a,
							}, {Key: "b", TolerationSeconds: b}}, now)
						}
						if effect == taints.NoExecute {
							checkEviction(t, p, list, []taints.Toleration{{Key: "a", TolerationSeconds: a}}, now)
							checkEviction(t, p, list, []taints.Toleration{{Key: "b", TolerationSeconds: a}}, now)
						}
					}
				}
			}
		}
	}
}
