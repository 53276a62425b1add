// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/kube"
)

// begin is when each test begins.
var begin = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// tester is what both a test and a rapid one have.
type tester interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
	Errorf(string, ...any)
}

// A world is a cluster with a controller, both without goroutines: a test makes
// changes, has the controller told of them, and lets time pass.
type world struct {
	t        tester
	clock    *clocktesting.FakeClock
	now      func() time.Time
	client   client.WithWatch
	c        *Controller
	o        Options
	requests requestList
	uids     int

	mu       sync.Mutex
	evicted  map[types.UID]time.Time // when each pod was evicted
	attempts []string                // names of the pods that were to be evicted
	events   []string
	notes    map[string]string // by what makes events one to Kubernetes
	// fail is asked before each eviction. An error fails it.
	fail func(name string) error
	// beforeGet is called before the API server itself is asked for a pod.
	beforeGet func()
	// afterList is called after the cache has listed objects.
	afterList func()
	// unreadable is the error of the cache where it cannot be read.
	unreadable error
	// lags says that the cache does not have deletions yet.
	lags bool
}

func newWorld(t tester, o Options) *world {
	w := &world{
		t:       t,
		clock:   clocktesting.NewFakeClock(begin),
		o:       o,
		evicted: map[types.UID]time.Time{},
		notes:   map[string]string{},
	}
	w.now = w.clock.Now
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	w.client = fake.NewClientBuilder().WithScheme(scheme).
		WithIndex(&corev1.Pod{}, byNode, nodeOf).
		WithStatusSubresource(&corev1.Pod{}).
		WithInterceptorFuncs(interceptor.Funcs{
			Get:               w.get,
			List:              w.list,
			SubResourceCreate: w.evict,
			SubResourcePatch:  w.patch,
			Delete:            w.delete,
		}).
		Build()
	w.restart()
	return w
}

// restart makes a new controller, which is told of all that there is.
func (w *world) restart() {
	w.start(w.clock)
	w.tellAll()
}

// tellAll tells the controller of all that there is.
func (w *world) tellAll() {
	w.t.Helper()
	w.tellNodes()
	for _, obj := range w.podList() {
		w.check(obj.Name)
	}
}

// tellNodes tells the controller of all nodes.
func (w *world) tellNodes() {
	w.t.Helper()
	var nodes corev1.NodeList
	w.must(w.client.List(context.Background(), &nodes))
	for i := range nodes.Items {
		w.c.nodeHandler().Create(context.Background(), event.CreateEvent{Object: &nodes.Items[i]}, &w.requests)
	}
}

// start makes a new controller, which leads.
func (w *world) start(clock clock.Clock) {
	w.t.Helper()
	w.standBy(clock)
	w.must(w.c.lead(context.Background()))
}

// standBy makes a new controller, which does not lead.
func (w *world) standBy(clock clock.Clock) {
	w.c = New(w.client, live{w.client, w}, recorder{w}, prometheus.NewRegistry(), clock, w.o)
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) get(
	ctx context.Context, c client.WithWatch, name client.ObjectKey, obj client.Object,
	opts ...client.GetOption,
) error {
	if w.unreadable != nil {
		return w.unreadable
	}
	return c.Get(ctx, name, obj, opts...)
}

func (w *world) list(
	ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption,
) error {
	err := c.List(ctx, list, opts...)
	if w.afterList != nil {
		w.afterList()
	}
	return err
}

// evict does what the Eviction API does.
func (w *world) evict(ctx context.Context, c client.Client, subresource string, obj,
	body client.Object, _ ...client.SubResourceCreateOption,
) error {
	eviction, ok := body.(*policyv1.Eviction)
	if subresource != "eviction" || !ok || eviction.Name != obj.GetName() || eviction.Namespace != obj.GetNamespace() {
		w.t.Errorf("%s of %s with %v", subresource, obj.GetName(), body)
	}
	return w.remove(ctx, c, obj, eviction.DeleteOptions.Preconditions)
}

func (w *world) delete(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.DeleteOption) error {
	if _, ok := obj.(*corev1.Pod); !ok {
		return c.Delete(ctx, obj)
	}
	var o client.DeleteOptions
	o.ApplyOptions(opts)
	if o.Raw != nil && o.Raw.Preconditions == nil && o.Preconditions == nil { // the test itself
		return c.Delete(ctx, obj)
	}
	return w.remove(ctx, c, obj, o.Preconditions)
}

// patch sees to it that no other pod of the name is written to.
func (w *world) patch(ctx context.Context, c client.Client, subresource string,
	obj client.Object, patch client.Patch, opts ...client.SubResourcePatchOption,
) error {
	data, err := patch.Data(obj)
	if want := fmt.Sprintf(`"uid":%q`, obj.GetUID()); err != nil || !strings.Contains(string(data), want) {
		w.t.Errorf("the patch %s has no %s, %v", data, want, err)
	}
	return c.SubResource(subresource).Patch(ctx, obj, patch, opts...)
}

// live reads from the API server.
type live struct {
	client.Reader
	w *world
}

func (l live) Get(ctx context.Context, name client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	if l.w.beforeGet != nil {
		l.w.beforeGet()
	}
	return l.Reader.Get(ctx, name, obj, opts...)
}

// remove removes a pod, if the precondition holds.
func (w *world) remove(ctx context.Context, c client.Client, obj client.Object, p *metav1.Preconditions) error {
	if p == nil || p.UID == nil {
		w.t.Errorf("no precondition on the UID of %s", obj.GetName())
		return nil
	}
	w.mu.Lock()
	w.attempts = append(w.attempts, obj.GetName())
	if at, ok := w.evicted[*p.UID]; ok {
		w.t.Errorf("%s is evicted a second time, after %v", obj.GetName(), at)
	}
	fail := w.fail
	w.mu.Unlock()
	if fail != nil {
		if err := fail(obj.GetName()); err != nil {
			return err
		}
	}
	var now corev1.Pod
	if err := c.Get(ctx, client.ObjectKeyFromObject(obj), &now); err != nil {
		return err
	}
	if now.UID != *p.UID {
		return apierrors.NewConflict(corev1.Resource("pods"), now.Name,
			fmt.Errorf("the UID is %s, not %s", now.UID, *p.UID))
	}
	w.mu.Lock()
	w.evicted[now.UID] = w.now()
	w.mu.Unlock()
	if w.lags {
		return nil
	}
	return c.Delete(ctx, &now, &client.DeleteOptions{Raw: &metav1.DeleteOptions{}})
}

// recorder keeps events.
type recorder struct{ w *world }

func (r recorder) Eventf(regarding, related runtime.Object, eventtype, reason, action, note string, args ...any) {
	r.w.mu.Lock()
	defer r.w.mu.Unlock()
	if ref := regarding.(*corev1.ObjectReference); ref.Kind != "Pod" || ref.UID == "" {
		r.w.t.Errorf("an event on %v", ref)
	}
	one := fmt.Sprint(eventtype, reason, action, regarding)
	if before, ok := r.w.notes[one]; ok && before != note {
		r.w.t.Errorf("the event %q would not be seen: it is one with %q", note, before)
	}
	r.w.notes[one] = note
	r.w.events = append(r.w.events, fmt.Sprintf(eventtype+" "+reason+" "+note, args...))
}

// requestList is a queue that keeps what is asked for.
type requestList struct {
	requests
	list []reconcile.Request
}

func (l *requestList) Add(r reconcile.Request) { l.list = append(l.list, r) }

// setNode creates a node or gives it other taints, and tells the controller.
func (w *world) setNode(name string, list ...corev1.Taint) {
	w.t.Helper()
	w.noteNode(name, list...)
	w.reconcile()
}

// noteNode is setNode without a check of the node's pods, which is asked for
// but yet to come.
func (w *world) noteNode(name string, list ...corev1.Taint) {
	w.t.Helper()
	ctx, obj := context.Background(), &corev1.Node{}
	if err := w.client.Get(ctx, types.NamespacedName{Name: name}, obj); apierrors.IsNotFound(err) {
		w.uids++
		obj = &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(fmt.Sprint("node-uid-", w.uids))},
			Spec:       corev1.NodeSpec{Taints: list},
		}
		w.must(w.client.Create(ctx, obj))
		w.c.nodeHandler().Create(ctx, event.CreateEvent{Object: obj}, &w.requests)
		return
	}
	old := obj.DeepCopy()
	obj.Spec.Taints = list
	w.must(w.client.Update(ctx, obj))
	w.c.nodeHandler().Update(ctx, event.UpdateEvent{ObjectOld: old, ObjectNew: obj}, &w.requests)
}

func (w *world) deleteNode(name string) {
	w.t.Helper()
	w.dropNode(name)
	w.reconcile()
}

// dropNode is deleteNode without a check of the node's pods.
func (w *world) dropNode(name string) {
	w.t.Helper()
	obj := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
	w.must(w.client.Delete(context.Background(), obj))
	w.c.nodeHandler().Delete(context.Background(), event.DeleteEvent{Object: obj}, &w.requests)
}

// addPod creates a pod on a node, as of now or as change says, and has the
// controller check it.
func (w *world) addPod(name, node string, tolerations []corev1.Toleration, change ...func(*corev1.Pod)) types.UID {
	w.t.Helper()
	uid := w.newPod(name, node, tolerations, change...)
	w.check(name)
	return uid
}

// newPod is addPod without a check of the pod.
func (w *world) newPod(name, node string, tolerations []corev1.Toleration, change ...func(*corev1.Pod)) types.UID {
	w.t.Helper()
	w.uids++
	obj := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:         "default",
			Name:              name,
			UID:               types.UID(fmt.Sprint("uid-", w.uids)),
			CreationTimestamp: metav1.NewTime(w.now()),
		},
		Spec:   corev1.PodSpec{NodeName: node, Tolerations: tolerations},
		Status: corev1.PodStatus{Phase: corev1.PodRunning},
	}
	for _, f := range change {
		f(obj)
	}
	w.must(w.client.Create(context.Background(), obj))
	return obj.UID
}

// deletePod removes a pod; the controller is not told.
func (w *world) deletePod(name string) {
	w.t.Helper()
	obj := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}}
	w.must(w.client.Delete(context.Background(), obj, &client.DeleteOptions{Raw: &metav1.DeleteOptions{}}))
}

// podEvents is told what happens to pods, as by an informer.
func (w *world) podEvents() informerEvents { return informerEvents{w, w.c.podChanges()} }

type informerEvents struct {
	w      *world
	passes predicate.Predicate
}

func (i informerEvents) created(obj *corev1.Pod) {
	if e := (event.CreateEvent{Object: obj}); i.passes.Create(e) {
		(&handler.EnqueueRequestForObject{}).Create(context.Background(), e, &i.w.requests)
	}
}

func (i informerEvents) updated(before, after *corev1.Pod) {
	if e := (event.UpdateEvent{ObjectOld: before, ObjectNew: after}); i.passes.Update(e) {
		(&handler.EnqueueRequestForObject{}).Update(context.Background(), e, &i.w.requests)
	}
}

func (i informerEvents) deleted(obj *corev1.Pod) {
	if e := (event.DeleteEvent{Object: obj}); i.passes.Delete(e) {
		(&handler.EnqueueRequestForObject{}).Delete(context.Background(), e, &i.w.requests)
	}
}

// pod returns the pod as it is.
func (w *world) pod(name string) *corev1.Pod {
	w.t.Helper()
	obj := &corev1.Pod{}
	w.must(w.client.Get(context.Background(), key(name), obj))
	return obj
}

func key(name string) types.NamespacedName {
	return types.NamespacedName{Namespace: "default", Name: name}
}

// check has the controller check a pod.
func (w *world) check(name string) {
	w.t.Helper()
	w.requests.Add(reconcile.Request{NamespacedName: key(name)})
	w.reconcile()
}

// reconcile has the controller do what it is asked for.
func (w *world) reconcile() {
	w.t.Helper()
	for _, r := range w.requests.list {
		if _, err := w.c.Reconcile(context.Background(), r); err != nil {
			w.t.Fatal(err)
		}
	}
	w.requests.list = nil
}

// runDue evicts what is due, and tells the controller what is gone.
func (w *world) runDue() {
	w.t.Helper()
	for range 10_000 {
		p := w.c.pop(context.Background())
		if p == nil {
			return
		}
		w.c.attempt(context.Background(), p)
		w.check(p.Name)
	}
	w.t.Fatal("evictions without end")
}

// pass lets time pass, and evicts what is due, when it is due.
func (w *world) pass(d time.Duration) {
	w.t.Helper()
	end := w.now().Add(d)
	for {
		w.runDue()
		at, ok := w.c.nextTry()
		if !ok || at.After(end) {
			break
		}
		w.clock.SetTime(at)
	}
	w.clock.SetTime(end)
}

// attempted returns the names of the pods of all attempts so far.
func (w *world) attempted() string { return strings.Join(w.attempts, " ") }

// due returns after which time from the beginning the pod is to be evicted, or -1.
func (w *world) due(name string) time.Duration {
	p := w.c.pods[key(name)]
	if p == nil {
		return -1
	}
	at, ok := w.c.queueOf(p).Due(p)
	if !ok {
		return -1
	}
	return at.Sub(begin)
}

func (w *world) wantDue(name string, want time.Duration) {
	w.t.Helper()
	if got := w.due(name); got != want {
		w.t.Errorf("%s is due after %v, want %v", name, got, want)
	}
}

func (w *world) wantEvicted(uid types.UID, after time.Duration) {
	w.t.Helper()
	at, ok := w.evicted[uid]
	if !ok {
		w.t.Errorf("%s is not evicted, want that after %v", uid, after)
	} else if got := at.Sub(begin); got != after {
		w.t.Errorf("%s is evicted after %v, want %v", uid, got, after)
	}
}

func (w *world) wantNotEvicted(uid types.UID) {
	w.t.Helper()
	if at, ok := w.evicted[uid]; ok {
		w.t.Errorf("%s is evicted after %v", uid, at.Sub(begin))
	}
}

func (w *world) wantEvents(want ...string) {
	w.t.Helper()
	if !slices.Equal(w.events, want) {
		w.t.Errorf("events\n%q, want\n%q", w.events, want)
	}
}

// taint parses a taint, which was added at the time, and at none if that is zero.
func taint(spec string, added time.Time) corev1.Taint {
	t := taints.MustParseTaint(spec)
	if !added.IsZero() {
		t.TimeAdded = &added
	}
	return kube.CoreTaints([]taints.Taint{t})[0]
}

func tolerations(specs ...string) []corev1.Toleration {
	var list []taints.Toleration
	for _, spec := range specs {
		list = append(list, taints.MustParseToleration(spec))
	}
	return kube.CoreTolerations(list)
}

var fromTimeAdded = Options{Policy: taints.EvictionPolicy{FromTimeAdded: true}, Method: Evict}

var _ tester = (*testing.T)(nil)
