// SPDX-License-Identifier: Apache-2.0

//go:build !otherkubernetes

package linked

import (
	_ "unsafe" // for go:linkname

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	_ "k8s.io/cloud-provider/controllers/node"
	_ "k8s.io/cloud-provider/controllers/service"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubectl/pkg/describe"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/apis/core/validation"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodeunschedulable"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/tainttoleration"
	_ "k8s.io/kubernetes/plugin/pkg/admission/nodetaint"
)

// These functions are in docs/kubernetes.md, and have the signatures of the
// version of Kubernetes that the page names.

//go:linkname ValidateOnlyAddedTolerations k8s.io/kubernetes/pkg/apis/core/validation.validateOnlyAddedTolerations
func ValidateOnlyAddedTolerations(newTolerations, oldTolerations []core.Toleration, fldPath *field.Path,
	opts validation.PodValidationOptions) field.ErrorList

//go:linkname AfterNodeChange k8s.io/kubernetes/pkg/scheduler/framework/plugins/tainttoleration.(*TaintToleration).isSchedulableAfterNodeChange
func AfterNodeChange(pl *tainttoleration.TaintToleration, logger klog.Logger, pod *corev1.Pod,
	oldObj, newObj any) (fwk.QueueingHint, error)

//go:linkname AfterTolerationChange k8s.io/kubernetes/pkg/scheduler/framework/plugins/tainttoleration.(*TaintToleration).isSchedulableAfterTargetPodTolerationChange
func AfterTolerationChange(pl *tainttoleration.TaintToleration, logger klog.Logger, pod *corev1.Pod,
	oldObj, newObj any) (fwk.QueueingHint, error)

//go:linkname UncordonedAfterTolerationChange k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodeunschedulable.(*NodeUnschedulable).isSchedulableAfterTargetPodTolerationChange
func UncordonedAfterTolerationChange(pl *nodeunschedulable.NodeUnschedulable, logger klog.Logger, pod *corev1.Pod,
	oldObj, newObj any) (fwk.QueueingHint, error)

//go:linkname AddNotReadyTaint k8s.io/kubernetes/plugin/pkg/admission/nodetaint.addNotReadyTaint
func AddNotReadyTaint(node *core.Node)

//go:linkname GetCloudTaint k8s.io/cloud-provider/controllers/node.getCloudTaint
func GetCloudTaint(taints []corev1.Taint) *corev1.Taint

//go:linkname ExcludeCloudTaint k8s.io/cloud-provider/controllers/node.excludeCloudTaint
func ExcludeCloudTaint(taints []corev1.Taint) []corev1.Taint

//go:linkname NodeUnTaintedPredicate k8s.io/cloud-provider/controllers/service.nodeUnTaintedPredicate
func NodeUnTaintedPredicate(node *corev1.Node) bool

//go:linkname PrintTaints k8s.io/kubectl/pkg/describe.printTaintsMultilineWithIndent
func PrintTaints(w describe.PrefixWriter, initialIndent, title, innerIndent string, taints []corev1.Taint)

//go:linkname ConditionTaintKeys k8s.io/kubernetes/pkg/controller/nodelifecycle.nodeConditionToTaintKeyStatusMap
var ConditionTaintKeys map[corev1.NodeConditionType]map[corev1.ConditionStatus]string
