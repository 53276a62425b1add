// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"math"
	"math/big"
	"slices"
	"testing"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/test"
	"github.com/seed-0529bac1/taints/internal/test/reference"
)

var observed = time.Date(2026, 11, 21, 12, 0, 0, 500, time.UTC)

// The year is the one of the deadline's zone, also of a zone that is ahead by almost
// half a year.
func TestYear10000InItsZone(t *testing.T) {
	const ahead, year10000 = 182*24*60*60 - 1, 253402300800
	for seconds, want := range map[int64]taints.Outcome{
		year10000 - ahead - observed.Unix() - 1: taints.EvictsAt,
		year10000 - ahead - observed.Unix():     taints.Stays,
	} {
		tols := []taints.Toleration{{Operator: "Exists", TolerationSeconds: &seconds}}
		if e := taints.EvictionOf(test.Taints("a:NoExecute"), tols, observed.In(time.FixedZone("", ahead))); e.Outcome != want {
			t.Errorf("after %d s: %v, want %v", seconds, e.Outcome, want)
		}
	}
}

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
		{"in another zone", last.Unix() - 3600 - observed.Unix(), observed.In(east), last.Add(-time.Hour)},
		{"one more there", last.Unix() - 3600 - observed.Unix() + 1, observed.In(east), time.Time{}},
		{"the last second of time.Time is forever", maxUnix - observed.Unix(), observed, time.Time{}},
		{"one more is forever", maxUnix - observed.Unix() + 1, observed, time.Time{}},
		{"the greatest int64 is forever", math.MaxInt64, observed, time.Time{}},
		{"a year beyond an int32, in which Time.Year counts on some platforms", 67767974438227200, observed, time.Time{}},
		{"from before 1970", 9223372037, time.Unix(-100, 0), time.Unix(9223372037-100, 0)},
		{"from year 1", 60, time.Time{}, time.Time{}.Add(time.Minute)},
		{"the greatest from the far past is forever", math.MaxInt64, time.Unix(-62135596800, 0), time.Time{}},
		{"from the far past", 1 << 62, time.Unix(math.MaxInt64-62135596800+1, 0), time.Unix(-62135596800-1<<62, 0)},
		{"from the last second", 1, time.Unix(maxUnix, 0), time.Time{}},
		{"from a time that wraps", 10, time.Unix(math.MaxInt64, 0), time.Unix(math.MaxInt64, 0).Add(10 * time.Second)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tols := []taints.Toleration{{Operator: "Exists", TolerationSeconds: &tc.seconds}}
			e := taints.EvictionOf(test.Taints("a:NoExecute"), tols, tc.from)
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
	e := taints.EvictionOf(test.Taints("a:NoExecute"), test.Tolerations("a:NoExecute for 60s"), now)
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
		"evicts at 2026-11-21T12:05:00.0000005Z, after 300s": {
			Outcome: taints.EvictsAt, At: observed.Add(5 * time.Minute), Seconds: 300,
		},
		"Outcome(9)": {Outcome: 9},
	} {
		if got := e.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// checkEviction checks every field of the eviction.
func checkEviction(
	t test.T, o taints.Options, p taints.EvictionPolicy, list []taints.Taint, tols []taints.Toleration, now time.Time,
) {
	t.Helper()
	e := p.EvictionOf(o.Compile(tols), list, now)
	if direct := p.EvictionOf(o.On(tols), list, now); direct != e {
		t.Fatalf("compiled %+v, and not %+v", e, direct)
	}
	plain := taints.EvictionPolicy{}.EvictionOf(o.On(tols), list, now)
	if got := o.On(tols).EvictionOf(list, now); got != plain {
		t.Fatalf("without a policy %+v, want %+v", got, plain)
	}
	if got := taints.EvictionOf(list, tols, now); got != (taints.Options{}).On(tols).EvictionOf(list, now) {
		t.Fatalf("the function: %+v", got)
	}
	outcome, deadline, decides := reference.Evict(o, p, list, tols, now)
	want := taints.Eviction{Outcome: outcome, At: e.At}
	if outcome != taints.Stays {
		matches := reference.Matches(o, tols, list[decides])
		want.Taint, want.Tolerated, want.From = decides, len(matches) > 0, reference.From(p, list[decides], now)
		if outcome == taints.EvictsNow && want.From.After(now) {
			want.From = now
		}
		if want.Tolerated {
			seconds := reference.Seconds(p, tols, matches)
			want.Toleration = matches[slices.IndexFunc(matches, func(i int) bool {
				s := tols[i].TolerationSeconds
				return s != nil && seconds.Cmp(big.NewInt(max(0, *s))) == 0
			})]
			want.Seconds = *tols[want.Toleration].TolerationSeconds
		}
	}
	if e != want || deadline != nil && reference.Nanos(e.At).Cmp(deadline) != 0 {
		t.Fatalf("under %+v %v leaves %v, seen at %v: %+v, want %+v at %v ns", p, tols, list, now, e, want, deadline)
	}
	checkWait(t, e, now)
}

// checkWait checks Wait at the time now and 300 seconds later.
func checkWait(t test.T, e taints.Eviction, now time.Time) {
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

// The taint with the earliest deadline decides, and among equals an untolerated
// one. checkEviction checks the other fields.
func TestTaintThatDecides(t *testing.T) {
	now := time.Unix(1000, 0).UTC()
	for _, tc := range []struct {
		name        string
		added       [2]int64 // 0: unknown
		tolerations []string
		taint       int
		at          int64
	}{
		{"the first tolerated beyond all time", [2]int64{}, []string{"a:NoExecute for 9223372036854775807s", "b:NoExecute for 60s"}, 1, 1060},
		{"the first begins in the future", [2]int64{2000, 990}, []string{"a:NoExecute for 5s", "b:NoExecute for 60s"}, 1, 1050},
		{"both begin in the future", [2]int64{2000, 3000}, []string{"a:NoExecute for 60s", "b:NoExecute for 5s"}, 0, 2060},
		{"neither is tolerated", [2]int64{}, []string{"c op=Exists"}, 0, 1000},
		{"the first for no time", [2]int64{}, []string{"a:NoExecute for 0s"}, 1, 1000},
		{"the second for no time", [2]int64{}, []string{"b:NoExecute for 0s"}, 0, 1000},
		{"the first is overdue", [2]int64{10}, []string{"a:NoExecute for 60s"}, 0, 70},
		{"the second is overdue", [2]int64{0, 10}, []string{"b:NoExecute for 60s"}, 1, 70},
		{"the second is untolerated and older", [2]int64{0, 10}, []string{"a:NoExecute for 60s"}, 1, 10},
		{"since the same time, the second untolerated", [2]int64{990, 990}, []string{"a:NoExecute for 0s"}, 1, 990},
		{"the second later for less", [2]int64{990, 995}, []string{"a:NoExecute for 60s", "b:NoExecute for 10s"}, 1, 1005},
		{"the second earlier for longer", [2]int64{990, 900}, []string{"a:NoExecute for 60s", "b:NoExecute for 110s"}, 1, 1010},
	} {
		list, tols := test.Taints("a:NoExecute", "b:NoExecute"), test.Tolerations(tc.tolerations...)
		for i, unix := range tc.added {
			if unix > 0 {
				added := time.Unix(unix, 0).UTC()
				list[i].TimeAdded = &added
			}
		}
		p := taints.EvictionPolicy{FromTimeAdded: true}
		if got := p.EvictionOf(taints.Compile(tols), list, now); got.Taint != tc.taint || got.At.Unix() != tc.at {
			t.Errorf("%s: got %+v, want taint %d at %d", tc.name, got, tc.taint, tc.at)
		}
		checkEviction(t, taints.Options{}, p, list, tols, now)
		checkEviction(t, taints.Options{}, taints.EvictionPolicy{}, list, tols, now)
	}
}

// The seconds run from the latest of the times that the policy names. The node
// was seen at 1000.
func TestEvictionFrom(t *testing.T) {
	now := time.Unix(1000, 0).UTC()
	for _, tc := range []struct {
		name           string
		fromTimeAdded  bool
		added, arrival int64 // 0: unknown
		tolerated      string
		outcome        taints.Outcome
		from, at       int64
	}{
		{"the observation", false, 900, 0, "k:NoExecute for 60s", taints.EvictsAt, 1000, 1060},
		{"an arrival before the observation", false, 900, 950, "k:NoExecute for 60s", taints.EvictsAt, 1000, 1060},
		{"an arrival after the observation", false, 900, 1100, "k:NoExecute for 60s", taints.EvictsAt, 1100, 1160},
		{"an untolerated taint, an arrival after the observation", false, 900, 1100, "other", taints.EvictsNow, 1000, 1000},
		{"TimeAdded", true, 900, 0, "k:NoExecute for 60s", taints.EvictsAt, 900, 960},
		{"TimeAdded in the future", true, 2000, 0, "k:NoExecute for 60s", taints.EvictsAt, 2000, 2060},
		{"TimeAdded in the future, untolerated", true, 2000, 0, "other", taints.EvictsNow, 1000, 1000},
		{"no TimeAdded", true, 0, 0, "k:NoExecute for 60s", taints.EvictsAt, 1000, 1060},
		{"an arrival before TimeAdded", true, 900, 800, "k:NoExecute for 60s", taints.EvictsAt, 900, 960},
		{"an arrival after TimeAdded", true, 900, 950, "k:NoExecute for 60s", taints.EvictsAt, 950, 1010},
		{"an arrival after TimeAdded, untolerated", true, 900, 950, "other", taints.EvictsNow, 950, 950},
		{"an arrival, no TimeAdded", true, 0, 950, "k:NoExecute for 60s", taints.EvictsAt, 1000, 1060},
	} {
		list, p := test.Taints("k:NoExecute"), taints.EvictionPolicy{FromTimeAdded: tc.fromTimeAdded}
		if tc.added != 0 {
			added := time.Unix(tc.added, 0).UTC()
			list[0].TimeAdded = &added
		}
		if tc.arrival != 0 {
			p.Arrival = time.Unix(tc.arrival, 0).UTC()
		}
		e := p.EvictionOf(taints.Compile(test.Tolerations(tc.tolerated)), list, now)
		if e.Outcome != tc.outcome || e.From.Unix() != tc.from || e.At.Unix() != tc.at {
			t.Errorf("%s: %+v, want %v from %d at %d", tc.name, e, tc.outcome, tc.from, tc.at)
		}
	}
}

// The toleration that counts, and its seconds; -1 if the pod stays. Zero and
// negative seconds are equal.
func TestForDevices(t *testing.T) {
	for _, tc := range []struct {
		list              []string
		first, forDevices int
	}{
		{[]string{"n:NoExecute for 60s", "n:NoExecute for 5s", "n:NoExecute for 300s"}, 0, 1},
		{[]string{"n:NoExecute for 60s", "n:NoExecute"}, 0, -1},
		{[]string{"n:NoExecute", "n:NoExecute for 60s"}, -1, -1},
		{[]string{"x:NoExecute for 1s", "n op=Exists", "n:NoExecute for 60s"}, -1, -1},
		{[]string{"n:NoExecute for 0s", "n:NoExecute for -9s"}, 0, 0},
		{[]string{"n:NoExecute for -9s", "n:NoExecute for 0s"}, 0, 0},
		{[]string{"n:NoExecute for 1s", "n:NoExecute for 0s", "n:NoExecute for 1s"}, 0, 1},
		{[]string{"n:NoExecute for 5s", "n:NoExecute for 5s"}, 0, 0},
		{[]string{"n:NoExecute for 60s", "n:NoExecute for 30s", "n:NoExecute for 20s"}, 0, 2},
	} {
		for policy, want := range map[bool]int{false: tc.first, true: tc.forDevices} {
			p, m := taints.EvictionPolicy{ForDevices: policy}, taints.Compile(test.Tolerations(tc.list...))
			got := -1
			if e := p.EvictionOf(m, test.Taints("n:NoExecute"), observed); e.Outcome != taints.Stays {
				got = e.Toleration
			}
			if got != want {
				t.Errorf("%v of %q: %d, want %d", policy, tc.list, got, want)
			}
		}
	}
}
