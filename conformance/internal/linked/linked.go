// SPDX-License-Identifier: Apache-2.0

// Package linked runs unexported functions of Kubernetes, as they stand there. It
// rests on go:linkname, which the linker allows for anything outside the standard
// library.
package linked

import (
	"context"
	"reflect"
	"time"
	"unsafe" // also for go:linkname

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/klog/v2"
	_ "k8s.io/kubectl/pkg/cmd/taint"
	"k8s.io/kubectl/pkg/describe"
	"k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/validation"
	"k8s.io/kubernetes/pkg/controller/nodelifecycle"
	"k8s.io/kubernetes/pkg/controller/tainteviction"
)

// MinTolerationTime is the taint-eviction controller's: how long a pod stays that
// uses the tolerations, 0 for not at all and negative forever.
//
//go:linkname MinTolerationTime k8s.io/kubernetes/pkg/controller/tainteviction.getMinTolerationTime
func MinTolerationTime(tolerations []corev1.Toleration) time.Duration

// ValidateNodeTaints is what the API server checks a node's taints with.
//
//go:linkname ValidateNodeTaints k8s.io/kubernetes/pkg/apis/core/validation.validateNodeTaints
func ValidateNodeTaints(taints []core.Taint, fldPath *field.Path) field.ErrorList

// PrintTolerations is how "kubectl describe pod" prints tolerations.
//
//go:linkname PrintTolerations k8s.io/kubectl/pkg/describe.printTolerationsMultilineWithIndent
func PrintTolerations(
	w describe.PrefixWriter, initialIndent, title, innerIndent string, tolerations []corev1.Toleration,
)

// ParseTaints is what "kubectl taint" reads its arguments with: the taints to add
// and those to remove.
//
//go:linkname ParseTaints k8s.io/kubectl/pkg/cmd/taint.parseTaints
func ParseTaints(spec []string) ([]corev1.Taint, []corev1.Taint, error)

// CheckIfTaintsAlreadyExists is what "kubectl taint" asks first unless it may
// overwrite: the keys of the taints that are there.
//
//go:linkname CheckIfTaintsAlreadyExists k8s.io/kubectl/pkg/cmd/taint.checkIfTaintsAlreadyExists
func CheckIfTaintsAlreadyExists(oldTaints, taints []corev1.Taint) string

// ReorganizeTaints is what "kubectl taint" does to a node.
//
//go:linkname ReorganizeTaints k8s.io/kubectl/pkg/cmd/taint.reorganizeTaints
func ReorganizeTaints(node *corev1.Node, overwrite bool, taintsToAdd []corev1.Taint,
	taintsToRemove []corev1.Taint) (string, []corev1.Taint, error)

// NoSchedulePass is how the node-lifecycle controller keeps a node's NoSchedule
// taints in step with its conditions.
//
//go:linkname NoSchedulePass k8s.io/kubernetes/pkg/controller/nodelifecycle.(*Controller).doNoScheduleTaintingPass
func NoSchedulePass(nc *nodelifecycle.Controller, ctx context.Context, nodeName string) error

// NoExecutePass is how the node-lifecycle controller puts NoExecute taints on the
// nodes that are due.
//
//go:linkname NoExecutePass k8s.io/kubernetes/pkg/controller/nodelifecycle.(*Controller).doNoExecuteTaintingPass
func NoExecutePass(nc *nodelifecycle.Controller, ctx context.Context)

// ProcessReady is how the node-lifecycle controller removes and exchanges NoExecute
// taints, and marks nodes for NoExecutePass.
//
//go:linkname ProcessReady k8s.io/kubernetes/pkg/controller/nodelifecycle.(*Controller).processTaintBaseEviction
func ProcessReady(
	nc *nodelifecycle.Controller, ctx context.Context, node *corev1.Node,
	currentReadyCondition *corev1.NodeCondition,
)

// AddZone makes the node-lifecycle controller know the zone of the node.
//
//go:linkname AddZone k8s.io/kubernetes/pkg/controller/nodelifecycle.(*Controller).addPodEvictorForNewZone
func AddZone(nc *nodelifecycle.Controller, logger klog.Logger, node *corev1.Node)

// HandleDisruption is how the node-lifecycle controller sets the rates at which it
// puts NoExecute taints on the nodes of each zone.
//
//go:linkname HandleDisruption k8s.io/kubernetes/pkg/controller/nodelifecycle.(*Controller).handleDisruption
func HandleDisruption(nc *nodelifecycle.Controller, ctx context.Context,
	zoneToNodeConditions map[string][]*corev1.NodeCondition, nodes []*corev1.Node)

// ProcessPod is what the taint-eviction controller does when it checks a pod: it
// schedules, keeps or cancels its deletion.
//
//go:linkname ProcessPod k8s.io/kubernetes/pkg/controller/tainteviction.(*Controller).processPodOnNode
func ProcessPod(tc *tainteviction.Controller, ctx context.Context, pod types.NamespacedName,
	nodeName string, tolerations []corev1.Toleration, taints []corev1.Taint, now time.Time)

// Field returns the address of a field of a struct, exported or not.
func Field[T any](object any, name string) *T {
	field := reflect.ValueOf(object).Elem().FieldByName(name)
	return (*T)(unsafe.Pointer(field.UnsafeAddr()))
}
