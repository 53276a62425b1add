// SPDX-License-Identifier: Apache-2.0

package play

import (
	"strconv"
	"strings"
	"time"
)

// name names an element of a list as Kubernetes' errors do.
func name(list string, i int) string { return list + "[" + strconv.Itoa(i) + "]" }

// verb returns the form that goes with the number.
func verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// count returns the number with the form that goes with it.
func count(n int, one, many string) string { return strconv.Itoa(n) + " " + verb(n, one, many) }

// utc returns the time as it is shown, with fractions of a second only where
// there are some.
func utc(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05.999999999 UTC") }

// seconds returns the seconds of a toleration, with larger units beside them
// where they help.
func seconds(n int64) string {
	text := strconv.FormatInt(n, 10) + "s"
	if n < 60 {
		return text
	}
	var parts []string
	for _, unit := range []struct {
		one, many string
		seconds   int64
	}{
		{" year", " years", 365 * 24 * 3600},
		{" day", " days", 24 * 3600},
		{" h", " h", 3600},
		{" min", " min", 60},
		{" s", " s", 1},
	} {
		if k := n / unit.seconds; k > 0 && len(parts) < 2 {
			parts = append(parts, strconv.FormatInt(k, 10)+verb(int(min(k, 2)), unit.one, unit.many))
		} else if len(parts) > 0 {
			break
		}
		n %= unit.seconds
	}
	return text + " (" + strings.Join(parts, " ") + ")"
}
