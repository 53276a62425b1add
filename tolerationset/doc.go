// SPDX-License-Identifier: Apache-2.0

// Package tolerationset compares tolerations with each other, merges them and checks
// them. It is for admission webhooks, policies and linters.
//
// The guarantees of package taints hold. The time of [Reconcile] and
// [ValidateUpdate] grows with the lengths of the lists, and that of other functions
// with their product or the square of one. Limit lists that strangers write. Times
// are compared by the first match, not by the policy ForDevices.
package tolerationset
