package lifecycle

import "time"

// An instant is a time as seconds since year 1, as a time.Time counts them, and
// nanoseconds.
type instant struct {
	seconds int64
	nanos   int32
}

// sinceYear1 is the Unix time 0 in seconds since year 1.
const sinceYear1 = 62135596800

func instantOf(t time.Time) instant {
	return instant{t.Unix() + sinceYear1, int32(t.Nanosecond())} // wraps back where Unix wrapped
}

func (i instant) time() time.Time {
	return time.Unix(i.seconds-sinceYear1, int64(i.nanos)).UTC()
}

func (i instant) before(j instant) bool {
	return i.seconds < j.seconds || i.seconds == j.seconds && i.nanos < j.nanos
}
