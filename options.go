// SPDX-License-Identifier: Apache-2.0

package taints

// Options change the rules of matching. The zero Options are those of Kubernetes
// with its taint feature gates on. Use [Options.On] for one question under them, and
// [Options.Compile] for many.
type Options struct {
	// NoComparison makes [OpLt] and [OpGt] match nothing and invalid, as without the
	// feature gate TaintTolerationComparisonOperators, which is off by default.
	NoComparison bool `json:"noComparison,omitempty"`
	// KeyWildcards makes a toleration key that ends in "*" match all keys that
	// begin with what precedes the "*": "readiness.k8s.io/*" matches
	// "readiness.k8s.io/network". A "*" elsewhere is an ordinary character.
	// Kubernetes does not have this yet (KEP-5869).
	KeyWildcards bool `json:"keyWildcards,omitempty"`
}
