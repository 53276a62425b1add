// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"math/big"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/seed-0529bac1/taints"
)

// This file restates the rules as plainly as they can be said, without regard to
// speed, for the property tests to hold the package against.

var canonicalInteger = regexp.MustCompile(`^(0|-?[1-9][0-9]*)$`)

func refInteger(s string) (*big.Int, bool) {
	if !canonicalInteger.MatchString(s) {
		return nil, false
	}
	n, _ := new(big.Int).SetString(s, 10)
	return n, n.IsInt64()
}

func refTolerates(o taints.Options, t taints.Toleration, taint taints.Taint) bool {
	effect := t.Effect == "" || t.Effect == taint.Effect
	key := t.Key == "" || t.Key == taint.Key
	if o.KeyWildcards && strings.HasSuffix(t.Key, "*") {
		key = key || strings.HasPrefix(taint.Key, t.Key[:len(t.Key)-1])
	}
	return effect && key && refValueMatches(o, t, taint)
}

func refValueMatches(o taints.Options, t taints.Toleration, taint taints.Taint) bool {
	switch t.Operator {
	case "", "Equal":
		return t.Value == taint.Value
	case "Exists":
		return true
	case "Lt", "Gt":
		if o.NoComparison {
			return false
		}
		want, ok1 := refInteger(t.Value)
		got, ok2 := refInteger(taint.Value)
		return ok1 && ok2 && (t.Operator == "Lt" && got.Cmp(want) < 0 || t.Operator == "Gt" && got.Cmp(want) > 0)
	}
	return false
}

// refMatches returns the indexes of all tolerations that tolerate the taint.
func refMatches(o taints.Options, tols []taints.Toleration, taint taints.Taint) []int {
	var matches []int
	for i, t := range tols {
		if refTolerates(o, t, taint) {
			matches = append(matches, i)
		}
	}
	return matches
}

// refUntolerated returns the indexes of all taints with one of the effects that
// nothing tolerates.
func refUntolerated(
	o taints.Options, list []taints.Taint, tols []taints.Toleration, effects ...taints.Effect,
) []int {
	var untolerated []int
	for i, taint := range list {
		for _, e := range effects {
			if taint.Effect == e && len(refMatches(o, tols, taint)) == 0 {
				untolerated = append(untolerated, i)
			}
		}
	}
	return untolerated
}

// refDeadline says when a pod leaves, in nanoseconds since year 1: never, at once
// (at now), or at a time. A taint's nil seconds are forever.
func refDeadline(
	p taints.EvictionPolicy, list []taints.Taint, tols []taints.Toleration, now time.Time,
) (taints.Outcome, *big.Int) {
	outcome, deadline := taints.Stays, (*big.Int)(nil)
	for _, taint := range list {
		if !refEffects(p).Has(taint.Effect) {
			continue
		}
		from := now
		if p.FromTimeAdded && taint.TimeAdded != nil {
			from = *taint.TimeAdded
		}
		seconds := new(big.Int) // at once
		if matches := refMatches(p.Options, tols, taint); len(matches) > 0 {
			seconds = refSeconds(p.Select, tols, matches)
		}
		if seconds == nil {
			continue
		}
		at := new(big.Int).Add(nanosOf(from), new(big.Int).Mul(seconds, big.NewInt(1e9)))
		if seconds.Sign() > 0 && at.Cmp(nanosOf(year10000(from))) >= 0 {
			continue
		}
		if seconds.Sign() == 0 {
			outcome = taints.EvictsNow
			if at.Cmp(nanosOf(now)) > 0 {
				at = nanosOf(now)
			}
		} else if outcome == taints.Stays {
			outcome = taints.EvictsAt
		}
		if deadline == nil || at.Cmp(deadline) < 0 {
			deadline = at
		}
	}
	return outcome, deadline
}

// refDecider returns the index of the taint that decides: of those that are not
// tolerated, or else of those that are tolerated for no time, or else of the others,
// the first with the earliest deadline. There is one.
func refDecider(p taints.EvictionPolicy, list []taints.Taint, tols []taints.Toleration, now time.Time) int {
	var first [3]int
	var earliest [3]*big.Int
	for i, taint := range list {
		outcome, deadline := refDeadline(p, list[i:i+1], tols, now)
		class := 2
		switch {
		case outcome == taints.Stays:
			continue
		case outcome == taints.EvictsNow && len(refMatches(p.Options, tols, taint)) == 0:
			class = 0
		case outcome == taints.EvictsNow:
			class = 1
		}
		if earliest[class] == nil || deadline.Cmp(earliest[class]) < 0 {
			earliest[class], first[class] = deadline, i
		}
	}
	class := slices.IndexFunc(earliest[:], func(d *big.Int) bool { return d != nil })
	return first[class]
}

// year10000 returns when the year 10000 begins where t is.
func year10000(t time.Time) time.Time { return time.Date(10000, 1, 1, 0, 0, 0, 0, t.Location()) }

// refEffects returns the effects that evict.
func refEffects(p taints.EvictionPolicy) taints.EffectSet {
	if p.Effects == 0 {
		return taints.Effects("NoExecute")
	}
	return p.Effects
}

// nanosOf returns the nanoseconds since year 1, from which a time.Time counts
// seconds in an int64. The Unix time of some does not fit into one.
func nanosOf(t time.Time) *big.Int {
	const year1 = 62135596800
	seconds := big.NewInt(t.Unix() + year1) // wraps back where Unix wrapped
	return seconds.Mul(seconds, big.NewInt(1e9)).Add(seconds, big.NewInt(int64(t.Nanosecond())))
}

// refSeconds returns how long the tolerations at the indexes tolerate together, 0 at
// least, nil forever.
func refSeconds(selection taints.Selection, tols []taints.Toleration, matches []int) *big.Int {
	var all []*big.Int
	for _, i := range matches {
		var s *big.Int
		if p := tols[i].TolerationSeconds; p != nil {
			s = big.NewInt(max(0, *p))
		}
		all = append(all, s)
	}
	if selection == taints.ForeverElseShortest {
		selection = taints.ShortestMatch
		if slices.Contains(all, (*big.Int)(nil)) {
			return nil
		}
	}
	chosen := all[0]
	for _, s := range all[1:] {
		longer := chosen != nil && (s == nil || s.Cmp(chosen) > 0)
		shorter := s != nil && (chosen == nil || s.Cmp(chosen) < 0)
		if selection == taints.LongestMatch && longer || selection == taints.ShortestMatch && shorter {
			chosen = s
		}
	}
	return chosen
}

// refFirsts drops every taint that has the key and effect of an earlier one.
func refFirsts(list []taints.Taint) []taints.Taint {
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

// refNames reports whether the identity names the taint, or all of its key.
func refNames(id taints.TaintID, t taints.Taint) bool {
	return id.Key == t.Key && (id.Effect == t.Effect || id.Effect == "")
}

// refApply restates Apply: the taints that the node has afterwards.
func refApply(list []taints.Taint, c taints.Changes) []taints.Taint {
	removed := func(t taints.Taint) bool {
		return slices.ContainsFunc(c.Remove, func(id taints.TaintID) bool { return refNames(id, t) })
	}
	after := slices.Clone(list)
	for _, add := range refFirsts(c.Add) {
		is := func(t taints.Taint) bool { return t.ID() == add.ID() }
		at := slices.IndexFunc(after, is)
		if at < 0 {
			after = append(after, add)
			continue
		}
		if after[at].Value != add.Value || removed(add) {
			after[at] = add
		}
		after = append(after[:at+1], slices.DeleteFunc(after[at+1:], is)...)
	}
	return slices.DeleteFunc(after, func(t taints.Taint) bool {
		return removed(t) && !slices.ContainsFunc(c.Add, func(add taints.Taint) bool { return t.ID() == add.ID() })
	})
}

// refFaults restates what kubectl taint refuses: how many faults there are.
func refFaults(list []taints.Taint, c taints.Changes, overwrite bool) (faults int) {
	for i, t := range c.Add {
		is := func(u taints.Taint) bool { return u.ID() == t.ID() }
		removed := slices.ContainsFunc(c.Remove, func(id taints.TaintID) bool { return refNames(id, t) })
		if removed || slices.ContainsFunc(c.Add[:i], is) || !overwrite && slices.ContainsFunc(list, is) {
			faults++
		}
	}
	for i, id := range c.Remove {
		found := slices.ContainsFunc(slices.Concat(list, c.Add), func(t taints.Taint) bool {
			return refNames(id, t) &&
				!slices.ContainsFunc(c.Remove[:i], func(earlier taints.TaintID) bool { return refNames(earlier, t) })
		})
		if !found {
			faults++
		}
	}
	return faults
}

// refValues returns the taints of the list by key and effect, of which the first counts.
func refValues(list []taints.Taint) map[taints.TaintID]string {
	values := map[taints.TaintID]string{}
	for _, t := range refFirsts(list) {
		values[t.ID()] = t.Value
	}
	return values
}

var (
	nameForm      = regexp.MustCompile(`^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$`)
	effectForm    = regexp.MustCompile(`^(NoSchedule|PreferNoSchedule|NoExecute)$`)
	subdomainForm = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
)

func refValidKey(key string) bool {
	parts := strings.Split(key, "/")
	name := parts[len(parts)-1]
	if len(parts) > 2 || len(name) > 63 || !nameForm.MatchString(name) {
		return false
	}
	return len(parts) == 1 || len(parts[0]) <= 253 && subdomainForm.MatchString(parts[0])
}

func refValidValue(value string) bool {
	return value == "" || len(value) <= 63 && nameForm.MatchString(value)
}

func refKnownEffect(e taints.Effect) bool { return effectForm.MatchString(string(e)) }

func refValidTaints(list []taints.Taint) bool {
	seen := map[string]bool{}
	for _, t := range list {
		id := t.Key + "\x00" + string(t.Effect)
		if seen[id] || !refValidKey(t.Key) || !refValidValue(t.Value) || !refKnownEffect(t.Effect) {
			return false
		}
		seen[id] = true
	}
	return true
}

func refValidToleration(o taints.Options, t taints.Toleration) bool {
	var value bool
	switch t.Operator {
	case "", "Equal":
		value = refValidValue(t.Value)
	case "Exists":
		value = t.Value == ""
	case "Lt", "Gt":
		_, value = refInteger(t.Value)
		value = value && !o.NoComparison
	}
	key := t.Key == "" && t.Operator == "Exists" || refValidKey(t.Key)
	if start, ok := strings.CutSuffix(t.Key, "*"); ok && o.KeyWildcards {
		key = key || start == "" || refValidKey(start) || refValidKey(start+"0")
	}
	effect := t.Effect == "" || refKnownEffect(t.Effect)
	seconds := t.TolerationSeconds == nil || t.Effect == "NoExecute"
	return key && value && effect && seconds
}

// world has, for any tolerations drawn from its keys, values, thresholds and
// effects, a taint wherever they differ.
var world = func() []taints.Taint {
	var all []taints.Taint
	for _, key := range []string{"", "*", "a", "a*", "a/", "a/*", "a/b", "a/b*", "a/bc", "b", "other"} {
		for _, value := range []string{
			"", "v", "05", "-9223372036854775808", "-9223372036854775807", "0", "4", "5", "6",
			"7", "9223372036854775806", "9223372036854775807", "other",
		} {
			for _, effect := range []taints.Effect{"", "NoSchedule", "NoExecute", "x", "other"} {
				all = append(all, taints.Taint{Key: key, Value: value, Effect: effect})
			}
		}
	}
	return all
}()

// refLonger reports whether tolerating for a seconds is longer than for b.
func refLonger(a, b *int64) bool {
	return b != nil && (a == nil || max(0, *a) > max(0, *b))
}

// refCovers reports whether, of the taints of the world, t tolerates all that u
// does, and as long.
func refCovers(o taints.Options, t, u taints.Toleration) bool {
	for _, taint := range world {
		if !refTolerates(o, u, taint) {
			continue
		}
		if !refTolerates(o, t, taint) ||
			taint.Effect == "NoExecute" && refLonger(u.TolerationSeconds, t.TolerationSeconds) {
			return false
		}
	}
	return true
}

// refTime says how long a list tolerates a taint: not at all, or for a time that
// counts only of NoExecute taints.
func refTime(o taints.Options, tols []taints.Toleration, taint taints.Taint) string {
	matches := refMatches(o, tols, taint)
	if len(matches) == 0 {
		return "not tolerated"
	}
	seconds := refSeconds(taints.FirstMatch, tols, matches)
	if taint.Effect != "NoExecute" || seconds == nil {
		return "forever"
	}
	return seconds.String()
}
