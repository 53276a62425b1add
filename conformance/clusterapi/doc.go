// SPDX-License-Identifier: Apache-2.0

// Package clusterapi holds the library's changes against those that Cluster API
// makes to the taints of a node. It is a module of its own, because Cluster API
// decides what it is built with, and has nothing to import.
package clusterapi
