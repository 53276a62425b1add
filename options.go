// SPDX-License-Identifier: Apache-2.0

package taints

// Options change the rules of matching. The zero Options are those of Kubernetes
// with its taint feature gates on. A method of Options answers one question, like
// the function of the same name; for many, compile with [Options.Compile].
type Options struct {
	// NoComparison makes [OpLt] and [OpGt] match nothing, and makes validation
	// reject them, as in a cluster whose feature gate
	// TaintTolerationComparisonOperators is off, which is the default.
	NoComparison bool `json:"noComparison,omitempty"`
	// KeyWildcards makes a toleration key that ends in "*" match all keys that
	// begin with what precedes the "*": "readiness.k8s.io/*" matches
	// "readiness.k8s.io/network", and "*" matches every key. A "*" elsewhere is
	// an ordinary character. This is an extension, proposed for Kubernetes as
	// KEP-5869.
	KeyWildcards bool `json:"keyWildcards,omitempty"`
}
