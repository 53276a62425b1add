// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/seed-0529bac1/taints/cmd/internal/say"
)

// jobSpec returns the spec of a Job, or of those that a CronJob makes.
func (o *object) jobSpec(kind string) *batchv1.JobSpec {
	if kind == "CronJob" {
		return &o.Spec.JobTemplate.Spec
	}
	return &o.Spec.JobSpec
}

// onDisruption returns what the policy does about pods that are evicted, or "". Rules
// about exit codes are not evaluated.
func onDisruption(p *batchv1.PodFailurePolicy) batchv1.PodFailurePolicyAction {
	for _, rule := range ptr.Deref(p, batchv1.PodFailurePolicy{}).Rules {
		for _, c := range rule.OnPodConditions {
			if c.Type == corev1.DisruptionTarget && c.Status == corev1.ConditionTrue {
				return rule.Action
			}
		}
	}
	return ""
}

// AfterEvictions says what a Job does that loses the pods, and whether it makes no new
// ones. The job controller counts pods that are evicted as failed.
func (w *Workload) AfterEvictions(pods int) (text string, ends bool) {
	if w == nil {
		return "the Job is not in the input: it fails for good if the evicted pods exceed its backoffLimit", false
	}
	failed, limit, perIndex := w.failed+pods, int(ptr.Deref(w.limit, 6)), w.perIndex
	switch action := onDisruption(w.policy); {
	case action == batchv1.PodFailurePolicyActionIgnore:
		return "the Job makes a new one and does not count it: its podFailurePolicy ignores DisruptionTarget", false
	case action == batchv1.PodFailurePolicyActionFailJob:
		return "the Job fails for good: its podFailurePolicy says so for DisruptionTarget", true
	case action == batchv1.PodFailurePolicyActionFailIndex, perIndex != nil && *perIndex == 0:
		return "its index of the Job fails for good", true
	case perIndex != nil && w.limit == nil:
		return fmt.Sprintf("the Job counts a failure of its index, up to its backoffLimitPerIndex %d", *perIndex), false
	case failed > limit:
		return fmt.Sprintf("the Job fails for good: %s more than its backoffLimit %d, and no podFailurePolicy ignores DisruptionTarget",
			say.Count(failed, "failed pod")+say.For(failed, " is", " are"), limit), true
	}
	return fmt.Sprintf("the Job counts it as failed, %d of its backoffLimit %d, and makes a new one", failed, limit), false
}
