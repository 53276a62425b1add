package taints_test

import (
	"cmp"
	"math"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-0529bac1/taints"
)

// A queueModel is what an EvictionQueue should be: a list, sorted by deadline and then by when the pod got it.
type queueModel struct {
	keepTimers bool
	entries    []queued
	count      int
}

type queued struct {
	pod   int
	due   time.Time
	from  time.Time
	order int
}

func (q *queueModel) find(pod int) int {
	return slices.IndexFunc(q.entries, func(e queued) bool { return e.pod == pod })
}

func (q *queueModel) put(e queued) {
	q.count++
	e.order = q.count
	q.entries = append(q.entries, e)
	slices.SortFunc(q.entries, func(a, b queued) int {
		return cmp.Or(a.due.Compare(b.due), a.order-b.order)
	})
}

func (q *queueModel) update(pod int, e taints.Eviction) taints.QueueChange {
	i := q.find(pod)
	added := queued{pod: pod, due: e.At, from: e.At.Add(-time.Duration(max(0, e.Seconds)) * time.Second)}
	switch {
	case i < 0 && e.Outcome == taints.Stays:
		return taints.Unchanged
	case i < 0:
		q.put(added)
		return taints.Scheduled
	case e.Outcome == taints.Stays:
		q.entries = slices.Delete(q.entries, i, i+1)
		return taints.Cancelled
	}
	old := q.entries[i]
	if q.keepTimers {
		added.from = old.from
		untolerated := e.Outcome == taints.EvictsNow && e.Toleration < 0
		seenBefore := !e.At.Add(-time.Duration(max(0, e.Seconds)) * time.Second).After(old.from)
		if !seenBefore && !untolerated || untolerated && !e.At.Before(old.due) {
			return taints.Unchanged
		}
	}
	if added.due.Equal(old.due) {
		q.entries[i].from = added.from
		return taints.Unchanged
	}
	q.entries = slices.Delete(q.entries, i, i+1)
	q.put(added)
	return taints.Moved
}

// drain takes out what is due.
func (q *queueModel) drain(now time.Time) (due []queued) {
	for len(q.entries) > 0 && !q.entries[0].due.After(now) {
		due = append(due, q.entries[0])
		q.entries = q.entries[1:]
	}
	return due
}

func TestEvictionQueueIsASortedList(t *testing.T) {
	when := rapid.Map(rapid.IntRange(0, 40), func(quarters int) time.Time {
		return time.Unix(1_800_000_000, 0).Add(time.Duration(quarters) * 250 * time.Millisecond)
	})
	anyEviction := rapid.Custom(func(t *rapid.T) taints.Eviction {
		e := taints.Eviction{Outcome: taints.Outcome(rapid.IntRange(0, 2).Draw(t, "outcome")), At: when.Draw(t, "at")}
		switch e.Outcome {
		case taints.Stays:
			return taints.Eviction{Taint: -1, Toleration: -1}
		case taints.EvictsAt:
			e.Seconds = rapid.Int64Range(1, 5).Draw(t, "seconds")
		case taints.EvictsNow:
			e.Toleration = rapid.IntRange(-1, 0).Draw(t, "toleration")
		}
		return e
	})
	rapid.Check(t, func(t *rapid.T) {
		keepTimers := rapid.Bool().Draw(t, "keepTimers")
		q, model := taints.EvictionQueue[int]{KeepTimers: keepTimers}, &queueModel{keepTimers: keepTimers}
		pod := rapid.IntRange(0, 30)
		update := func(t *rapid.T) {
			p, e := pod.Draw(t, "pod"), anyEviction.Draw(t, "eviction")
			if got, want := q.Update(p, e), model.update(p, e); got != want {
				t.Fatalf("Update(%d, %+v) = %v, want %v", p, e, got, want)
			}
		}
		remove := func(t *rapid.T) {
			p := pod.Draw(t, "pod")
			i := model.find(p)
			if got := q.Remove(p); got != (i >= 0) {
				t.Fatalf("Remove(%d) = %v", p, got)
			}
			if i >= 0 {
				model.entries = slices.Delete(model.entries, i, i+1)
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"Update": update,
			"Update many": func(t *rapid.T) {
				for range rapid.IntRange(0, 30).Draw(t, "count") {
					update(t)
				}
			},
			"Remove": remove,
			"PopDue": func(t *rapid.T) {
				now := when.Draw(t, "now")
				want := model.drain(now)
				for p, due := range q.PopDue(now) {
					if len(want) == 0 || want[0].pod != p || !want[0].due.Equal(due) {
						t.Fatalf("PopDue yields %d at %v, want %+v", p, due, want)
					}
					want = want[1:]
				}
				if len(want) > 0 {
					t.Fatalf("PopDue leaves out %+v", want)
				}
			},
			"PopDue, with a body that changes the queue": func(t *rapid.T) {
				now := when.Draw(t, "now")
				steps := rapid.IntRange(0, 5).Draw(t, "steps")
				for p, due := range q.PopDue(now) {
					if first := model.entries[0]; first.pod != p || !first.due.Equal(due) {
						t.Fatalf("PopDue yields %d at %v, want %+v", p, due, first)
					}
					model.entries = model.entries[1:]
					if steps--; steps < 0 {
						return
					}
					update(t)
					remove(t)
				}
				if len(model.entries) > 0 && !model.entries[0].due.After(now) {
					t.Fatalf("PopDue left out %+v", model.entries[0])
				}
			},
			"": func(t *rapid.T) {
				for _, e := range model.entries {
					if due, ok := q.Due(e.pod); !ok || !due.Equal(e.due) {
						t.Fatalf("Due(%d) = %v, %v, want %+v", e.pod, due, ok, e)
					}
				}
				if due, ok := q.Due(31); ok || !due.IsZero() {
					t.Fatalf("Due of no pod = %v, %v", due, ok)
				}
				next, ok := q.Next()
				if q.Len() != len(model.entries) || ok != (q.Len() > 0) || ok && !next.Equal(model.entries[0].due) || !ok && !next.IsZero() {
					t.Fatalf("Len = %d, Next = %v, %v, want %+v", q.Len(), next, ok, model.entries)
				}
			},
		})
	})
}

func TestEvictionQueue(t *testing.T) {
	start := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	at := func(seconds int64) taints.Eviction {
		return taints.Eviction{Outcome: taints.EvictsAt, At: start.Add(time.Duration(seconds) * time.Second), Seconds: seconds}
	}
	drain := func(q *taints.EvictionQueue[string], now time.Time) (pods []string) {
		for pod := range q.PopDue(now) {
			pods = append(pods, pod)
		}
		return pods
	}
	far := time.Unix(math.MaxInt64-62135596800, 999_999_999)

	t.Run("one deadline, in the order of scheduling", func(t *testing.T) {
		var q taints.EvictionQueue[string]
		for _, pod := range []string{"c", "a", "b", "d"} {
			q.Update(pod, at(300))
		}
		q.Update("a", at(200))
		q.Update("a", at(300)) // behind the others now
		q.Update("b", at(300)) // no change
		if got, want := drain(&q, start.Add(time.Hour)), []string{"c", "b", "d", "a"}; !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
	t.Run("due at the nanosecond", func(t *testing.T) {
		var q taints.EvictionQueue[string]
		e := at(10)
		e.At = e.At.Add(5)
		q.Update("pod", e)
		if got := drain(&q, e.At.Add(-1)); got != nil {
			t.Errorf("%v is out too early", got)
		}
		if got := drain(&q, e.At); len(got) != 1 {
			t.Error("the pod is not out in time")
		}
	})
	t.Run("all times", func(t *testing.T) {
		var q taints.EvictionQueue[string]
		times := map[string]time.Time{"year 1": {}, "before": time.Unix(-62135596801, 0), "1970": time.Unix(0, 0), "the far past": time.Unix(math.MinInt64/2, 1), "the far future": far.Add(-1), "the end": far}
		for pod, when := range times {
			q.Update(pod, taints.Eviction{Outcome: taints.EvictsAt, At: when, Seconds: math.MaxInt64})
		}
		want := []string{"the far past", "before", "year 1", "1970", "the far future", "the end"}
		for i := range 3 {
			next, ok := q.Next()
			if !ok || !next.Equal(times[want[i]]) {
				t.Errorf("Next = %v, %v, want %v", next, ok, times[want[i]])
			}
			if got := drain(&q, next); !slices.Equal(got, want[i:i+1]) {
				t.Errorf("got %v, want %v", got, want[i])
			}
		}
		if got := drain(&q, far); !slices.Equal(got, want[3:]) {
			t.Errorf("got %v, want %v", got, want[3:])
		}
	})
	t.Run("deadlines come out in UTC and without a monotonic clock", func(t *testing.T) {
		var q taints.EvictionQueue[string]
		e := taints.Eviction{Outcome: taints.EvictsNow, At: time.Now().In(time.FixedZone("x", 3600))}
		q.Update("pod", e)
		if next, _ := q.Next(); next != e.At.Round(0).UTC() {
			t.Errorf("got %v, want %v", next, e.At)
		}
	})
	t.Run("an unknown outcome is a pod that stays", func(t *testing.T) {
		var q taints.EvictionQueue[string]
		if got := q.Update("pod", taints.Eviction{Outcome: 9, At: start}); got != taints.Unchanged {
			t.Errorf("got %v", got)
		}
		q.Update("pod", at(1))
		if got := q.Update("pod", taints.Eviction{Outcome: 9, At: start}); got != taints.Cancelled || q.Len() != 0 {
			t.Errorf("got %v, %d left", got, q.Len())
		}
	})
	t.Run("a name that is not itself is no pod", func(t *testing.T) {
		var q taints.EvictionQueue[float64]
		if got := q.Update(math.NaN(), at(1)); got != taints.Unchanged || q.Len() != 0 || q.Remove(math.NaN()) {
			t.Errorf("got %v, %d pending", got, q.Len())
		}
	})
	t.Run("an empty queue holds nothing", func(t *testing.T) {
		q := taints.EvictionQueue[string]{KeepTimers: true}
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		for i := range 100_000 {
			q.Update(strconv.Itoa(i), at(int64(i)+1))
		}
		for range q.PopDue(far) {
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 100_000 {
			t.Errorf("the heap has grown by %d bytes", grown)
		}
		if !q.KeepTimers {
			t.Error("KeepTimers is gone")
		}
	})
}

// What becomes of a pod with a pending eviction: KeepTimers against the newest answer. The rows are those of processPodOnNode.
func TestKeepTimers(t *testing.T) {
	start := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	const untolerated = "untolerated"
	eviction := func(toleration string, seen time.Duration) taints.Eviction {
		var tols []taints.Toleration
		if toleration != untolerated {
			tols = parseTolerations(toleration)
		}
		return taints.Evict(parseTaints("maintenance:NoExecute"), tols, start.Add(seen))
	}
	const forever, minutes5, minutes10, now = "maintenance op=Exists", "maintenance:NoExecute op=Exists for 300s", "maintenance:NoExecute op=Exists for 600s", "maintenance:NoExecute op=Exists for 0s"
	for _, tc := range []struct {
		name         string
		toleration   string // at the second look; at the first it is 5 minutes
		seen         time.Duration
		keep, newest taints.QueueChange
		due          time.Duration // with KeepTimers
		newestDue    time.Duration
	}{
		{"nothing new", minutes5, 0, taints.Unchanged, taints.Unchanged, 5 * time.Minute, 5 * time.Minute},
		{"a later look", minutes5, time.Minute, taints.Unchanged, taints.Moved, 5 * time.Minute, 6 * time.Minute},
		{"a longer time", minutes10, time.Minute, taints.Unchanged, taints.Moved, 5 * time.Minute, 11 * time.Minute},
		{"a longer time at the same moment", minutes10, 0, taints.Moved, taints.Moved, 10 * time.Minute, 10 * time.Minute},
		{"a clock that went back", minutes10, -time.Minute, taints.Moved, taints.Moved, 9 * time.Minute, 9 * time.Minute},
		{"no time, tolerated", now, time.Minute, taints.Unchanged, taints.Moved, 5 * time.Minute, time.Minute},
		{"not tolerated any more", untolerated, time.Minute, taints.Moved, taints.Moved, time.Minute, time.Minute},
		{"for ever", forever, time.Minute, taints.Cancelled, taints.Cancelled, -1, -1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, keep := range []bool{true, false} {
				want, due := tc.newest, tc.newestDue
				if keep {
					want, due = tc.keep, tc.due
				}
				q := taints.EvictionQueue[string]{KeepTimers: keep}
				q.Update("pod", eviction(minutes5, 0))
				if got := q.Update("pod", eviction(tc.toleration, tc.seen)); got != want {
					t.Errorf("KeepTimers %v: %v, want %v", keep, got, want)
				}
				if next, ok := q.Next(); ok != (due >= 0) || ok && !next.Equal(start.Add(due)) {
					t.Errorf("KeepTimers %v: due at %v, %v, want %v", keep, next, ok, due)
				}
			}
		})
	}
	t.Run("not tolerated, seen again, is due since the first time", func(t *testing.T) {
		q := taints.EvictionQueue[string]{KeepTimers: true}
		q.Update("pod", eviction(untolerated, 0))
		if got := q.Update("pod", eviction(untolerated, time.Minute)); got != taints.Unchanged {
			t.Errorf("got %v", got)
		}
	})
}

func TestDisruptionPolicy(t *testing.T) {
	p := taints.DefaultDisruptionPolicy()
	for _, tc := range []struct {
		zone  taints.Zone
		state taints.ZoneState
		rate  float32 // beside a healthy zone
	}{
		{taints.Zone{}, taints.ZoneNormal, 0.1},
		{taints.Zone{Ready: 1}, taints.ZoneNormal, 0.1},
		{taints.Zone{NotReady: 1}, taints.ZoneFull, 0.1},
		{taints.Zone{NotReady: 500}, taints.ZoneFull, 0.1},
		{taints.Zone{Ready: 1, NotReady: 2}, taints.ZoneNormal, 0.1},
		{taints.Zone{Ready: 1, NotReady: 3}, taints.ZonePartial, 0},
		{taints.Zone{Ready: 9, NotReady: 11}, taints.ZonePartial, 0},
		{taints.Zone{Ready: 46, NotReady: 54}, taints.ZoneNormal, 0.1},
		{taints.Zone{Ready: 45, NotReady: 55}, taints.ZonePartial, 0.01},
		{taints.Zone{Ready: 20, NotReady: 30}, taints.ZonePartial, 0},
		{taints.Zone{Ready: 20, NotReady: 31}, taints.ZonePartial, 0.01},
		{taints.Zone{Ready: -5, NotReady: 3}, taints.ZoneFull, 0.1},
		{taints.Zone{Ready: 3, NotReady: -3}, taints.ZoneNormal, 0.1},
		{taints.Zone{Ready: 1, NotReady: math.MaxInt}, taints.ZonePartial, 0.01},
		{taints.Zone{Ready: math.MaxInt, NotReady: math.MaxInt}, taints.ZoneNormal, 0.1},
	} {
		if got := p.State(tc.zone); got != tc.state {
			t.Errorf("%+v: %v, want %v", tc.zone, got, tc.state)
		}
		if got := p.Rates(nil, []taints.Zone{tc.zone, {Ready: 1}}); !slices.Equal(got, []float32{tc.rate, 0.1}) {
			t.Errorf("%+v: rates %v, want %v", tc.zone, got, tc.rate)
		}
	}
	t.Run("every zone is cut off", func(t *testing.T) {
		if !taints.FullyDisrupted([]taints.Zone{{NotReady: 3}, {}, {NotReady: 100}}) || !taints.FullyDisrupted(nil) || taints.FullyDisrupted([]taints.Zone{{NotReady: 3}, {Ready: 1}}) {
			t.Error("FullyDisrupted is wrong")
		}
		if got := p.Rates([]float32{7}, []taints.Zone{{NotReady: 3}, {}, {NotReady: 100}}); !slices.Equal(got, []float32{7, 0, 0, 0}) {
			t.Errorf("got %v", got)
		}
	})
	t.Run("one zone is cut off", func(t *testing.T) {
		if got := p.Rates(nil, []taints.Zone{{NotReady: 3}, {Ready: 1, NotReady: 2}}); !slices.Equal(got, []float32{0.1, 0.1}) {
			t.Errorf("got %v", got)
		}
	})
	t.Run("no zones", func(t *testing.T) {
		if got := p.Rates(nil, nil); got != nil {
			t.Errorf("got %v", got)
		}
	})
	t.Run("the zero policy taints nothing", func(t *testing.T) {
		if got := (taints.DisruptionPolicy{}).Rates(nil, []taints.Zone{{Ready: 1, NotReady: 3}, {Ready: 5}, {NotReady: 5}}); !slices.Equal(got, []float32{0, 0, 0}) {
			t.Errorf("got %v", got)
		}
	})
	t.Run("a negative size makes every zone large", func(t *testing.T) {
		p := taints.DisruptionPolicy{Threshold: 0.5, Rate: 1, SecondaryRate: 0.5, LargeZone: -1}
		if got := p.Rates(nil, []taints.Zone{{Ready: 1, NotReady: 3}}); !slices.Equal(got, []float32{0.5}) {
			t.Errorf("got %v", got)
		}
	})
}
