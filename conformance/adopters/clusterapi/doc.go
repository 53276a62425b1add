// SPDX-License-Identifier: Apache-2.0

// Package clusterapi holds the library's changes against those that Cluster API
// makes to the taints of a node. It has nothing to import.
package clusterapi
