// SPDX-License-Identifier: Apache-2.0

package taints

// Options change the rules of matching. The zero Options are the rules of
// Kubernetes with its taint feature gates on.
//
// A method of Options answers one question as the function of the same name
// does, under other rules. For many questions about the same tolerations,
// compile them with [Options.Compile].
type Options struct {
	// NoComparison makes [OpLt] and [OpGt] match nothing, and makes validation
	// reject them, as in a cluster whose feature gate
	// TaintTolerationComparisonOperators is off, which is the default. It matters
	// only where a pod may have such a toleration, which the API server of such a
	// cluster rejects.
	NoComparison bool `json:"noComparison,omitempty"`
	// KeyWildcards makes a toleration key that ends in "*" match all keys that
	// begin with what precedes the "*": "readiness.k8s.io/*" matches
	// "readiness.k8s.io/network", and "*" matches every key. A "*" elsewhere is
	// an ordinary character. This is an extension, proposed for Kubernetes as
	// KEP-5869.
	KeyWildcards bool `json:"keyWildcards,omitempty"`
}
