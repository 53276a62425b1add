// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"testing"
	"time"
)

// A lease is held until one of the clocks says that its time is over.
func TestLease(t *testing.T) {
	for _, tc := range []struct {
		wall, monotonic time.Duration // since the renewal
		held            bool
	}{
		{0, 0, true},
		{9 * s, 9 * s, true},
		{10 * s, 10 * s, false},
		{time.Hour, s, false},     // the machine was suspended
		{-time.Hour, 9 * s, true}, // the wall clock was set back
		{-time.Hour, 10 * s, false},
	} {
		l := NewLease(10 * s)
		l.renewed = moment{begin, time.Minute}
		if got := l.heldAt(moment{begin.Add(tc.wall), time.Minute + tc.monotonic}); got != tc.held {
			t.Errorf("after %v by the wall clock and %v by the monotonic one: held is %v", tc.wall, tc.monotonic, got)
		}
	}
}
