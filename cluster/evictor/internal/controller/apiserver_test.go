// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// get reads as the manager's cache does.
func (w *world) get(ctx context.Context, c client.WithWatch, name client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	err := c.Get(ctx, name, obj, opts...)
	for _, old := range w.old {
		if client.ObjectKeyFromObject(old) == name {
			reflect.ValueOf(obj).Elem().Set(reflect.ValueOf(old.DeepCopyObject()).Elem())
			err = nil
		}
	}
	if err != nil {
		return err
	}
	_, err = strip(obj)
	if p, ok := obj.(*corev1.Pod); ok {
		if !w.cache.Matches(fields.Set{byNode: p.Spec.NodeName}) {
			p.Reset()
			return apierrors.NewNotFound(corev1.Resource("pods"), name.Name)
		}
		if w.crowd != "" && strings.HasPrefix(name.Name, w.crowd) {
			p.Status.ObservedGeneration = 1 << 30
		}
	}
	return err
}

func (w *world) list(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
	if _, ok := list.(*corev1.PodList); !ok {
		return c.List(ctx, list, opts...)
	}
	w.listOf(list, opts, func(name client.ObjectKey, p *corev1.Pod) error { return w.get(ctx, c, name, p) })
	return nil
}

func (w *world) getLive(ctx context.Context, c client.WithWatch, name client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	err := cmp.Or(w.readLive(ctx), c.Get(ctx, name, obj, opts...))
	p, ok := obj.(*corev1.Pod)
	if err != nil || !ok {
		return err
	}
	w.slowDown(name)
	wire, err := p.Marshal()
	w.must(err)
	small, err := stripPod(ctx, bytes.NewReader(wire), int64(len(wire)))
	w.must(err)
	p.Reset()
	return p.Unmarshal(small)
}

func (w *world) slowDown(pod client.ObjectKey) {
	if strings.HasPrefix(pod.Name, "large") {
		time.Sleep(w.slow)
	}
}

func (w *world) listLive(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
	w.listOf(list, opts, func(name client.ObjectKey, p *corev1.Pod) error {
		w.slowDown(name)
		return c.Get(ctx, name, p)
	})
	return w.readLive(ctx)
}

// listOf gets each pod that was added to the node: a list of all takes long.
func (w *world) listOf(list client.ObjectList, opts []client.ListOption, get func(client.ObjectKey, *corev1.Pod) error) {
	node, _ := new(client.ListOptions).ApplyOptions(opts).FieldSelector.RequiresExactMatch(byNode)
	w.said.Lock()
	names := slices.Clone(w.added[node])
	w.said.Unlock()
	for _, name := range names {
		var p corev1.Pod
		if err := get(name, &p); err == nil && p.Spec.NodeName == node {
			list.(*corev1.PodList).Items = append(list.(*corev1.PodList).Items, p)
		}
	}
}

func (w *world) readLive(ctx context.Context) error {
	w.limited(ctx)
	w.mu.Lock()
	w.reads++
	read, reads := w.read, w.reads
	w.mu.Unlock()
	return read(reads)
}

// limited checks that a request does not keep a worker busy.
func (w *world) limited(ctx context.Context) {
	if deadline, ok := ctx.Deadline(); !ok || time.Until(deadline) > requestTimeout {
		w.t.Errorf("a request may take until %v", deadline)
	}
}

// evict does what the Eviction API does.
func (w *world) evict(ctx context.Context, c client.Client, subresource string, obj, body client.Object, _ ...client.SubResourceCreateOption) error {
	eviction, ok := body.(*policyv1.Eviction)
	if subresource != "eviction" || !ok || eviction.Name != obj.GetName() || eviction.Namespace != obj.GetNamespace() {
		w.t.Errorf("%s of %s with %v", subresource, obj.GetName(), body)
	}
	return w.remove(ctx, c, obj, eviction.DeleteOptions.Preconditions)
}

func (w *world) delete(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.DeleteOption) error {
	status := w.pod(obj.GetName()).Status
	_, target := podutil.GetPodCondition(&status, corev1.DisruptionTarget)
	if target == nil || target.Status != corev1.ConditionTrue || target.Reason != "DeletionByTaintManager" {
		w.t.Errorf("%s is deleted without the condition DisruptionTarget: %+v", obj.GetName(), target)
	}
	return w.remove(ctx, c, obj, new(client.DeleteOptions).ApplyOptions(opts).Preconditions)
}

// patch checks that another pod of the same name is not patched.
func (w *world) patch(ctx context.Context, c client.Client, subresource string, obj client.Object, patch client.Patch, opts ...client.SubResourcePatchOption) error {
	data, err := patch.Data(obj)
	if want := fmt.Sprintf(`"uid":%q`, obj.GetUID()); err != nil || !strings.Contains(string(data), want) {
		w.t.Errorf("the patch %s has no %s, %v", data, want, err)
	}
	if w.patching != nil {
		w.patching()
	}
	return c.SubResource(subresource).Patch(ctx, obj, patch, opts...)
}

// remove removes a pod, if the precondition holds.
func (w *world) remove(ctx context.Context, c client.Client, obj client.Object, p *metav1.Preconditions) error {
	w.limited(ctx)
	if p == nil || p.UID == nil {
		w.t.Errorf("no precondition on the UID of %s", obj.GetName())
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.attempts = append(w.attempts, obj.GetName())
	if at, ok := w.evicted[*p.UID]; ok {
		w.t.Errorf("%s is evicted a second time, after %v", obj.GetName(), at)
	}
	if w.fail != nil {
		if err := w.fail(obj.GetName()); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	var now corev1.Pod
	if err := c.Get(ctx, client.ObjectKeyFromObject(obj), &now); err != nil {
		return err
	}
	if now.UID != *p.UID {
		return apierrors.NewConflict(corev1.Resource("pods"), now.Name, fmt.Errorf("the UID is %s, not %s", now.UID, *p.UID))
	}
	if p.ResourceVersion != nil && now.ResourceVersion != *p.ResourceVersion {
		return apierrors.NewConflict(corev1.Resource("pods"), now.Name, errors.New("the pod has changed"))
	}
	w.evicted[now.UID] = time.Now()
	if w.lags {
		return nil
	}
	defer w.request(client.ObjectKeyFromObject(obj))
	return c.Delete(ctx, &now)
}

// recorder keeps events.
type recorder struct{ w *world }

func (r recorder) Eventf(regarding, related runtime.Object, eventtype, reason, action, note string, args ...any) {
	r.w.said.Lock()
	defer r.w.said.Unlock()
	ref := regarding.(*corev1.ObjectReference)
	if ref.Kind != "Pod" || ref.UID == "" || reason != "TaintManagerEviction" {
		r.w.t.Errorf("an event on %v with reason %s", ref, reason)
	}
	one := fmt.Sprint(eventtype, reason, action, regarding)
	if before, ok := r.w.notes[one]; ok && before != note {
		r.w.t.Errorf("the event %q would not be seen: it is one with %q", note, before)
	}
	r.w.notes[one] = note
	r.w.events = append(r.w.events, fmt.Sprintf(eventtype+" "+note, args...))
}
