package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/cluster"
	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
)

// manifest reads the objects of a file in manifests/, and refuses fields that Kubernetes does not know.
func manifest(t *testing.T, name string) []runtime.Object {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "manifests", name))
	if err != nil {
		t.Fatal(err)
	}
	decoder := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()
	documents := yaml.NewDocumentDecoder(io.NopCloser(bytes.NewReader(content)))
	defer documents.Close()
	var objects []runtime.Object
	buffer := make([]byte, len(content))
	for {
		n, err := documents.Read(buffer)
		if errors.Is(err, io.EOF) {
			return objects
		}
		if err != nil {
			t.Fatal(err)
		}
		object, _, err := decoder.Decode(buffer[:n], nil, nil)
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, buffer[:n])
		}
		objects = append(objects, object)
	}
}

// TestManifests reads every manifest, and sees that no container may do more than it needs.
func TestManifests(t *testing.T) {
	files, err := filepath.Glob("../manifests/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no manifests: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			for _, object := range manifest(t, filepath.Base(file)) {
				deployment, ok := object.(*appsv1.Deployment)
				if !ok {
					continue
				}
				spec := deployment.Spec.Template.Spec
				if s := spec.SecurityContext; s == nil || s.RunAsNonRoot == nil || !*s.RunAsNonRoot || s.SeccompProfile == nil {
					t.Errorf("%s: the pod's security context is not restricted", deployment.Name)
				}
				for _, container := range spec.Containers {
					s := container.SecurityContext
					if s == nil || s.AllowPrivilegeEscalation == nil || *s.AllowPrivilegeEscalation || s.Capabilities == nil ||
						len(s.Capabilities.Drop) != 1 || s.Capabilities.Drop[0] != "ALL" {
						t.Errorf("%s: the security context of container %s is not restricted", deployment.Name, container.Name)
					}
				}
			}
		})
	}
}

// apply creates the objects of a manifest in the cluster.
func apply(t *testing.T, c *cluster.Cluster, objects []runtime.Object) {
	t.Helper()
	config := rest.CopyConfig(c.Config)
	config.ContentType, config.AcceptContentTypes = "", "" // JSON
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(c.Client.Discovery()))
	for _, object := range objects {
		kind := object.GetObjectKind().GroupVersionKind()
		mapping, err := mapper.RESTMapping(kind.GroupKind(), kind.Version)
		if err != nil {
			t.Fatal(err)
		}
		fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
		if err != nil {
			t.Fatal(err)
		}
		item := &unstructured.Unstructured{Object: fields}
		// A namespace of the system may be a moment late.
		c.Eventually(fmt.Sprintf("%s %s is created", kind.Kind, item.GetName()), func() error {
			resource := client.Resource(mapping.Resource).Namespace(item.GetNamespace())
			_, err := resource.Create(t.Context(), item, metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict})
			return err
		})
	}
}

// TestSchedulerManifest runs the scheduler with the configuration and the rights that its manifest gives it, beside the
// stock one: each places the pods that name it.
func TestSchedulerManifest(t *testing.T) {
	c := cluster.Start(t, cluster.Options{})
	objects := manifest(t, "scheduler.yaml")
	apply(t, c, objects)
	c.AddNodes(cluster.Node("node-1"), cluster.Node("node-2", mlTaint))

	var config string
	for _, object := range objects {
		if m, ok := object.(*corev1.ConfigMap); ok {
			config = m.Data["config.yaml"]
		}
	}
	accounts := c.Client.CoreV1().ServiceAccounts("kube-system")
	request, err := accounts.CreateToken(t.Context(), "taints-scheduler", &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	kubeconfig := c.KubeconfigFor("taints-scheduler", request.Status.Token)
	address := c.FreeAddress()
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	process := c.Run("scheduler", cluster.Binary(t, "scheduler"),
		"--config="+c.WriteFile("manifest.yaml", fmt.Sprintf("%s\nclientConnection: {kubeconfig: %q}\n", config, kubeconfig)),
		"--bind-address="+host, "--secure-port="+port, "--cert-dir="+filepath.Join(c.Dir, "manifest"),
		"--authentication-kubeconfig="+kubeconfig, "--authorization-kubeconfig="+kubeconfig)
	c.WaitHealthy("https://" + address + "/readyz")
	startScheduler(t, c, nil, profile{name: corev1.DefaultSchedulerName})

	second := cluster.Pod("second")
	second.Spec.SchedulerName = "taints-scheduler"
	f := field{c}
	f.one(t, second, "node-1")
	f.one(t, cluster.Pod("first"), "node-1")
	for line := range strings.Lines(process.Log()) {
		if strings.Contains(line, "forbidden") {
			t.Errorf("the manifest gives too few rights: %s", line)
		}
	}
	if _, err := c.Metrics("https://" + address + "/metrics"); err != nil {
		t.Error(err)
	}
}
