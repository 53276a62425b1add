// SPDX-License-Identifier: Apache-2.0

// Package reference implements the rules as plainly as possible, without regard
// to speed, for tests to compare the library with.
package reference

import (
	"math/big"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/seed-0529bac1/taints"
)

var canonicalInteger = regexp.MustCompile(`^(0|-?[1-9][0-9]*)$`)

func Integer(s string) (*big.Int, bool) {
	if !canonicalInteger.MatchString(s) {
		return nil, false
	}
	n, _ := new(big.Int).SetString(s, 10)
	return n, n.IsInt64()
}

func Tolerates(o taints.Options, t taints.Toleration, taint taints.Taint) bool {
	effect := t.Effect == "" || t.Effect == taint.Effect
	key := t.Key == "" || t.Key == taint.Key
	if o.KeyWildcards && strings.HasSuffix(t.Key, "*") {
		key = key || strings.HasPrefix(taint.Key, t.Key[:len(t.Key)-1])
	}
	return effect && key && ValueMatches(o, t, taint)
}

func ValueMatches(o taints.Options, t taints.Toleration, taint taints.Taint) bool {
	switch t.Operator {
	case "", "Equal":
		return t.Value == taint.Value
	case "Exists":
		return true
	case "Lt", "Gt":
		if o.NoComparison {
			return false
		}
		want, ok1 := Integer(t.Value)
		got, ok2 := Integer(taint.Value)
		return ok1 && ok2 && (t.Operator == "Lt" && got.Cmp(want) < 0 || t.Operator == "Gt" && got.Cmp(want) > 0)
	}
	return false
}

// Matches returns the indexes of all tolerations that tolerate the taint.
func Matches(o taints.Options, tols []taints.Toleration, taint taints.Taint) []int {
	var matches []int
	for i, t := range tols {
		if Tolerates(o, t, taint) {
			matches = append(matches, i)
		}
	}
	return matches
}

// Evict returns what happens to a pod, when, in nanoseconds since year 1, and
// which taint decides: the one with the earliest deadline, and among equals the
// first that is not tolerated, or else the first.
func Evict(
	o taints.Options, p taints.EvictionPolicy, list []taints.Taint, tols []taints.Toleration, now time.Time,
) (outcome taints.Outcome, deadline *big.Int, decides int) {
	var decidesTolerated bool
	for i, taint := range list {
		if taint.Effect != "NoExecute" {
			continue
		}
		from := From(p, taint, now)
		seconds := new(big.Int) // at once
		matches := Matches(o, tols, taint)
		if len(matches) > 0 {
			seconds = Seconds(p, tols, matches)
		}
		if seconds == nil {
			continue
		}
		at := new(big.Int).Add(Nanos(from), new(big.Int).Mul(seconds, big.NewInt(1e9)))
		if seconds.Sign() > 0 && at.Cmp(Nanos(year10000(from))) >= 0 {
			continue
		}
		if seconds.Sign() == 0 && at.Cmp(Nanos(now)) > 0 {
			at = Nanos(now)
		}
		earlier := deadline == nil || at.Cmp(deadline) < 0
		if !earlier && (at.Cmp(deadline) > 0 || !decidesTolerated || len(matches) > 0) {
			continue
		}
		outcome = taints.EvictsAt
		if seconds.Sign() == 0 {
			outcome = taints.EvictsNow
		}
		deadline, decides, decidesTolerated = at, i, len(matches) > 0
	}
	return outcome, deadline, decides
}

// From returns the time from which the seconds of a toleration of the taint run.
func From(p taints.EvictionPolicy, taint taints.Taint, now time.Time) time.Time {
	from := now
	if p.FromTimeAdded && taint.TimeAdded != nil {
		from = *taint.TimeAdded
	}
	if !p.Arrival.IsZero() && from.Before(p.Arrival) {
		from = p.Arrival
	}
	return from
}

// year10000 returns the beginning of the year 10000 in the location of t.
func year10000(t time.Time) time.Time { return time.Date(10000, 1, 1, 0, 0, 0, 0, t.Location()) }

// Nanos returns the nanoseconds since year 1. A time.Time counts seconds since
// then in an int64. Some times have a Unix time that does not fit.
func Nanos(t time.Time) *big.Int {
	const year1 = 62135596800
	seconds := big.NewInt(t.Unix() + year1) // wraps back if Unix wrapped
	return seconds.Mul(seconds, big.NewInt(1e9)).Add(seconds, big.NewInt(int64(t.Nanosecond())))
}

// Seconds returns how long the tolerations at the indexes tolerate a taint: at
// least 0, or nil for forever. Only the first counts, unless the policy is
// ForDevices.
func Seconds(p taints.EvictionPolicy, tols []taints.Toleration, matches []int) *big.Int {
	if !p.ForDevices {
		matches = matches[:1]
	}
	var shortest *big.Int
	for _, i := range matches {
		seconds := tols[i].TolerationSeconds
		if seconds == nil {
			return nil
		}
		if s := big.NewInt(max(0, *seconds)); shortest == nil || s.Cmp(shortest) < 0 {
			shortest = s
		}
	}
	return shortest
}

// IDs returns the identities of the taints, in order.
func IDs(list []taints.Taint) (ids []taints.TaintID) {
	for _, t := range list {
		ids = append(ids, t.ID())
	}
	return ids
}

// Joined returns the texts of the taints joined by commas, the inverse of ParseTaints.
func Joined(list []taints.Taint) string {
	var texts []string
	for _, t := range list {
		texts = append(texts, t.String())
	}
	return strings.Join(texts, ",")
}

// Firsts drops every taint that has the key and effect of an earlier one.
func Firsts(list []taints.Taint) []taints.Taint {
	var firsts []taints.Taint
	seen := map[taints.TaintID]bool{}
	for _, t := range list {
		if !seen[t.ID()] {
			firsts = append(firsts, t)
		}
		seen[t.ID()] = true
	}
	return firsts
}

// Removes reports whether the changes remove the taint.
func Removes(c taints.Changes, t taints.Taint) bool {
	return slices.Contains(c.Remove, t.ID()) || slices.Contains(c.RemoveKeys, t.Key)
}

// Apply is the reference for Apply and, without overwrite, Ensure: it returns
// the taints that the node has afterwards.
func Apply(list []taints.Taint, c taints.Changes, overwrite bool) []taints.Taint {
	after := slices.Clone(list)
	for _, add := range Firsts(c.Add) {
		is := func(t taints.Taint) bool { return t.ID() == add.ID() }
		at := slices.IndexFunc(after, is)
		if at < 0 {
			after = append(after, add)
			continue
		}
		if overwrite && after[at].Value != add.Value {
			after[at] = add
		}
		after = append(after[:at+1], slices.DeleteFunc(after[at+1:], is)...)
	}
	return slices.DeleteFunc(after, func(t taints.Taint) bool {
		added := slices.ContainsFunc(c.Add, func(add taints.Taint) bool { return t.ID() == add.ID() })
		return Removes(c, t) && !added
	})
}

// Errors returns the number of errors for which kubectl taint rejects the changes.
func Errors(list []taints.Taint, c taints.Changes, overwrite bool) (errs int) {
	for i, t := range c.Add {
		is := func(u taints.Taint) bool { return u.ID() == t.ID() }
		for _, fieldErr := range []bool{
			Removes(c, t), slices.ContainsFunc(c.Add[:i], is), !overwrite && slices.ContainsFunc(list, is),
		} {
			if fieldErr {
				errs++
			}
		}
	}
	left := slices.Concat(list, c.Add)
	remove := func(named func(taints.Taint) bool) {
		before := len(left)
		if left = slices.DeleteFunc(left, named); len(left) == before {
			errs++
		}
	}
	for _, id := range c.Remove {
		remove(func(t taints.Taint) bool { return t.ID() == id })
	}
	for _, key := range c.RemoveKeys {
		remove(func(t taints.Taint) bool { return t.Key == key })
	}
	return errs
}

// ValidChanges reports whether some node can accept the changes.
func ValidChanges(c taints.Changes) bool {
	for i, id := range c.Remove {
		if !ValidKey(id.Key) || !KnownEffect(id.Effect) || slices.Contains(c.Remove[:i], id) {
			return false
		}
	}
	for i, key := range c.RemoveKeys {
		left := slices.ContainsFunc(KnownEffects, func(e taints.Effect) bool {
			return !slices.Contains(c.Remove, taints.TaintID{Key: key, Effect: e})
		})
		if !ValidKey(key) || slices.Contains(c.RemoveKeys[:i], key) || !left {
			return false
		}
	}
	removed := func(t taints.Taint) bool { return Removes(c, t) }
	return ValidTaints(c.Add) && !slices.ContainsFunc(c.Add, removed)
}

// Values returns the values by key and effect. The first taint of each counts.
func Values(list []taints.Taint) map[taints.TaintID]string {
	values := map[taints.TaintID]string{}
	for _, t := range Firsts(list) {
		values[t.ID()] = t.Value
	}
	return values
}

var (
	nameForm      = regexp.MustCompile(`^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$`)
	subdomainForm = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
)

func ValidKey(key string) bool {
	parts := strings.Split(key, "/")
	name := parts[len(parts)-1]
	if len(parts) > 2 || len(name) > 63 || !nameForm.MatchString(name) {
		return false
	}
	return len(parts) == 1 || len(parts[0]) <= 253 && subdomainForm.MatchString(parts[0])
}

func ValidValue(value string) bool {
	return value == "" || len(value) <= 63 && nameForm.MatchString(value)
}

// KnownEffects are the effects that Kubernetes knows.
var KnownEffects = []taints.Effect{"NoSchedule", "PreferNoSchedule", "NoExecute"}

func KnownEffect(e taints.Effect) bool { return slices.Contains(KnownEffects, e) }

func ValidTaints(list []taints.Taint) bool {
	for _, t := range list {
		if !ValidKey(t.Key) || !ValidValue(t.Value) || !KnownEffect(t.Effect) {
			return false
		}
	}
	return len(Firsts(list)) == len(list)
}

func ValidToleration(o taints.Options, t taints.Toleration) bool {
	var value bool
	switch t.Operator {
	case "", "Equal":
		value = ValidValue(t.Value)
	case "Exists":
		value = t.Value == ""
	case "Lt", "Gt":
		_, value = Integer(t.Value)
		value = value && !o.NoComparison
	}
	key := t.Key == "" && t.Operator == "Exists" || ValidKey(t.Key)
	if start, ok := strings.CutSuffix(t.Key, "*"); ok && o.KeyWildcards {
		key = key || start == "" || ValidKey(start) || ValidKey(start+"0")
	}
	effect := t.Effect == "" || KnownEffect(t.Effect)
	seconds := t.TolerationSeconds == nil || t.Effect == "NoExecute"
	return key && value && effect && seconds
}
