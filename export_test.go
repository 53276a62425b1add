// SPDX-License-Identifier: Apache-2.0

package taints

// Path names how the Matcher finds what tolerates a taint of the effect: "exempt" by
// a toleration of all keys, without reading the key, "table" by the fingerprint of
// the key, "table and wildcards" among tolerations of more than one key too, "none"
// where no toleration matches anything.
func (m *Matcher) Path(effect Effect) string {
	switch {
	case m.toLookAt(effectBit(effect)) == 0:
		return "exempt"
	case m.wildcards != 0:
		return "table and wildcards"
	case m.exact != [fingerprints]link{}:
		return "table"
	}
	return "none"
}

// Differences returns the type of what a Reason keeps to itself.
func (r Reason) Differences() any { return r.differ }

// SameSteps returns how many steps SameTolerations takes: one for each toleration
// that matches a key, of all keys, and one for each taint whose answers it compares.
func (o Options) SameSteps(a, b []Toleration) (steps int, same bool) {
	same = o.compare(a, b).every(func(v *view) bool {
		steps += len(v.claims)
		return v.every(func(effect Effect, w *witness) bool {
			steps++
			return v.same(effect, w)
		})
	})
	return steps, same
}
