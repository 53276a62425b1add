// SPDX-License-Identifier: Apache-2.0

// Package adopters compares the library with the functions of Karpenter and the
// descheduler that docs/adopting.md replaces. It exports nothing.
package adopters
