// SPDX-License-Identifier: Apache-2.0

package play

import (
	"strconv"
	"strings"
	"time"
)

// name returns the name of an element of a list as in Kubernetes' errors.
func name(list string, i int) string { return list + "[" + strconv.Itoa(i) + "]" }

// verb returns the form for the number.
func verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// count returns the number and the form for it.
func count(n int, one, many string) string { return strconv.Itoa(n) + " " + verb(n, one, many) }

// utc returns the time in the form of the page. It shows fractions of a second
// only if there are any.
func utc(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05.999999999 UTC") }

// seconds returns the seconds of a toleration, with larger units in addition if
// they help.
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
