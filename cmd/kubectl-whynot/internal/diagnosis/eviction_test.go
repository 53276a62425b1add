// SPDX-License-Identifier: Apache-2.0

package diagnosis

import (
	"slices"
	"testing"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
)

// TestTimers compares the deadlines with a transcription of Kubernetes'
// taint-eviction controller, for two taints that it sees one after the other.
func TestTimers(t *testing.T) {
	now := time.Date(2026, 11, 21, 1, 24, 0, 0, time.UTC)
	in := func(seconds int) time.Time { return now.Add(time.Duration(seconds) * time.Second) }
	const forever, untolerated = -1, -2
	tolerate := func(key string, seconds int64) []taints.Toleration {
		t := taints.Toleration{Key: key, Operator: taints.OpExists, Effect: taints.NoExecute, TolerationSeconds: &seconds}
		if seconds == forever {
			t.TolerationSeconds = nil
		}
		if seconds == untolerated {
			return nil
		}
		return []taints.Toleration{t}
	}
	added, all := []int{-400, -200, -100, 50}, []int64{untolerated, forever, 0, 50, 100, 150, 300, 1000}
	for _, arrived := range []time.Time{{}, in(-300), in(-200), in(10)} {
		for _, a := range added {
			for _, b := range added {
				for _, x := range all {
					for _, y := range all {
						seen := func(at int) time.Time {
							first := in(at)
							if first.Before(arrived) {
								first = arrived
							}
							if first.After(now) {
								first = now
							}
							return first
						}
						timeA, timeB := in(a), in(b)
						n := &cluster.Node{Taints: []taints.Taint{
							{Key: "a", Effect: taints.NoExecute, TimeAdded: &timeA}, {Key: "b", Effect: taints.NoExecute, TimeAdded: &timeB},
						}}
						list := slices.Concat(tolerate("a", x), tolerate("b", y))
						p := &cluster.Pod{Arrived: arrived, Profile: &cluster.Profile{Tolerations: list, Matcher: taints.Compile(list)}}
						c := controller{}
						switch c.seconds = []int64{x, y}; seen(a).Compare(seen(b)) {
						case 0:
							c.process(seen(a), 0, 1)
						case -1:
							c.process(seen(a), 0)
							c.process(seen(b), 0, 1)
						default:
							c.process(seen(b), 1)
							c.process(seen(a), 0, 1)
						}
						if first, e := timerOf(p, n, now, now); (first != nil) != c.has || !e.At.Equal(c.fireAt) {
							t.Errorf("taints added at %d and %d with %d and %d seconds, bound at %v: evicted %v at %v, want %v at %v",
								a, b, x, y, arrived, first != nil, e.At, c.has, c.fireAt)
						}
					}
				}
			}
		}
	}
}

// A controller has a worker of TimedWorkerQueue for one pod.
type controller struct {
	seconds           []int64 // of each taint's toleration; -1: forever, -2: untolerated
	has               bool
	createdAt, fireAt time.Time
}

// process is processPodOnNode for a node with the taints.
func (c *controller) process(now time.Time, list ...int) {
	if c.has && !c.fireAt.After(now) {
		return // the pod is deleted
	}
	least := int64(-1)
	for _, i := range list {
		switch s := c.seconds[i]; {
		case s == -2:
			c.has, c.createdAt, c.fireAt = true, now, now
			return
		case s >= 0 && (least < 0 || s < least):
			least = s
		}
	}
	if least < 0 {
		*c = controller{seconds: c.seconds}
		return
	}
	start, trigger := now, now.Add(time.Duration(least)*time.Second)
	if c.has {
		if start = c.createdAt; start.Add(time.Duration(least) * time.Second).Before(trigger) {
			return
		}
	}
	c.has, c.createdAt, c.fireAt = true, start, trigger
}
