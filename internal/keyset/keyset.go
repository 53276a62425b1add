// SPDX-License-Identifier: Apache-2.0

// Package keyset implements the sets of keys that tolerations match.
package keyset

import "strings"

// A Set is the set of keys that a toleration matches: those that begin with Key
// if Prefix is set, and otherwise only Key.
type Set struct {
	Key    string
	Prefix bool
}

// Of returns the keys that a toleration with the key matches. With wildcards, a
// "*" at the end makes the key a prefix.
func Of(key string, wildcards bool) Set {
	if wildcards {
		if prefix, ok := strings.CutSuffix(key, "*"); ok {
			return Set{prefix, true}
		}
	}
	return Set{key, key == ""}
}

// Contains reports whether the set has the key.
func (s Set) Contains(key string) bool { return s.Includes(Set{Key: key}) }

// Includes reports whether the set has all keys of u.
func (s Set) Includes(u Set) bool {
	if s.Prefix {
		return strings.HasPrefix(u.Key, s.Key)
	}
	return !u.Prefix && s.Key == u.Key
}

// Meets reports whether the sets have a common key.
func (s Set) Meets(u Set) bool { return s.Includes(u) || u.Includes(s) }
