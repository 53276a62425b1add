// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/cluster"
	"github.com/seed-0529bac1/taints/kube"
	"github.com/seed-0529bac1/taints/tolerationset"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// earlyNamespace is that of a pod that is there before the webhook.
const earlyNamespace = "early"

// TestWebhook runs the webhook as the manifest's service account, which may do no
// more than the manifest says.
func TestWebhook(t *testing.T) {
	pods := randomPods(200)
	var stock map[string]*corev1.Pod
	t.Run("stock plugins", func(t *testing.T) {
		c := start(t, cluster.Options{NoControllerManager: true, APIServer: []string{
			"--enable-admission-plugins=DefaultTolerationSeconds,ExtendedResourceToleration,PodTolerationRestriction",
		}})
		c.AddPods(pods...)
		stock = eventuallyPods(c, len(pods))
	})
	if t.Failed() {
		return
	}

	c := start(t, cluster.Options{APIServer: []string{
		"--disable-admission-plugins=ServiceAccount,DefaultTolerationSeconds",
	}})
	w := &webhookTest{Cluster: c, addr: c.FreeAddress()}
	for _, part := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"manifest", w.install},
		{"defaults", func(t *testing.T) { w.defaults(t, pods, stock) }},
		{"dedication", w.dedication},
		{"refusal", w.refusal},
		{"daemon sets", w.daemonSets},
		{"new rules", w.newRules},
		{"down", w.down},
		{"audit", w.audit},
		{"replicas", w.replicas},
		{"outage", w.outage},
		{"deleted", w.deleted},
	} {
		if !t.Run(part.name, part.run) {
			return // each needs what those before it left
		}
	}
}

// eventuallyPods returns the pods of the namespace default when there are so many.
func eventuallyPods(c *cluster.Cluster, n int) (pods map[string]*corev1.Pod) {
	c.Eventually(fmt.Sprintf("there are %d pods", n), func() error {
		if pods = c.Pods(metav1.NamespaceDefault); len(pods) != n {
			return fmt.Errorf("there are %d", len(pods))
		}
		return nil
	})
	return pods
}

// A webhookTest is a cluster and how the webhook runs in it.
type webhookTest struct {
	*cluster.Cluster
	addr    string         // where API servers call it
	rules   string         // the file of the manifest's rules
	secret  *corev1.Secret // of the manifest
	metrics string         // the address of the metrics of the last one that was started
	webhook *cluster.Process
}

// install creates all that is in the manifest. There is no kubelet, so nothing runs in
// the deployment's pods, but that they are there shows that admission lets them in. One
// more pod is there before the webhook, and so without tolerations.
func (w *webhookTest) install(t *testing.T) {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: earlyNamespace}}
	if _, err := w.Client.CoreV1().Namespaces().Create(t.Context(), namespace, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	early := cluster.Pod("early")
	early.Namespace = earlyNamespace
	w.AddPods(early)
	objects := w.Install("webhook")
	for _, object := range objects {
		switch o := object.(type) {
		case *corev1.ConfigMap:
			w.rules = w.WriteFile("rules.json", o.Data["rules.json"])
		case *corev1.Secret:
			w.secret = o
		}
	}
	w.Eventually("the deployment's pods are let in", func() error {
		if pods := w.Pods(cluster.WebhookNamespace); len(pods) != 2 {
			return fmt.Errorf("there are %d", len(pods))
		}
		return nil
	})
	w.RegisterWebhook(w.addr)
}

// run starts the webhook with the flags, and returns when the API server asks it.
func (w *webhookTest) run(t *testing.T, flags ...string) {
	t.Helper()
	w.webhook, w.metrics, _ = w.StartWebhook(w.addr, flags...)
	w.Eventually("new pods are given defaults", func() error {
		select {
		case <-w.webhook.Done():
			t.Fatalf("the webhook has ended: %s", w.webhook.Log())
		default:
		}
		pod, err := w.try(cluster.Pod("probe"))
		if err != nil {
			return err
		}
		if len(pod.Spec.Tolerations) != 2 {
			return fmt.Errorf("tolerations %v", pod.Spec.Tolerations)
		}
		return nil
	})
}

// try asks the API server for a pod, which is not created in earnest.
func (w *webhookTest) try(pod *corev1.Pod) (*corev1.Pod, error) {
	return w.Client.CoreV1().Pods(pod.Namespace).Create(w.Context(), pod,
		metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
}

// defaults compares what pods are given with what the stock plugins give them.
// PodTolerationRestriction alone differs, which all but BestEffort pods go through:
// it drops tolerations that others of the pod cover.
func (w *webhookTest) defaults(t *testing.T, pods []*corev1.Pod, stock map[string]*corev1.Pod) {
	w.run(t)
	w.AddPods(pods...)
	dropped := 0
	for name, pod := range eventuallyPods(w.Cluster, len(pods)) {
		got, want := kube.Tolerations(pod.Spec.Tolerations), kube.Tolerations(stock[name].Spec.Tolerations)
		more, ok := beyond(got, want)
		covered := func(u taints.Toleration) bool {
			return slices.ContainsFunc(want, func(t taints.Toleration) bool { return tolerationset.Covers(t, u, taints.Options{}) })
		}
		for _, u := range more {
			ok = ok && pod.Status.QOSClass != corev1.PodQOSBestEffort && covered(u)
		}
		if !ok {
			t.Errorf("%s, which is %s:\ngot  %v\nwant %v", name, pod.Status.QOSClass, got, want)
		}
		if len(more) > 0 {
			dropped++
		}
	}
	t.Logf("%d pods: %d have the tolerations that the stock plugins give, and %d others that these drop because one of them covers it",
		len(pods), len(pods)-dropped, dropped)
	if dropped == 0 || dropped > len(pods)/2 {
		t.Error("that is not what random pods are like")
	}

	system := cluster.Pod("exempt")
	system.Namespace = metav1.NamespaceSystem
	if pod, err := w.try(system); err != nil || len(pod.Spec.Tolerations) > 0 {
		t.Errorf("in an exempt namespace: %v, %v", pod.Spec.Tolerations, err)
	}
	w.webhook.Stop()
	zero := int64(0)
	err := w.Client.CoreV1().Pods(metav1.NamespaceDefault).DeleteCollection(t.Context(),
		metav1.DeleteOptions{GracePeriodSeconds: &zero}, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	eventuallyPods(w.Cluster, 0)
}

// beyond returns what is in a and not in b, if b without it is a, in the same order.
func beyond(a, b []taints.Toleration) (more []taints.Toleration, ok bool) {
	for _, t := range a {
		if len(b) > 0 && reflect.DeepEqual(t, b[0]) {
			b = b[1:]
			continue
		}
		more = append(more, t)
	}
	return more, len(b) == 0
}

// randomPods returns valid pods that repeat from run to run.
func randomPods(n int) []*corev1.Pod {
	r := rand.New(rand.NewPCG(1, 2))
	pods := make([]*corev1.Pod, n)
	for i := range pods {
		pods[i] = cluster.Pod(fmt.Sprintf("random-%03d", i), tolerationsToKeep(r)...)
		containers := pods[i].Spec.Containers
		for j := range r.IntN(3) {
			containers = append(containers, corev1.Container{Name: fmt.Sprintf("more-%d", j), Image: "none"})
		}
		for j := range containers {
			containers[j].Resources = randomResources(r)
		}
		if pods[i].Spec.Containers = containers; r.IntN(4) == 0 {
			pods[i].Spec.InitContainers = []corev1.Container{
				{Name: "init", Image: "none", Resources: randomResources(r)},
			}
		}
	}
	return pods
}

// tolerationsToKeep returns up to four valid tolerations, most of taints that
// admission adds tolerations of.
func tolerationsToKeep(r *rand.Rand) []corev1.Toleration {
	var list []taints.Toleration
	for n := r.IntN(5); len(list) < n; {
		t := taints.Toleration{
			Key: pick(r, "", "dedicated", "spot", "example.com/gpu", "example.com/fpga",
				taints.NodeNotReady, taints.NodeUnreachable, taints.NodeMemoryPressure),
			Operator: pick(r, "", taints.OpEqual, taints.OpExists, taints.OpExists, taints.OpExists,
				taints.OpLt, taints.OpGt),
			Value:  pick(r, "", "", "ml", "5"),
			Effect: pick(r, "", taints.NoSchedule, taints.PreferNoSchedule, taints.NoExecute),
		}
		if seconds := r.Int64N(600); t.Effect == taints.NoExecute && r.IntN(2) == 0 {
			t.TolerationSeconds = &seconds
		}
		if t.Key == "" && r.IntN(5) > 0 || t.Validate() != nil {
			continue
		}
		list = append(list, t)
	}
	return kube.CoreTolerations(list)
}

func randomResources(r *rand.Rand) corev1.ResourceRequirements {
	requests, limits := corev1.ResourceList{}, corev1.ResourceList{}
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		amount := resource.MustParse(pick(r, "0", "1", "64M"))
		switch r.IntN(6) {
		case 0:
			requests[name] = amount
		case 1:
			limits[name] = amount
		case 2:
			requests[name], limits[name] = amount, amount
		}
	}
	for _, name := range []corev1.ResourceName{"example.com/gpu", "example.com/fpga"} {
		if r.IntN(8) == 0 {
			requests[name], limits[name] = resource.MustParse("1"), resource.MustParse("1")
		}
	}
	if r.IntN(8) == 0 {
		requests[corev1.ResourceEphemeralStorage] = resource.MustParse("1G")
	}
	return corev1.ResourceRequirements{Requests: requests, Limits: limits}
}

// dedication gives 80 pods to the scheduler, more of them for the nodes of ml
// than these hold.
func (w *webhookTest) dedication(t *testing.T) {
	w.run(t, "-rules="+w.rules)
	const room = 8 // pods on a node of ml
	taint := func(key, value string) corev1.Taint {
		return corev1.Taint{Key: key, Value: value, Effect: corev1.TaintEffectNoSchedule}
	}
	pool := func(name, label, value string, taints ...corev1.Taint) []*corev1.Node {
		var nodes []*corev1.Node
		for i := range 2 {
			node := cluster.Node(fmt.Sprintf("%s-%d", name, i), taints...)
			node.Labels[label] = value
			nodes = append(nodes, node)
		}
		return nodes
	}
	nodes := pool("ml", "example.com/pool", "ml", taint("dedicated", "ml"))
	for _, node := range nodes {
		node.Status.Capacity[corev1.ResourcePods] = resource.MustParse(fmt.Sprint(room))
		node.Status.Allocatable[corev1.ResourcePods] = resource.MustParse(fmt.Sprint(room))
	}
	nodes = append(nodes, pool("spot", "example.com/spot", "true", taint("spot", "true"))...)
	nodes = append(nodes, pool("web", "example.com/pool", "web", taint("dedicated", "web"))...)
	nodes = append(nodes, pool("general", "example.com/pool", "general")...)
	w.AddNodes(nodes...)
	startScheduler(t, w.Cluster, nil, profile{Name: corev1.DefaultSchedulerName})

	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "ml"}}
	if _, err := w.Client.CoreV1().Namespaces().Create(t.Context(), namespace, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	var pods []*corev1.Pod
	for i := range 20 {
		ml, batch, plain, spot := cluster.Pod(fmt.Sprintf("ml-%d", i)), cluster.Pod(fmt.Sprintf("batch-%d", i)),
			cluster.Pod(fmt.Sprintf("plain-%d", i)),
			cluster.Pod(fmt.Sprintf("any-%d", i), corev1.Toleration{Key: "spot", Operator: corev1.TolerationOpExists})
		ml.Namespace = "ml"
		batch.Labels = map[string]string{"workload": "batch"}
		pods = append(pods, ml, batch, plain, spot)
	}
	w.AddPods(pods...)

	// Whose pods may go where. Tolerating spot nodes does not mean to be kept on them.
	may := map[string][]string{"ml": {"ml"}, "batch": {"spot"}, "plain": {"general"}, "any": {"spot", "general"}}
	placed := map[string]int{}
	w.Eventually("every pod has a node, or is told that there is none", func() error {
		clear(placed)
		seen := 0
		for _, pods := range []map[string]*corev1.Pod{w.Pods("ml"), w.Pods(metav1.NamespaceDefault)} {
			for name, pod := range pods {
				kind, _, _ := strings.Cut(name, "-")
				on, _, _ := strings.Cut(pod.Spec.NodeName, "-")
				if on == "" && pending(pod) == "" {
					return fmt.Errorf("%s has none", name)
				}
				seen++
				placed[kind+" on "+on]++
				if on != "" && !slices.Contains(may[kind], on) {
					t.Errorf("%s is on %s", name, pod.Spec.NodeName)
				}
			}
		}
		if seen != len(pods) {
			return fmt.Errorf("there are %d pods", seen)
		}
		return nil
	})
	t.Log(placed)
	if placed["ml on ml"] != 2*room || placed["ml on "] != 20-2*room ||
		placed["batch on spot"] != 20 || placed["plain on general"] != 20 ||
		placed["any on spot"]+placed["any on general"] != 20 {
		t.Errorf("placed: %v", placed)
	}
}

// refusal shows what somebody is told whose pod is refused.
func (w *webhookTest) refusal(t *testing.T) {
	const denied = `admission webhook "validate.` + cluster.WebhookName + `" denied the request: `
	const notAllowed = denied +
		`toleration "dedicated=ml" is not allowed in namespace "default"; allowed are: spot op=Exists`
	dedicated := corev1.Toleration{Key: "dedicated", Value: "ml"}
	_, err := w.try(cluster.Pod("tolerating", dedicated))
	checkForbidden(t, "a new pod", err, notAllowed)

	pods := w.Client.CoreV1().Pods(metav1.NamespaceDefault)
	pod, err := pods.Create(t.Context(), cluster.Pod("tolerating"), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w.Eventually("an update gets through to the webhook", func() error {
		if pod, err = pods.Get(t.Context(), pod.Name, metav1.GetOptions{}); err != nil {
			return err
		}
		pod.Spec.Tolerations = append(pod.Spec.Tolerations, dedicated)
		if _, err = pods.Update(t.Context(), pod, metav1.UpdateOptions{}); apierrors.IsConflict(err) {
			return err // the scheduler was faster
		}
		checkForbidden(t, "an update", err, notAllowed)
		return nil
	})

	elsewhere := cluster.Pod("elsewhere")
	elsewhere.Namespace = "ml"
	elsewhere.Spec.NodeSelector = map[string]string{"example.com/pool": "general"}
	_, err = w.try(elsewhere)
	checkForbidden(t, "another pool", err,
		`admission webhook "mutate.`+cluster.WebhookName+`" denied the request: dedication "ml-nodes" sends the pod `+
			`to nodes with example.com/pool=ml, but its nodeSelector has example.com/pool=general`)
}

// daemonSets shows that the sample rules leave an agent alone, which tolerates
// everything and runs on every node.
func (w *webhookTest) daemonSets(t *testing.T) {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "logging"}}
	if _, err := w.Client.CoreV1().Namespaces().Create(t.Context(), namespace, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	sets := w.Client.AppsV1().DaemonSets(namespace.Name)
	agent := daemonSet("agent", corev1.Toleration{Operator: corev1.TolerationOpExists})
	if _, err := sets.Create(t.Context(), agent, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	nodes, err := w.Client.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w.Eventually("the agent is on every node but those of ml, which have no room", func() error {
		pods, on := w.Pods(namespace.Name), map[string]bool{}
		for _, pod := range pods {
			on[pod.Spec.NodeName] = true
		}
		delete(on, "")
		if len(pods) != len(nodes.Items) || len(on) != len(nodes.Items)-2 {
			return fmt.Errorf("of %d pods, there is one on each of %v", len(pods), on)
		}
		return nil
	})
	// Somebody who says that a pod is an agent's gets no further.
	sneak := cluster.Pod("agent-x", corev1.Toleration{Operator: corev1.TolerationOpExists})
	sneak.OwnerReferences = []metav1.OwnerReference{{
		APIVersion: "apps/v1", Kind: "DaemonSet",
		Name: "agent", UID: "u", Controller: new(true),
	}}
	if _, err := w.try(sneak); !apierrors.IsForbidden(err) {
		t.Errorf("a pod that says so: %v", err)
	}
	if err := sets.Delete(t.Context(), "agent", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	w.Eventually("the agent is gone", func() error {
		if n := len(w.Pods(namespace.Name)); n > 0 {
			return fmt.Errorf("%d pods are left", n)
		}
		return nil
	})
}

// newRules changes the rules while the webhook runs. Those that it cannot read
// change nothing.
func (w *webhookTest) newRules(t *testing.T) {
	before, err := os.ReadFile(w.rules)
	if err != nil {
		t.Fatal(err)
	}
	try := func() error {
		_, err := w.try(cluster.Pod("by-new-rules", corev1.Toleration{Key: "dedicated", Value: "ml"}))
		return err
	}
	w.WriteFile("rules.json", "{}")
	w.Eventually("everything is allowed", try)
	w.WriteFile("rules.json", string(before[:len(before)/2]))
	w.Eventually("the metrics say that the rules are not good", func() error {
		families, err := w.Metrics(w.metrics)
		if err == nil && families["taints_webhook_rules_good"].GetMetric()[0].GetGauge().GetValue() != 0 {
			err = errors.New("they are")
		}
		return err
	})
	if err := try(); err != nil {
		t.Errorf("the last rules are no longer in use: %v", err)
	}
	w.WriteFile("rules.json", string(before))
	w.Eventually("not everything is allowed", func() error {
		if err := try(); !apierrors.IsForbidden(err) {
			return fmt.Errorf("got %v", err)
		}
		return nil
	})
	families, err := w.Metrics(w.metrics)
	if err != nil {
		t.Fatal(err)
	}
	checkAlerts(t, "webhook", families)
	checkRights(t, w.Cluster, cluster.WebhookNamespace, cluster.WebhookAccount,
		right{"update", "", "secrets", cluster.WebhookSecret, true},
		right{"update", "", "secrets", "other", false},
		right{"create", "", "secrets", "", false},
		right{"update", "admissionregistration.k8s.io", "validatingwebhookconfigurations", cluster.WebhookName, true},
		right{"update", "admissionregistration.k8s.io", "validatingwebhookconfigurations", "other", false},
		right{"list", "", "pods", "", false},
	)
	checkLog(t, w.webhook)
}

func checkForbidden(t *testing.T, what string, err error, want string) {
	t.Helper()
	if !apierrors.IsForbidden(err) || err.Error() != want {
		t.Errorf("%s: got %v\nwant %s", what, err, want)
	}
}

// down shows what becomes of pods while the webhook does not run.
func (w *webhookTest) down(t *testing.T) {
	w.webhook.Stop()
	refused := `Internal error occurred: failed calling webhook "mutate.` + cluster.WebhookName +
		`": failed to call webhook: Post "https://localhost:`
	w.Eventually("failurePolicy Fail refuses", func() error {
		_, err := w.try(cluster.Pod("refused"))
		if !apierrors.IsInternalError(err) || !strings.HasPrefix(err.Error(), refused) ||
			!strings.HasSuffix(err.Error(), "connect: connection refused") {
			return fmt.Errorf("got %v\nwant %s", err, refused)
		}
		return nil
	})
	system := cluster.Pod("exempt")
	system.Namespace = metav1.NamespaceSystem
	if _, err := w.try(system); err != nil {
		t.Errorf("in an exempt namespace: %v", err)
	}
	w.updatesWhileDown(t)

	w.setFailurePolicy(t, "Ignore")
	pods := w.Client.CoreV1().Pods(metav1.NamespaceDefault)
	w.Eventually("failurePolicy Ignore lets through", func() error {
		pod := cluster.Pod("let-through", corev1.Toleration{Key: "dedicated", Value: "ml"})
		created, err := pods.Create(t.Context(), pod, metav1.CreateOptions{})
		if err == nil && len(created.Spec.Tolerations) != 1 {
			t.Errorf("it was given tolerations: %v", created.Spec.Tolerations)
		}
		return err
	})
}

func (w *webhookTest) setFailurePolicy(t *testing.T, policy string) {
	t.Helper()
	patch := []byte(fmt.Sprintf(`[{"op": "replace", "path": "/webhooks/0/failurePolicy", "value": %q}]`, policy))
	c := w.Client.AdmissionregistrationV1()
	_, mutating := c.MutatingWebhookConfigurations().Patch(t.Context(), cluster.WebhookName,
		types.JSONPatchType, patch, metav1.PatchOptions{})
	_, validating := c.ValidatingWebhookConfigurations().Patch(t.Context(), cluster.WebhookName,
		types.JSONPatchType, patch, metav1.PatchOptions{})
	if err := errors.Join(mutating, validating); err != nil {
		t.Fatal(err)
	}
}

// updatesWhileDown shows that a pod can finish while the webhook does not run, and
// that nobody can give it other tolerations.
func (w *webhookTest) updatesWhileDown(t *testing.T) {
	more := func(p *corev1.Pod) {
		p.Spec.Tolerations = append(p.Spec.Tolerations, corev1.Toleration{Key: "dedicated", Value: "ml"})
	}
	seconds := func(p *corev1.Pod) { p.Spec.Tolerations[0].TolerationSeconds = new(int64(3600)) }
	for _, update := range []struct {
		name, namespace, pod string
		change               func(*corev1.Pod)
		refused              bool
	}{
		{"a label", metav1.NamespaceDefault, "tolerating", func(p *corev1.Pod) { p.Labels = map[string]string{"a": "b"} }, false},
		{"a finalizer", metav1.NamespaceDefault, "tolerating", func(p *corev1.Pod) { p.Finalizers = []string{"example.com/done"} }, false},
		{"no finalizer", metav1.NamespaceDefault, "tolerating", func(p *corev1.Pod) { p.Finalizers = nil }, false},
		{"another toleration", metav1.NamespaceDefault, "tolerating", more, true},
		{"other seconds", metav1.NamespaceDefault, "tolerating", seconds, true},
		{"a label where there are no tolerations", earlyNamespace, "early", func(p *corev1.Pod) { p.Labels = map[string]string{"a": "b"} }, false},
		{"the first toleration", earlyNamespace, "early", more, true},
	} {
		pods := w.Client.CoreV1().Pods(update.namespace)
		w.Eventually(update.name, func() error {
			pod, err := pods.Get(t.Context(), update.pod, metav1.GetOptions{})
			if err != nil {
				return err
			}
			update.change(pod)
			if _, err = pods.Update(t.Context(), pod, metav1.UpdateOptions{}); apierrors.IsConflict(err) {
				return err
			}
			called := err != nil && strings.Contains(err.Error(), `failed calling webhook "validate.`+cluster.WebhookName+`"`)
			if called != update.refused || !update.refused && err != nil {
				t.Errorf("%s: %v", update.name, err)
			}
			return nil
		})
	}
}

// audit finds the pods that came in while the webhook did not run.
func (w *webhookTest) audit(t *testing.T) {
	elsewhere := cluster.Pod("elsewhere")
	elsewhere.Namespace = "ml"
	elsewhere.Spec.NodeSelector = map[string]string{"example.com/pool": "general"}
	w.AddPods(elsewhere)
	p := w.Run("audit", cluster.Binary(t, "webhook"), "-audit", "-kubeconfig="+w.Kubeconfig, "-rules="+w.rules)
	<-p.Done()
	want := "default/let-through: tolerations[0]: dedicated=ml would be refused (not-allowed)\n" +
		"ml/elsewhere: would be refused: dedication \"ml-nodes\" sends the pod to nodes with example.com/pool=ml, " +
		"but its nodeSelector has example.com/pool=general (dedication)\n" +
		"84 pods: 2 would be refused; 0 tolerations make little sense\n"
	if p.Log() != want {
		t.Errorf("got %s\nwant %s", p.Log(), want)
	}
}

// replicas starts two at once, without a certificate to begin with, and takes the
// certificate away when they run. What they show is always one that API servers trust.
func (w *webhookTest) replicas(t *testing.T) {
	w.setFailurePolicy(t, "Fail")
	w.patchSecret(t, `{"data": null}`)
	other := w.FreeAddress()
	second, _, _ := w.StartWebhook(other)
	w.run(t)
	w.Eventually("the other replica answers", func() error {
		_, err := w.shown(other)
		return err
	})
	before, err := w.shown(w.addr)
	if err != nil {
		t.Fatal(err)
	}
	w.patchSecret(t, `{"data": {"tls.crt": null, "tls.key": null}}`)
	w.Eventually("both replicas show the same new certificate", func() error {
		one, err := w.shown(w.addr)
		if err != nil {
			t.Fatal(err)
		}
		two, err := w.shown(other)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.try(cluster.Pod("probe")); err != nil {
			t.Fatal(err)
		}
		if one != two || one == before {
			return errors.New("they do not")
		}
		return nil
	})
	second.Stop()
}

func (w *webhookTest) patchSecret(t *testing.T, patch string) {
	t.Helper()
	_, err := w.Client.CoreV1().Secrets(cluster.WebhookNamespace).Patch(t.Context(), cluster.WebhookSecret,
		types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
}

// shown returns the certificate that the webhook shows to an API server, which trusts
// it.
func (w *webhookTest) shown(addr string) (string, error) {
	configurations := w.Client.AdmissionregistrationV1().MutatingWebhookConfigurations()
	configuration, err := configurations.Get(w.Context(), cluster.WebhookName, metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM(configuration.Webhooks[0].ClientConfig.CABundle)
	dialer := &net.Dialer{Timeout: 5 * time.Second}
	connection, err := tls.DialWithDialer(dialer, "tcp", addr, &tls.Config{RootCAs: trusted, ServerName: "localhost"})
	if err != nil {
		return "", err
	}
	defer connection.Close()
	return string(connection.ConnectionState().PeerCertificates[0].Raw), nil
}

// outage takes the API server away and brings it back. The webhook goes on.
func (w *webhookTest) outage(t *testing.T) {
	w.StopAPIServer()
	connection, err := tls.Dial("tcp", w.addr, &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		t.Fatal(err)
	}
	connection.Close()
	w.StartAPIServer()
	w.Eventually("the API server asks it again", func() error {
		_, err := w.try(cluster.Pod("probe"))
		return err
	})
	w.webhook.Stop()
}

// deleted starts the webhook without the manifest's Secret, which it may not create.
// It waits until somebody brings that back.
func (w *webhookTest) deleted(t *testing.T) {
	secrets := w.Client.CoreV1().Secrets(cluster.WebhookNamespace)
	if err := secrets.Delete(t.Context(), cluster.WebhookSecret, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	w.webhook, _, _ = w.StartWebhook(w.addr)
	w.Eventually("it has tried twice", func() error {
		if n := strings.Count(w.webhook.Log(), "the certificate cannot be rotated yet"); n < 2 {
			return fmt.Errorf("%d times", n)
		}
		return nil
	})
	w.Apply(w.secret)
	w.Eventually("the API server trusts it", func() error {
		_, err := w.try(cluster.Pod("probe"))
		return err
	})
	w.webhook.Stop()
}

// TestCertManager sees that with cert-manager the webhook gets its certificate from
// there, and has no rights.
func TestCertManager(t *testing.T) {
	annotated := 0
	for _, object := range overlay(t, "webhook", "webhook/cert-manager") {
		switch o := object.(type) {
		case *corev1.Secret, *rbacv1.Role, *rbacv1.RoleBinding, *rbacv1.ClusterRole, *rbacv1.ClusterRoleBinding:
			t.Errorf("there is a %T", o)
		case *admissionregistrationv1.MutatingWebhookConfiguration, *admissionregistrationv1.ValidatingWebhookConfiguration:
			if object.(metav1.Object).GetAnnotations()["cert-manager.io/inject-ca-from"] == "webhooks/admission" {
				annotated++
			}
		case *appsv1.Deployment:
			spec := o.Spec.Template.Spec
			if args := strings.Join(spec.Containers[0].Args, " "); strings.Contains(args, "-rotate") ||
				spec.AutomountServiceAccountToken == nil || *spec.AutomountServiceAccountToken {
				t.Errorf("%s, token %v", args, spec.AutomountServiceAccountToken)
			}
		}
	}
	if annotated != 2 {
		t.Errorf("%d configurations are annotated", annotated)
	}
}
