// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"net/http"
	"strings"
	"sync"
	"time"
)

// A Lease knows when the lease of the leader was last renewed. The process may have
// been stopped since then, and another replica may lead.
type Lease struct {
	valid time.Duration

	mu      sync.Mutex
	renewed moment
}

// NewLease returns a lease that is held for so long after each renewal.
func NewLease(valid time.Duration) *Lease { return &Lease{valid: valid} }

// Held reports whether the lease was renewed recently.
func (l *Lease) Held() bool { return l.heldAt(now()) }

func (l *Lease) heldAt(at moment) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.renewed.wall.IsZero() && at.since(l.renewed) < l.valid
}

// observe notes a renewal that was requested at that moment, if the API server
// accepted it.
func (l *Lease) observe(at moment, request *http.Request, response *http.Response) {
	if response.StatusCode >= http.StatusMultipleChoices || !strings.Contains(request.URL.Path, "/apis/coordination.k8s.io/") {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.renewed = at
}

// A moment is a time by two clocks. The monotonic clock stops while the machine is
// suspended. The wall clock can be set back.
type moment struct {
	wall      time.Time
	monotonic time.Duration
}

var started = time.Now()

func now() moment {
	t := time.Now()
	return moment{wall: t.Round(0), monotonic: t.Sub(started)}
}

// since returns the time since an earlier moment, by the clock that saw more of it.
func (m moment) since(earlier moment) time.Duration {
	return max(m.wall.Sub(earlier.wall), m.monotonic-earlier.monotonic)
}
