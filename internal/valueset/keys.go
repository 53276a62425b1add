// SPDX-License-Identifier: Apache-2.0

package valueset

import "strings"

// Keys are the keys that a toleration matches: those that begin with Key
// if Prefix is set, and otherwise only Key.
type Keys struct {
	Key    string
	Prefix bool
}

// KeysOf returns the keys that a toleration with the key matches. With wildcards, a
// "*" at the end makes the key a prefix.
func KeysOf(key string, wildcards bool) Keys {
	if wildcards {
		if prefix, ok := strings.CutSuffix(key, "*"); ok {
			return Keys{prefix, true}
		}
	}
	return Keys{key, key == ""}
}

// Contains reports whether the key is one of k.
func (k Keys) Contains(key string) bool { return k.Includes(Keys{Key: key}) }

// Includes reports whether k contains all keys of u.
func (k Keys) Includes(u Keys) bool {
	if k.Prefix {
		return strings.HasPrefix(u.Key, k.Key)
	}
	return !u.Prefix && k.Key == u.Key
}

// Meets reports whether k and u have a common key.
func (k Keys) Meets(u Keys) bool { return k.Includes(u) || u.Includes(k) }
