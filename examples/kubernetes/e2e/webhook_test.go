// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/cluster"
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
	c := start(t, cluster.Options{APIServer: []string{
		"--disable-admission-plugins=ServiceAccount,DefaultTolerationSeconds",
	}})
	w := &webhookTest{Cluster: c, addr: c.FreeAddress()}
	for _, part := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"manifest", w.install},
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
	w.addNamespace(t, earlyNamespace)
	w.AddPods(in(earlyNamespace, cluster.Pod("early")))
	for _, object := range w.Install("webhook") {
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

func (w *webhookTest) addNamespace(t *testing.T, name string) {
	t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if _, err := w.Client.CoreV1().Namespaces().Create(t.Context(), namespace, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
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

// in returns the pod, which is put into the namespace.
func in(namespace string, pod *corev1.Pod) *corev1.Pod {
	pod.Namespace = namespace
	return pod
}

// try asks the API server for a pod, which is not created in earnest.
func (w *webhookTest) try(pod *corev1.Pod) (*corev1.Pod, error) {
	return w.Client.CoreV1().Pods(pod.Namespace).Create(w.Context(), pod,
		metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
}

// dedication gives 80 pods to the scheduler, more of them for the nodes of ml
// than these hold.
func (w *webhookTest) dedication(t *testing.T) {
	w.run(t, "-rules="+w.rules)
	const room = 8 // pods on a node of ml
	var nodes []*corev1.Node
	for i := range 2 {
		for _, pool := range []struct{ name, label, value, taint, taintValue string }{
			{"ml", "example.com/pool", "ml", "dedicated", "ml"},
			{"spot", "example.com/spot", "true", "spot", "true"},
			{"web", "example.com/pool", "web", "dedicated", "web"},
			{"general", "example.com/pool", "general", "", ""},
		} {
			node := cluster.Node(fmt.Sprintf("%s-%d", pool.name, i))
			node.Labels[pool.label] = pool.value
			if pool.taint != "" {
				node.Spec.Taints = []corev1.Taint{{Key: pool.taint, Value: pool.taintValue, Effect: corev1.TaintEffectNoSchedule}}
			}
			if pool.name == "ml" {
				node.Status.Capacity[corev1.ResourcePods] = resource.MustParse(fmt.Sprint(room))
				node.Status.Allocatable[corev1.ResourcePods] = resource.MustParse(fmt.Sprint(room))
			}
			nodes = append(nodes, node)
		}
	}
	w.AddNodes(nodes...)
	startScheduler(t, w.Cluster, nil, profile{Name: corev1.DefaultSchedulerName})

	w.addNamespace(t, "ml")
	var pods []*corev1.Pod
	for i := range 20 {
		batch := cluster.Pod(fmt.Sprintf("batch-%d", i))
		batch.Labels = map[string]string{"workload": "batch"}
		pods = append(pods, batch, in("ml", cluster.Pod(fmt.Sprintf("ml-%d", i))), cluster.Pod(fmt.Sprintf("plain-%d", i)),
			cluster.Pod(fmt.Sprintf("any-%d", i), corev1.Toleration{Key: "spot", Operator: corev1.TolerationOpExists}))
	}
	w.AddPods(pods...)

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
			}
		}
		if seen != len(pods) {
			return fmt.Errorf("there are %d pods", seen)
		}
		return nil
	})
	// Tolerating spot nodes does not mean to be kept on them.
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

	elsewhere := in("ml", cluster.Pod("elsewhere"))
	elsewhere.Spec.NodeSelector = map[string]string{"example.com/pool": "general"}
	_, err = w.try(elsewhere)
	checkForbidden(t, "another pool", err,
		`admission webhook "mutate.`+cluster.WebhookName+`" denied the request: dedication "ml-nodes" sends the pod `+
			`to nodes with example.com/pool=ml, but its nodeSelector has example.com/pool=general`)
}

// daemonSets shows that the sample rules leave an agent alone, which tolerates
// everything and runs on every node.
func (w *webhookTest) daemonSets(t *testing.T) {
	const namespace = "logging"
	w.addNamespace(t, namespace)
	sets := w.Client.AppsV1().DaemonSets(namespace)
	agent := daemonSet("agent", corev1.Toleration{Operator: corev1.TolerationOpExists})
	if _, err := sets.Create(t.Context(), agent, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	nodes, err := w.Client.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w.Eventually("the agent is on every node but those of ml, which have no room", func() error {
		pods, on := w.Pods(namespace), map[string]bool{}
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
		if n := len(w.Pods(namespace)); n > 0 {
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
	if _, err := w.try(in(metav1.NamespaceSystem, cluster.Pod("exempt"))); err != nil {
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
	elsewhere := in("ml", cluster.Pod("elsewhere"))
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
