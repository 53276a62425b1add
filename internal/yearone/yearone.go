// SPDX-License-Identifier: Apache-2.0

// Package yearone counts the seconds of times since the year 1 in an int64, as
// a [time.Time] does. Some have a Unix time that does not fit into one.
package yearone

import "time"

// unix is the Unix time 0 in seconds since the year 1.
const unix = 62135596800

// Seconds returns the seconds of t since the year 1. The sum wraps back if Unix
// has wrapped.
func Seconds(t time.Time) int64 { return t.Unix() + unix }

// Time returns the time in UTC that is the seconds and nanoseconds after the
// beginning of the year 1.
func Time(seconds int64, nanos int32) time.Time {
	return time.Unix(seconds-unix, int64(nanos)).UTC()
}
