// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
)

// Names in the webhook's manifest.
const (
	WebhookNamespace = "taints-webhooks"
	WebhookAccount   = "admission"
	WebhookSecret    = "admission-tls"
	WebhookName      = "admission.example.com"
)

// RunWebhook starts the webhook at the address with the rights of its manifest,
// which must be installed, and returns when API servers call it. It also returns
// the address of the metrics.
func (c *Cluster) RunWebhook(addr string, flags ...string) (p *Process, metrics string) {
	c.tb.Helper()
	p, metrics = c.StartWebhook(addr, flags...)
	c.RegisterWebhook(addr)
	return p, metrics
}

// StartWebhook is RunWebhook for a webhook that API servers call already, or never.
func (c *Cluster) StartWebhook(addr string, flags ...string) (p *Process, metrics string) {
	c.tb.Helper()
	folder, err := os.MkdirTemp(c.Dir, "webhook-tls-")
	c.must(err)
	metrics = FreeAddress(c.tb)
	p = c.Run("webhook", Binary(c.tb, "webhook"), append([]string{
		"-kubeconfig=" + c.ServiceAccount(WebhookNamespace, WebhookAccount),
		"-addr=" + addr, "-metrics-addr=" + metrics, "-health-addr=0",
		"-cert-dir=" + folder, "-rotate=" + WebhookNamespace + "/" + WebhookSecret, "-dns-name=localhost",
	}, flags...)...)
	go c.mountWebhookSecret(folder)
	return p, "http://" + metrics + "/metrics"
}

// RegisterWebhook makes API servers call the webhook at the address instead of the
// service in the manifest, because services do not work here, and waits until they
// do.
func (c *Cluster) RegisterWebhook(addr string) {
	c.tb.Helper()
	client := c.Client.AdmissionregistrationV1()
	patch := func(path string) []byte {
		return fmt.Appendf(nil, `[{"op": "add", "path": "/webhooks/0/clientConfig/url", "value": %q},
			{"op": "remove", "path": "/webhooks/0/clientConfig/service"}]`,
			"https://"+strings.Replace(addr, "127.0.0.1", "localhost", 1)+path)
	}
	_, err := client.MutatingWebhookConfigurations().Patch(c.Context(), WebhookName,
		types.JSONPatchType, patch("/mutate"), metav1.PatchOptions{})
	c.must(err)
	_, err = client.ValidatingWebhookConfigurations().Patch(c.Context(), WebhookName,
		types.JSONPatchType, patch("/validate"), metav1.PatchOptions{})
	c.must(err)
	c.Eventually("the API server trusts the webhook", func() error { return c.TryPod(Pod("probe")) })
}

// TryPod creates a pod in a dry run.
func (c *Cluster) TryPod(pod *corev1.Pod) error {
	_, err := c.Client.CoreV1().Pods(pod.Namespace).Create(c.Context(), pod,
		metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	return err
}

// mountWebhookSecret keeps the Secret's certificate in the folder.
func (c *Cluster) mountWebhookSecret(folder string) {
	var last []byte
	wait.UntilWithContext(c.Context(), func(ctx context.Context) {
		secret, err := c.Client.CoreV1().Secrets(WebhookNamespace).Get(ctx, WebhookSecret, metav1.GetOptions{})
		if err != nil || len(secret.Data["tls.crt"]) == 0 || bytes.Equal(secret.Data["tls.crt"], last) {
			return
		}
		last = secret.Data["tls.crt"]
		if err := Mount(folder, secret.Data, "tls.crt", "tls.key"); err != nil {
			c.tb.Errorf("mount the webhook's Secret: %v", err)
		}
	}, 100*time.Millisecond)
}

// Mount writes the files as a kubelet does: into a new folder, and then it replaces
// the old link with a link to it.
func Mount(folder string, data map[string][]byte, names ...string) error {
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
