// SPDX-License-Identifier: Apache-2.0

package taints

// Skips returns what makes a Matcher faster than a list: the index at which it
// begins to look for a toleration of a key, and the effects that it need not
// look at.
func (m *Matcher) Skips(key string) (start int, exempt EffectSet) {
	return m.start(&Taint{Key: key}), m.exempt
}

// KnownEffects are the effects that Kubernetes knows.
var KnownEffects = knownEffects[:]
