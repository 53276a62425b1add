// SPDX-License-Identifier: Apache-2.0

package tolerationset

import "github.com/seed-0529bac1/taints"

// SameResults is Same without its loop for short lists.
func SameResults(a, b []taints.Toleration, o taints.Options) bool { return rules{o}.agree(a, b) }
