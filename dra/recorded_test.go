// SPDX-License-Identifier: Apache-2.0

package dra_test

import (
	"testing"
	"time"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/dra"
	"github.com/seed-0529bac1/taints/internal/test/recorded"
)

type recordedPod struct {
	Name        string
	Taints      []resourceapi.DeviceTaint
	Tolerations []resourceapi.DeviceToleration
	Allocated   bool
	Bound       time.Time
	// Later are the taints that a rule or a new slice added.
	Later   []resourceapi.DeviceTaint
	LaterAt time.Time
	Evicted *time.Time
}

// Whether the kube-scheduler of a live cluster allocated a tainted device to a
// pod, and when the device-taint-eviction controller evicted the pod.
func TestRecordedDevices(t *testing.T) {
	type answers struct {
		End  time.Time
		Pods []recordedPod
	}
	recorded.Each(t, "devices.json", func(t *testing.T, a answers) {
		allocated, evicted := 0, 0
		for _, pod := range a.Pods {
			m := dra.Options().Compile(dra.Tolerations(pod.Tolerations))
			if got := m.Filter(dra.Taints(pod.Taints)).Schedulable(); got != pod.Allocated {
				t.Errorf("%s: allocated %v, got %v", pod.Name, pod.Allocated, got)
			}
			if !pod.Allocated {
				continue
			}
			allocated++
			at, gone := evictionOf(pod)
			gone = gone && !at.After(a.End)
			switch {
			case gone != (pod.Evicted != nil):
				t.Errorf("%s: evicted at %v, got %v, %v", pod.Name, pod.Evicted, at, gone)
			case gone:
				evicted++
				if delay := pod.Evicted.Sub(at); delay < 0 || delay > 2*time.Second {
					t.Errorf("%s: evicted at %v, got %v", pod.Name, pod.Evicted, at)
				}
			}
		}
		if allocated != 78 || evicted != 32 {
			t.Errorf("%d allocated and %d evicted, want 78 and 32", allocated, evicted)
		}
	})
}

// evictionOf returns when the pod is evicted, by the taints that its device has at
// first or by those that come later.
func evictionOf(pod recordedPod) (at time.Time, evicts bool) {
	m := dra.Options().Compile(dra.NoExecuteTolerations(pod.Tolerations))
	at, evicts = evictionFrom(m, pod.Taints, pod.Bound)
	if pod.LaterAt.IsZero() || evicts && at.Before(pod.LaterAt) {
		return at, evicts
	}
	return evictionFrom(m, append(pod.Taints, pod.Later...), pod.LaterAt)
}

// evictionFrom returns when the taints evict a pod if they are there at the time:
// not before it.
func evictionFrom(m *taints.Matcher, list []resourceapi.DeviceTaint, from time.Time) (at time.Time, evicts bool) {
	e := dra.Policy().EvictionOf(m, dra.Taints(list), from)
	if e.At.Before(from) {
		return from, e.Outcome != taints.Stays
	}
	return e.At, e.Outcome != taints.Stays
}
