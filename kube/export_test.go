// SPDX-License-Identifier: Apache-2.0

package kube

// PodResources is podResources.
var PodResources = podResources
