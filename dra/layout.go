// SPDX-License-Identifier: Apache-2.0

package dra

import (
	"time"

	"github.com/seed-0529bac1/taints"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Proof of equal layouts, as in layout.go of package kube, which says how it
// works and what to do if a line here does not compile. It stands here too, because
// a version of this module works with later versions of the library, which may
// have other internal packages.
var (
	_ = taintLayout[taints.Effect, time.Time](taints.Taint{})
	_ = taintLayout[resourceapi.DeviceTaintEffect, metav1.Time](resourceapi.DeviceTaint{})
	_ = tolerationLayout[taints.Operator, taints.Effect](taints.Toleration{})
	_ = tolerationLayout[resourceapi.DeviceTolerationOperator, resourceapi.DeviceTaintEffect](resourceapi.DeviceToleration{})
	_ = struct{ time.Time }(metav1.Time{})
)

type taintLayout[Effect ~string, Time any] struct {
	Key       string
	Value     string
	Effect    Effect
	TimeAdded *Time
}

type tolerationLayout[Operator, Effect ~string] struct {
	Key               string
	Operator          Operator
	Value             string
	Effect            Effect
	TolerationSeconds *int64
}
