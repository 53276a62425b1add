// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"math"
	"math/big"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/reference"
)

var observed = time.Date(2026, 11, 21, 12, 0, 0, 500, time.UTC)

// Seconds above the range of time.Duration. Kubernetes converts them and
// overflows, so that 9223372037 seconds are forever and 18446744074 seconds are
// 290 milliseconds. Here they keep their meaning.
func TestHugeSecondsDoNotOverflow(t *testing.T) {
	const maxUnix = math.MaxInt64 - 62135596800
	last := time.Date(9999, 12, 31, 23, 59, 59, 500, time.UTC)
	east := time.FixedZone("", 3600)
	for _, tc := range []struct {
		name    string
		seconds int64
		from    time.Time
		want    time.Time // zero forever
	}{
		{"the most that time.Duration holds", 9223372036, observed, time.Unix(observed.Unix()+9223372036, 500)},
		{"one more, forever in Kubernetes", 9223372037, observed, time.Unix(observed.Unix()+9223372037, 500)},
		{"once around, at once in Kubernetes", 18446744074, observed, time.Unix(observed.Unix()+18446744074, 500)},
		{"the last second of the year 9999", last.Unix() - observed.Unix(), observed, last},
		{"one more is forever, as it has no JSON", last.Unix() - observed.Unix() + 1, observed, time.Time{}},
		{
			"the last second of the year 9999 in another zone",
			last.Unix() - 3600 - observed.Unix(), observed.In(east), last.Add(-time.Hour),
		},
		{"one more there", last.Unix() - 3600 - observed.Unix() + 1, observed.In(east), time.Time{}},
		{"the last second of time.Time is forever", maxUnix - observed.Unix(), observed, time.Time{}},
		{"one more is forever", maxUnix - observed.Unix() + 1, observed, time.Time{}},
		{"the greatest int64 is forever", math.MaxInt64, observed, time.Time{}},
		{"from before 1970", 9223372037, time.Unix(-100, 0), time.Unix(9223372037-100, 0)},
		{"from year 1", 60, time.Time{}, time.Time{}.Add(time.Minute)},
		{"the greatest from the far past is forever", math.MaxInt64, time.Unix(-62135596800, 0), time.Time{}},
		{"from the far past", 1 << 62, time.Unix(math.MaxInt64-62135596800+1, 0), time.Unix(-62135596800-1<<62, 0)},
		{"from the last second", 1, time.Unix(maxUnix, 0), time.Time{}},
		{
			"from a time whose Unix time wraps", 10, time.Unix(math.MaxInt64, 0),
			time.Unix(math.MaxInt64, 0).Add(10 * time.Second),
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tols := []taints.Toleration{{Operator: "Exists", TolerationSeconds: &tc.seconds}}
			e := taints.EvictionOf(parseTaints("a:NoExecute"), tols, tc.from)
			if tc.want.IsZero() {
				if e != (taints.Eviction{}) {
					t.Errorf("got %+v, want that it stays", e)
				}
				return
			}
			if e.Outcome != taints.EvictsAt || !e.At.Equal(tc.want) || e.Seconds != tc.seconds {
				t.Errorf("got %+v, want %v", e, tc.want)
			}
			if _, err := e.At.MarshalJSON(); err != nil && !tc.from.Before(time.Time{}) {
				t.Errorf("%v has no JSON: %v", e.At, err)
			}
			if e.At.Location() != tc.from.Location() {
				t.Errorf("location %v, want %v", e.At.Location(), tc.from.Location())
			}
		})
	}
}

// A deadline that counts from a clock reading with a monotonic part keeps it.
func TestEvictionKeepsTheMonotonicClock(t *testing.T) {
	now := time.Now()
	e := taints.EvictionOf(parseTaints("a:NoExecute"), parseTolerations("a:NoExecute for 60s"), now)
	if e.At != now.Add(time.Minute) {
		t.Errorf("got %v, want %v", e.At, now.Add(time.Minute))
	}
}

func TestEvictionWait(t *testing.T) {
	for _, tc := range []struct {
		name   string
		e      taints.Eviction
		want   time.Duration
		evicts bool
	}{
		{"stays", taints.Eviction{}, 0, false},
		{"stays, whatever At is", taints.Eviction{At: observed.Add(time.Hour)}, 0, false},
		{"later", taints.Eviction{Outcome: taints.EvictsAt, At: observed.Add(time.Hour)}, time.Hour, true},
		{"now", taints.Eviction{Outcome: taints.EvictsNow, At: observed}, 0, true},
		{"overdue", taints.Eviction{Outcome: taints.EvictsAt, At: observed.Add(-time.Hour)}, 0, true},
		{
			"farther than a duration",
			taints.Eviction{Outcome: taints.EvictsAt, At: observed.AddDate(1000, 0, 0)},
			math.MaxInt64, true,
		},
		{"an unknown outcome", taints.Eviction{Outcome: 9, At: observed.Add(time.Hour)}, 0, false},
	} {
		if d, evicts := tc.e.Wait(observed); d != tc.want || evicts != tc.evicts {
			t.Errorf("%s: %v, %v", tc.name, d, evicts)
		}
	}
}

func TestEvictionString(t *testing.T) {
	for want, e := range map[string]taints.Eviction{
		"stays":      {},
		"evicts now": {Outcome: taints.EvictsNow, At: observed},
		"evicts at 2026-11-21T12:00:05.0000005Z, after 5s": {
			Outcome: taints.EvictsAt, At: observed.Add(5 * time.Second), Seconds: 5,
		},
		"Outcome(9)": {Outcome: 9},
	} {
		if got := e.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// Choose works for a taint with any effect.
func TestChoose(t *testing.T) {
	tols := parseTolerations("a:NoSchedule", "a op=Exists", "a:NoExecute for 60s", "a:NoExecute for 5s", "a:NoExecute")
	for _, tc := range []struct {
		taint     string
		selection taints.Selection
		want      int
	}{
		{"a:NoSchedule", taints.FirstMatch, 0},
		{"a:NoExecute", taints.FirstMatch, 1},
		{"a:NoExecute", taints.ShortestMatch, 3},
		{"a:NoExecute", taints.LongestMatch, 1},
		{"a:NoExecute", taints.ForeverElseShortest, 1},
		{"a=x:NoSchedule", taints.ShortestMatch, 1},
		{"b:NoSchedule", taints.LongestMatch, -1},
	} {
		p := taints.EvictionPolicy{Select: tc.selection}
		taint := taints.MustParseTaint(tc.taint)
		for name, choose := range map[string]func() (int, bool){
			"one-shot": func() (int, bool) { return p.Choose(taint, tols) },
			"compiled": func() (int, bool) { return p.Compile(tols).Choose(taint) },
		} {
			if i, ok := choose(); i != tc.want || ok != (tc.want >= 0) {
				t.Errorf("%s, %s, %v: %d, %v, want %d", tc.taint, name, tc.selection, i, ok, tc.want)
			}
		}
	}
	var none *taints.Matcher
	if i, ok := none.Choose(taints.MustParseTaint("a:NoSchedule")); i != -1 || ok {
		t.Errorf("a nil Matcher chooses %d, %v", i, ok)
	}
}

// Times from one end of time.Time to the other.
var bruteMoments = []time.Time{
	{},
	time.Unix(-62135596801, 999_999_999), time.Unix(0, 0), time.Date(2026, 11, 21, 12, 0, 0, 500, time.UTC),
	// Both wrap to times outside the range of Unix times.
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
				all = append(all, taints.EvictionPolicy{Select: selection, FromTimeAdded: fromTimeAdded, Effects: in})
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

// checkWait checks Wait at the time now and 300 seconds later.
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

// One taint and two tolerations, with all times and all seconds.
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
					// Every policy is tried with every time and with every pair of seconds, but
					// not with all combinations.
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

// Of two taints an untolerated one decides, or else the one with the earlier
// deadline.
func TestEvictionOfTwoTaints(t *testing.T) {
	now := time.Unix(1000, 0).UTC()
	for _, tc := range []struct {
		name        string
		added       [2]int64 // 0: unknown
		tolerations []string
		want        taints.Eviction
	}{
		{
			"neither is tolerated",
			[2]int64{},
			[]string{"c op=Exists"},
			taints.Eviction{Outcome: taints.EvictsNow, At: now, From: now},
		},
		{
			"the first for no time",
			[2]int64{},
			[]string{"a:NoExecute for 0s"},
			taints.Eviction{Outcome: taints.EvictsNow, Taint: 1, At: now, From: now},
		},
		{
			"the second is overdue",
			[2]int64{0, 10},
			[]string{"b:NoExecute for 60s"},
			taints.Eviction{Outcome: taints.EvictsNow, At: time.Unix(70, 0).UTC(), From: now},
		},
		{
			"the second came later and is tolerated for less",
			[2]int64{990, 995},
			[]string{"a:NoExecute for 60s", "b:NoExecute for 10s"},
			taints.Eviction{
				Outcome: taints.EvictsAt, Tolerated: true, Taint: 1, Toleration: 1,
				At: time.Unix(1005, 0).UTC(), From: time.Unix(995, 0).UTC(), Seconds: 10,
			},
		},
	} {
		list := parseTaints("a:NoExecute", "b:NoExecute")
		for i, at := range tc.added {
			if at > 0 {
				added := time.Unix(at, 0).UTC()
				list[i].TimeAdded = &added
			}
		}
		for _, fromTimeAdded := range []bool{tc.added != [2]int64{}, true} {
			p := taints.EvictionPolicy{FromTimeAdded: fromTimeAdded}
			got := p.EvictionOf(list, parseTolerations(tc.tolerations...), now)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.name, diff)
			}
		}
	}
}

// Zero and negative seconds are equal, so the first such toleration counts.
// Under an unknown selection the first toleration counts.
func TestSelectionsOfEquals(t *testing.T) {
	taint := taints.MustParseTaint("n:NoExecute")
	for _, tc := range []struct {
		selection taints.Selection
		list      []string
	}{
		{taints.LongestMatch, []string{"n:NoExecute for 0s", "n:NoExecute for -9s"}},
		{taints.LongestMatch, []string{"n:NoExecute for -9s", "n:NoExecute for 0s"}},
		{taints.ShortestMatch, []string{"n:NoExecute for 0s", "n:NoExecute for -9s"}},
		{taints.ForeverElseShortest, []string{"n:NoExecute for 0s", "n:NoExecute for -9s"}},
		{taints.ForeverElseShortest + 1, []string{"n:NoExecute for 60s", "n:NoExecute for 300s", "n:NoExecute for 5s", "n:NoExecute"}},
	} {
		p := taints.EvictionPolicy{Select: tc.selection}
		list := parseTolerations(tc.list...)
		if i, ok := p.Choose(taint, list); i != 0 || !ok {
			t.Errorf("%v of %q: %d, %v", tc.selection, tc.list, i, ok)
		}
		if i, ok := p.Compile(list).Choose(taint); i != 0 || !ok {
			t.Errorf("%v of %q, compiled: %d, %v", tc.selection, tc.list, i, ok)
		}
	}
}
