// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/cluster"
)

// TestTogether installs all manifests, with the registration of the webhook last and
// first. Every pod that they ask for is created, and created again while the webhook
// is down: the evictor must come back then. Critical pods need a quota, as on some
// clouds.
func TestTogether(t *testing.T) {
	const all = "resources: [examples/kubernetes/manifests/example]\ncomponents: [" +
		"examples/kubernetes/manifests/evictor/delete, examples/kubernetes/manifests/webhook/cert-manager]"
	t.Run("registered last", func(t *testing.T) {
		c := installed(t, must(cluster.Manifest("example"))(t))
		rules := c.WriteFile("rules.json", must(c.Client.CoreV1().ConfigMaps(cluster.WebhookNamespace).Get(
			t.Context(), "admission-rules", metav1.GetOptions{},
		))(t).Data["rules.json"])
		webhook, _ := c.RunWebhook(cluster.FreeAddress(t), "-rules="+rules)
		again(t, c)
		c.AddNodes(cluster.Node("node-1"), cluster.Node("node-2"))
		c.Apply(must(cluster.Manifest("../play/workloads"))(t)...)
		created(t, c)
		webhook.Kill()
		again(t, c)
	})
	t.Run("registered first", func(t *testing.T) {
		objects := kustomize(t, all)
		slices.SortStableFunc(objects, func(a, b client.Object) int { return urgency(a) - urgency(b) })
		again(t, installed(t, objects))
	})
}

// urgency is 0 for namespaces, 1 for registrations, and 2 for everything else.
func urgency(object client.Object) int {
	switch object.(type) {
	case *corev1.Namespace:
		return 0
	case *admissionregistrationv1.MutatingWebhookConfiguration, *admissionregistrationv1.ValidatingWebhookConfiguration:
		return 1
	}
	return 2
}

// quotaForCritical makes the API server refuse critical pods in namespaces without a
// quota for them.
const quotaForCritical = `apiVersion: apiserver.config.k8s.io/v1
kind: AdmissionConfiguration
plugins:
- name: ResourceQuota
  configuration:
    apiVersion: apiserver.config.k8s.io/v1
    kind: ResourceQuotaConfiguration
    limitedResources:
    - resource: pods
      matchScopes:
      - {scopeName: PriorityClass, operator: In, values: [system-node-critical, system-cluster-critical]}
`

// installed starts a cluster with the objects, which include the registration of a
// webhook that does not run, and waits for the pods.
func installed(t *testing.T, objects []client.Object) *cluster.Cluster {
	t.Helper()
	config := filepath.Join(t.TempDir(), "admission.yaml")
	check(t, os.WriteFile(config, []byte(quotaForCritical), 0o600))
	c := start(t, cluster.Options{
		APIServer:         []string{"--admission-control-config-file=" + config},
		ControllerManager: []string{noTaintEviction},
	})
	for kind, group := range map[string]string{
		"ServiceMonitor": "monitoring.coreos.com/v1", "PrometheusRule": "monitoring.coreos.com/v1",
		"Certificate": "cert-manager.io/v1", "Issuer": "cert-manager.io/v1",
	} {
		c.Apply(definition(t, group, kind))
	}
	quota := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: "critical", Namespace: metav1.NamespaceSystem}}
	quota.Spec.Hard = corev1.ResourceList{corev1.ResourcePods: resource.MustParse("9")}
	quota.Spec.ScopeSelector = &corev1.ScopeSelector{MatchExpressions: []corev1.ScopedResourceSelectorRequirement{
		{ScopeName: corev1.ResourceQuotaScopePriorityClass, Operator: corev1.ScopeSelectorOpExists},
	}}
	c.Apply(quota)
	c.Apply(objects...)
	created(t, c)
	c.Eventually("the webhook is called", func() error {
		if err := c.TryPod(cluster.Pod("refused")); !apierrors.IsInternalError(err) {
			return fmt.Errorf("got %v", err)
		}
		return nil
	})
	return c
}

// definition defines a kind of objects, so that API servers accept them as they are.
func definition(t *testing.T, version, kind string) client.Object {
	t.Helper()
	group, version, _ := strings.Cut(version, "/")
	plural := strings.ToLower(kind) + "s"
	text := fmt.Sprintf(`{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: %s.%s},
spec: {group: %[2]s, scope: Namespaced, names: {plural: %[1]s, kind: %[3]s}, versions: [{name: %[4]s, served: true, storage: true,
schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]}}`, plural, group, kind, version)
	object := &unstructured.Unstructured{}
	check(t, yaml.Unmarshal([]byte(text), object))
	return object
}

// created waits until there are the pods that Deployments and DaemonSets ask for.
func created(t *testing.T, c *cluster.Cluster) {
	t.Helper()
	every := metav1.ListOptions{}
	c.Eventually("every pod is created", func() error {
		want := map[string]int{}
		for _, d := range must(c.Client.AppsV1().Deployments("").List(t.Context(), every))(t).Items {
			want[d.Namespace+"/"+d.Name] = int(*d.Spec.Replicas)
		}
		nodes := must(c.Client.CoreV1().Nodes().List(t.Context(), every))(t).Items
		for _, d := range must(c.Client.AppsV1().DaemonSets("").List(t.Context(), every))(t).Items {
			want[d.Namespace+"/"+d.Name] = len(nodes)
		}
		got := map[string]int{}
		for _, pod := range must(c.Client.CoreV1().Pods("").List(t.Context(), every))(t).Items {
			owner := pod.Labels["app"] + pod.Labels["app.kubernetes.io/name"]
			got[pod.Namespace+"/"+owner]++
		}
		if !maps.Equal(got, want) {
			return fmt.Errorf("there are %v, want %v", got, want)
		}
		return nil
	})
}

// again deletes the pods of the programs, and waits until there are others.
func again(t *testing.T, c *cluster.Cluster) {
	t.Helper()
	for _, namespace := range []string{cluster.Evictor, cluster.WebhookNamespace, metav1.NamespaceSystem} {
		check(t, c.Client.CoreV1().Pods(namespace).DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{}))
	}
	created(t, c)
}
