// SPDX-License-Identifier: Apache-2.0

package taints

// An Operator says how the value of a toleration is compared with that of a
// taint. The empty operator means [OpEqual]. An operator that Kubernetes does
// not know matches nothing and is not valid.
type Operator string

const (
	OpEqual  Operator = "Equal"  // the same value; an empty one matches only taints without a value
	OpExists Operator = "Exists" // any value
	OpLt     Operator = "Lt"     // an integer less than the toleration's
	OpGt     Operator = "Gt"     // an integer greater than the toleration's
)
