// SPDX-License-Identifier: Apache-2.0

// Package conformance holds the library against Kubernetes' own code: its tests give
// both the same input and compare the answers. It has nothing to import. The README
// lists what is compared and where the two differ on purpose.
package conformance
