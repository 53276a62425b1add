// SPDX-License-Identifier: Apache-2.0

package diagnosis

import (
	"slices"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
	"github.com/seed-0529bac1/taints/lifecycle"
)

// NotEvaluated names the rules that no report evaluates.
func NotEvaluated() []string { return slices.Clone(notEvaluated) }

// A Changed answers questions about a cluster whose nodes change now.
type Changed struct{ *analyst }

// NewChanged returns the answers about the cluster after the change.
func NewChanged(after *cluster.Cluster, now time.Time) Changed {
	return Changed{newAnalyst(after, Question{Now: now})}
}

// Evictions returns the eviction of the pod by the taints that its node has had
// so far, and the one by those that it gets now. The new taints have the time now.
func (a Changed) Evictions(p *cluster.Pod, before, after *cluster.Node) (was, is Eviction) {
	was = a.evictionOf(p, before)
	is = a.evictionBy(p, after, func(unknown time.Time) (*taints.Taint, taints.Eviction) {
		return timerAfter(p, before, after, unknown, a.question.Now)
	})
	return was, is
}

// timerAfter returns the pod's timer in the taint-eviction controller after it has
// seen the node's change, with the taint that started it, or nil if the pod stays.
// A timer that runs is kept or canceled, as in timerOf.
func timerAfter(p *cluster.Pod, before, after *cluster.Node, unknown, now time.Time) (first *taints.Taint, timer taints.Eviction) {
	queue := lifecycle.Queue[cluster.PodName]{KeepTimers: true}
	first, timer = timerOf(p, before, unknown, now)
	if first != nil && !timer.At.After(now) { // the pod is deleted before the change
		return first, timer
	}
	if first != nil {
		queue.Update(p.PodName, timer)
	}
	e := p.Matcher.EvictionOf(after.Taints, now)
	switch queue.Update(p.PodName, e) {
	case lifecycle.QueueCanceled:
		return nil, e
	case lifecycle.QueueScheduled, lifecycle.QueueMoved:
		return &after.Taints[e.Taint], e
	}
	return first, timer
}
