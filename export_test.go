// SPDX-License-Identifier: Apache-2.0

package taints

// Start returns the index at which a Matcher begins to look for a toleration of a
// key.
func (m *Matcher) Start(key string) int { return int(m.first[fingerprint(key)]) }

// Finder returns a function that finds the first taint of the list with an identity.
func Finder(taints []Taint) func(TaintID) int {
	f := byID(taints)
	return f.Find
}
