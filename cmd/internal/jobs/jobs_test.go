// SPDX-License-Identifier: Apache-2.0

package jobs

import (
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
)

func policy(action batchv1.PodFailurePolicyAction, status corev1.ConditionStatus) *batchv1.PodFailurePolicy {
	on := []batchv1.PodFailurePolicyOnPodConditionsPattern{{Type: corev1.DisruptionTarget, Status: status}}
	return &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{{Action: action, OnPodConditions: on}}}
}

// The answers are those of Kubernetes' job controller: a podFailurePolicy that fails the
// Job comes before its backoffLimit, and that before maxFailedIndexes.
func TestAfterEvictions(t *testing.T) {
	indexed := func(perIndex, most int32) batchv1.JobSpec {
		return batchv1.JobSpec{BackoffLimitPerIndex: &perIndex, MaxFailedIndexes: &most}
	}
	both := indexed(0, 0)
	both.BackoffLimit, both.PodFailurePolicy = new(int32(1)), policy(batchv1.PodFailurePolicyActionFailJob, "True")
	limited := indexed(0, 0)
	limited.BackoffLimit = new(int32(1))
	for _, tc := range []struct {
		spec     batchv1.JobSpec
		failed   int
		indexes  string
		own      int
		failures []int
		want     string
		ends     bool
		again    string // after these, if a kubelet refuses each new pod
	}{
		{batchv1.JobSpec{}, 5, "", 0, []int{0}, "counts it as failed, 6 of its backoffLimit 6, and makes a new one", false, "after 1 more pod"},
		{batchv1.JobSpec{}, 5, "", 0, []int{0, 0}, "fails for good: 7 failed pods are more than its backoffLimit 6", true, "after 1 more pod"},
		{batchv1.JobSpec{PodFailurePolicy: policy("Ignore", "")}, 9, "", 0, []int{0}, "does not count it", false, "after 1 more pod"},
		{batchv1.JobSpec{PodFailurePolicy: policy("Ignore", "False")}, 0, "", 0, []int{0}, "counts it", false, "after 6 more pods"},
		{both, 0, "", 0, []int{0, 0}, "its podFailurePolicy says so", true, "1 time for each index"},
		{limited, 0, "", 0, []int{0, 0}, "2 failed pods are more than its backoffLimit 1", true, "1 time for each index"},
		{indexed(0, 3), 0, "1,3-4", 0, []int{0}, "4 failed indexes are more than its maxFailedIndexes 3", true, "1 time for each index"},
		{indexed(1, 3), 9, "1,3-4", 0, []int{0, 0}, "a failure of each index, 1 of the backoffLimitPerIndex 1, and makes new ones", false, "2 times"},
		{indexed(1, 3), 0, "", 1, []int{1}, "its index of the Job fails for good", true, "2 times"},
		{indexed(1, 0), 0, "", 0, []int{0, 1}, "1 failed index is more than its maxFailedIndexes 0", true, "2 times"},
	} {
		l := Of(&tc.spec, tc.failed, tc.indexes)
		if text, ends := l.AfterEvictions(tc.own, tc.failures); !strings.Contains(text, tc.want) || ends != tc.ends {
			t.Errorf("got %q and %v, want %q and %v", text, ends, tc.want, tc.ends)
		}
		if text := Again("Job", l, len(tc.failures), false); !strings.Contains(text, tc.again) {
			t.Errorf("got %q, want %q", text, tc.again)
		}
	}
	l := Of(&batchv1.JobSpec{PodFailurePolicy: policy("Ignore", "True")}, 0, "")
	for kind, want := range map[string]string{"Job": ", again and again", "Deployment": ", again and again"} {
		if text := Again(kind, l, 0, true); text != want {
			t.Errorf("%s by a disruption: %q", kind, text)
		}
	}
}
