// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/component-base/metrics/testutil"
	volumeutil "k8s.io/kubernetes/pkg/volume/util"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// Evictor is the manifest's name for the namespace, service account and lease.
const Evictor = "taints-evictor"

// RunScheduler starts kube-scheduler, or the program scheduler, which has the plugin, and
// waits until it is ready. It looks at every node for each pod. The profiles are YAML,
// and "" is the default profile.
func (c *Cluster) RunScheduler(program, profiles string) {
	c.tb.Helper()
	config := fmt.Sprintf(`apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection: {leaderElect: false}
clientConnection: {kubeconfig: %q, qps: 5000, burst: 5000, contentType: application/vnd.kubernetes.protobuf}
percentageOfNodesToScore: 100
%s`, c.Kubeconfig, profiles)
	c.StartScheduler(program, config, c.Kubeconfig, "--feature-gates=TaintTolerationComparisonOperators=true")
}

// StartScheduler starts a scheduler with the configuration, and waits until it is ready.
func (c *Cluster) StartScheduler(program, config, kubeconfig string, flags ...string) *Process {
	c.tb.Helper()
	port := FreePort(c.tb)
	name := "scheduler-" + port
	p := c.Run(program, append([]string{
		"--config=" + c.WriteFile(name+".yaml", config),
		"--bind-address=127.0.0.1",
		"--secure-port=" + port,
		"--cert-dir=" + c.path(name),
		"--authentication-kubeconfig=" + kubeconfig,
		"--authorization-kubeconfig=" + kubeconfig,
	}, flags...)...)
	url := "https://127.0.0.1:" + port
	c.untilHealthy(p, url+"/readyz")
	p.Metrics = url + "/metrics"
	return p
}

// RunEvictor starts an evictor with the rights of its manifest, which must be
// installed, and waits until it is ready.
func (c *Cluster) RunEvictor(flags ...string) *Process {
	c.tb.Helper()
	address, health := FreeAddress(c.tb), FreeAddress(c.tb)
	p := c.Run("evictor", append([]string{
		"-kubeconfig=" + c.ServiceAccount(Evictor, Evictor),
		"-leader-elect-namespace=" + Evictor,
		"-metrics-addr=" + address,
		"-health-addr=" + health,
	}, flags...)...)
	c.untilHealthy(p, "http://"+health+"/readyz")
	p.Metrics = "http://" + address + "/metrics"
	return p
}

// Names in the webhook's manifest.
const (
	WebhookNamespace = "taints-webhooks"
	WebhookAccount   = "admission"
	WebhookSecret    = "admission-tls"
	WebhookName      = "admission.taints-webhooks.svc"
)

// RunWebhook starts the webhook at the address with the rights of its manifest,
// which must be installed. It makes API servers call that address instead of the
// service in the manifest, because services do not work here, and returns when they
// do.
func (c *Cluster) RunWebhook(addr string, flags ...string) *Process {
	c.tb.Helper()
	p := c.StartWebhook(addr, flags...)
	c.PatchWebhooks(func(path string) string {
		return fmt.Sprintf(`[{"op": "add", "path": "/webhooks/0/clientConfig/url", "value": %q},
			{"op": "remove", "path": "/webhooks/0/clientConfig/service"}]`,
			"https://"+strings.Replace(addr, "127.0.0.1", "localhost", 1)+path)
	})
	c.Eventually("the API server trusts the webhook", func() error { return c.TryPod(Pod("probe")) })
	return p
}

// StartWebhook is RunWebhook for a webhook that API servers call already, or never.
func (c *Cluster) StartWebhook(addr string, flags ...string) *Process {
	c.tb.Helper()
	folder, err := os.MkdirTemp(c.Dir, "webhook-tls-")
	c.Must(err)
	metrics := FreeAddress(c.tb)
	p := c.Run("webhook", append([]string{
		"-kubeconfig=" + c.ServiceAccount(WebhookNamespace, WebhookAccount),
		"-addr=" + addr, "-metrics-addr=" + metrics, "-health-addr=0",
		"-cert-dir=" + folder, "-rotate=" + WebhookNamespace + "/" + WebhookSecret, "-dns-name=localhost",
	}, flags...)...)
	p.Metrics = "http://" + metrics + "/metrics"
	go c.mountWebhookSecret(folder)
	return p
}

// PatchWebhooks patches both webhook configurations with the JSON patches for their
// paths.
func (c *Cluster) PatchWebhooks(patch func(path string) string) {
	c.tb.Helper()
	for path, configuration := range map[string]client.Object{
		"/mutate":   &admissionregistrationv1.MutatingWebhookConfiguration{},
		"/validate": &admissionregistrationv1.ValidatingWebhookConfiguration{},
	} {
		configuration.SetName(WebhookName)
		c.Must(c.api.Patch(c.Context(), configuration, client.RawPatch(types.JSONPatchType, []byte(patch(path)))))
	}
}

// TryPod creates a pod in a dry run.
func (c *Cluster) TryPod(pod *corev1.Pod) error {
	_, err := c.Client.CoreV1().Pods(pod.Namespace).Create(c.Context(), pod, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	return err
}

// mountWebhookSecret keeps the certificate of the Secret in the folder, as a kubelet
// does.
func (c *Cluster) mountWebhookSecret(folder string) {
	writer, err := volumeutil.NewAtomicWriter(folder, WebhookSecret)
	c.Must(err)
	wait.UntilWithContext(c.Context(), func(ctx context.Context) {
		secret, err := c.Client.CoreV1().Secrets(WebhookNamespace).Get(ctx, WebhookSecret, metav1.GetOptions{})
		if err != nil || len(secret.Data["tls.crt"]) == 0 {
			return
		}
		files := map[string]volumeutil.FileProjection{}
		for _, name := range []string{"tls.crt", "tls.key"} {
			files[name] = volumeutil.FileProjection{Data: secret.Data[name], Mode: 0o600}
		}
		if err := writer.Write(files, nil); err != nil {
			c.tb.Errorf("mount the webhook's Secret: %v", err)
		}
	}, 100*time.Millisecond)
}

// Get fetches a page of a program that the test has started, as a user with all
// rights.
func (c *Cluster) Get(url string) (string, error) { return Get(c.Context(), url, c.Config.BearerToken) }

// Get fetches a page of a program on this machine, with the token if it is not empty.
// The program's certificate is not verified: the program made it itself.
func Get(ctx context.Context, url, token string) (string, error) {
	client, err := rest.UnversionedRESTClientFor(&rest.Config{
		Host: url, BearerToken: token, Timeout: 10 * time.Second,
		TLSClientConfig: rest.TLSClientConfig{Insecure: true},
		ContentConfig:   rest.ContentConfig{NegotiatedSerializer: scheme.Codecs},
	})
	if err != nil {
		return "", err
	}
	page, err := client.Get().DoRaw(ctx)
	return string(page), err
}

// Metrics fetches a page of metrics, by name.
func (c *Cluster) Metrics(url string) (testutil.Metrics, error) {
	page, err := c.Get(url)
	metrics := testutil.NewMetrics()
	return metrics, errors.Join(err, testutil.ParseMetrics(page, &metrics))
}

// Manifest builds the kustomization in a folder. It refuses fields that Kubernetes does
// not know. Objects of kinds that Kubernetes does not know are unstructured.
func Manifest(folder string) (objects []client.Object, err error) {
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), folder)
	if err != nil {
		return nil, err
	}
	decoder := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()
	for _, resource := range built.Resources() {
		text, err := resource.MarshalJSON()
		if err != nil {
			return nil, err
		}
		object, _, err := decoder.Decode(text, nil, nil)
		if runtime.IsNotRegisteredError(err) {
			object, _, err = unstructured.UnstructuredJSONScheme.Decode(text, nil, nil)
		}
		if err != nil {
			return nil, fmt.Errorf("%w\n%s", err, text)
		}
		objects = append(objects, object.(client.Object))
	}
	return objects, nil
}

// Install creates the objects of the kustomization in a folder, and returns them.
func (c *Cluster) Install(folder string) []client.Object {
	c.tb.Helper()
	objects, err := Manifest(folder)
	c.Must(err)
	c.Apply(objects...)
	return objects
}

// Apply creates the objects, of any kind, and nodes as AddNodes does.
func (c *Cluster) Apply(objects ...client.Object) {
	c.tb.Helper()
	for _, object := range objects {
		if node, ok := object.(*corev1.Node); ok {
			c.AddNodes(node)
			continue
		}
		object := object.DeepCopyObject().(client.Object) // the given object can be created again
		// A system namespace may appear a moment late.
		c.Eventually(fmt.Sprintf("%T %s is created", object, object.GetName()), func() error {
			err := c.api.Create(c.Context(), object)
			if apierrors.IsAlreadyExists(err) {
				c.tb.Fatal(err)
			}
			return err
		})
	}
}

// ServiceAccount returns the path of a file for --kubeconfig for a service account,
// with the rights of that account and no more.
func (c *Cluster) ServiceAccount(namespace, name string) string {
	c.tb.Helper()
	accounts := c.Client.CoreV1().ServiceAccounts(namespace)
	request, err := accounts.CreateToken(c.Context(), name, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	c.Must(err)
	config := rest.AnonymousClientConfig(c.Config)
	config.BearerToken = request.Status.Token
	return c.KubeconfigFor(namespace+"-"+name, config)
}

// Tools returns a folder for the PATH with kubectl and other programs, named as for
// [Binary].
func (c *Cluster) Tools(others ...string) string {
	c.tb.Helper()
	bin := filepath.Join(c.Dir, "bin")
	c.Must(os.MkdirAll(bin, 0o755))
	for _, program := range append(others, "kubectl") {
		c.Must(os.Symlink(Binary(c.tb, program), filepath.Join(bin, filepath.Base(program))))
	}
	return bin
}
