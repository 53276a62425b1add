// SPDX-License-Identifier: Apache-2.0

package tolerationset

import (
	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/valueset"
)

// Covers reports whether t tolerates every taint that u tolerates, for at least as
// long (isSuperset in Kubernetes, but exact): "Gt 5" covers "Gt 7" and "Equal 9" and,
// under KeyWildcards, "a/*" covers "a/b*". Any toleration covers one that tolerates
// nothing.
func Covers(t, u taints.Toleration, o taints.Options) bool {
	return rules{o}.covers(&t, &u)
}

// Rules compare tolerations under options.
type rules struct{ taints.Options }

// covers is [Covers].
func (r rules) covers(t, u *taints.Toleration) bool {
	if !r.includesTaints(t, u) || evicting(u) && outlasts(u.TolerationSeconds, t.TolerationSeconds) {
		return r.toleratesNothing(u)
	}
	return r.includesValues(t, u)
}

// includes reports whether t tolerates every taint that u tolerates, regardless
// of time. u must tolerate something.
func (r rules) includes(t, u *taints.Toleration) bool {
	return r.includesTaints(t, u) && r.includesValues(t, u)
}

// includesTaints is like includes for the effects and keys only.
func (r rules) includesTaints(t, u *taints.Toleration) bool {
	if t.Effect != "" && t.Effect != u.Effect {
		return false
	}
	if r.KeyWildcards {
		return r.keys(t).Includes(r.keys(u))
	}
	return t.Key == "" || t.Key == u.Key
}

// includesValues is like includes for the values only.
func (r rules) includesValues(t, u *taints.Toleration) bool {
	switch t.Operator { // the usual cases, without sets
	case taints.OpExists:
		return true
	case taints.OpEqual, "":
		if t.Operator == u.Operator {
			return t.Value == u.Value
		}
	}
	values, others := r.values(t), r.values(u)
	return values.Includes(&others)
}

// firstIncluding returns the index of the first toleration of the list that
// includes u, or -1.
func (r rules) firstIncluding(list []taints.Toleration, u *taints.Toleration) int {
	for i := range list {
		if r.includes(&list[i], u) {
			return i
		}
	}
	return -1
}

// anyCovers reports whether a toleration of the list covers u.
func (r rules) anyCovers(list []taints.Toleration, u *taints.Toleration) bool {
	for i := range list {
		if r.covers(&list[i], u) {
			return true
		}
	}
	return false
}

// disagree reports whether t and u tolerate a common NoExecute taint for different
// times.
func (r rules) disagree(t, u *taints.Toleration) bool {
	if !evicting(t) || !evicting(u) || sameTime(t, u) || !r.keys(t).Meets(r.keys(u)) {
		return false
	}
	values, others := r.values(t), r.values(u)
	return values.Meets(&others)
}

func (r rules) keys(t *taints.Toleration) valueset.Keys {
	return valueset.KeysOf(t.Key, r.KeyWildcards)
}

func (r rules) values(t *taints.Toleration) valueset.Set {
	return valueset.Of(string(t.Operator), t.Value, !r.NoComparison)
}

// toleratesNothing reports whether the toleration tolerates no taint.
func (r rules) toleratesNothing(t *taints.Toleration) bool {
	return t.Operator != taints.OpExists && r.values(t).Kind == valueset.None
}

// evicting reports whether the toleration may tolerate a NoExecute taint, so
// that its seconds matter.
func evicting(t *taints.Toleration) bool { return t.Effect == "" || t.Effect == taints.NoExecute }

// sameTime reports whether both tolerate a NoExecute taint for the same time.
func sameTime(t, u *taints.Toleration) bool {
	return !outlasts(t.TolerationSeconds, u.TolerationSeconds) && !outlasts(u.TolerationSeconds, t.TolerationSeconds)
}

// outlasts reports whether a toleration with the seconds a tolerates a taint
// longer than one with the seconds b. Nil means forever.
func outlasts(a, b *int64) bool {
	if a == nil || b == nil {
		return b != nil
	}
	return *a > max(*b, 0)
}
