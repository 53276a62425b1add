// SPDX-License-Identifier: Apache-2.0

// Package tolerationset compares tolerations with each other, merges them and checks
// them. It is for admission webhooks, policies and linters.
//
// The guarantees of package taints hold. [Reconcile] and [ValidateUpdate] take time
// proportional to the lengths of the lists. Other functions take time proportional to
// their product, or to the square of one. Limit lists that strangers write. Times are
// compared by the first match, not by the policy ForDevices.
package tolerationset
