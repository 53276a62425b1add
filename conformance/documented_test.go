// SPDX-License-Identifier: Apache-2.0

//go:build !otherkubernetes

package conformance

import (
	"fmt"
	"reflect"

	"github.com/seed-0529bac1/taints"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/cloud-provider/controllers/service"
	"k8s.io/kubernetes/pkg/controller/nodelifecycle"
	utiltaints "k8s.io/kubernetes/pkg/util/taints"
	"pgregory.net/rapid"
)

// documented has a comparison for each row of docs/kubernetes.md, by the package in
// the heading and the name in the row. It is a test of this package, or a property
// that TestRows checks. What the row says under "what changes" is in the
// comparison.
var documented = map[string]map[string]any{
	"k8s.io/api/core/v1": {
		"Taint":                       sameType[corev1.Taint, taints.Taint],
		"Toleration":                  sameType[corev1.Toleration, taints.Toleration],
		"TaintEffect":                 sameType[corev1.TaintEffect, taints.Effect],
		"TaintEffectNoSchedule":       equal(corev1.TaintEffectNoSchedule, taints.NoSchedule),
		"TaintEffectPreferNoSchedule": equal(corev1.TaintEffectPreferNoSchedule, taints.PreferNoSchedule),
		"TaintEffectNoExecute":        equal(corev1.TaintEffectNoExecute, taints.NoExecute),
		"TolerationOperator":          sameType[corev1.TolerationOperator, taints.Operator],
		"TolerationOpEqual":           equal(corev1.TolerationOpEqual, taints.OpEqual),
		"TolerationOpExists":          equal(corev1.TolerationOpExists, taints.OpExists),
		"TolerationOpLt":              equal(corev1.TolerationOpLt, taints.OpLt),
		"TolerationOpGt":              equal(corev1.TolerationOpGt, taints.OpGt),
		"Taint.MatchTaint":            matchTaint,
		"Taint.ToString":              TestTaintToString,
		"Toleration.MatchToleration":  matchToleration,
		"Toleration.ToleratesTaint":   TestToleratesTaint,
		"TaintNodeNotReady":           equal(corev1.TaintNodeNotReady, taints.NodeNotReady),
		"TaintNodeUnreachable":        equal(corev1.TaintNodeUnreachable, taints.NodeUnreachable),
		"TaintNodeUnschedulable":      equal(corev1.TaintNodeUnschedulable, taints.NodeUnschedulable),
		"TaintNodeMemoryPressure":     equal(corev1.TaintNodeMemoryPressure, taints.NodeMemoryPressure),
		"TaintNodeDiskPressure":       equal(corev1.TaintNodeDiskPressure, taints.NodeDiskPressure),
		"TaintNodeNetworkUnavailable": equal(corev1.TaintNodeNetworkUnavailable, taints.NodeNetworkUnavailable),
		"TaintNodePIDPressure":        equal(corev1.TaintNodePIDPressure, taints.NodePIDPressure),
	},
	"k8s.io/component-helpers/scheduling/corev1": {
		"TolerationsTolerateTaint":     TestTolerationsTolerateTaint,
		"FindMatchingUntoleratedTaint": findUntolerated,
	},
	"k8s.io/kubernetes/pkg/apis/core": {
		"Taint.MatchTaint":           matchTaint,
		"Taint.ToString":             matchTaint,
		"Toleration.MatchToleration": matchToleration,
	},
	"k8s.io/kubernetes/pkg/apis/core/helper": {"AddOrUpdateTolerationInPod": addOrUpdateToleration},
	"k8s.io/kubernetes/pkg/apis/core/v1/helper": {
		"AddOrUpdateTolerationInPodSpec": addOrUpdateToleration,
		"GetMatchingTolerations":         TestGetMatchingTolerations,
		"IsExtendedResourceName":         TestIsExtendedResourceName,
	},
	"k8s.io/kubernetes/pkg/apis/core/validation": {
		"ValidateTolerations":          TestValidateTolerations,
		"validateOnlyAddedTolerations": updateWithDefaults,
		"validateNodeTaints":           TestValidateNodeTaints,
	},
	"k8s.io/kubernetes/pkg/util/taints": {
		"ParseTaints":                func(t *rapid.T) { sameParse(t, utiltaints.ParseTaints) },
		"CheckIfTaintsAlreadyExists": func(t *rapid.T) { sameExisting(t, utiltaints.CheckIfTaintsAlreadyExists) },
		"DeleteTaintsByKey":          deleteTaintsByKey,
		"DeleteTaint":                TestAddAndRemoveTaint,
		"RemoveTaint":                TestAddAndRemoveTaint,
		"AddOrUpdateTaint":           TestAddAndRemoveTaint,
		"TaintExists":                TestFindTaint,
		"TaintKeyExists":             deleteTaintsByKey,
		"TaintSetDiff":               TestTaintSetDiff,
		"TaintSetFilter":             taintSetFilter,
		"CheckTaintValidation":       checkTaintValidation,
	},
	"k8s.io/kubernetes/pkg/util/tolerations": {
		"VerifyAgainstWhitelist": TestVerifyAgainstWhitelist,
		"MergeTolerations":       TestMergeTolerates,
		"isSuperset":             TestIsSuperset,
	},
	"k8s.io/kubernetes/pkg/util/flag": {
		"RegisterWithTaintsVar":        TestParseTaintList,
		"RegisterWithTaintsVar.Set":    TestParseTaintList,
		"RegisterWithTaintsVar.String": registerString,
	},
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/helper": {
		"DoNotScheduleTaintsFilterFunc": findUntolerated,
		"DefaultNormalizeScore":         TestDefaultNormalizeScore,
	},
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/tainttoleration": {
		"TaintToleration.Filter":                                      TestTaintTolerationPlugin,
		"TaintToleration.Score":                                       TestTaintTolerationPlugin,
		"TaintToleration.NormalizeScore":                              TestTaintTolerationPlugin,
		"TaintToleration.PreScore":                                    TestTaintTolerationPlugin,
		"TaintToleration.isSchedulableAfterNodeChange":                schedulableAfterNodeChange,
		"TaintToleration.isSchedulableAfterTargetPodTolerationChange": schedulableAfterTolerationChange,
		"ErrReasonNotMatch":                                           reasonNotMatch,
	},
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodeunschedulable": {
		"NodeUnschedulable.Filter":                                      nodeUnschedulable,
		"NodeUnschedulable.isSchedulableAfterTargetPodTolerationChange": nodeUnschedulable,
	},
	"k8s.io/kubernetes/pkg/controller/tainteviction": {
		"getMinTolerationTime":             TestGetMatchingTolerations,
		"Controller.processPodOnNode":      TestProcessPodOnNode,
		"TimedWorkerQueue":                 timedWorkerQueue,
		"CreateWorkerQueue":                TestProcessPodOnNode,
		"TimedWorkerQueue.AddWork":         timedWorkerQueue,
		"TimedWorkerQueue.UpdateWork":      timedWorkerQueue,
		"TimedWorkerQueue.CancelWork":      timedWorkerQueue,
		"TimedWorkerQueue.GetWorkerUnsafe": timedWorkerQueue,
		"TimedWorkerQueue.CancelAndWait":   timedWorkerQueue,
		"TimedWorker":                      timedWorkerQueue,
		"TimedWorker.Cancel":               timedWorkerQueue,
		"WorkArgs":                         timedWorkerQueue,
		"NewWorkArgs":                      timedWorkerQueue,
		"WorkArgs.KeyFromWorkArgs":         timedWorkerQueue,
	},
	"k8s.io/kubernetes/pkg/controller/nodelifecycle": {
		"UnreachableTaintTemplate":            equal(nodelifecycle.UnreachableTaintTemplate.ToString(), taints.Taint{Key: taints.NodeUnreachable, Effect: taints.NoExecute}),
		"NotReadyTaintTemplate":               equal(nodelifecycle.NotReadyTaintTemplate.ToString(), taints.Taint{Key: taints.NodeNotReady, Effect: taints.NoExecute}),
		"nodeConditionToTaintKeyStatusMap":    conditionRules,
		"Controller.doNoScheduleTaintingPass": TestConditions,
		"Controller.processTaintBaseEviction": TestConditions,
		"Controller.handleDisruption":         TestHandleDisruption,
		"Controller.ComputeZoneState":         TestComputeZoneState,
		"Controller.HealthyQPSFunc":           TestComputeZoneState,
		"Controller.ReducedQPSFunc":           TestComputeZoneState,
		"ZoneState":                           TestComputeZoneState,
	},
	"k8s.io/kubernetes/pkg/controller/util/node": {"SwapNodeControllerTaint": swapTaints},
	"k8s.io/kubernetes/pkg/controller": {
		"AddOrUpdateTaintOnNode": addOrUpdateTaintOnNode,
		"RemoveTaintOffNode":     removeTaintOffNode,
	},
	"k8s.io/kubernetes/pkg/controller/daemon":                           {"NodeShouldRunDaemonPod": nodeShouldRunDaemonPod},
	"k8s.io/kubernetes/pkg/controller/daemon/util":                      {"AddOrUpdateDaemonPodTolerations": TestAddOrUpdateDaemonPodTolerations},
	"k8s.io/kubernetes/plugin/pkg/admission/defaulttolerationseconds":   {"Plugin.Admit": TestDefaultTolerationSeconds},
	"k8s.io/kubernetes/plugin/pkg/admission/extendedresourcetoleration": {"plugin.Admit": TestExtendedResourceToleration},
	"k8s.io/kubernetes/plugin/pkg/admission/podtolerationrestriction": {
		"Plugin.Admit":    TestPodTolerationRestriction,
		"Plugin.Validate": TestValidateRestriction,
	},
	"k8s.io/kubernetes/plugin/pkg/admission/runtimeclass": {"RuntimeClass.Admit": TestRuntimeClass},
	"k8s.io/kubernetes/plugin/pkg/admission/nodetaint":    {"addNotReadyTaint": notReadyTaint},
	"k8s.io/kubectl/pkg/cmd/taint": {
		"parseTaints":                TestParseChanges,
		"reorganizeTaints":           TestReorganizeTaints,
		"checkIfTaintsAlreadyExists": TestCheckIfTaintsAlreadyExists,
		"TaintOptions.Validate":      TestValidateChanges,
	},
	"k8s.io/kubectl/pkg/describe": {
		"printTolerationsMultilineWithIndent": TestPrintTolerations,
		"printTaintsMultilineWithIndent":      printTaints,
	},
	"k8s.io/cloud-provider/node/helpers": {
		"AddOrUpdateTaintOnNode": addOrUpdateTaintOnNode,
		"RemoveTaintOffNode":     removeTaintOffNode,
	},
	"k8s.io/cloud-provider/controllers/node": {
		"getCloudTaint":     cloudTaints,
		"excludeCloudTaint": cloudTaints,
	},
	"k8s.io/cloud-provider/controllers/service": {
		"nodeUnTaintedPredicate": cloudTaints,
		"ToBeDeletedTaint":       equal(service.ToBeDeletedTaint, "ToBeDeletedByClusterAutoscaler"),
	},
	"k8s.io/kubernetes/pkg/apis/node/validation":       {"ValidateRuntimeClass": TestValidateRuntimeClass},
	"k8s.io/dynamic-resource-allocation/resourceclaim": {"ToleratesTaint": TestDeviceToleratesTaint},
}

// equal compares the text of a constant of Kubernetes with that of the library's.
func equal(theirs, ours any) func(*rapid.T) {
	return func(t *rapid.T) { same(t, "the constant", fmt.Sprint(ours), fmt.Sprint(theirs)) }
}

// sameType compares two types: their kind and size, and the name, place and JSON of
// each field.
func sameType[K, L any](t *rapid.T) {
	same(t, "the type", layout(reflect.TypeFor[L]()), layout(reflect.TypeFor[K]()))
}

func layout(typ reflect.Type) []string {
	all := []string{fmt.Sprint(typ.Kind(), typ.Size())}
	for i := 0; typ.Kind() == reflect.Struct && i < typ.NumField(); i++ {
		f := typ.Field(i)
		all = append(all, fmt.Sprint(f.Name, f.Offset, f.Tag.Get("json")))
	}
	return all
}
