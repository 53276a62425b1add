// SPDX-License-Identifier: Apache-2.0

package taints

// Path names how the Matcher finds what tolerates a taint of the effect: "exempt" by
// a toleration of all keys, without reading the key, "table" by the fingerprint of
// the key, "table and wildcards" among tolerations of more than one key too, "none"
// where no toleration matches anything.
func (m *Matcher) Path(effect Effect) string {
	switch {
	case m.notExempt(effectBit(effect)) == 0:
		return "exempt"
	case m.wildcards != 0:
		return "table and wildcards"
	case m.exact != [fingerprints]link{}:
		return "table"
	}
	return "none"
}
