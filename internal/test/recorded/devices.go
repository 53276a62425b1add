// SPDX-License-Identifier: Apache-2.0

package recorded

import (
	"testing"
	"time"

	"github.com/seed-0529bac1/taints"
)

// Devices say whether the kube-scheduler allocated a tainted device to pods, and when
// the device-taint-eviction controller deleted the pods, until the End. Their taints
// and tolerations are those of devices.
type Devices struct {
	End  time.Time   `json:"end"`
	Pods []DevicePod `json:"pods"`
}

// A DevicePod is a pod of [Devices].
type DevicePod struct {
	Name        string              `json:"name"`
	Taints      []taints.Taint      `json:"taints"`
	Tolerations []taints.Toleration `json:"tolerations"`
	Allocated   bool                `json:"allocated"`
	Bound       time.Time           `json:"bound,omitzero"`
	// Later are the taints that a new slice added, or a rule.
	Later   []taints.Taint `json:"later,omitempty"`
	ByRule  bool           `json:"byRule,omitempty"`
	LaterAt time.Time      `json:"laterAt,omitzero"`
	Evicted *time.Time     `json:"evicted,omitempty"` // nil: it was there at the end
}

// DeviceRules are what module dra says.
type DeviceRules struct {
	Options   taints.Options
	Policy    taints.EvictionPolicy
	NoExecute func([]taints.Toleration) []taints.Toleration
}

// Check holds the rules against the answers.
func (d Devices) Check(t *testing.T, rules DeviceRules) {
	allocated, evicted := 0, 0
	for _, pod := range d.Pods {
		m := rules.Options.Compile(pod.Tolerations)
		if got := m.Filter(pod.Taints).Schedulable(); got != pod.Allocated {
			t.Errorf("%s: allocated %v, got %v", pod.Name, pod.Allocated, got)
		}
		if !pod.Allocated {
			continue
		}
		allocated++
		at, gone := rules.evictionOf(pod)
		gone = gone && !at.After(d.End)
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
	checkBoth(t, "pods with a device", allocated, len(d.Pods))
	if evicted == 0 || evicted == allocated {
		t.Errorf("%d of %d pods evicted, want some", evicted, allocated)
	}
}

// evictionOf returns when the pod is evicted, by the taints that its device has at
// first or by those that come later.
func (rules DeviceRules) evictionOf(pod DevicePod) (at time.Time, evicts bool) {
	m := rules.Options.Compile(rules.NoExecute(pod.Tolerations))
	at, evicts = rules.evictionFrom(m, pod.Taints, pod.Bound)
	if pod.LaterAt.IsZero() || evicts && at.Before(pod.LaterAt) {
		return at, evicts
	}
	return rules.evictionFrom(m, append(pod.Taints, pod.Later...), pod.LaterAt)
}

// evictionFrom returns when the taints evict a pod if they are there at the time:
// not before it.
func (rules DeviceRules) evictionFrom(m *taints.Matcher, list []taints.Taint, from time.Time) (at time.Time, evicts bool) {
	e := rules.Policy.EvictionOf(m, list, from)
	if e.At.Before(from) {
		return from, e.Outcome != taints.Stays
	}
	return e.At, e.Outcome != taints.Stays
}
