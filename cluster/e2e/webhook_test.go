// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/component-base/metrics/testutil"

	"github.com/seed-0529bac1/taints/cluster/internal/controlplane"
	"github.com/seed-0529bac1/taints/internal/test/docs"
)

// TestWebhook runs the webhook as the manifest's service account, which has only
// the rights that the manifest gives it.
func TestWebhook(t *testing.T) {
	c := start(t, controlplane.Options{APIServer: []string{
		"--disable-admission-plugins=ServiceAccount,DefaultTolerationSeconds", "--enable-admission-plugins=ExtendedResourceToleration",
	}})
	w := &webhookTest{Cluster: c, tools: c.Tools(), commands: docs.Blocks(t, "testdata/webhook.md", "console"), addr: controlplane.FreeAddress(t)}
	// Each part needs the results of the parts before it.
	_ = t.Run("manifest", w.install) && t.Run("network policy", w.networkPolicy) && t.Run("dedication", w.dedication) &&
		t.Run("daemon sets", w.daemonSets) && t.Run("new rules", w.newRules) && t.Run("down", w.down) &&
		t.Run("replicas", w.replicas) && t.Run("outage", w.outage)
}

// A webhookTest is a cluster and how the webhook runs in it.
type webhookTest struct {
	*controlplane.Cluster
	tools    string       // the folder of kubectl
	commands []docs.Block // of a user

	addr    string         // where API servers call the webhook
	secret  *corev1.Secret // of the manifest
	metrics testutil.Metrics
	webhook *controlplane.Process
}

// install creates everything in the manifest. One more pod is created before the
// webhook, and so has no tolerations.
func (w *webhookTest) install(t *testing.T) {
	w.Apply(controlplane.Pod("early"))
	objects := w.Install("../manifests/webhook")
	rules := w.WriteFile("rules.json", only[*corev1.ConfigMap](t, objects).Data["rules.json"])
	w.secret = only[*corev1.Secret](t, objects)
	w.webhook = w.RunWebhook(w.addr, "-rules="+rules)
}

// networkPolicy checks that an API server refuses the NetworkPolicy until addresses
// are set. TestTogether creates one with addresses.
func (w *webhookTest) networkPolicy(t *testing.T) {
	policy := only[*networkingv1.NetworkPolicy](t, overlay(t, "webhook", "network-policy"))
	_, err := w.Client.NetworkingV1().NetworkPolicies(policy.Namespace).Create(t.Context(), policy, metav1.CreateOptions{})
	if !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), `"SET-THE-ADDRESSES-OF-THE-API-SERVERS"`) {
		t.Errorf("got %v", err)
	}
}

func in(namespace string, pod *corev1.Pod) *corev1.Pod {
	pod.Namespace = namespace
	return pod
}

// asUser runs the commands of a block in testdata/webhook.md.
func (w *webhookTest) asUser(t *testing.T, block int) {
	w.commands[block].Check(t, root, "KUBECONFIG="+w.Kubeconfig, inPath(t, w.tools))
}

// dedication creates pods for the scheduler to place, more of them for the node ml
// than it has room for. The replicas of the webhook are never on one node, even if
// the other node is full.
func (w *webhookTest) dedication(t *testing.T) {
	w.Install("testdata/dedication")
	w.RunScheduler("kube-scheduler", "")
	for i := range 3 {
		batch := controlplane.Pod(fmt.Sprintf("batch-%d", i))
		batch.Labels = map[string]string{"workload": "batch"}
		w.Apply(batch, in("ml", controlplane.Pod(fmt.Sprintf("ml-%d", i))), controlplane.Pod(fmt.Sprintf("plain-%d", i)))
	}
	placed := map[string]int{}
	w.Eventually("every pod has a node, or is told that there is none", func() error {
		clear(placed)
		ml, others, own := w.Pods("ml"), w.Pods(metav1.NamespaceDefault), w.Pods(controlplane.WebhookNamespace)
		for _, pods := range []map[string]*corev1.Pod{ml, others, own} {
			for name, pod := range pods {
				kind, _, _ := strings.Cut(name, "-")
				placed[kind+" on "+pod.Spec.NodeName]++
			}
		}
		return errors.Join(settled(ml, 3), settled(others, 7), settled(own, 2))
	})
	want := map[string]int{
		"ml on ml": 2, "ml on ": 1, "batch on spot": 3, "plain on general": 3, "early on general": 1,
		"admission on general": 1, "admission on ": 1,
	}
	if !maps.Equal(placed, want) {
		t.Errorf("placed: %v, want %v", placed, want)
	}
}

// daemonSets checks that pods of DaemonSets have the tolerations that their controller
// adds, and that their author can add none that are not allowed.
func (w *webhookTest) daemonSets(t *testing.T) {
	w.Install("testdata/daemonsets")
	event(w.Cluster, "the other pool is refused", func(event eventsv1.Event) bool {
		return event.Reason == "FailedCreate" && event.Regarding.Name == "sneak" && strings.HasSuffix(event.Note, notAllowed)
	})
	w.Eventually("there is a watcher, and no sneak", func() error {
		names := fmt.Sprint(slices.Collect(maps.Keys(w.Pods(metav1.NamespaceDefault))))
		return unless(!strings.Contains(names, "sneak-") && strings.Contains(names, "watcher-"), "%s", names)
	})
	check(t, w.Client.AppsV1().DaemonSets(metav1.NamespaceDefault).Delete(t.Context(), "sneak", metav1.DeleteOptions{}))
}

const notAllowed = `admission webhook "validate.` + controlplane.WebhookName + `" denied the request: ` +
	`toleration "dedicated=ml:NoSchedule" is not allowed in namespace "default"; allowed are: spot op=Exists`

func (w *webhookTest) newRules(t *testing.T) {
	w.asUser(t, 0)
	w.WriteFile("rules.json", "{}")
	w.Eventually("everything is allowed", func() error { return w.TryPod(controlplane.Pod("sneak", mlToleration)) })
	w.metrics = must(w.Metrics(w.webhook.Metrics))(t)
	const configurations = "update validatingwebhookconfigurations.admissionregistration.k8s.io "
	checkRights(t, w.Cluster, controlplane.WebhookNamespace+":"+controlplane.WebhookAccount,
		[]string{"update secrets " + controlplane.WebhookSecret, configurations + controlplane.WebhookName},
		[]string{"update secrets other", "create secrets", configurations + "other", "list pods"})
	checkLog(t, w.webhook)
	w.webhook.Stop()
}

func (w *webhookTest) down(t *testing.T) {
	w.asUser(t, 1)
	w.setFailurePolicy("Ignore")
	w.Eventually("failurePolicy Ignore lets through", func() error {
		return w.TryPod(controlplane.Pod("let-through", mlToleration))
	})
	maps.Copy(w.metrics, must(w.Metrics(w.Config.Host+"/metrics"))(t)) // those of failed calls
	checkAlerts(t, "webhook", w.metrics)
}

func (w *webhookTest) setFailurePolicy(policy string) {
	w.PatchWebhooks(func(string) string {
		return fmt.Sprintf(`[{"op": "replace", "path": "/webhooks/0/failurePolicy", "value": %q}]`, policy)
	})
}

// replicas starts two webhooks at once without the manifest's Secret, which they
// may not create. It restores the Secret, and removes the certificate while they
// run. They always present a certificate that API servers trust. It also replaces
// what the manifest has, and they make another certificate.
func (w *webhookTest) replicas(t *testing.T) {
	w.setFailurePolicy("Fail")
	secrets := w.Client.CoreV1().Secrets(controlplane.WebhookNamespace)
	check(t, secrets.Delete(t.Context(), controlplane.WebhookSecret, metav1.DeleteOptions{}))
	other := controlplane.FreeAddress(t)
	w.webhook = w.StartWebhook(w.addr)
	second := w.StartWebhook(other)
	w.Eventually("both wait for the Secret", func() error {
		const waits = "the certificate cannot be rotated yet"
		return unless(strings.Contains(w.webhook.Log(), waits) && strings.Contains(second.Log(), waits), "they do not")
	})
	w.Apply(w.secret)
	w.Eventually("both replicas answer", func() error {
		_, one := shown(w.Cluster, w.addr)
		_, two := shown(w.Cluster, other)
		return errors.Join(one, two, w.TryPod(controlplane.Pod("probe")))
	})
	before := must(shown(w.Cluster, w.addr))(t)
	patch := []byte(`{"data": {"tls.crt": null, "tls.key": null}}`)
	must(secrets.Patch(t.Context(), controlplane.WebhookSecret, types.MergePatchType, patch, metav1.PatchOptions{}))(t)
	w.Eventually("both replicas show the same new certificate", func() error {
		check(t, w.TryPod(controlplane.Pod("probe")))
		one, two := must(shown(w.Cluster, w.addr))(t), must(shown(w.Cluster, other))(t)
		return unless(one == two && one != before, "they do not")
	})
	before = must(shown(w.Cluster, w.addr))(t)
	must(secrets.Update(t.Context(), w.secret.DeepCopy(), metav1.UpdateOptions{}))(t) // this and the next, as kubectl replace
	w.PatchWebhooks(func(string) string { return `[{"op": "remove", "path": "/webhooks/0/clientConfig/caBundle"}]` })
	w.Eventually("both replicas have mended that", func() error {
		one, errOne := shown(w.Cluster, w.addr)
		two, errTwo := shown(w.Cluster, other)
		mended := unless(one == two && one != before, "they have not")
		return errors.Join(errOne, errTwo, mended, w.TryPod(controlplane.Pod("probe")))
	})
	second.Stop()
}

// shown returns the certificate that the webhook presents, if an API server trusts
// it.
func shown(c *controlplane.Cluster, addr string) (string, error) {
	configurations := c.Client.AdmissionregistrationV1().MutatingWebhookConfigurations()
	configuration, err := configurations.Get(c.Context(), controlplane.WebhookName, metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM(configuration.Webhooks[0].ClientConfig.CABundle)
	connection, err := tls.Dial("tcp", addr, &tls.Config{RootCAs: trusted, ServerName: "localhost"})
	if err != nil {
		return "", err
	}
	defer connection.Close()
	return string(connection.ConnectionState().PeerCertificates[0].Raw), nil
}

func (w *webhookTest) outage(t *testing.T) {
	w.StopAPIServer()
	must(tls.Dial("tcp", w.addr, &tls.Config{InsecureSkipVerify: true}))(t).Close()
	w.StartAPIServer()
	w.Eventually("the API server asks it again", func() error { return w.TryPod(controlplane.Pod("probe")) })
}

// TestWebhookAudit checks that the README's audit reads the rules that its overlay installs.
func TestWebhookAudit(t *testing.T) {
	objects := kustomize(t, docs.Blocks(t, "../webhook/README.md", "yaml")[0].Text)
	_, audited, _ := strings.Cut(docs.Blocks(t, "../webhook/README.md", "console")[0].Text, "-rules ")
	rules := must(os.ReadFile(filepath.Join("..", strings.Fields(audited)[0])))(t)
	if installed := only[*corev1.ConfigMap](t, objects).Data["rules.json"]; installed != string(rules) {
		t.Errorf("the audit reads\n%s\nand these rules are installed:\n%s", rules, installed)
	}
}
