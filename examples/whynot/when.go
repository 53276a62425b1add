// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math"
)

// when says when the pod's time is, empty if there is none.
func (x *eviction) when() string {
	if x.InSeconds == nil {
		return ""
	}
	when := x.At
	if when == "" {
		when = "a time after the year 9999"
	}
	when += " (" + relative(*x.InSeconds) + ")"
	switch x.From {
	case fromNow:
		when += ", counted from now"
	case fromArrival:
		when += ", counted from the pod's arrival"
	}
	return when
}

// heading says what becomes of the pod and when.
func (x *eviction) heading() string {
	when := x.when()
	switch x.Outcome {
	case overdue:
		return "Overdue since " + when + ":"
	case leaves:
		return "Leaves at " + when + ":"
	case stays:
		return "Stays:"
	}
	if when == "" {
		return "Is being deleted already, would stay for the taints:"
	}
	return "Is being deleted already; for the taints its time is " + when + ":"
}

// relative says how far off a time is.
func relative(seconds int64) string {
	switch {
	case seconds == 0:
		return "now"
	case seconds == math.MinInt64:
		seconds++
	}
	if seconds < 0 {
		return duration(-seconds) + " ago"
	}
	return "in " + duration(seconds)
}

// duration writes seconds in the two units that say most.
func duration(s int64) string {
	const minute, hour, day = 60, 3600, 86400
	switch {
	case s < 2*minute:
		return fmt.Sprintf("%ds", s)
	case s < hour:
		return twoUnits(s/minute, "m", s%minute, "s")
	case s < 2*day:
		return twoUnits(s/hour, "h", s%hour/minute, "m")
	}
	return twoUnits(s/day, "d", s%day/hour, "h")
}

func twoUnits(large int64, largeUnit string, small int64, smallUnit string) string {
	if small == 0 {
		return fmt.Sprintf("%d%s", large, largeUnit)
	}
	return fmt.Sprintf("%d%s%d%s", large, largeUnit, small, smallUnit)
}
