// SPDX-License-Identifier: Apache-2.0

package lifecycle_test

import (
	"encoding/json"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/lifecycle"
)

const (
	tolerates    = "maintenance op=Exists"
	fiveMinutes  = "maintenance:NoExecute op=Exists for 300s"
	tenMinutes   = "maintenance:NoExecute op=Exists for 600s"
	noTime       = "maintenance:NoExecute op=Exists for 0s"
	negativeTime = "maintenance:NoExecute op=Exists for -60s"
	untolerated  = ""
)

// check is what a controller finds at a node in maintenance after a while.
func check(toleration string, after time.Duration) taints.Eviction {
	var tolerations []taints.Toleration
	if toleration != untolerated {
		tolerations = append(tolerations, taints.MustParseToleration(toleration))
	}
	node := []taints.Taint{taints.MustParseTaint("maintenance:NoExecute")}
	return taints.EvictionOf(node, tolerations, noon.Add(after))
}

// What becomes of a pod with a pending eviction: under KeepTimers, where the
// rows are those of processPodOnNode in Kubernetes, and when the newest answer
// counts.
func TestKeepTimers(t *testing.T) {
	const gone = -time.Hour
	for _, tc := range []struct {
		name         string
		first        string
		second       string
		after        time.Duration
		keep, newest lifecycle.QueueChange
		due          time.Duration // under KeepTimers
		newestDue    time.Duration
	}{
		{
			"nothing new", fiveMinutes, fiveMinutes, 0, lifecycle.Unchanged, lifecycle.Unchanged,
			5 * time.Minute, 5 * time.Minute,
		},
		{
			"a later check", fiveMinutes, fiveMinutes, time.Minute, lifecycle.Unchanged,
			lifecycle.Moved, 5 * time.Minute, 6 * time.Minute,
		},
		{
			"a longer time", fiveMinutes, tenMinutes, time.Minute, lifecycle.Unchanged,
			lifecycle.Moved, 5 * time.Minute, 11 * time.Minute,
		},
		{
			"a shorter time", tenMinutes, fiveMinutes, time.Minute, lifecycle.Unchanged,
			lifecycle.Moved, 10 * time.Minute, 6 * time.Minute,
		},
		{
			"a longer time at the same moment", fiveMinutes, tenMinutes, 0, lifecycle.Moved,
			lifecycle.Moved, 10 * time.Minute, 10 * time.Minute,
		},
		{
			"a shorter time at the same moment", tenMinutes, fiveMinutes, 0, lifecycle.Moved,
			lifecycle.Moved, 5 * time.Minute, 5 * time.Minute,
		},
		{
			"a nanosecond later", fiveMinutes, tenMinutes, 1, lifecycle.Unchanged,
			lifecycle.Moved, 5 * time.Minute, 10*time.Minute + 1,
		},
		{
			"a clock that stepped back", fiveMinutes, fiveMinutes, -time.Minute,
			lifecycle.Unchanged, lifecycle.Moved, 5 * time.Minute, 4 * time.Minute,
		},
		{
			"a clock that stepped back, a longer time", fiveMinutes, tenMinutes, -time.Minute,
			lifecycle.Unchanged, lifecycle.Moved, 5 * time.Minute, 9 * time.Minute,
		},
		{
			"no time, tolerated", fiveMinutes, noTime, time.Minute, lifecycle.Unchanged,
			lifecycle.Moved, 5 * time.Minute, time.Minute,
		},
		{
			"less than no time, tolerated", fiveMinutes, negativeTime, time.Minute,
			lifecycle.Unchanged, lifecycle.Moved, 5 * time.Minute, time.Minute,
		},
		{"no time, tolerated, at the same moment", fiveMinutes, noTime, 0, lifecycle.Moved, lifecycle.Moved, 0, 0},
		{
			"no longer tolerated", fiveMinutes, untolerated, time.Minute, lifecycle.Moved,
			lifecycle.Moved, time.Minute, time.Minute,
		},
		{
			"not tolerated, and the clock stepped back", fiveMinutes, untolerated, -time.Minute,
			lifecycle.Moved, lifecycle.Moved, -time.Minute, -time.Minute,
		},
		{
			"not tolerated, after the deadline", fiveMinutes, untolerated, 6 * time.Minute,
			lifecycle.Unchanged, lifecycle.Moved, 5 * time.Minute, 6 * time.Minute,
		},
		{
			"tolerated forever", fiveMinutes, tolerates, time.Minute,
			lifecycle.Canceled, lifecycle.Canceled, gone, gone,
		},

		{
			"begun, and seen again", untolerated, untolerated, time.Minute, lifecycle.Unchanged,
			lifecycle.Moved, 0, time.Minute,
		},
		{
			"begun, and tolerated for a time", untolerated, fiveMinutes, time.Minute,
			lifecycle.Unchanged, lifecycle.Moved, 0, 6 * time.Minute,
		},
		{
			"begun, and tolerated for a time at the same moment", untolerated, fiveMinutes, 0,
			lifecycle.Unchanged, lifecycle.Moved, 0, 5 * time.Minute,
		},
		{
			"begun, and tolerated for no time", untolerated, noTime, time.Minute,
			lifecycle.Unchanged, lifecycle.Moved, 0, time.Minute,
		},
		{
			"begun, and tolerated forever", untolerated, tolerates, time.Minute,
			lifecycle.Unchanged, lifecycle.Canceled, 0, gone,
		},
		{
			"tolerated for no time, then forever", noTime, tolerates, time.Minute,
			lifecycle.Unchanged, lifecycle.Canceled, 0, gone,
		},
		{
			"tolerated for no time, then longer", noTime, tenMinutes, 0, lifecycle.Unchanged,
			lifecycle.Moved, 0, 10 * time.Minute,
		},
		{
			"tolerated for no time, then not at all, and the clock stepped back", noTime,
			untolerated, -time.Minute, lifecycle.Moved, lifecycle.Moved, -time.Minute,
			-time.Minute,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, keep := range []bool{true, false} {
				want, due := tc.newest, tc.newestDue
				if keep {
					want, due = tc.keep, tc.due
				}
				q := lifecycle.Queue[string]{KeepTimers: keep}
				q.Update("pod", check(tc.first, 0))
				if got := q.Update("pod", check(tc.second, tc.after)); got != want {
					t.Errorf("KeepTimers %v: %v, want %v", keep, got, want)
				}
				if next, ok := q.Next(); ok != (due != gone) || ok && !next.Equal(noon.Add(due)) {
					t.Errorf("KeepTimers %v: due at %v, %v, want %v", keep, next, ok, due)
				}
			}
		})
	}
}

// An eviction that has begun leaves the queue by Delete and PopDue only.
func TestBegunEvictions(t *testing.T) {
	const hour = time.Hour
	at := func(from, due time.Duration) taints.Eviction {
		return taints.Eviction{
			Outcome: taints.EvictsAt,
			From:    noon.Add(from),
			At:      noon.Add(due),
			Seconds: int64((due - from) / time.Second),
		}
	}
	for _, tc := range []struct {
		name   string
		checks []taints.Eviction
		begun  bool
	}{
		{"pending", []taints.Eviction{at(0, hour)}, false},
		{"made by the caller", []taints.Eviction{{Outcome: taints.EvictsAt, At: noon.Add(hour)}}, false},
		{
			"made by the caller, with seconds",
			[]taints.Eviction{{Outcome: taints.EvictsAt, At: noon.Add(hour), Seconds: 60}},
			false,
		},
		{
			"made by the caller twice",
			[]taints.Eviction{
				{Outcome: taints.EvictsAt, At: noon.Add(hour)},
				{Outcome: taints.EvictsAt, At: noon.Add(2 * hour)},
			},
			false,
		},
		{
			"made by the caller, due when its seconds begin",
			[]taints.Eviction{{Outcome: taints.EvictsAt, At: noon.Add(hour), From: noon.Add(hour)}},
			true,
		},
		{"now, made by the caller", []taints.Eviction{{Outcome: taints.EvictsNow, At: noon.Add(hour)}}, true},
		{"due when its seconds begin", []taints.Eviction{at(hour, hour)}, true},
		{"due before its seconds begin", []taints.Eviction{at(2*hour, hour)}, true},
		{"no longer tolerated", []taints.Eviction{at(0, hour), check(untolerated, time.Minute)}, true},
		{"no longer tolerated, too late", []taints.Eviction{at(0, hour), check(untolerated, 2*hour)}, true},
		{"no time at the same moment", []taints.Eviction{at(0, hour), check(noTime, 0)}, true},
		{"no time later", []taints.Eviction{at(0, hour), check(noTime, time.Minute)}, false},
		{"another time at the same moment", []taints.Eviction{at(0, hour), at(0, 2*hour)}, false},
		{"seen before the deadline", []taints.Eviction{at(0, hour), at(hour-1, 3*hour)}, false},
		{"seen at the deadline", []taints.Eviction{at(0, hour), at(hour, 3*hour)}, true},
		{
			"seen behind the deadline, tolerated for no time",
			[]taints.Eviction{at(0, hour), check(noTime, 2*hour)},
			true,
		},
		{
			"seen behind the deadline, and the clock stepped back",
			[]taints.Eviction{at(0, hour), at(2*hour, 3*hour), at(0, hour)},
			true,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			q := lifecycle.Queue[string]{KeepTimers: true}
			for _, e := range tc.checks {
				q.Update("pod", e)
			}
			due, _ := q.Due("pod")
			want := lifecycle.Canceled
			if tc.begun {
				want = lifecycle.Unchanged
			}
			if got := q.Update("pod", taints.Eviction{}); got != want {
				t.Fatalf("a pod that stays is %v, want %v", got, want)
			}
			if !tc.begun {
				return
			}
			if got := q.Update("pod", at(0, 9*hour)); got != lifecycle.Unchanged {
				t.Errorf("put off: %v", got)
			}
			if got := drain(&q, due); len(got) != 1 || q.Len() != 0 {
				t.Errorf("got %v when it is due", got)
			}
			q.Update("pod", check(untolerated, 0))
			if !q.Delete("pod") || q.Len() != 0 {
				t.Error("the pod cannot be deleted")
			}
			q.Update("pod", at(0, hour))
			if got := q.Update("pod", taints.Eviction{}); got != lifecycle.Canceled {
				t.Errorf("a new pod of the name: %v", got)
			}
		})
	}
}

// The moment of a check is compared by wall clock, in whatever location.
func TestKeepTimersComparesMoments(t *testing.T) {
	now := time.Now()
	for _, from := range []time.Time{now, now.Round(0), now.UTC(), now.In(time.FixedZone("x", -3600))} {
		q := lifecycle.Queue[string]{KeepTimers: true}
		q.Update("pod", evicted(300, now))
		if got := q.Update("pod", evicted(60, from)); got != lifecycle.Moved {
			t.Errorf("%v: %v", from, got)
		}
	}
}

// A kubernetesPod restates what Kubernetes' taint-eviction controller keeps of a
// pod (processPodOnNode and TimedWorkerQueue). Its clock never steps back.
type kubernetesPod struct {
	timer     bool          // pending
	createdAt time.Duration // since the start, by the monotonic clock
	fireAt    time.Duration
	due       time.Time // fireAt, by the wall clock when it was set
	deleted   bool      // the deletion has begun
}

// addWork starts the work that is due after some seconds, unless it is there.
func (p *kubernetesPod) addWork(createdAt, now time.Duration, wall time.Time, seconds int64) {
	if p.timer || p.deleted {
		return
	}
	p.createdAt, p.fireAt = createdAt, now+time.Duration(seconds)*time.Second
	p.due = wall.Add(time.Duration(seconds) * time.Second)
	p.timer = p.fireAt > createdAt
	p.deleted = !p.timer
}

// fire runs the timer if it is due.
func (p *kubernetesPod) fire(now time.Duration) {
	if p.timer && p.fireAt <= now {
		p.timer, p.deleted = false, true
	}
}

// process checks the pod. The seconds are those of its shortest toleration, or
// nil for forever.
func (p *kubernetesPod) process(tolerated bool, seconds *int64, now time.Duration, wall time.Time) {
	switch {
	case !tolerated:
		p.timer = false
		p.addWork(now, now, wall, 0)
	case seconds == nil:
		p.timer = false
	default:
		least, createdAt := max(0, *seconds), now
		if p.timer {
			createdAt = p.createdAt
			if createdAt < now {
				return
			}
			p.timer = false
		}
		p.addWork(createdAt, now, wall, least)
	}
}

// A pod is checked again and again, with another toleration each time. With
// KeepTimers its eviction is pending, and has begun, whenever Kubernetes' is.
func TestKeepTimersIsProcessPodOnNode(t *testing.T) {
	test := func(t *rapid.T, stepsBack bool) {
		var kubernetes kubernetesPod
		ours := lifecycle.Queue[string]{KeepTimers: true}
		now, step := time.Duration(0), time.Duration(0)
		least := int64(1)
		if stepsBack {
			least = 1000 // no timer comes due meanwhile: it would by another clock than ours
		}
		for i := range rapid.IntRange(1, 10).Draw(t, "checks") {
			pass := time.Duration(rapid.IntRange(0, 20).Draw(t, "pass")) * time.Second
			now += pass
			if stepsBack && pass > 0 {
				// The nanosecond keeps one reading from being another's by accident.
				step += time.Duration(rapid.SampledFrom([]int{0, -1, -30, -7200}).Draw(t, "step"))*time.Second +
					time.Duration(i)
			}
			wall := noon.Add(now + step)
			kubernetes.fire(now)
			if !stepsBack {
				gone := len(drain(&ours, wall)) > 0
				if gone != kubernetes.deleted {
					t.Fatalf("check %d: evicted %v, Kubernetes %v", i, gone, kubernetes.deleted)
				}
				if gone {
					return
				}
			}
			var seconds *int64
			node := []taints.Taint{taints.MustParseTaint("maintenance:NoExecute")}
			tolerations := []taints.Toleration{{Key: "maintenance", Operator: "Exists"}}
			tolerated := rapid.IntRange(0, 4).Draw(t, "tolerated") > 0
			if !tolerated {
				tolerations = nil
			} else if rapid.IntRange(0, 4).Draw(t, "timed") > 0 {
				s := rapid.OneOf(rapid.Int64Range(-1, 0), rapid.Int64Range(least, least+40),
					rapid.Int64Range(least, least+40)).Draw(t, "seconds")
				seconds, tolerations[0].TolerationSeconds = &s, &s
			}
			begun, before := kubernetes.deleted, kubernetes.due
			kubernetes.process(tolerated, seconds, now, wall)
			change := ours.Update("pod", taints.EvictionOf(node, tolerations, wall))

			due, pending := ours.Due("pod")
			if pending != (kubernetes.timer || kubernetes.deleted) {
				t.Fatalf("check %d: pending %v, Kubernetes %+v", i, pending, kubernetes)
			}
			switch {
			case begun && (change != lifecycle.Unchanged || !due.Equal(before)) &&
				!(change == lifecycle.Moved && !tolerated && due.Before(before)):
				t.Fatalf("check %d: begun at %v, and then %v to %v", i, before, change, due)
			case begun && due.Before(before):
				kubernetes.due = due
			case pending && !due.Equal(kubernetes.due):
				t.Fatalf("check %d: due at %v, Kubernetes %+v", i, due, kubernetes)
			}
		}
	}
	t.Run("the clock runs on", func(t *testing.T) { rapid.Check(t, func(t *rapid.T) { test(t, false) }) })
	t.Run("the clock steps back", func(t *testing.T) { rapid.Check(t, func(t *rapid.T) { test(t, true) }) })
}

// An eviction that comes from JSON, as between two processes, is queued like the
// one that it was.
func TestQueueTakesEvictionsFromJSON(t *testing.T) {
	for _, e := range []taints.Eviction{
		check(untolerated, 10*time.Second), check(noTime, 10*time.Second), check(fiveMinutes, 10*time.Second), {},
	} {
		text, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		var decoded taints.Eviction
		if err := json.Unmarshal(text, &decoded); err != nil {
			t.Fatal(err)
		}
		var direct, by lifecycle.Queue[string]
		direct.KeepTimers, by.KeepTimers = true, true
		for _, e := range [][2]taints.Eviction{{check(fiveMinutes, 0), check(fiveMinutes, 0)}, {e, decoded}, {}} {
			if want, got := direct.Update("p", e[0]), by.Update("p", e[1]); got != want {
				t.Errorf("%s: %v, want %v", text, got, want)
			}
		}
		want, _ := direct.Due("p")
		if got, _ := by.Due("p"); !got.Equal(want) {
			t.Errorf("%s: due %v, want %v", text, got, want)
		}
	}
}
