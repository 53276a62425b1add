// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	clienttesting "k8s.io/client-go/testing"
	"pgregory.net/rapid"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/kube"
)

const s = time.Second

// begin is when the simulated time of each test begins.
var begin = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// A world is a cluster in simulated time, with a controller. Tests notify the controller
// of changes, as informers do.
type world struct {
	t        rapid.TB
	api      client.WithWatch // what the tests use
	cache    fields.Selector  // selects the pods that the cache has
	c        *Controller
	registry *prometheus.Registry
	o        Options
	begin    time.Time
	uids     int
	leads    context.Context // as long as the controller leads
	stop     func()

	// hold withholds requests, for tests in which they arrive late.
	hold bool
	held []types.NamespacedName

	mu       sync.Mutex              // held while fail runs
	evicted  map[types.UID]time.Time // when each pod was evicted
	attempts []string                // names of the pods of all attempts
	fail     func(name string) error // an error fails the eviction
	lags     bool                    // the cache still has deleted pods
	old      []client.Object         // what the cache still has of these
	follows  bool                    // another replica leads
	reads    int                     // from the API server
	crowd    string                  // pods with this prefix are too large for a list
	slow     time.Duration           // what a read of a large pod takes
	patching func()                  // called before a patch
	read     func(reads int) error   // an error fails a read

	said   sync.Mutex                        // guards what follows
	added  map[string][]types.NamespacedName // pods by node
	named  map[string]types.UID              // the newest pod of each name
	events []string
	notes  map[string]string // by the fields that identify an event to Kubernetes
	log    strings.Builder   // what the controller logs
}

func inWorld(t *testing.T, o Options, test func(w *world)) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, o)
		defer w.close()
		w.lead()
		test(w)
	})
}

// newWorld returns a world whose controller does not lead.
func newWorld(t rapid.TB, o Options) *world {
	time.Sleep(time.Until(time.Now().Add(s - 1).Truncate(s)))
	w := &world{
		t: t, o: o, begin: time.Now(), added: map[string][]types.NamespacedName{}, named: map[string]types.UID{},
		evicted: map[types.UID]time.Time{}, notes: map[string]string{}, read: func(int) error { return nil },
	}
	for obj, options := range CacheOptions().ByObject {
		if _, ok := obj.(*corev1.Pod); ok {
			w.cache = options.Field
		}
	}
	w.api = fake.NewClientBuilder().
		WithIndex(&corev1.Pod{}, byNode, nodeOf).
		WithStatusSubresource(&corev1.Pod{}).
		WithObjectTracker(clienttesting.NewObjectTracker(scheme.Scheme, scheme.Codecs.UniversalDecoder())). // without managed fields
		Build()
	w.standBy()
	return w
}

// standBy makes a new controller, which does not lead and observes all nodes.
func (w *world) standBy() {
	w.close()
	c := interceptor.NewClient(w.api, interceptor.Funcs{
		Get:               w.get,
		List:              w.list,
		SubResourceCreate: w.evict,
		SubResourcePatch:  w.patch,
		Delete:            w.delete,
	})
	live := interceptor.NewClient(w.api, interceptor.Funcs{Get: w.getLive, List: w.listLive})
	w.registry = prometheus.NewRegistry()
	w.c = New(c, live, recorder{w}, w.registry, w.o)
	var nodes corev1.NodeList
	w.must(w.api.List(context.Background(), &nodes))
	for i := range nodes.Items {
		w.observe(nodes.Items[i].Name)
	}
}

// lead makes the controller lead: it checks all pods.
func (w *world) lead() {
	log := func(_, line string) {
		w.said.Lock()
		defer w.said.Unlock()
		w.log.WriteString(line + "\n")
	}
	ctx, cancel := context.WithCancel(logr.NewContext(context.Background(), funcr.New(log, funcr.Options{Verbosity: 1})))
	var running sync.WaitGroup
	running.Go(func() { w.must(w.c.Start(ctx)) })
	w.leads, w.stop = ctx, func() {
		cancel()
		running.Wait()
	}
	for _, obj := range w.podList() {
		w.request(key(obj.Name))
	}
	w.settle()
}

func (w *world) restart() {
	w.standBy()
	w.lead()
}

func (w *world) close() {
	if w.stop != nil {
		w.stop()
	}
	if w.c != nil { // it may never have led
		for _, l := range w.c.lanes() {
			l.nodes.ShutDown()
		}
	}
	w.stop, w.leads = nil, nil
}

// settle waits until the controller has done everything that is due. That takes a
// microsecond, so times are compared in milliseconds.
func (w *world) settle() { w.pass(0) }

// pass lets time pass. The test's earlier actions happen before the controller's
// actions in that time: the mutex shows this order to the race detector.
func (w *world) pass(d time.Duration) {
	w.mu.Lock()
	//lint:ignore SA2001 it orders events, and guards nothing
	w.mu.Unlock()
	time.Sleep(d + time.Microsecond)
	synctest.Wait()
}

func (w *world) now() time.Time { return time.Now().Truncate(time.Millisecond) }

// request requests a check of the pod or the node, if the controller leads.
func (w *world) request(name types.NamespacedName) {
	switch {
	case w.leads == nil:
	case w.hold:
		w.held = append(w.held, name)
	default:
		_, err := w.c.Reconcile(w.leads, reconcile.Request{NamespacedName: name})
		w.must(err)
	}
}

func (w *world) release() {
	w.hold = false
	for _, name := range w.held {
		w.request(name)
	}
	w.held = nil
	w.settle()
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) setNode(name string, list ...corev1.Taint) {
	obj := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
	_, err := controllerutil.CreateOrUpdate(context.Background(), w.api, obj, func() error {
		if obj.UID == "" {
			obj.UID = w.newUID()
		}
		obj.Spec.Taints = list
		return nil
	})
	w.must(err)
	w.nodeChanged(name)
}

func (w *world) newUID() types.UID {
	w.uids++
	return types.UID(fmt.Sprint("uid-", w.uids))
}

func (w *world) nodeChanged(name string) {
	w.observe(name)
	w.request(types.NamespacedName{Name: name})
}

func (w *world) node(name string) *corev1.Node {
	obj := &corev1.Node{}
	w.must(w.api.Get(context.Background(), client.ObjectKey{Name: name}, obj))
	return obj
}

func (w *world) observe(name string) {
	_, _ = w.c.reconcileNode(context.Background(), reconcile.Request{NamespacedName: types.NamespacedName{Name: name}})
}

// addPod creates a pod NODE/POD, with the current time, after applying change.
func (w *world) addPod(place string, tolerations []corev1.Toleration, change ...func(*corev1.Pod)) types.UID {
	node, name, _ := strings.Cut(place, "/")
	obj := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:         "default",
			Name:              name,
			UID:               w.newUID(),
			CreationTimestamp: metav1.NewTime(w.now()),
		},
		Spec:   corev1.PodSpec{NodeName: node, Tolerations: tolerations},
		Status: corev1.PodStatus{Phase: corev1.PodRunning},
	}
	for _, f := range change {
		f(obj)
	}
	w.must(w.api.Create(context.Background(), obj))
	w.said.Lock()
	w.added[node] = append(w.added[node], key(name))
	w.named[name] = obj.UID
	w.said.Unlock()
	w.request(key(name))
	return obj.UID
}

func (w *world) changePod(name string, change func(*corev1.Pod)) {
	obj := w.pod(name)
	change(obj)
	w.must(w.api.Status().Update(context.Background(), obj.DeepCopy()))
	obj.ResourceVersion = ""
	w.must(w.api.Update(context.Background(), obj))
	w.request(key(name))
}

func (w *world) deletePod(name string) {
	w.must(w.api.Delete(context.Background(), w.pod(name)))
	w.request(key(name))
}

func (w *world) pod(name string) *corev1.Pod {
	obj := &corev1.Pod{}
	w.must(w.api.Get(context.Background(), key(name), obj))
	return obj
}

func (w *world) podList() []corev1.Pod {
	var list corev1.PodList
	w.must(w.api.List(context.Background(), &list))
	return list.Items
}

func key(name string) types.NamespacedName {
	return types.NamespacedName{Namespace: "default", Name: name}
}

// wantDue checks that the pod is due after that time, or not due if it is -1.
func (w *world) wantDue(name string, want time.Duration) {
	w.t.Helper()
	w.settle()
	w.c.mu.Lock()
	defer w.c.mu.Unlock()
	got := time.Duration(-1)
	if at, ok := w.c.queue.Due(w.c.pods[key(name)]); ok {
		got = at.Sub(w.begin).Truncate(time.Millisecond)
	}
	if got != want {
		w.t.Errorf("%s is due after %v, want %v", name, got, want)
	}
}

// metrics returns the values of the controller's metrics, by the name and the label.
func (w *world) metrics() map[string]float64 {
	values := map[string]float64{}
	for _, family := range taints.Must(w.registry.Gather()) {
		for _, m := range family.Metric {
			name := strings.TrimPrefix(family.GetName(), "taints_evictor_")
			for _, label := range m.Label {
				name += " " + label.GetValue()
			}
			values[name] = m.GetCounter().GetValue() + m.GetGauge().GetValue() + m.GetHistogram().GetSampleSum()
		}
	}
	return values
}

// taint parses a taint, and sets its timeAdded unless added is zero.
func taint(spec string, added time.Time) corev1.Taint {
	t := taints.Must(taints.ParseTaint(spec))
	if !added.IsZero() {
		t.TimeAdded = &added
	}
	return kube.CoreTaints([]taints.Taint{t})[0]
}

// tolerations parses tolerations. "many" are as many as the cache keeps of a pod.
func tolerations(specs ...string) (list []corev1.Toleration) {
	for _, spec := range specs {
		if spec == "many" {
			list = append(list, fillers()...)
			continue
		}
		list = append(list, kube.CoreToleration(taints.Must(taints.ParseToleration(spec))))
	}
	return list
}

func fillers() (list []corev1.Toleration) {
	for i := range maxTolerations {
		list = append(list, corev1.Toleration{Key: fmt.Sprint("filler-", i)})
	}
	return list
}

var fromTimeAdded = Options{Policy: taints.EvictionPolicy{FromTimeAdded: true}, Method: Evict, Workers: 1}
