// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/lifecycle"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	nodeutil "k8s.io/component-helpers/node/util"
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
	deleted  = "deleted"  // a PodDisruptionBudget held it back on a failed node
	gone     = "gone"     // the pod no longer existed
	dryRun   = "dry-run"  // nothing was done
	canceled = "canceled" // the taints no longer evict the pod
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

// evict evicts the pod. If that fails, it returns when to retry.
func (c *Controller) evict(ctx context.Context, p *pod) reconcile.Result {
	result, err := c.attempt(ctx, p)
	late := time.Since(p.due)
	logger := log.FromContext(ctx).WithValues("uid", p.uid, "node", p.node, "deadline", p.due, "late", late)
	c.mu.Lock()
	p.held = result == blocked
	c.mu.Unlock()
	switch result {
	case done:
		logger.Info("Evicted a pod")
	case deleted:
		logger.Info("Deleted a pod on a failed node, although a PodDisruptionBudget holds it back")
	case gone:
		logger.Info("A pod to evict is already gone")
	case dryRun:
		logger.Info("Would evict a pod")
	case stale:
		c.metrics.failures.WithLabelValues(result).Inc()
		logger.Info("Does not evict a pod now", "reason", err.Error())
		return p.wakeUp(firstRetry)
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

// attempt tries to evict the pod, and returns the outcome or why it failed. It never
// evicts another pod of the same name.
func (c *Controller) attempt(ctx context.Context, p *pod) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	mayDelete, err := c.confirm(ctx, p)
	if err != nil {
		return outcome(err), err
	}
	if !p.marked {
		c.emit(p, corev1.EventTypeNormal, actionEvict, "Marking for deletion Pod %s")
		p.marked = true
	}
	switch {
	case c.options.DryRun:
		return dryRun, nil
	case c.options.Method == Delete:
		err = c.delete(ctx, p)
	default:
		err = c.create(ctx, p)
	}
	if result := outcome(err); result != blocked || !mayDelete {
		return result, err
	}
	c.warn(p, actionDelete, "Deleting Pod %s on a failed node, due since %s, although a PodDisruptionBudget holds it back: %s", refusal(err))
	if err = c.delete(ctx, p); err == nil {
		return deleted, nil
	}
	return outcome(err), err
}

// create creates an eviction.
func (c *Controller) create(ctx context.Context, p *pod) error {
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
	case p.failures > 0 && !unreachable(err):
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
	errStale    = errors.New("the cache is behind: the node no longer evicts the pod")
	errNotLeads = errors.New("the lease was not renewed in time")
)

// confirm asks the API server whether the node still evicts the pod, and the lease
// whether this replica still leads: the process may have been stopped for a while, and
// no clock of a virtual machine sees that it was suspended. Then confirm reports
// whether the pod may be deleted if a PodDisruptionBudget refuses its eviction.
func (c *Controller) confirm(ctx context.Context, p *pod) (mayDelete bool, err error) {
	obj := &corev1.Node{}
	if err := c.live.Get(ctx, types.NamespacedName{Name: p.node}, obj); client.IgnoreNotFound(err) != nil {
		return false, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	seen := c.nodes[p.node]
	if seen == nil || seen.uid != obj.UID {
		return false, errStale
	}
	now := time.Now()
	n := &node{taints: noExecute(obj, seen.taints, now), changed: seen.changed}
	e := c.eviction(p, n)
	if e.Outcome == taints.Stays || e.At.After(now) && c.queue.NewestWins {
		return false, errStale
	}
	if c.options.Leads != nil && !c.options.Leads() {
		return false, errNotLeads
	}
	return c.mayDelete(ctx, p, n, obj), nil
}

// mayDelete reports whether the pod should have left its node long ago because the
// node failed. Budgets have had their time then: the pod does not come back, and it
// keeps its controller from making another one.
func (c *Controller) mayDelete(ctx context.Context, p *pod, n *node, obj *corev1.Node) bool {
	if _, ready := nodeutil.GetNodeCondition(&obj.Status, corev1.NodeReady); ready != nil && ready.Status == corev1.ConditionTrue {
		return false
	}
	other := func(t taints.Taint) bool { return !isFailure(t.Key) }
	e := c.eviction(p, &node{taints: slices.DeleteFunc(n.taints, other), changed: n.changed})
	return c.options.DeleteHeldAfter > 0 && e.Outcome != taints.Stays && time.Since(e.At) >= c.options.DeleteHeldAfter && !c.cutOff(ctx)
}

func isFailure(key string) bool { return key == taints.NodeNotReady || key == taints.NodeUnreachable }

// cutOff reports whether so many nodes are not ready that they have probably not
// failed: the control plane may be cut off from them. Kubernetes' node-lifecycle
// controller stops evictions from a zone with so many.
func (c *Controller) cutOff(ctx context.Context) bool {
	var all corev1.NodeList
	if err := c.client.List(ctx, &all); err != nil {
		return true
	}
	var cluster lifecycle.Zone
	for i := range all.Items {
		if slices.ContainsFunc(all.Items[i].Spec.Taints, func(t corev1.Taint) bool { return isFailure(t.Key) }) {
			cluster.NotReady++
		} else {
			cluster.Ready++
		}
	}
	return lifecycle.DefaultDisruptionPolicy().State(cluster) != lifecycle.ZoneNormal
}
