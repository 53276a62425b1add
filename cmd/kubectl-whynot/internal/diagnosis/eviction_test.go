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
	added, all := []int{-400, -200, -100, 50}, []int64{untolerated, forever, 0, 50, 100, 150, 300, 1000}
	for i := range 4 * len(added) * len(added) * len(all) * len(all) {
		next := func(n int) int {
			digit := i % n
			i /= n
			return digit
		}
		arrived := []time.Time{{}, in(-300), in(-200), in(10)}[next(4)]
		c, p, n := controller{}, &cluster.Pod{Arrived: arrived, Profile: &cluster.Profile{}}, &cluster.Node{}
		var seen []time.Time
		for _, key := range []string{"a", "b"} {
			at := in(added[next(len(added))])
			n.Taints = append(n.Taints, taints.Taint{Key: key, Effect: taints.NoExecute, TimeAdded: &at})
			seen = append(seen, slices.MinFunc([]time.Time{now, slices.MaxFunc([]time.Time{at, arrived}, time.Time.Compare)}, time.Time.Compare))
			seconds := all[next(len(all))]
			c.seconds = append(c.seconds, seconds)
			toleration := taints.Toleration{Key: key, Operator: taints.OpExists, Effect: taints.NoExecute, TolerationSeconds: &seconds}
			if seconds == forever {
				toleration.TolerationSeconds = nil
			}
			if seconds != untolerated {
				p.Tolerations = append(p.Tolerations, toleration)
			}
		}
		p.Matcher = taints.Compile(p.Tolerations)
		switch seen[0].Compare(seen[1]) {
		case -1:
			c.process(seen[0], 0)
		case 1:
			c.process(seen[1], 1)
		}
		c.process(slices.MaxFunc(seen, time.Time.Compare), 0, 1)
		if first, e := timerOf(p, n, now, now); (first != nil) != c.has || !e.At.Equal(c.fireAt) {
			t.Errorf("taints %v tolerated by %v, bound at %v: evicted %v at %v, want %v at %v",
				n.Taints, p.Tolerations, arrived, first != nil, e.At, c.has, c.fireAt)
		}
	}
}

const forever, untolerated = -1, -2

// A controller has a worker of TimedWorkerQueue for one pod.
type controller struct {
	seconds           []int64 // of each taint's toleration, or one of the constants
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
		case s == untolerated:
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
