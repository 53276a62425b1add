// SPDX-License-Identifier: Apache-2.0

// Package docs tests the repository's documents: the code in them compiles,
// their links work, the names exist, and the versions are tested.
package docs
