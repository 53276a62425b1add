// SPDX-License-Identifier: Apache-2.0

package taints

// Path names the way in which the Matcher finds tolerations of taints with the
// effect: "exempt" if a toleration of all keys applies, so the key is not read;
// "table" by the fingerprint of the key; "table and wildcards" if some
// tolerations match several keys; "none" if no toleration matches anything.
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
