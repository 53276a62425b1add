// SPDX-License-Identifier: Apache-2.0

package lifecycle

import "time"

// An instant is a time in seconds since the year 1, as time.Time counts them, and
// nanoseconds. The seconds are split, so that it takes 12 bytes and not 16.
type instant struct {
	high  int32
	low   uint32
	nanos int32
}

// sinceYear1 is the Unix time 0 in seconds since the year 1.
const sinceYear1 = 62135596800

func instantOf(t time.Time) instant {
	// The sum wraps back if Unix has wrapped.
	return newInstant(t.Unix()+sinceYear1, int32(t.Nanosecond()))
}

func newInstant(seconds int64, nanos int32) instant {
	return instant{int32(seconds >> 32), uint32(seconds), nanos}
}

func (i instant) seconds() int64 { return int64(i.high)<<32 | int64(i.low) }

func (i instant) time() time.Time {
	return time.Unix(i.seconds()-sinceYear1, int64(i.nanos)).UTC()
}

func (i instant) before(j instant) bool {
	if s, t := i.seconds(), j.seconds(); s != t {
		return s < t
	}
	return i.nanos < j.nanos
}
