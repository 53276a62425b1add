// SPDX-License-Identifier: Apache-2.0

package taints

// An Operator says how the value of a toleration is compared with that of a
// taint. The empty operator means [OpEqual]. An operator that Kubernetes does
// not know matches nothing and is not valid.
type Operator string

const (
	// OpEqual tolerates taints with the same value. An empty value tolerates
	// only taints without a value; use [OpExists] to tolerate any value.
	OpEqual Operator = "Equal"
	// OpExists tolerates taints with any value.
	OpExists Operator = "Exists"
	// OpLt tolerates taints whose value is an integer less than the toleration's.
	OpLt Operator = "Lt"
	// OpGt tolerates taints whose value is an integer greater than the toleration's.
	OpGt Operator = "Gt"
)
