// SPDX-License-Identifier: Apache-2.0

// Package docs has the tests that hold this repository's documents: that their
// code compiles, that their links lead somewhere, and that their numbers and
// versions are those that were measured and tested.
package docs
