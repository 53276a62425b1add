// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// What the webhook's manifest calls things.
const (
	WebhookNamespace = "webhooks"
	WebhookAccount   = "admission"
	WebhookSecret    = "admission-tls"
	WebhookName      = "admission.example.com"
)

// RunWebhook starts the webhook with the rights of its manifest, which is installed,
// and with the file of rules, if there is one, and has API servers ask it when it is
// ready. It also returns the address of the metrics.
func (c *Cluster) RunWebhook(rules string, flags ...string) (p *Process, metrics string) {
	c.tb.Helper()
	addr := c.FreeAddress()
	p, metrics, health := c.StartWebhook(addr, append([]string{"-rules=" + rules}, flags...)...)
	c.RegisterWebhook(addr)
	c.WaitHealthy("http://" + health + "/readyz")
	c.Eventually("the API server trusts the webhook", func() error { return c.tryPod(Pod("probe")) })
	return p, metrics
}

// StartWebhook is RunWebhook for one that somebody asks later. It also returns the
// address of the health checks.
func (c *Cluster) StartWebhook(addr string, flags ...string) (p *Process, metrics, health string) {
	c.tb.Helper()
	folder, err := os.MkdirTemp(c.Dir, "webhook-tls-")
	if err != nil {
		c.tb.Fatal(err)
	}
	metrics, health = c.FreeAddress(), c.FreeAddress()
	p = c.Run("webhook", Binary(c.tb, "webhook"), append([]string{
		"-kubeconfig=" + c.ServiceAccount(WebhookNamespace, WebhookAccount),
		"-addr=" + addr, "-metrics-addr=" + metrics, "-health-addr=" + health,
		"-cert-dir=" + folder, "-rotate=" + WebhookNamespace + "/" + WebhookSecret, "-dns-name=localhost",
	}, flags...)...)
	go c.mountWebhookSecret(p, folder)
	return p, "http://" + metrics + "/metrics", health
}

// RegisterWebhook has API servers ask the webhook at the address in the place of the
// service in the manifest, as nothing makes a service work here.
func (c *Cluster) RegisterWebhook(addr string) {
	c.tb.Helper()
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		c.tb.Fatal(err)
	}
	point := func(config *admissionregistrationv1.WebhookClientConfig, path string) {
		config.Service, config.URL = nil, new("https://localhost:"+port+path)
	}
	client := c.Client.AdmissionregistrationV1()
	c.Eventually("the webhook is registered", func() error {
		mutating, err := client.MutatingWebhookConfigurations().Get(c.Context(), WebhookName, metav1.GetOptions{})
		if err != nil {
			return err
		}
		validating, err := client.ValidatingWebhookConfigurations().Get(c.Context(), WebhookName, metav1.GetOptions{})
		if err != nil {
			return err
		}
		point(&mutating.Webhooks[0].ClientConfig, "/mutate")
		point(&validating.Webhooks[0].ClientConfig, "/validate")
		_, err = client.MutatingWebhookConfigurations().Update(c.Context(), mutating, metav1.UpdateOptions{})
		if err != nil {
			return err
		}
		_, err = client.ValidatingWebhookConfigurations().Update(c.Context(), validating, metav1.UpdateOptions{})
		return err
	})
}

// tryPod asks the API server for a pod, which is not created in earnest.
func (c *Cluster) tryPod(pod *corev1.Pod) error {
	_, err := c.Client.CoreV1().Pods(pod.Namespace).Create(c.Context(), pod,
		metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	return err
}

// mountWebhookSecret keeps the Secret's certificate in the folder while the process
// runs, as a kubelet does: behind a link to another folder each time.
func (c *Cluster) mountWebhookSecret(p *Process, folder string) {
	last := map[string][]byte{}
	for ; ; time.Sleep(100 * time.Millisecond) {
		select {
		case <-p.Done():
			return
		case <-c.Context().Done():
			return
		default:
		}
		secret, err := c.Client.CoreV1().Secrets(WebhookNamespace).Get(c.Context(), WebhookSecret, metav1.GetOptions{})
		if err != nil || len(secret.Data["tls.crt"]) == 0 || len(secret.Data["tls.key"]) == 0 ||
			bytes.Equal(secret.Data["tls.crt"], last["tls.crt"]) {
			continue
		}
		if err := swap(folder, secret.Data, "tls.crt", "tls.key"); err != nil {
			c.tb.Errorf("mount the webhook's Secret: %v", err)
			return
		}
		last = secret.Data
	}
}

// swap writes the files into a new folder, and then puts a link to it in the place of
// the one before.
func swap(folder string, data map[string][]byte, names ...string) error {
	target, err := os.MkdirTemp(folder, "..")
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(target, name), data[name], 0o600); err != nil {
			return err
		}
		if err := os.Symlink(filepath.Join("..data", name), filepath.Join(folder, name)); err != nil && !os.IsExist(err) {
			return err
		}
	}
	link := filepath.Join(folder, "..data")
	before, _ := os.Readlink(link) // empty the first time
	if err := os.Symlink(target, link+"_tmp"); err != nil {
		return err
	}
	if err := os.Rename(link+"_tmp", link); err != nil || before == "" {
		return err
	}
	return os.RemoveAll(before)
}
