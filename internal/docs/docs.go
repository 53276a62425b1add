// SPDX-License-Identifier: Apache-2.0

// Package docs has tests of the repository's documents: the code in them compiles,
// their links lead somewhere, the names exist, and the versions are tested.
package docs
