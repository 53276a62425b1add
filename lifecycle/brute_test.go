// SPDX-License-Identifier: Apache-2.0

package lifecycle_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/sequences"
	"github.com/seed-0529bac1/taints/lifecycle"
)

// A queueStep is an operation on a Queue and its model.
type queueStep struct {
	name string
	run  func(t fataler, m *modeledQueue)
}

// at is the moment so many seconds after noon.
func at(seconds int) time.Time { return noon.Add(time.Duration(seconds) * time.Second) }

// bruteEvictions lead to each rule of KeepTimers, and meet at few times: checks at
// two moments, evictions that have begun, and those that a caller made.
var bruteEvictions = map[string]taints.Eviction{
	"stays": {},
	"untolerated at 1": taints.EvictionOf([]taints.Taint{
		{Key: "maintenance", Effect: taints.NoExecute},
	}, nil, at(1)),
	"0s from 1":                 evicted(0, at(1)),
	"1s from 0":                 evicted(1, at(0)),
	"2s from 0":                 evicted(2, at(0)),
	"1s from 1":                 evicted(1, at(1)),
	"at 1, by the caller":       {Outcome: taints.EvictsAt, At: at(1)},
	"at 2, 1s, by the caller":   {Outcome: taints.EvictsAt, At: at(2), Seconds: 1},
	"at 1, -1s, by the caller":  {Outcome: taints.EvictsAt, At: at(1), Seconds: -1},
	"now at 2, by the caller":   {Outcome: taints.EvictsNow, At: at(2)},
	"before it is seen, at 1":   {Outcome: taints.EvictsAt, At: at(1), From: at(2)},
	"unknown outcome":           {Outcome: 9, At: at(1)},
	"far away, by the caller":   {Outcome: taints.EvictsAt, At: at(3600), From: at(0)},
	"in the past, 1s from -100": evicted(1, at(-100)),
}

// queueSteps returns the updates of so many pods to each of the evictions, and
// everything that takes pods out.
func queueSteps(pods int, evictions ...string) []queueStep {
	var steps []queueStep
	add := func(name string, run func(t fataler, m *modeledQueue)) {
		steps = append(steps, queueStep{name, run})
	}
	for pod := range pods {
		for _, name := range evictions {
			e, known := bruteEvictions[name]
			if !known {
				panic(name)
			}
			add(fmt.Sprintf("Update %d: %s", pod, name), func(t fataler, m *modeledQueue) {
				m.updateTo(t, pod, e)
			})
		}
		add(fmt.Sprintf("Delete %d", pod), func(t fataler, m *modeledQueue) { m.deletePod(t, pod) })
	}
	add("PopDue at 1", func(t fataler, m *modeledQueue) { m.popDue(t, at(1)) })
	add("PopDue at 2", func(t fataler, m *modeledQueue) { m.popDue(t, at(2)) })
	return steps
}

// loopSteps returns loops over PopDue and All whose bodies update, delete, loop
// too, or end the loop.
func loopSteps(pods int) []queueStep {
	next := func(pod int) int { return (pod + 1) % pods }
	bodies := map[string]func(t fataler, m *modeledQueue, pod int) bool{
		"puts off, both": func(t fataler, m *modeledQueue, pod int) bool {
			m.updateTo(t, pod, evicted(2, at(1)))
			m.updateTo(t, next(pod), evicted(2, at(1)))
			return true
		},
		"hastens the next": func(t fataler, m *modeledQueue, pod int) bool {
			m.updateTo(t, next(pod), bruteEvictions["untolerated at 1"])
			return true
		},
		"deletes the next": func(t fataler, m *modeledQueue, pod int) bool {
			m.deletePod(t, next(pod))
			return true
		},
		"pops all": func(t fataler, m *modeledQueue, pod int) bool {
			m.popDue(t, at(2))
			return true
		},
		"ends, and adds": func(t fataler, m *modeledQueue, pod int) bool {
			m.updateTo(t, next(pod), evicted(1, at(0)))
			return false
		},
	}
	var steps []queueStep
	for _, name := range []string{
		"puts off, both", "hastens the next", "deletes the next", "pops all", "ends, and adds",
	} {
		body := bodies[name]
		steps = append(steps,
			queueStep{"PopDue at 2, " + name, func(t fataler, m *modeledQueue) {
				again := 5 // a body that schedules what is due at once would go on forever
				m.popDueWith(t, at(2), func(pod int) bool { again--; return body(t, m, pod) && again > 0 })
			}},
			queueStep{"All, " + name, func(t fataler, m *modeledQueue) {
				m.allWith(t, func(pod int) bool { return body(t, m, pod) })
			}})
	}
	return append(steps, queueStep{"All, in All, deletes", func(t fataler, m *modeledQueue) {
		m.allWith(t, func(pod int) bool {
			m.allWith(t, func(other int) bool { m.deletePod(t, other); return true })
			return true
		})
	}})
}

// All short sequences of operations, on an empty queue and on one that gives its
// memory back with the next removal.
func TestBruteQueue(t *testing.T) {
	empty := func(fataler, *modeledQueue) {}
	large := func(t fataler, m *modeledQueue) {
		for pod := range 33 {
			m.updateTo(t, 100+pod, taints.Eviction{Outcome: taints.EvictsAt, At: at(pod % 4)})
		}
		for pod := range 24 {
			m.deletePod(t, 100+pod)
		}
	}
	all := slices.Sorted(maps.Keys(bruteEvictions))
	for _, c := range []struct {
		name   string
		begin  func(fataler, *modeledQueue)
		steps  []queueStep
		length int
	}{
		{"one pod, all evictions", empty, queueSteps(1, all...), 3},
		{"one pod", empty, queueSteps(1, "stays", "untolerated at 1", "1s from 0", "2s from 0", "1s from 1"), 5},
		{"two pods", empty, queueSteps(2, "stays", "untolerated at 1", "2s from 0", "at 1, by the caller"), 4},
		{"three pods", empty, queueSteps(3, "1s from 0", "2s from 0"), 4},
		{"loops", empty, append(loopSteps(2), queueSteps(2, "1s from 0", "2s from 0", "untolerated at 1")...), 4},
		{"loops over three pods", empty, append(loopSteps(3), queueSteps(3, "1s from 0", "2s from 0")...), 3},
		{"memory is given back", large, append(loopSteps(2), queueSteps(2, "stays", "1s from 0")...), 2},
	} {
		for _, keep := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, KeepTimers %v", c.name, keep), func(t *testing.T) {
				length := c.length
				if testing.Short() {
					length--
				}
				sequences.Each(len(c.steps), length, func(sequence []int) {
					var names []string
					in := prefixed{t, &names}
					m := modeledQueue{&lifecycle.Queue[int]{KeepTimers: keep}, queueModel{keepTimers: keep}}
					c.begin(in, &m)
					for _, step := range sequence {
						names = append(names, c.steps[step].name)
						c.steps[step].run(in, &m)
					}
					m.check(in)
				})
			})
		}
	}
}

// A prefixed is a test that says what came before a failure.
type prefixed struct {
	t     *testing.T
	names *[]string
}

func (p prefixed) Fatalf(format string, args ...any) {
	p.t.Helper()
	p.t.Fatalf("after %q: "+format, append([]any{*p.names}, args...)...)
}
