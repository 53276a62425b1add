// SPDX-License-Identifier: Apache-2.0

// Package next is used by nobody.
package next

func To(n int) int { return n + 1 }
