// SPDX-License-Identifier: Apache-2.0

// Package conformance compares the library with Kubernetes' code: its tests
// give both the same input and compare the answers. It exports nothing. The
// README lists what is compared and where the two differ on purpose.
package conformance
