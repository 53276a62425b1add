// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/seed-0529bac1/taints"
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
	done      = "evicted"
	deleted   = "deleted"  // a PodDisruptionBudget held it back on a failed node
	gone      = "gone"     // the pod no longer existed
	postponed = ""         // there was no attempt: the pod stays, or has to wait
	dryRun    = "dry-run"  // nothing was done
	canceled  = "canceled" // the taints no longer evict the pod
)

// The reasons of a failed attempt, which is repeated.
const (
	blocked   = "blocked"   // by a PodDisruptionBudget
	throttled = "throttled" // the API server is too busy
	conflict  = "conflict"  // it is another pod, or the pod changes too fast
	stale     = "stale"     // this replica may know less than the API server
	failed    = "error"     // anything else
)

// outcome returns the outcome of an attempt that returned the error, or the reason.
func outcome(err error) string {
	switch {
	case err == nil:
		return done
	case refusal(err) != "":
		return blocked
	case apierrors.IsNotFound(err):
		return gone
	case errors.Is(err, errStale), errors.Is(err, errNotLeads):
		return stale
	case apierrors.IsTooManyRequests(err):
		return throttled
	case apierrors.IsConflict(err):
		return conflict
	}
	return failed
}

// refusal returns why PodDisruptionBudgets do not let the pod go, or "" if the error
// is another one. The Eviction API never evicts a pod that has two.
func refusal(err error) string {
	if cause, ok := apierrors.StatusCause(err, policyv1.DisruptionBudgetCause); ok {
		return cause.Message
	}
	if text := err.Error(); strings.Contains(text, "more than one PodDisruptionBudget") {
		return text
	}
	return ""
}

// evict evicts the pod if the API server confirms that it is due.
func (c *Controller) evict(ctx context.Context, l *lane, p *pod) {
	defer func() { <-l.places }()
	result, err := c.try(ctx, p)
	if err != nil {
		result = outcome(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	mustCheck := p.state == inFlight || c.nodes[p.node] == nil // changes wait, or are not seen yet
	p.state = waits
	c.note(ctx, p, result, err)
	if mustCheck {
		c.check(ctx, p.NamespacedName)
	}
	c.wake(p)
	l.nodes.Add(p.node) // it may have tried for others
}

// try tries to evict the pod, and returns the outcome unless there is an error.
func (c *Controller) try(ctx context.Context, p *pod) (string, error) {
	if err := c.ask(ctx, p); err != nil {
		return postponed, err
	}
	c.mu.Lock()
	n := c.nodes[p.node]
	if n == nil || !c.pending(p) || time.Until(c.next(p)) > 0 {
		c.mu.Unlock()
		return postponed, nil
	}
	v := c.viewOf(ctx, p.node, later(later(p.due, p.changed), n.changed))
	c.mu.Unlock()
	if <-v.done; v.err != nil {
		return postponed, nil
	}
	c.workers <- struct{}{}
	defer func() { <-c.workers }()
	v, err := c.withPod(ctx, v, p)
	if err != nil {
		return postponed, err
	}
	if now, err := c.takeTurn(ctx, p, v); err != nil || !now {
		return postponed, err
	}
	return c.attempt(context.WithoutCancel(ctx), p, v) // which ends before the process does
}

// note notes the outcome of an attempt. The caller holds the mutex.
func (c *Controller) note(ctx context.Context, p *pod, result string, err error) {
	late := time.Since(p.due)
	logger := log.FromContext(ctx).WithValues("pod", p.NamespacedName, "uid", p.uid, "node", p.node, "deadline", p.due, "late", late)
	switch result {
	case postponed:
		return
	case done:
		logger.Info("Evicted a pod")
	case deleted:
		logger.Info("Deleted a pod on a failed node, although a PodDisruptionBudget holds it back")
	case gone:
		logger.Info("A pod to evict is already gone")
	case dryRun:
		logger.Info("Would evict a pod")
	default:
		c.metrics.failures.WithLabelValues(result).Inc()
		c.emitFailure(p, err)
		p.held, p.stale = result == blocked, err == errStale
		p.failures++
		p.retry = time.Now().Add(backoff(p.failures, err))
		if e := c.failed(p); p.held && e.Outcome != taints.Stays && c.options.DeleteHeldAfter > 0 {
			if at := e.At.Add(c.options.DeleteHeldAfter); time.Until(at) > 0 && at.Before(p.retry) {
				p.retry = at
			}
		}
		if p.stale {
			logger = c.logOnce(logger, p.node)
		}
		logger.Info("Cannot evict a pod, and will retry", "reason", result, "at", p.retry, "failures", p.failures, "error", err.Error())
		return
	}
	c.metrics.evictions.WithLabelValues(result).Inc()
	if result != gone {
		c.metrics.lateness.Observe(late.Seconds())
	}
	p.held, p.evicted = false, true
	c.queue.Delete(p)
}

const (
	firstRetry = 500 * time.Millisecond
	lastRetry  = 30 * time.Second
	// outageRetry is the longest backoff while the API server cannot be reached or the
	// lease is not renewed, so that overdue pods are evicted soon afterwards. A cache that
	// is behind says itself when it no longer is.
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
	if unreachable(err) || errors.Is(err, errNotLeads) {
		d = min(d, outageRetry)
	}
	return wait.Jitter(d, 0.5)
}

// requestTimeout bounds how long the API server may keep a worker busy.
const requestTimeout = 15 * time.Second

// attempt evicts the pod, and returns the outcome unless there is an error. It never
// evicts another pod of the same name.
func (c *Controller) attempt(ctx context.Context, p *pod, v *view) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	if !p.marked {
		c.emit(p, corev1.EventTypeNormal, actionEvict, "Marking for deletion Pod %s")
		p.marked = true
	}
	switch {
	case c.options.DryRun:
		return dryRun, nil
	case c.options.Method == Delete:
		return done, c.delete(ctx, v, p, false)
	}
	err := c.create(ctx, p)
	if apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) && c.options.DeleteHeldAfter > 0 {
		// Nothing can be created in its namespace, not even an eviction.
		err = c.delete(ctx, v, p, false)
	}
	if outcome(err) != blocked || !c.mayDelete(ctx, v, p) {
		return done, err
	}
	c.mu.Lock()
	v = c.viewOf(ctx, p.node, time.Now()) // the node may have recovered
	c.mu.Unlock()
	<-v.done
	v, unread := c.withPod(ctx, v, p)
	if unread != nil || !c.mayDelete(ctx, v, p) {
		return done, err
	}
	c.warn(p, actionDelete, "Deleting Pod %s on a failed node, due since %s, although a PodDisruptionBudget holds it back: %s", refusal(err))
	return deleted, c.delete(ctx, v, p, true)
}

func (c *Controller) create(ctx context.Context, p *pod) error {
	return c.client.SubResource("eviction").Create(ctx,
		&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: p.Namespace, Name: p.Name, UID: p.uid}},
		&policyv1.Eviction{
			ObjectMeta:    metav1.ObjectMeta{Namespace: p.Namespace, Name: p.Name},
			DeleteOptions: &metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &p.uid}},
		})
}

// delete does to a pod what Kubernetes' taint-eviction controller does. If exact is
// true, that fails if the pod has changed since the view, as by the kubelet of a node
// that is back.
func (c *Controller) delete(ctx context.Context, v *view, p *pod, exact bool) error {
	obj := v.pods[p.uid].DeepCopy()
	same, preconditions := map[string]any{"uid": obj.UID}, client.Preconditions{UID: &obj.UID}
	if exact {
		same["resourceVersion"], preconditions.ResourceVersion = obj.ResourceVersion, &obj.ResourceVersion
	}
	patch, err := json.Marshal(map[string]any{
		"metadata": same,
		"status": map[string]any{"conditions": []corev1.PodCondition{{
			Type:               corev1.DisruptionTarget,
			ObservedGeneration: obj.Generation,
			Status:             corev1.ConditionTrue,
			LastTransitionTime: metav1.Now(),
			Reason:             "DeletionByTaintManager",
			Message:            "Taint manager: deleting due to NoExecute taint",
		}}},
	})
	if err == nil {
		err = c.client.Status().Patch(ctx, obj, client.RawPatch(types.StrategicMergePatchType, patch)) // which sets the new version
	}
	if err != nil {
		return err
	}
	return c.client.Delete(ctx, obj, preconditions)
}

// The actions of events. Kubernetes merges events on a pod that have the same type,
// reason and action, and keeps the first note. So each note has its own action.
const (
	actionEvict  = "Evict"
	actionCancel = "CancelEviction"
	actionWait   = "WaitForDisruptionBudget"
	actionDelete = "DeleteDespiteDisruptionBudget"
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
	switch reason := refusal(err); {
	case reason != "":
		c.warn(p, actionWait, "A PodDisruptionBudget holds back the eviction of Pod %s, due since %s: %s", reason)
	case p.failures > 0 && !unreachable(err) && outcome(err) != stale:
		c.warn(p, actionRetry, "Cannot evict Pod %s, due since %s: %s", err.Error())
	}
}

func (c *Controller) warn(p *pod, action, note, reason string) {
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

var (
	errStale    = errors.New("the cache and the API server differ about the pod or its node")
	errNotLeads = errors.New("the lease was not renewed in time")
)
