// SPDX-License-Identifier: Apache-2.0

//go:build !staging

package linked

import (
	"context"
	"time"
	_ "unsafe" // for go:linkname

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/validation"
	"k8s.io/kubernetes/pkg/controller/nodelifecycle"
	"k8s.io/kubernetes/pkg/controller/tainteviction"
	_ "k8s.io/kubernetes/pkg/util/tolerations"
)

// MinTolerationTime is the taint-eviction controller's function that returns how
// long a pod with these tolerations stays: 0 for not at all, negative for forever.
//
//go:linkname MinTolerationTime k8s.io/kubernetes/pkg/controller/tainteviction.getMinTolerationTime
func MinTolerationTime(tolerations []corev1.Toleration) time.Duration

// IsSuperset is the function by which VerifyAgainstWhitelist and MergeTolerations
// compare a toleration with another.
//
//go:linkname IsSuperset k8s.io/kubernetes/pkg/util/tolerations.isSuperset
func IsSuperset(ss, t core.Toleration) bool

// ValidateNodeTaints is the API server's validation of a node's taints.
//
//go:linkname ValidateNodeTaints k8s.io/kubernetes/pkg/apis/core/validation.validateNodeTaints
func ValidateNodeTaints(taints []core.Taint, fldPath *field.Path) field.ErrorList

// NoSchedulePass is the function by which the node-lifecycle controller keeps a
// node's NoSchedule taints in step with its conditions.
//
//go:linkname NoSchedulePass k8s.io/kubernetes/pkg/controller/nodelifecycle.(*Controller).doNoScheduleTaintingPass
func NoSchedulePass(nc *nodelifecycle.Controller, ctx context.Context, nodeName string) error

// NoExecutePass is the function by which the node-lifecycle controller puts
// NoExecute taints on the nodes that are due.
//
//go:linkname NoExecutePass k8s.io/kubernetes/pkg/controller/nodelifecycle.(*Controller).doNoExecuteTaintingPass
func NoExecutePass(nc *nodelifecycle.Controller, ctx context.Context)

// ProcessReady is the function by which the node-lifecycle controller removes
// and swaps NoExecute taints and marks nodes for NoExecutePass.
//
//go:linkname ProcessReady k8s.io/kubernetes/pkg/controller/nodelifecycle.(*Controller).processTaintBaseEviction
func ProcessReady(
	nc *nodelifecycle.Controller, ctx context.Context, node *corev1.Node,
	currentReadyCondition *corev1.NodeCondition,
)

// AddZone adds the zone of the node to the node-lifecycle controller.
//
//go:linkname AddZone k8s.io/kubernetes/pkg/controller/nodelifecycle.(*Controller).addPodEvictorForNewZone
func AddZone(nc *nodelifecycle.Controller, logger klog.Logger, node *corev1.Node)

// HandleDisruption is the function by which the node-lifecycle controller sets
// the rate at which it puts NoExecute taints on the nodes of each zone.
//
//go:linkname HandleDisruption k8s.io/kubernetes/pkg/controller/nodelifecycle.(*Controller).handleDisruption
func HandleDisruption(nc *nodelifecycle.Controller, ctx context.Context,
	zoneToNodeConditions map[string][]*corev1.NodeCondition, nodes []*corev1.Node)

// ProcessPod is the taint-eviction controller's check of a pod. It schedules,
// keeps or cancels the pod's deletion.
//
//go:linkname ProcessPod k8s.io/kubernetes/pkg/controller/tainteviction.(*Controller).processPodOnNode
func ProcessPod(tc *tainteviction.Controller, ctx context.Context, pod types.NamespacedName,
	nodeName string, tolerations []corev1.Toleration, taints []corev1.Taint, now time.Time)
