// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"time"

	"github.com/seed-0529bac1/taints/internal/yearone"
)

// An instant is a time in seconds since the year 1, as time.Time counts them, and
// nanoseconds. The seconds are split so that it takes 12 bytes instead of 16.
type instant struct {
	high  int32
	low   uint32
	nanos int32
}

func instantOf(t time.Time) instant {
	return newInstant(yearone.Seconds(t), int32(t.Nanosecond()))
}

func newInstant(seconds int64, nanos int32) instant {
	return instant{int32(seconds >> 32), uint32(seconds), nanos}
}

func (i instant) seconds() int64 { return int64(i.high)<<32 | int64(i.low) }

func (i instant) time() time.Time {
	return yearone.Time(i.seconds(), i.nanos)
}

func (i instant) before(j instant) bool {
	if s, t := i.seconds(), j.seconds(); s != t {
		return s < t
	}
	return i.nanos < j.nanos
}
