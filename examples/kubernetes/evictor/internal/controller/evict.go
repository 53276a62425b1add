package controller

import (
	"context"
	"fmt"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// A Method is a way to evict a pod.
type Method string

const (
	// Evict asks the Eviction API, which may refuse because of a PodDisruptionBudget.
	Evict Method = "evict"
	// Delete sets the condition DisruptionTarget and deletes the pod, as Kubernetes' taint-eviction controller does. No
	// PodDisruptionBudget holds it back.
	Delete Method = "delete"
)

// The outcomes of an eviction.
const (
	done      = "evicted"
	gone      = "gone"      // there was no such pod any more
	blocked   = "blocked"   // by a PodDisruptionBudget, or the API server is too busy
	conflict  = "conflict"  // the pod is another or changes too fast
	failed    = "error"     // anything else
	dryRun    = "dry-run"   // nothing was done
	cancelled = "cancelled" // the taints do not evict the pod any more
)

// outcome returns the name of what became of an eviction that returned the error.
func outcome(err error) string {
	switch {
	case err == nil:
		return done
	case apierrors.IsNotFound(err):
		return gone
	case apierrors.IsTooManyRequests(err):
		return blocked
	case apierrors.IsConflict(err):
		return conflict
	}
	return failed
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
	before.UID = "" // so that the patch has it, as a precondition
	if setDisruptionTarget(obj) {
		if err := c.client.Status().Patch(ctx, obj, client.StrategicMergeFrom(before)); err != nil {
			return err
		}
	}
	return c.client.Delete(ctx, obj, client.Preconditions{UID: &p.uid})
}

// setDisruptionTarget sets the condition that Kubernetes' taint-eviction controller does, and reports whether it was not so.
func setDisruptionTarget(obj *corev1.Pod) bool {
	condition := corev1.PodCondition{
		Type:               corev1.DisruptionTarget,
		ObservedGeneration: obj.Generation,
		Status:             corev1.ConditionTrue,
		LastTransitionTime: metav1.Now(),
		Reason:             "DeletionByTaintManager",
		Message:            "Taint manager: deleting due to NoExecute taint",
	}
	for i := range obj.Status.Conditions {
		old := &obj.Status.Conditions[i]
		if old.Type != condition.Type {
			continue
		}
		if old.Status == condition.Status {
			condition.LastTransitionTime = old.LastTransitionTime
		}
		changed := old.Status != condition.Status || old.Reason != condition.Reason || old.Message != condition.Message
		*old = condition
		return changed
	}
	obj.Status.Conditions = append(obj.Status.Conditions, condition)
	return true
}

// emit records an event on the pod.
func (c *Controller) emit(p *pod, note string) {
	if c.options.DryRun {
		note = "Dry run: " + note
	}
	ref := &corev1.ObjectReference{APIVersion: "v1", Kind: "Pod", Namespace: p.Namespace, Name: p.Name, UID: p.uid}
	c.events.Eventf(ref, nil, corev1.EventTypeNormal, "TaintManagerEviction", "Evict", note, p.NamespacedName)
}

// DoNotRepeatWrites makes clients with this configuration return what the API server says to a write, be it to come again
// after a while. They would otherwise sleep and repeat it, up to ten times, and keep a worker from other pods; the queue
// tries again.
func DoNotRepeatWrites(config *rest.Config) {
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return noRetryAfter{next} })
}

// noRetryAfter takes the header Retry-After off the responses to writes. The time is also in the body, see
// apierrors.SuggestsClientDelay.
type noRetryAfter struct{ next http.RoundTripper }

func (t noRetryAfter) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := t.next.RoundTrip(request)
	if err == nil && request.Method != http.MethodGet {
		response.Header.Del("Retry-After")
	}
	return response, err
}

// WrappedRoundTripper lets client-go find what it wraps.
func (t noRetryAfter) WrappedRoundTripper() http.RoundTripper { return t.next }
