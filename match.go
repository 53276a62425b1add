// SPDX-License-Identifier: Apache-2.0

package taints

import "github.com/seed-0529bac1/taints/internal/valueset"

// Tolerates reports whether the toleration tolerates the taint (ToleratesTaint in
// Kubernetes), by the rules of the package comment. Strings are compared byte by byte.
// An integer is "0", or decimal digits without a leading zero after an optional "-",
// within int64. An unknown operator matches nothing, and an unknown effect matches
// itself. The zero Toleration matches the taints without a value.
func (t Toleration) Tolerates(taint Taint) bool {
	return Options{}.tolerates(&t, &taint)
}

// Match returns the index of the first toleration that tolerates the taint, and
// whether there is one (TolerationsTolerateTaint in Kubernetes).
func Match(taint Taint, tolerations []Toleration) (toleration int, ok bool) {
	return Options{}.On(tolerations).Match(taint)
}

func (o Options) tolerates(t *Toleration, taint *Taint) bool {
	return effectMatches(t, taint) && o.keyMatches(t, taint) && o.valueMatches(t, taint)
}

func effectMatches(t *Toleration, taint *Taint) bool {
	return t.Effect == "" || t.Effect == taint.Effect
}

func (o Options) keyMatches(t *Toleration, taint *Taint) bool {
	return t.Key == taint.Key || t.Key == "" || o.KeyWildcards && wildcardMatches(t.Key, taint.Key)
}

// wildcardMatches reports whether the key ends in "*" and what precedes that is a
// prefix of the other key.
func wildcardMatches(wildcard, key string) bool {
	last := len(wildcard) - 1
	return wildcard[last] == '*' && len(key) >= last && key[:last] == wildcard[:last]
}

func (o Options) valueMatches(t *Toleration, taint *Taint) bool {
	return t.Operator == OpExists || // most of them
		valueset.Match(string(t.Operator), t.Value, !o.NoComparison, taint.Value)
}
