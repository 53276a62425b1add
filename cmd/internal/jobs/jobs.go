// SPDX-License-Identifier: Apache-2.0

// Package jobs says what Kubernetes' job controller does about evictions.
package jobs

import (
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/seed-0529bac1/taints/cmd/internal/say"
)

// Limits are what ends a Job early.
type Limits struct {
	Backoff, PerIndex *int32 // backoffLimit and backoffLimitPerIndex
	Policy            *batchv1.PodFailurePolicy
	Failed            int // pods so far
}

// Of returns the limits of the Job.
func Of(s *batchv1.JobSpec, failed int) *Limits {
	return &Limits{s.BackoffLimit, s.BackoffLimitPerIndex, s.PodFailurePolicy, failed}
}

// onDisruption returns what the policy does about pods that are evicted, or "". Rules
// about exit codes are not evaluated.
func (l *Limits) onDisruption() batchv1.PodFailurePolicyAction {
	for _, rule := range ptr.Deref(l.Policy, batchv1.PodFailurePolicy{}).Rules {
		for _, c := range rule.OnPodConditions {
			if c.Type == corev1.DisruptionTarget && c.Status == corev1.ConditionTrue {
				return rule.Action
			}
		}
	}
	return ""
}

// AfterEvictions says what the Job of a pod that is evicted does if so many of its pods
// are, and whether it makes no new one. It counts such pods as failed. Nil limits are not
// known.
func (l *Limits) AfterEvictions(pods int) (text string, ends bool) {
	if l == nil {
		return "the Job is not in the input: it fails for good if the evicted pods exceed its backoffLimit", false
	}
	failed, limit := l.Failed+pods, int(ptr.Deref(l.Backoff, 6))
	switch action := l.onDisruption(); {
	case action == batchv1.PodFailurePolicyActionIgnore:
		return "the Job makes a new one and does not count it: its podFailurePolicy ignores DisruptionTarget", false
	case action == batchv1.PodFailurePolicyActionFailJob:
		return "the Job fails for good: its podFailurePolicy says so for DisruptionTarget", true
	case action == batchv1.PodFailurePolicyActionFailIndex, ptr.Deref(l.PerIndex, 1) == 0:
		return "its index of the Job fails for good", true
	case l.PerIndex != nil && l.Backoff == nil:
		return fmt.Sprintf("the Job counts a failure of its index, up to its backoffLimitPerIndex %d", *l.PerIndex), false
	case failed > limit:
		return fmt.Sprintf("the Job fails for good: %s more than its backoffLimit %d, and no podFailurePolicy ignores DisruptionTarget",
			say.Count(failed, "failed pod")+say.For(failed, " is", " are"), limit), true
	}
	return fmt.Sprintf("the Job counts it as failed, %d of its backoffLimit %d, and makes a new one", failed, limit), false
}
