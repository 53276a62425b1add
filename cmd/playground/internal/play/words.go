// SPDX-License-Identifier: Apache-2.0

package play

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// name returns the name of an element of a list as in Kubernetes' errors.
func name(list string, i int) string { return list + "[" + strconv.Itoa(i) + "]" }

// utc returns the time in the form of the page. It shows fractions of a second
// only if there are any.
func utc(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05.999999999 UTC") }

// seconds returns the seconds of a toleration, with larger units in addition if
// they help.
func seconds(n int64) string {
	text := strconv.FormatInt(n, 10) + "s"
	if n < 60 || n > int64(math.MaxInt64/time.Second) {
		return text
	}
	units := (time.Duration(n) * time.Second).String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(units, zero) {
			units = units[:len(units)-len("0s")]
		}
	}
	return text + " (" + units + ")"
}

// parseTime parses a time in the form of a browser's field, or one with a zone.
func parseTime(s string) (time.Time, bool) {
	for _, layout := range []string{"2006-01-02T15:04", "2006-01-02T15:04:05", "2006-01-02T15:04Z07:00", time.RFC3339} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}
