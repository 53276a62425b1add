// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// A Method is a way to evict a pod.
type Method string

const (
	// Evict uses the Eviction API, which may refuse because of a PodDisruptionBudget.
	Evict Method = "evict"
	// Delete sets the condition DisruptionTarget and deletes the pod, as
	// Kubernetes' taint-eviction controller does. It ignores PodDisruptionBudgets.
	Delete Method = "delete"
)

// The outcomes of an eviction.
const (
	done     = "evicted"
	gone     = "gone"     // the pod no longer existed
	dryRun   = "dry-run"  // nothing was done
	canceled = "canceled" // the taints no longer evict the pod
)

// The reasons of a failed attempt, which is repeated.
const (
	blocked   = "blocked"   // by a PodDisruptionBudget
	throttled = "throttled" // the API server is too busy
	conflict  = "conflict"  // it is another pod, or the pod changes too fast
	failed    = "error"     // anything else
)

// outcome returns the outcome of an attempt that returned the error, or the reason.
func outcome(err error) string {
	switch {
	case err == nil:
		return done
	case apierrors.IsNotFound(err):
		return gone
	case apierrors.HasStatusCause(err, policyv1.DisruptionBudgetCause):
		return blocked
	case apierrors.IsTooManyRequests(err):
		return throttled
	case apierrors.IsConflict(err):
		return conflict
	}
	return failed
}

// evict evicts the pod. If that fails, it returns when to retry.
func (c *Controller) evict(ctx context.Context, p *pod) reconcile.Result {
	if p.failures == 0 {
		c.emit(p, corev1.EventTypeNormal, actionEvict, "Marking for deletion Pod %s")
	}
	err := c.remove(ctx, p)
	result, late := outcome(err), time.Since(p.due)
	if c.options.DryRun {
		result = dryRun
	}
	logger := log.FromContext(ctx).WithValues("uid", p.uid, "node", p.node, "deadline", p.due, "late", late)
	switch result {
	case done:
		logger.Info("Evicted a pod")
	case gone:
		logger.Info("A pod to evict is already gone")
	case dryRun:
		logger.Info("Would evict a pod")
	default:
		c.metrics.failures.WithLabelValues(result).Inc()
		c.emitFailure(p, err)
		p.failures++
		wait := backoff(p.failures, err)
		p.retry = time.Now().Add(wait)
		logger.Info("Cannot evict a pod, and will retry", "reason", result, "at", p.retry, "failures", p.failures, "error", err.Error())
		return p.wakeUp(wait)
	}
	c.metrics.evictions.WithLabelValues(result).Inc()
	if result != gone {
		c.metrics.lateness.Observe(late.Seconds())
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	p.evicted = true
	c.queue.Delete(p)
	return reconcile.Result{}
}

const (
	firstRetry = 500 * time.Millisecond
	lastRetry  = 30 * time.Second
	// outageRetry is the longest backoff while the API server cannot be reached, so
	// that overdue pods are evicted soon after it is back.
	outageRetry = 2 * time.Second
)

// backoff returns how long to wait after the failure: twice as long each time, and
// at least as long as the API server suggests, but at most lastRetry. Up to half is
// added, so that pods that failed together are not retried together.
func backoff(failures int, err error) time.Duration {
	d := min(firstRetry<<min(failures-1, 10), lastRetry)
	if seconds, ok := apierrors.SuggestsClientDelay(err); ok {
		d = max(d, min(time.Duration(seconds)*time.Second, lastRetry))
	}
	if unreachable(err) {
		d = min(d, outageRetry)
	}
	return wait.Jitter(d, 0.5)
}

// requestTimeout bounds how long the API server may keep a worker busy.
const requestTimeout = 15 * time.Second

// remove evicts the pod. It never evicts another pod of the same name.
func (c *Controller) remove(ctx context.Context, p *pod) error {
	if c.options.DryRun {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	if c.options.Method == Delete {
		return c.delete(ctx, p)
	}
	return c.client.SubResource("eviction").Create(ctx,
		&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: p.Namespace, Name: p.Name, UID: p.uid}},
		&policyv1.Eviction{
			ObjectMeta:    metav1.ObjectMeta{Namespace: p.Namespace, Name: p.Name},
			DeleteOptions: &metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &p.uid}},
		})
}

func (c *Controller) delete(ctx context.Context, p *pod) error {
	obj := &corev1.Pod{}
	if err := c.live.Get(ctx, p.NamespacedName, obj); err != nil {
		return err
	}
	if obj.UID != p.uid {
		return apierrors.NewNotFound(corev1.Resource("pods"), fmt.Sprintf("%s with UID %s", p.Name, p.uid))
	}
	before := obj.DeepCopy()
	before.UID = "" // so that the patch contains the UID, as a precondition
	if setDisruptionTarget(obj) {
		if err := c.client.Status().Patch(ctx, obj, client.StrategicMergeFrom(before)); err != nil {
			return err
		}
	}
	return c.client.Delete(ctx, obj, client.Preconditions{UID: &p.uid})
}

// setDisruptionTarget sets the condition that Kubernetes' taint-eviction controller
// sets, and reports whether that changed anything.
func setDisruptionTarget(obj *corev1.Pod) bool {
	return podutil.UpdatePodCondition(&obj.Status, &corev1.PodCondition{
		Type:               corev1.DisruptionTarget,
		ObservedGeneration: obj.Generation,
		Status:             corev1.ConditionTrue,
		Reason:             "DeletionByTaintManager",
		Message:            "Taint manager: deleting due to NoExecute taint",
	})
}

// The actions of events. Kubernetes merges events on a pod that have the same type,
// reason and action, and keeps the first note. So each note has its own action.
const (
	actionEvict  = "Evict"
	actionCancel = "CancelEviction"
	actionWait   = "WaitForDisruptionBudget"
	actionRetry  = "RetryEviction"
)

// emit records an event on the pod. The note begins with the pod's name.
func (c *Controller) emit(p *pod, kind, action, note string, args ...any) {
	if c.options.DryRun {
		note = "Dry run: " + note
	}
	ref := &corev1.ObjectReference{APIVersion: "v1", Kind: "Pod", Namespace: p.Namespace, Name: p.Name, UID: p.uid}
	args = append([]any{p.NamespacedName}, args...)
	c.events.Eventf(ref, nil, kind, "TaintManagerEviction", action, note, args...)
}

// emitFailure records an event about why the pod could not be evicted. It ignores a
// first failure, unless a PodDisruptionBudget caused it, and failures while the API
// server cannot be reached.
func (c *Controller) emitFailure(p *pod, err error) {
	action, note, reason := actionRetry, "Cannot evict Pod %s, due since %s: %s", err.Error()
	cause, held := apierrors.StatusCause(err, policyv1.DisruptionBudgetCause)
	switch {
	case held:
		action, reason = actionWait, cause.Message
		note = "A PodDisruptionBudget holds back the eviction of Pod %s, due since %s: %s"
	case p.failures == 0 || unreachable(err):
		return
	}
	c.emit(p, corev1.EventTypeWarning, action, note, p.due.UTC().Format(time.RFC3339), shorten(reason))
}

// shorten shortens an error so that the API server accepts the event: its note may
// have 1024 bytes, and the pod's name may need 317 of them.
func shorten(text string) string {
	const most = 512
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
