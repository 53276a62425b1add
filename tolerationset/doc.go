// SPDX-License-Identifier: Apache-2.0

// Package tolerationset compares the tolerations of pods with each other, merges
// them and checks them. It is for admission webhooks, policies and linters.
//
// Functions accept any input, never panic and never modify their arguments. Results
// share only strings with arguments, unless a comment says more. All functions are
// safe for concurrent use.
//
// The time of [Reconcile] and [ValidateUpdate] grows with the lengths of the lists.
// That of other functions grows with the product of the lengths, or the square of
// the length of a single list. Limit lists that strangers write.
package tolerationset
