// SPDX-License-Identifier: Apache-2.0

// Package release tests what other projects get: that they can add the modules
// of a release, and that these work with every version of Kubernetes that they
// promise to support. It needs git and the Go module proxy. Run it with
// -count=1, because Go's test cache does not track the files that it tests.
package release
