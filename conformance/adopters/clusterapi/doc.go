// SPDX-License-Identifier: Apache-2.0

// Package clusterapi compares the library's changes with those that Cluster API
// makes to a node's taints. It exports nothing.
package clusterapi
