// SPDX-License-Identifier: Apache-2.0

// Package jobs says what Kubernetes' job controller does about evictions.
package jobs

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/seed-0529bac1/taints/cmd/internal/say"
)

// Limits are what ends a Job early.
type Limits struct {
	failed, backoff     int    // pods that have failed, and may
	indexes, maxIndexes int    // the same of indexes
	perIndex            *int32 // pods of an index that may fail; nil: any number of them
	onDisruption        batchv1.PodFailurePolicyAction
}

// Of returns the limits of the Job that has had failures. Rules of its policy about exit
// codes are not evaluated.
func Of(s *batchv1.JobSpec, failed int, indexes string) *Limits {
	backoff := int32(6)
	if s.BackoffLimitPerIndex != nil {
		backoff = math.MaxInt32
	}
	l := &Limits{
		failed: failed, backoff: int(ptr.Deref(s.BackoffLimit, backoff)), perIndex: s.BackoffLimitPerIndex,
		indexes: countIn(indexes), maxIndexes: int(ptr.Deref(s.MaxFailedIndexes, math.MaxInt32)),
	}
	for _, rule := range ptr.Deref(s.PodFailurePolicy, batchv1.PodFailurePolicy{}).Rules {
		for _, c := range rule.OnPodConditions {
			if l.onDisruption == "" && c.Type == corev1.DisruptionTarget && cmp.Or(c.Status, corev1.ConditionTrue) == corev1.ConditionTrue {
				l.onDisruption = rule.Action
			}
		}
	}
	return l
}

// countIn counts the indexes of a status, such as 1,3-5.
func countIn(indexes string) (n int) {
	for span := range strings.SplitSeq(indexes, ",") {
		first, last, _ := strings.Cut(span, "-")
		from, err := strconv.Atoi(first)
		if to, _ := strconv.Atoi(cmp.Or(last, first)); err == nil && to >= from {
			n += to - from + 1
		}
	}
	return n
}

// IndexFailures returns how often Kubernetes has counted a failure of the pod's index.
func IndexFailures(p *corev1.Pod) int {
	n, err := strconv.ParseInt(p.Annotations[batchv1.JobIndexFailureCountAnnotation], 10, 32)
	if err != nil {
		return 0
	}
	return max(int(n), 0)
}

// AfterEvictions says what the Job does about a pod that is evicted, and whether it makes
// no new one. It counts such pods as failed. For the pod and for each of those that are
// evicted with it, there are the failures of its index. Nil limits are not known.
func (l *Limits) AfterEvictions(own int, failures []int) (text string, ends bool) {
	if l == nil {
		return "the Job is not in the input: it fails for good if the evicted pods exceed its backoffLimit", false
	}
	n := len(failures)
	failed, indexes := l.failed+n, l.indexes
	isLast := func(failures int) bool {
		return l.onDisruption == batchv1.PodFailurePolicyActionFailIndex || l.perIndex != nil && failures >= int(*l.perIndex)
	}
	for _, failures := range failures {
		if isLast(failures) {
			indexes++
		}
	}
	it, one := say.For(n, "it", "them"), say.For(n, "a new one", "new ones")
	switch {
	case l.onDisruption == batchv1.PodFailurePolicyActionIgnore:
		return "the Job makes " + one + " and does not count " + it + ": its podFailurePolicy ignores DisruptionTarget", false
	case l.onDisruption == batchv1.PodFailurePolicyActionFailJob:
		return "the Job fails for good: its podFailurePolicy says so for DisruptionTarget", true
	case failed > l.backoff:
		return fmt.Sprintf("the Job fails for good: %s more than its backoffLimit %d, and no podFailurePolicy ignores DisruptionTarget",
			say.Count(failed, "failed pod")+say.For(failed, " is", " are"), l.backoff), true
	case indexes > l.maxIndexes:
		return fmt.Sprintf("the Job fails for good, and its other pods end: %s more than its maxFailedIndexes %d",
			say.CountOf(indexes, "failed index is", "failed indexes are"), l.maxIndexes), true
	case isLast(own):
		return say.For(n, "its index of the Job fails", "their indexes of the Job fail") + " for good", true
	case l.perIndex != nil:
		return fmt.Sprintf("the Job counts a failure of %s, %d of the backoffLimitPerIndex %d, and makes %s",
			say.For(n, "its index", "each index"), own+1, *l.perIndex, one), false
	}
	return fmt.Sprintf("the Job counts %s as failed, %d of its backoffLimit %d, and makes %s", it, failed, l.backoff, one), false
}

// Again says how long an object of the kind makes new pods if each of them fails, by a
// disruption, or as a kubelet refuses it, which no podFailurePolicy sees. So many of its
// pods fail before. The limits are those of a Job, or of those that a CronJob makes.
func Again(kind string, l *Limits, before int, byDisruption bool) string {
	if !strings.HasSuffix(kind, "Job") {
		return ", again and again"
	}
	left := max(l.backoff-l.failed-before+1, 1)
	switch {
	case byDisruption && l.onDisruption == batchv1.PodFailurePolicyActionIgnore:
		return ", again and again"
	case byDisruption && l.onDisruption == batchv1.PodFailurePolicyActionFailJob:
		left = 1
	case byDisruption && l.onDisruption == batchv1.PodFailurePolicyActionFailIndex:
		return ", and each index of the Job fails for good"
	case l.perIndex != nil:
		return fmt.Sprintf(", up to %s for each index of the Job, which then fails for good", say.Count(int(*l.perIndex)+1, "time"))
	}
	return ". They count as failed, so that the Job fails for good after " + say.Count(left, "more pod")
}
