// SPDX-License-Identifier: Apache-2.0

// Package tolerationset compares the tolerations of pods with each other, merges
// them and checks them. It is for admission webhooks, policies and linters.
//
// Every function but [Reconcile] takes the [taints.Options] of the cluster.
// Functions accept any input, never panic and never modify their arguments.
// Results share strings with arguments, and other memory only if the function's
// comment says so. All functions are safe for concurrent use.
//
// Functions compare tolerations pair by pair, so their time grows with the product
// of the lengths of the lists, or with the square of the length of a single list.
// [Reconcile] and [ValidateUpdate] take time in proportion to the lengths. Limit
// the length of lists that strangers write.
package tolerationset
